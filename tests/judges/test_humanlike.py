"""Humans told from bots: on made-up and on real responses, through a folder, and refusals."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Judge
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits
from dialometer.judges._solvers.logistic import auc
from dialometer.judges.humanlike import Humanlike
from dialometer.text.corpus import Corpus
from tests.judges.rated_sets import HUMAN, rated


@dataclass(frozen=True)
class Letters:
    """How often each of some letters occurs: vectors in no time."""

    letters: str = "aeiorstln"
    name: ClassVar[str] = "letters"
    version: ClassVar[int] = 1

    @property
    def width(self):
        return len(self.letters)

    @property
    def recipe(self):
        return f"letters-1@{self.letters}"

    def encode(self, texts):
        return np.array([[text.count(letter) for letter in self.letters] for text in texts], np.float32).reshape(
            -1, self.width
        )

    def coverage(self, texts):
        return np.ones((len(texts), 2), np.int64)


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    """An encoder ``letters`` in the catalogue."""
    monkeypatch.setitem(CATALOG["encoder"], "letters", f"{__name__}:Letters")
    registry._menu.cache_clear()
    yield
    monkeypatch.undo()
    registry._menu.cache_clear()


def _talk(n=80):
    """Humans say tea, bots say coffee, to the same contexts."""
    items = [
        Example(f"{who}{i}", (Turn("a", f"what do you like , {i} ?"),), f"i like {what} {i} .", system=who, group=f"g{i}")
        for i in range(n // 2)
        for who, what in (("human", "tea"), ("bot", "coffee"))
    ]
    return Corpus.build(items), np.tile([1.0, 0.0], n // 2)


def scores(judge, corpus):
    return judge.finish(judge.measure(corpus), level="item")[:, 0]


def test_tells_what_is_easy_to_tell():
    corpus, target = _talk()
    judge = Humanlike(encoder="letters").fit(corpus, target)
    said = scores(judge, corpus)
    assert ((said > 0.5) == (target == 1)).all()
    assert judge.facts["auc"] == 1
    assert judge.facts["humans"] == judge.facts["bots"] == 40
    assert isinstance(judge, Judge)


def test_cannot_tell_what_is_chance():
    """200 labels drawn at random: the area on contexts left out has a standard deviation of 0.04 about one half."""
    corpus, _ = _talk(200)
    target = np.random.default_rng(5).integers(0, 2, 200).astype(float)
    judge = Humanlike(encoder="letters").fit(corpus, target)
    assert abs(judge.facts["auc"] - 0.5) < 0.21
    assert judge.facts["loss left out"] < np.log(2) + 0.05


def test_even_odds_mean_nobody_can_tell():
    """One human for nine bots, and nothing to tell them by: the probability stays near a half, not at a tenth."""
    corpus, _ = _talk(400)
    target = (np.random.default_rng(6).random(400) < 0.1).astype(float)
    said = scores(Humanlike(encoder="letters").fit(corpus, target), corpus)
    assert abs(said.mean() - 0.5) < 0.1


def test_real_humans_and_bots(shared_data):
    """Zhao's generators against people, whole contexts left out: better than chance, and the area inside agrees."""
    corpus, _ = rated(shared_data("turns/zhao_dailydialog.jsonl.gz"), "appropriateness", humans=True)
    systems = np.array(list(corpus.systems))
    target = np.where(np.isin(systems, list(HUMAN)), 1.0, np.where(systems == "negative-sample", np.nan, 0.0))
    known, said = np.isfinite(target), np.empty(len(target))
    for learn, test in train_test_splits(inner_folds(list(corpus.documents), 4)):
        judge = Humanlike(encoder="letters").fit(corpus.take(learn), target[learn])
        said[test] = scores(judge, corpus.take(test))
    outside = auc(said[known], target[known] == 1)
    assert outside > 0.55
    assert abs(judge.facts["auc"] - outside) < 0.1


def test_a_folder_is_a_spec(tmp_path):
    corpus, target = _talk()
    judge = Humanlike(encoder="letters").fit(corpus, target)
    judge.save(tmp_path)
    again = create("metric", str(tmp_path))
    assert again == judge
    assert recipe(again) == recipe(judge)
    assert again.facts == judge.facts
    np.testing.assert_array_equal(again.measure(corpus), judge.measure(corpus))


def test_without_a_context_there_is_no_score():
    corpus, target = _talk()
    judge = Humanlike(encoder="letters").fit(corpus, target)
    assert np.isnan(scores(judge, Corpus.of(["i like tea ."]))).all()


def test_the_same_fit_twice():
    corpus, target = _talk()
    one, two = (Humanlike(encoder="letters").fit(corpus, target, seed=3) for _ in range(2))
    assert one.learnt.weights.tolist() == two.learnt.weights.tolist()


def test_refusals(tmp_path, monkeypatch):
    corpus, target = _talk()
    judge = Humanlike(encoder="letters")
    with pytest.raises(NeedsError, match="has not been fitted"):
        judge.measure(corpus)
    with pytest.raises(NeedsError, match="80 examples have other values"):
        judge.fit(corpus, np.full(80, 3.5))
    with pytest.raises(NeedsError, match="all 80 ratings are 1"):
        judge.fit(corpus, np.ones(80))
    fitted = judge.fit(corpus, target)
    monkeypatch.setattr(Letters, "recipe", "letters-2")
    with pytest.raises(NeedsError, match="fitted on vectors of letters-1@aeiorstln, and letters now is letters-2"):
        fitted.measure(corpus)
