"""Hierarchical bots as encoders: the promises of the kind, contexts turn by turn, and the way from a folder to a metric."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.contracts.score import ScoreRequest  # noqa: E402
from dialometer.core.errors import NeedsError, SpecError  # noqa: E402
from dialometer.core.protocols import ContextEncoder, Encoder  # noqa: E402
from dialometer.core.registry import create, find, names  # noqa: E402
from dialometer.flows.score.score import score  # noqa: E402
from dialometer.nets.dialogue.data import Batch  # noqa: E402
from dialometer.nets.dialogue.hred import last  # noqa: E402
from dialometer.text.corpus import Corpus  # noqa: E402
from dialometer.text.vectors.sentences import sentence_vectors  # noqa: E402
from tests.encoders.talks import SMALL_TALK  # noqa: E402
from tests.exam.test_every_encoder import TALK, TEXTS  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402

SMALL = "hidden=8,embedding=6,context=7,vocabulary=80,epochs=1,batch=16"
SERVING = [name for name in names("bot") if hasattr(find("bot", name), "encode")]
every = pytest.mark.parametrize("name", SERVING)
CONTEXTS = [*SMALL_TALK[::7], [], [""], ["zz", "tea ?"], ["tea ?"] * 30, ["", "我", ""]]


@pytest.fixture(scope="module")
def bots():
    talks = [*SMALL_TALK, *(TALK[i : i + 6] for i in range(0, 24, 6))]
    return {name: create("bot", f"{name}({SMALL})").fit(talks, seed=1) for name in SERVING}


def test_who_serves():
    assert SERVING == ["hred", "vhcr", "vhred"]


@every
def test_what_every_encoder_promises(bots, name):
    """The checks of tests/exam/test_every_encoder.py."""
    bot = bots[name]
    assert isinstance(bot, Encoder)
    assert isinstance(bot, ContextEncoder)
    assert "|" not in bot.recipe
    assert bot.keeps
    vectors = bot.encode(TEXTS)
    assert (vectors.dtype, vectors.shape) == (np.float32, (len(TEXTS), bot.width)) == (np.float32, (len(TEXTS), 7))
    assert np.isfinite(vectors).all()
    assert not vectors[TEXTS.index("")].any()
    assert len(np.unique(vectors, axis=0)) > len(TEXTS) // 2
    covered = bot.coverage(TEXTS)
    assert (covered.dtype, covered.shape) == (np.int64, (len(TEXTS), 2))
    assert (covered[:, 0] <= covered[:, 1]).all()
    assert not vectors[covered[:, 0] == 0].any()
    assert vectors[covered[:, 0] > 0].any(axis=1).all()


@every
def test_batch_changes_no_vector(bots, name):
    bot = bots[name]
    whole = bot.encode(TEXTS)
    assert_same_vectors(bot.encode(TEXTS[::-1])[::-1], whole)
    assert_same_vectors(np.concatenate([bot.encode([text]) for text in TEXTS]), whole)
    assert bot.encode([]).shape == bot.encode_contexts([]).shape == (0, 7)
    contexts = bot.encode_contexts(CONTEXTS)
    assert_same_vectors(bot.encode_contexts(CONTEXTS[::-1])[::-1], contexts)
    assert_same_vectors(np.concatenate([bot.encode_contexts([one]) for one in CONTEXTS]), contexts)


@every
def test_a_context_is_heard_turn_by_turn(bots, name):
    bot = bots[name]
    vectors = bot.encode_contexts(CONTEXTS)
    np.testing.assert_array_equal(bot.encode(["tea ?"]), bot.encode_contexts([["tea ?"]]))
    joined, turned = bot.encode([" ".join(SMALL_TALK[0])])[0], bot.encode_contexts([SMALL_TALK[0][::-1]])[0]
    assert not np.allclose(vectors[0], joined, atol=1e-4)
    assert not np.allclose(vectors[0], turned, atol=1e-4)
    silent = [CONTEXTS.index([]), CONTEXTS.index([""]), CONTEXTS.index(["", "我", ""])]
    assert not vectors[silent].any(), "nothing is known of these"
    np.testing.assert_array_equal(vectors[CONTEXTS.index(["tea ?"] * 30)], bot.encode_contexts([["tea ?"] * 20])[0])


def test_it_is_the_last_state_of_the_context(bots):
    """Lowe et al. 2017, §4: utterance RNN → context RNN, of which the last state is taken; here through torch's own GRUs."""
    bot = bots["hred"]
    weights, data = bot.learnt.weights, bot.data([SMALL_TALK[5]])
    reader, follower = torch.nn.GRU(6, 8), torch.nn.GRU(8, 7)
    for layer, part in ((reader, "reader"), (follower, "follower")):
        layer.load_state_dict({f"{name}_l0": torch.from_numpy(weights[f"{part}.gru.{name}"]) for name in
                               ("weight_ih", "weight_hh", "bias_ih", "bias_hh")})  # fmt: skip
    words = torch.from_numpy(weights["words.weight"])
    heard = [reader(words[data.flat[a:b]])[1][0] for a, b in zip(data.starts, data.starts[1:], strict=False)]
    state = follower(torch.stack(heard), torch.from_numpy(weights["follower.start"])[None])[1]
    np.testing.assert_allclose(bot.encode_contexts([SMALL_TALK[5]])[0], state[0].detach().numpy(), atol=1e-6)
    batch = Batch(data, np.zeros(1, int))
    np.testing.assert_allclose(bot.net().after(batch, bot.net().encode(batch)).numpy(), state.detach().numpy(), atol=1e-6)
    assert last(batch).tolist() == [3]


def test_words_are_covered_as_a_whole():
    bot = create("bot", f"hred({SMALL},units=words)").fit(SMALL_TALK)
    assert bot.coverage(["Do you like TEA ?", "do zebras ?", "", "zebras"]).tolist() == [[5, 5], [2, 3], [0, 0], [0, 1]]
    assert bot.encode(["zebras", "do"]).any(axis=1).tolist() == [False, True]


@every
def test_from_a_folder_to_a_metric(bots, name, tmp_path, monkeypatch):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path / "cache"))
    bot = bots[name]
    bot.save(tmp_path / "run" / "model")
    encoder = create("encoder", str(tmp_path / "run"))
    np.testing.assert_array_equal(encoder.encode(TEXTS), bot.encode(TEXTS))
    assert encoder.recipe == bot.recipe
    corpus = Corpus.of(["tea ?", "yes ."], [["do you like tea ?"], ["yes , tea ."]])
    kept = [sentence_vectors(corpus, encoder, np.arange(4)) for _ in range(2)]
    np.testing.assert_array_equal(kept[0], bot.encode(list(corpus.texts)))
    lines = [f'{{"id": "{i}", "system": "s", "response": "{r}", "references": ["tea is nice ."]}}'
             for i, r in enumerate(("tea is fine .", "tea is nice ."))]  # fmt: skip
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(lines))
    report = score(ScoreRequest((str(file),), (f"sentence(encoder={tmp_path}/run)",), output=str(tmp_path / "scored")))
    one, two = bot.encode(["tea is fine .", "tea is nice ."]).astype(float)
    cosine = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    assert report.cells["s"]["sentence-cosine"].mean == pytest.approx((1 + cosine) / 2, abs=1e-6)
    assert report.overlap, "what the encoder was trained on is looked for among what is scored"


def test_other_bots_do_not_serve(tmp_path):
    create("bot", "lstmlm(hidden=8,embedding=6,vocabulary=60,epochs=1)").fit(SMALL_TALK).save(tmp_path / "model")
    with pytest.raises(SpecError, match="holds lstmlm, kind bot; wanted here is one of the kind encoder"):
        create("encoder", str(tmp_path))


def test_untrained_ones_encode_nothing():
    with pytest.raises(NeedsError, match="hred has not been trained"):
        create("bot", "hred").encode(["tea"])
