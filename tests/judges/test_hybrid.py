"""M_H as a judge: conversations in, one row each; folders, holes, refusals."""

import numpy as np
import pytest

from dialometer.core.errors import MissingResource, NeedsError, SpecError
from dialometer.core.protocols import Explains, Judge
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Dialogue, Turn
from dialometer.judges._hybrid.dialogue_features import dialogue_columns, dialogue_names
from dialometer.judges._hybrid.expected_signs import FAMILIES, expected_weights
from dialometer.judges._shared.features import Standard
from dialometer.judges.hybrid import Hybrid
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import measure_replies

LIGHT = "length"


def talk(name, system, words, replies=3):
    turns = []
    for number in range(replies):
        turns += [Turn("user", f"say more {number}"), Turn("bot", " ".join(["tea"] * words[number % len(words)]))]
    return Dialogue(name, system, tuple(turns))


def chats(bots=5, each=6, seed=0):
    """Bots that say more are liked more."""
    rng = np.random.default_rng(seed)
    made, ratings = [], []
    for bot in range(bots):
        for number in range(each):
            words = rng.integers(1 + 2 * bot, 6 + 2 * bot, 3).tolist()
            made.append(talk(f"d{bot}-{number}", f"bot{bot}", words))
            ratings.append(np.mean(words) + rng.normal())
    return made, np.array(ratings)


def corpus_of(talks, ratings):
    examples = [(example, rating) for one, rating in zip(talks, ratings, strict=True) for example in one.examples()]
    return Corpus.build([example for example, _ in examples]), np.array([rating for _, rating in examples])


@pytest.fixture(scope="module")
def fitted():
    corpus, target = corpus_of(*chats())
    return Hybrid(features=LIGHT).fit(corpus, target), corpus


def test_is_a_judge_that_explains(fitted):
    judge, corpus = fitted
    assert isinstance(judge, Judge)
    assert isinstance(judge, Explains)
    lines = judge.explain(corpus, 0)
    assert lines[-1] == f"hybrid = {judge.finish(judge.measure(corpus), level='item')[0, 0]:.4f}"


def test_a_row_for_each_conversation_at_its_last_reply(fitted):
    judge, corpus = fitted
    assert judge.measure(corpus).shape == (30, 2)
    rows = measure_replies(judge, corpus)
    assert np.flatnonzero(rows[:, 0]).tolist() == list(range(2, 90, 3))


def test_orders_conversations_of_other_bots(fitted):
    judge, _ = fitted
    corpus = Corpus.build([example for one in (talk("a", "x", [2]), talk("b", "y", [9])) for example in one.examples()])
    low, high = judge.finish(judge.measure(corpus), level="item")[:, 0]
    assert low + 3 < high


@pytest.mark.invariance
def test_company_changes_no_bit(fitted):
    judge, corpus = fitted
    whole = judge.measure(corpus)
    for own in (0, 7, 29):
        np.testing.assert_array_equal(judge.measure(corpus.take(np.arange(3 * own, 3 * own + 3)))[0], whole[own])


@pytest.mark.parametrize("model", ["curved", "ridge", "ols"])
def test_a_folder_is_a_spec(model, tmp_path):
    corpus, target = corpus_of(*chats())
    judge = Hybrid(features=LIGHT, model=model).fit(corpus, target)
    judge.save(tmp_path / "judge")
    again = create("metric", str(tmp_path / "judge"))
    assert again == judge
    assert again.facts == judge.facts
    assert recipe(again) == recipe(judge)
    np.testing.assert_array_equal(again.measure(corpus), judge.measure(corpus))
    (tmp_path / "judge" / "arrays.safetensors").write_bytes(b"no")
    with pytest.raises(MissingResource, match="cannot be read"):
        create("metric", str(tmp_path / "judge"))


def test_facts_tell_weights_penalty_and_errors(fitted):
    facts = fitted[0].facts
    assert (facts["conversations"], facts["systems"]) == (30, 5)
    assert facts["error"] < facts["error left out"] < facts["error of the mean"]
    assert {"words", "chars"} <= set(facts["columns"])


def test_without_systems_conversations_are_left_out():
    talks, ratings = chats()
    nameless = [Dialogue(one.id, "", one.turns) for one in talks]
    judge = Hybrid(features=LIGHT).fit(*corpus_of(nameless, ratings))
    assert judge.facts["systems"] == 0
    assert judge.facts["share of systems"] == 0
    assert judge.facts["error left out"] < judge.facts["error of the mean"]


def test_an_unlike_conversation_is_told(fitted):
    judge, corpus = fitted
    assert judge.caution(corpus) == ""
    odd = Corpus.build(list(talk("odd", "x", [300]).examples()))
    assert "unlike" in judge.caution(odd)


def test_unrated_conversations_are_scored_and_not_learnt_from():
    talks, ratings = chats()
    corpus, target = corpus_of(talks, ratings)
    target[:30] = np.nan
    judge = Hybrid(features=LIGHT).fit(corpus, target)
    assert judge.facts["conversations"] == 20
    assert judge.measure(corpus)[:, 0].sum() == 30


def test_conversation_features_of_real_columns():
    """Real features of two talks: what has no number is NaN, and the fit fills and marks it."""
    specs = "turns;conversation"
    mute = Dialogue("b", "x", (Turn("user", "say more"), Turn("bot", "")))
    talks = (talk("a", "x", [3, 4, 5]), mute)
    columns = dialogue_columns(Corpus.build([example for one in talks for example in one.examples()]), specs)
    names = dialogue_names(specs)
    assert columns.shape == (2, len(names))
    assert not np.isnan(columns[0]).any()
    gone = {name for name, value in zip(names, columns[1], strict=True) if np.isnan(value)}
    assert {"conversation:sentiment-transition", "sentiment-slope", "topic", "own-distinct-1"} <= gone
    assert not {"replies", "conversation:turn-words", "balance"} & gone
    standard = Standard.fit(columns)
    assert set(standard.labels(names)[len(names) :]) == {f"no {name}" for name in gone}
    scaled = standard.apply(columns)
    assert scaled[:, len(names) :].tolist() == [[0] * len(gone), [1] * len(gone)]
    assert not scaled[1, : len(names)][np.isnan(columns[1])].any(), "filled by the mean"


def test_expected_signs_cover_known_columns_only():
    known = set(create("metric", "conversation").columns)
    assert {name for family in FAMILIES.values() for name in family} <= known
    assert expected_weights(["bleu", "rouge"]).tolist() == [0, 0]
    assert np.abs(expected_weights(sorted(known))).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Hybrid(model="trees"), "one of curved, ridge, ols"),
        (lambda: Hybrid(prior="hope"), "one of signs, zero"),
        (lambda: Hybrid(features="distinct").look(Corpus.of(["a"])), "scores a set"),
    ],
)
def test_bad_options(make, match):
    with pytest.raises(SpecError, match=match):
        make()


def test_too_little_to_learn_from():
    talks, ratings = chats(bots=1, each=3)
    with pytest.raises(NeedsError, match="3 rated conversations"):
        Hybrid(features=LIGHT).fit(*corpus_of(talks, ratings))
    talks, _ = chats()
    with pytest.raises(NeedsError, match="nothing to learn"):
        Hybrid(features=LIGHT).fit(*corpus_of(talks, np.full(len(talks), 3.0)))
    with pytest.raises(NeedsError, match="not been trained"):
        Hybrid(features=LIGHT).measure(Corpus.of(["a"]))


def test_a_head_comes_along():
    """Named without options it scores; with others it has to be trained first."""
    judge = Hybrid()
    assert judge.fitted
    assert judge.facts["licence"] == "MIT"
    assert "dstc9_interactive" in judge.facts["elsewhere"]
    assert not Hybrid(model="ols").fitted
    said = judge.finish(judge.measure(Corpus.build(list(talk("a", "x", [3, 4, 5]).examples()))), level="item")
    assert np.isfinite(said).all()


def test_spec_of_it_is_short():
    assert spec_of(Hybrid(), "hybrid") == "hybrid"
    assert spec_of(Hybrid(model="ols"), "hybrid") == "hybrid(model=ols)"
