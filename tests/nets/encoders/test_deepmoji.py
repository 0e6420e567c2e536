"""DeepMoji's net: the published names and shapes, and the same numbers as plain numpy."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.encoders.deepmoji import DeepMojiNet, DeepMojiSizes  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402

# The state dict of torchMoji's pytorch_model.bin: modules of torchmoji/model_def.py, lstm.py and attlayer.py with
# 50,000 tokens, width 256, hidden 512 and 64 classes (github.com/huggingface/torchMoji).
PUBLISHED = {
    "embed.weight": (50000, 256),
    "lstm_0.weight_ih_l0": (2048, 256), "lstm_0.weight_hh_l0": (2048, 512),
    "lstm_0.bias_ih_l0": (2048,), "lstm_0.bias_hh_l0": (2048,),
    "lstm_0.weight_ih_l0_reverse": (2048, 256), "lstm_0.weight_hh_l0_reverse": (2048, 512),
    "lstm_0.bias_ih_l0_reverse": (2048,), "lstm_0.bias_hh_l0_reverse": (2048,),
    "lstm_1.weight_ih_l0": (2048, 1024), "lstm_1.weight_hh_l0": (2048, 512),
    "lstm_1.bias_ih_l0": (2048,), "lstm_1.bias_hh_l0": (2048,),
    "lstm_1.weight_ih_l0_reverse": (2048, 1024), "lstm_1.weight_hh_l0_reverse": (2048, 512),
    "lstm_1.bias_ih_l0_reverse": (2048,), "lstm_1.bias_hh_l0_reverse": (2048,),
    "attention_layer.attention_vector": (2304,),
    "output_layer.0.weight": (64, 2304), "output_layer.0.bias": (64,),
}  # fmt: skip
SMALL = DeepMojiSizes(words=50, width=6, hidden=5, classes=7)


def random_net(sizes, seed=0):
    """Weights large enough that gates reach both ends of the hard sigmoid."""
    net, random = DeepMojiNet(sizes).eval(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=random))
    return net


def test_names_and_shapes_are_the_published_ones():
    with torch.device("meta"):
        net = DeepMojiNet(DeepMojiSizes())
    assert {name: tuple(value.shape) for name, value in net.state_dict().items()} == PUBLISHED
    assert DeepMojiSizes().shapes() == PUBLISHED


def plain(state, ids):
    """The paper's model for one text in numpy, float64; one word after the other."""
    weight = {name: value.double().numpy() for name, value in state.items()}

    def gate(x):
        return np.minimum(np.maximum(0.2 * x + 0.5, 0), 1)

    def lstm(layer, steps, way):
        names = (f"{layer}.{part}_l0{way}" for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        w_ih, w_hh, b_ih, b_hh = (weight[name] for name in names)
        size = w_hh.shape[1]
        h, c, out = np.zeros(size), np.zeros(size), []
        for x in steps:
            z = w_ih @ x + b_ih + w_hh @ h + b_hh
            i, f, g, o = z[:size], z[size : 2 * size], z[2 * size : 3 * size], z[3 * size :]
            c = gate(f) * c + gate(i) * np.tanh(g)
            h = gate(o) * np.tanh(c)
            out.append(h)
        return np.array(out)

    def both(layer, steps):
        return np.hstack([lstm(layer, steps, ""), lstm(layer, steps[::-1], "_reverse")[::-1]])

    words = np.tanh(weight["embed.weight"][ids])
    first = both("lstm_0", words)
    features = np.hstack([both("lstm_1", first), first, words])
    share = np.exp(features @ weight["attention_layer.attention_vector"])
    pooled = (share / share.sum()) @ features
    scores = np.exp(weight["output_layer.0.weight"] @ pooled + weight["output_layer.0.bias"])
    return scores / scores.sum()


@pytest.mark.parametrize("length", [1, 2, 9])
def test_equals_numpy(length):
    net = random_net(SMALL)
    ids = np.random.default_rng(length).integers(SMALL.words, size=(40, length))
    np.testing.assert_allclose(net.read(ids), [plain(net.state_dict(), row) for row in ids], atol=1e-5)


def test_rows_do_not_depend_on_their_company():
    net = random_net(DeepMojiSizes(words=500))
    ids = np.random.default_rng(1).integers(500, size=(100, 6))
    whole = net.read(ids)
    for size in (1, 7, 31, 33, 64):
        assert_same_vectors(net.read(ids[:size]), whole[:size])
        assert_same_vectors(net.read(ids[-size:]), whole[-size:])
