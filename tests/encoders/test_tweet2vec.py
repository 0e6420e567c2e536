"""tweet2vec: characters, the equation of the paper in plain numpy, a training of seconds, and what it refuses."""

import sys

import numpy as np
import orjson
import pytest
from safetensors.numpy import save_file

torch = pytest.importorskip("torch")

from dialometer.core.errors import MissingResource, NeedsError, SpecError  # noqa: E402
from dialometer.core.protocols import Encoder, Fits  # noqa: E402
from dialometer.core.registry import create  # noqa: E402
from dialometer.encoders.tweet2vec import Tweet2vec  # noqa: E402
from dialometer.text.training_overlap import seen_texts  # noqa: E402
from tests.encoders.talks import SMALL_TALK, without_checksums  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402

SPEC = "tweet2vec(inner=6,hidden=10,dim=8,length=40,epochs=3)"


@pytest.fixture(scope="module")
def trained():
    return create("encoder", SPEC).fit(SMALL_TALK, seed=3)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def last_state(rows, weights, side):
    """A GRU in plain numpy, gates in torch's order: reset, update, new."""
    w, u, b, c = (
        weights[f"reader.{side}.{name}_l0"].astype(float) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    h = np.zeros(u.shape[1])
    for x in rows:
        (r, z, n), (hr, hz, hn) = np.split(w @ x + b, 3), np.split(u @ h + c, 3)
        r, z = sigmoid(r + hr), sigmoid(z + hz)
        h = (1 - z) * np.tanh(n + r * hn) + z * h
    return h


def test_equals_the_equation_of_the_paper(trained):
    """e = W_f h_f + W_b h_b + b over the characters of the text, in lower case; unknown ones are row 0."""
    weights, known = trained.learnt.weights, [chr(c) for c in trained.learnt.characters]
    for text in ["Do you  like TEA ?", "ÿ tea"]:
        plain = " ".join(text.lower().split())
        rows = weights["reader.embedding.weight"][[known.index(c) + 1 if c in known else 0 for c in plain]].astype(float)
        w_f, w_b = np.split(weights["dense.weight"].astype(float), 2, axis=1)
        forth, back = last_state(rows, weights, "forth"), last_state(rows[::-1], weights, "back")
        expected = w_f @ forth + w_b @ back + weights["dense.bias"]
        assert np.abs(trained.encode([text])[0] - expected).max() < 1e-5


def test_training_lowers_the_loss_and_says_what_it_did(trained):
    facts = trained.learnt.facts
    assert facts["losses"][-1] < facts["losses"][0]
    assert facts["talks"] == len(SMALL_TALK)
    assert "response selection" in facts["objective"]
    assert isinstance(trained, Encoder)
    assert isinstance(trained, Fits)


def test_only_the_beginning_is_read_and_coverage_says_so(trained):
    long = "tea and cake " * 9
    assert trained.encode([long[:40] + "xyz"]).tobytes() == trained.encode([long[:40] + "?!"]).tobytes()
    assert trained.coverage([long.strip(), "tea ☂", "", "☂☂"]).tolist() == [[40, 116], [4, 5], [0, 0], [0, 2]]


def test_nothing_known_is_zero(trained):
    vectors = trained.encode(["", "☂☂", " ", "tea ☂"])
    assert not vectors[:3].any()
    assert vectors[3].any()
    assert vectors.dtype == np.float32


@pytest.mark.invariance
def test_batch_changes_no_vector(trained):
    texts = list(dict.fromkeys(text for talk in SMALL_TALK for text in talk))
    together = trained.encode(texts)
    for row in range(0, len(texts), 9):
        assert_same_vectors(trained.encode([texts[row]])[0], together[row])


def test_saved_and_loaded(trained, tmp_path):
    trained.save(tmp_path)
    loaded = create("encoder", str(tmp_path))
    assert loaded == trained
    assert loaded.recipe == trained.recipe
    assert loaded.encode(["tea ?"]).tobytes() == trained.encode(["tea ?"]).tobytes()
    assert (loaded.seen() == seen_texts(text for talk in SMALL_TALK for text in talk)).all()
    assert orjson.loads((tmp_path / "artifact.json").read_bytes())["objective"] == trained.learnt.facts["objective"]


def test_a_folder_with_other_shapes_or_missing_arrays_is_refused(trained, tmp_path):
    trained.save(tmp_path)
    without_checksums(tmp_path)
    card = (tmp_path / "artifact.json").read_bytes()
    (tmp_path / "artifact.json").write_bytes(card.replace(b'"hidden": 10', b'"hidden": 11'))
    with pytest.raises(MissingResource, match=r"'reader.forth.weight_ih_l0' has shape \(30, 6\), and \(33, 6\)"):
        create("encoder", str(tmp_path))
    (tmp_path / "artifact.json").write_bytes(card)
    save_file({"dense.bias": np.zeros(8, np.float32)}, tmp_path / "arrays.safetensors")
    with pytest.raises(MissingResource, match="has no array 'characters'"):
        create("encoder", str(tmp_path))


def test_without_torch(trained, monkeypatch):
    """Made and asked for coverage without it; encoding names the line to type."""
    monkeypatch.setitem(sys.modules, "torch", None)
    assert trained.coverage(["tea"]).tolist() == [[3, 3]]
    for use in (lambda: trained.encode(["tea"]), lambda: Tweet2vec().fit(SMALL_TALK)):
        with pytest.raises(MissingResource, match=r'pip install "dialometer\[neural\]"'):
            use()


def test_seeds_and_checkpoints(trained, tmp_path):
    assert create("encoder", SPEC).fit(SMALL_TALK, seed=3, work=tmp_path).recipe == trained.recipe
    assert create("encoder", SPEC).fit(SMALL_TALK, seed=3, work=tmp_path).recipe == trained.recipe
    assert create("encoder", SPEC).fit(SMALL_TALK, seed=4).recipe != trained.recipe


@pytest.mark.parametrize(
    ("talks", "says"),
    [([], "without characters"), ([[" "]], "without characters"), ([["tea ?"], ["yes"]], "no conversation here has two")],
)
def test_texts_that_teach_nothing_are_refused(talks, says):
    with pytest.raises(NeedsError, match=says) as refused:
        Tweet2vec().fit(talks)
    assert "conversations" in str(refused.value)


def test_untrained_use_names_the_way_out():
    for use in (lambda e: e.encode(["tea"]), lambda e: e.coverage(["tea"]), lambda e: e.recipe, lambda e: e.seen()):
        with pytest.raises(NeedsError, match="dialometer train tweet2vec FILE"):
            use(create("encoder", "tweet2vec"))


@pytest.mark.parametrize("option", ["inner", "hidden", "dim", "length"])
def test_bad_options(option):
    with pytest.raises(SpecError, match=f"{option}=…"):
        create("encoder", f"tweet2vec({option}=0)")


def words(n, seed):
    """Conversations of random words, each with a theme of its own."""
    rng = np.random.default_rng(seed)
    return [[f"{'abcdefghij'[talk % 10] * 3} {rng.integers(1000)}" for _ in range(4)] for talk in range(n)]


def test_one_held_out_conversation_judges_nothing():
    """It would have no rival, and a loss of 0 from the start."""
    assert (
        create("encoder", "tweet2vec(inner=4,hidden=4,dim=4,epochs=2)").fit(words(25, 1)).learnt.facts["validation"] == []
    )
    judged = create("encoder", "tweet2vec(inner=4,hidden=4,dim=4,epochs=2)").fit(words(45, 1)).learnt.facts["validation"]
    assert all(loss > 0 for loss in judged)
    assert judged


def test_long_conversations_have_rivals_too():
    talks = [[f"{theme * 3} {i}" for i in range(200)] for theme in "abc"]
    losses = create("encoder", "tweet2vec(inner=4,hidden=4,dim=4,epochs=2)").fit(talks).learnt.facts["losses"]
    assert losses[1] > 0


def test_one_conversation_teaches_nothing():
    with pytest.raises(NeedsError, match="only one conversation"):
        Tweet2vec().fit([["hi", "hello", "how are you ?"]])
