"""BiLSTM-max against plain numpy, and the files it reads."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402

from dialometer.core.errors import MissingResource  # noqa: E402
from dialometer.nets.encoders.infersent import BiLstmMax, read_weights, shapes  # noqa: E402
from dialometer.nets.training.checkpoints import rebuilt  # noqa: E402
from tests.nets.numpy_lstm import both_ways, random_weights  # noqa: E402

# facebookresearch/InferSent, models.py: nn.LSTM(word_emb_dim, enc_lstm_dim, 1, bidirectional=True) named enc_lstm;
# README.md there: word_emb_dim 300, enc_lstm_dim 2048, both versions.
RELEASED = {
    "enc_lstm.weight_ih_l0": (8192, 300),
    "enc_lstm.weight_hh_l0": (8192, 2048),
    "enc_lstm.bias_ih_l0": (8192,),
    "enc_lstm.bias_hh_l0": (8192,),
    "enc_lstm.weight_ih_l0_reverse": (8192, 300),
    "enc_lstm.weight_hh_l0_reverse": (8192, 2048),
    "enc_lstm.bias_ih_l0_reverse": (8192,),
    "enc_lstm.bias_hh_l0_reverse": (8192,),
}


def test_names_and_shapes_of_the_release():
    assert shapes(300, 2048) == RELEASED


@pytest.mark.parametrize("zero", [False, True])
def test_equals_plain_numpy(zero):
    weights = random_weights(np.random.default_rng(0), 7, 5)
    words = np.random.default_rng(1).normal(size=(6, 7)).astype(np.float32)
    net = rebuilt(lambda: BiLstmMax(7, 5, zero), weights, "here")
    expected = both_ways(words, weights).max(axis=0)
    assert (expected < 0).any()
    got = net(torch.from_numpy(words)[None])[0].numpy()
    assert np.abs(got - (np.maximum(expected, 0) if zero else expected)).max() < 1e-5


@pytest.mark.parametrize("name", ["infersent.pkl", "infersent.safetensors"])
def test_files_of_both_kinds(tmp_path, name):
    weights = random_weights(np.random.default_rng(0), 7, 5)
    tensors = {key: torch.from_numpy(value) for key, value in weights.items()}
    (torch.save if name.endswith("pkl") else save_file)(tensors, tmp_path / name)
    read = read_weights(tmp_path / name)
    assert all((read[key] == weights[key]).all() for key in weights)


def wrong(folder, what):
    path = folder / "w.pkl"
    tensors = {key: torch.from_numpy(value) for key, value in random_weights(np.random.default_rng(0), 7, 5).items()}
    if what == "a module":  # a whole pickled object may hold code: it must not be run
        torch.save(BiLstmMax(7, 5, False), path)
    elif what == "cut":
        torch.save(tensors, path)
        path.write_bytes(path.read_bytes()[:500])
    elif what == "not weights":
        path.write_text("tea")
    elif what == "numbers":
        torch.save({"epochs": 3}, path)
    elif what == "missing":
        torch.save({key: value for key, value in tensors.items() if "reverse" not in key}, path)
    elif what == "shape":
        torch.save({**tensors, "enc_lstm.bias_hh_l0": torch.zeros(4)}, path)
    elif what == "flat":
        torch.save({**tensors, "enc_lstm.weight_hh_l0": torch.zeros(())}, path)
    return path


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("nothing", "there is no InferSent file"),
        ("a module", "cannot be read as weights"),
        ("cut", "cannot be read as weights"),
        ("not weights", "cannot be read as weights"),
        ("numbers", "no state dict of tensors"),
        ("missing", r"has no parameter 'enc_lstm.weight_ih_l0_reverse' of shape \(20, 7\)"),
        ("shape", r"'enc_lstm.bias_hh_l0' has shape \(4,\), and \(20,\) is expected"),
        ("flat", r"'enc_lstm.weight_ih_l0' has shape \(20, 7\), and \(0, 7\) is expected"),
    ],
)
def test_wrong_files_are_refused(tmp_path, what, says):
    with pytest.raises(MissingResource, match=says):
        read_weights(wrong(tmp_path, what))
