"""dualencoder: trainings of seconds, resumed ones, retrieval by its own scores, round trips, and what it refuses."""

import sys

import numpy as np
import orjson
import pytest

pytest.importorskip("torch")

from dialometer.bots.dualencoder import Dualencoder
from dialometer.core.errors import MissingResource, NeedsError, RunError, UsageError
from dialometer.core.protocols import Bot, Fits
from dialometer.core.registry import create
from dialometer.core.types import Turn
from dialometer.nets.training import loop as training
from dialometer.text.training_overlap import seen_texts
from tests.encoders.talks import SMALL_TALK
from tests.real import lines

SPEC = "dualencoder(dim=24,hidden=12,vocabulary=80,epochs=3)"


def turns(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


@pytest.fixture(scope="module")
def trained():
    return create("bot", SPEC).fit(SMALL_TALK, seed=3)


CONTEXTS = [turns(*talk[:i]) for talk in SMALL_TALK[::7] for i in (1, 2, 3)]


def test_training_lowers_the_loss_and_tells_recall(trained):
    facts = trained.learnt.facts
    assert facts["losses"][-1] < facts["losses"][0]
    assert len(facts["validation"]) == len(facts["losses"])
    assert facts["talks"] == 60
    recall = facts["recall"]
    assert recall["chance"] == {"@1": 0.1, "@2": 0.2, "@5": 0.5}
    assert recall["candidates"] == 10
    assert recall["pairs"] == 9
    for name in ("dualencoder", "tfidf"):
        assert 0 <= recall[name]["@1"] <= recall[name]["@2"] <= recall[name]["@5"] <= 1


def test_the_best_replies_are_those_of_its_own_scores(trained):
    learnt = trained.learnt
    replies = list(learnt.replies)
    assert sorted(replies) == sorted({reply for talk in SMALL_TALK for reply in talk[1:]})
    scores = trained.scores(CONTEXTS, [replies] * len(CONTEXTS))
    assert ((scores > 0) & (scores < 1)).all()
    found = trained.best(CONTEXTS, n=4)
    for row, some in zip(scores, found, strict=True):
        assert [one.score for one in some] == pytest.approx(sorted(row, reverse=True)[:4], abs=1e-6)
        assert len({one.reply for one in some}) == 4
        assert all(row[replies.index(one.reply)] == pytest.approx(one.score, abs=1e-6) for one in some)
    assert trained.reply(CONTEXTS, n=4) == [[one.reply for one in some] for some in found]


def test_it_learns_what_follows(trained):
    """After “yes , tea is nice .” people here go on with “i think rain is nice too .”: the word of praise comes back."""
    asked = [turns(*talk[:2]) for talk in SMALL_TALK]
    found = [some[0].reply for some in trained.best(asked)]
    assert np.mean([talk[2].split()[4] in reply for talk, reply in zip(SMALL_TALK, found, strict=True)]) > 0.5


def test_company_changes_nothing(trained):
    together = trained.best(CONTEXTS, n=3)
    assert together == [trained.best([context], n=3)[0] for context in CONTEXTS]
    assert trained.reply(CONTEXTS[::-1], seed=5) == trained.reply(CONTEXTS, seed=9)[::-1]


class Killed(Exception):
    pass


def test_a_killed_training_ends_with_the_same_bits(trained, tmp_path, monkeypatch):
    monkeypatch.setattr(training.train, "__kwdefaults__", training.train.__kwdefaults__ | {"save_seconds": 0.0})

    def kill(_, step, total):
        if step == 2:
            raise Killed

    with pytest.raises(Killed):
        create("bot", SPEC).fit(SMALL_TALK, seed=3, work=tmp_path, progress=kill)
    assert (tmp_path / "checkpoint.safetensors").exists()
    steps = []
    again = create("bot", SPEC).fit(SMALL_TALK, seed=3, work=tmp_path, progress=lambda _, step, total: steps.append(step))
    assert steps[0] == 2  # of the step that was killed before its checkpoint
    assert again.recipe == trained.recipe
    for name, weights in trained.learnt.weights.items():
        assert again.learnt.weights[name].tobytes() == weights.tobytes()
    assert again.learnt.vectors.tobytes() == trained.learnt.vectors.tobytes()
    assert again.learnt.facts["losses"] == trained.learnt.facts["losses"]
    with pytest.raises(RunError, match="another training"):
        create("bot", SPEC).fit(SMALL_TALK[1:], seed=3, work=tmp_path)


def test_another_seed_is_another_bot(trained):
    assert create("bot", SPEC).fit(SMALL_TALK, seed=-1).recipe != trained.recipe


def test_save_and_load(trained, tmp_path):
    trained.save(tmp_path / "bot")
    again = create("bot", str(tmp_path / "bot"))
    assert again == trained
    assert again.recipe == trained.recipe
    assert again.best(CONTEXTS, n=2) == trained.best(CONTEXTS, n=2)
    assert again.reply([()], seed=4) == trained.reply([()], seed=4)
    np.testing.assert_array_equal(again.seen(), seen_texts(text for talk in SMALL_TALK for text in talk))
    card = orjson.loads((tmp_path / "bot" / "artifact.json").read_bytes())
    assert card["recall"] == trained.learnt.facts["recall"]
    assert card["kind"] == "bot"
    assert isinstance(again, Bot)
    assert isinstance(again, Fits)


def test_a_bot_of_other_sizes_is_refused(trained, tmp_path):
    trained.save(tmp_path)
    card = orjson.loads((tmp_path / "artifact.json").read_bytes())
    card["options"]["hidden"] = 13
    del card["seal"]  # as cards without checksums are
    (tmp_path / "artifact.json").write_bytes(orjson.dumps(card))
    with pytest.raises(MissingResource, match=r"narrow\.weight"):
        Dualencoder.load(tmp_path)
    (tmp_path / "arrays.safetensors").write_bytes(b"\x01" * 20)
    with pytest.raises(MissingResource, match="cannot be read"):
        Dualencoder.load(tmp_path)


def test_an_empty_context_gets_an_opener_by_its_seed(trained):
    openers = {talk[0] for talk in SMALL_TALK}
    said = [trained.reply([()], seed=[seed])[0][0] for seed in range(20)]
    assert set(said) <= openers
    assert len(set(said)) > 3
    assert len(set(trained.reply([()], n=4)[0])) == 4


def test_silence_and_strange_words_get_replies(trained):
    found = trained.reply([turns(" "), turns("zzz qqq"), turns("x" * 3000), turns("hi " * 500)], n=2)
    assert all(len(some) == 2 and all(some) for some in found)


def test_the_pool_is_the_latest_replies_said():
    small = create("bot", "dualencoder(dim=8,hidden=4,epochs=0,pool=2)").fit([["a", "b", "c", "b", "d"], ["a", "c"]])
    assert list(small.learnt.replies) == ["d", "c"]
    assert small.reply([turns("a")], n=5)[0][2:4] == small.reply([turns("a")], n=2)[0]
    assert small.learnt.facts["recall"] is None  # too few conversations to hold some out


def test_sampled_negatives_train_too():
    bot = create("bot", "dualencoder(dim=16,hidden=8,negatives=3,epochs=2)").fit(SMALL_TALK)
    losses = bot.learnt.facts["losses"]
    assert losses[-1] < losses[0]


def test_one_conversation_trains():
    bot = create("bot", "dualencoder(dim=8,hidden=4,epochs=1)").fit([["tea ?", "yes .", "milk ?"]])
    assert bot.reply([turns("tea ?")])[0][0] in {"yes .", "milk ?"}


def test_recall_on_real_talk_beats_chance(shared_data):
    rows = lines(shared_data("corpora/dailydialog.jsonl.gz"))[:450]
    talks = [[turn["text"] for turn in row["turns"]] for row in rows]
    bot = create("bot", "dualencoder(dim=256,hidden=8,epochs=1)").fit(talks)
    recall = bot.learnt.facts["recall"]
    assert recall["pairs"] > 100
    assert recall["dualencoder"]["@1"] > 0.2
    assert recall["tfidf"]["@1"] > 0.2


@pytest.mark.parametrize("talks", [[], [[]], [["one"], ["two"]], [["one", "  "], [""]]])
def test_conversations_without_replies_are_refused(talks):
    with pytest.raises(NeedsError, match="no conversation here has two turns") as refused:
        Dualencoder().fit(talks)
    assert "conversations" in refused.value.hint


def test_untrained_use_names_the_way_out():
    for use in (lambda bot: bot.reply([turns("hi")]), lambda bot: bot.recipe, lambda bot: bot.seen()):
        with pytest.raises(NeedsError, match="dialometer train dualencoder FILE"):
            use(create("bot", "dualencoder"))


@pytest.mark.parametrize("spec", ["dim=0", "hidden=0", "turns=0", "negatives=-1", "epochs=-1", "pool=0", "vocabulary=0"])
def test_bad_options(spec):
    with pytest.raises(UsageError):
        create("bot", f"dualencoder({spec})")


def test_without_torch_the_install_line_is_told(monkeypatch):
    monkeypatch.setattr("dialometer.nets.requirements.find_spec", lambda name: None)
    with pytest.raises(MissingResource, match="PyTorch") as refused:
        Dualencoder().fit(SMALL_TALK)
    assert "pip install" in refused.value.hint
    assert "dialometer.bots.dualencoder" in sys.modules
