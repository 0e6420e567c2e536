"""Cross-validation: what shares a context or a system is never on both sides, and the numbers are those of scipy."""

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.registry import create
from dialometer.flows.train_judge.fits import Fits
from dialometer.flows.train_judge.validation import (
    by_context,
    by_system,
    context_folds,
    cross_validation_table,
    pool,
    spread,
    system_folds,
)
from dialometer.stats.validation.cross_validation import cross_validate
from tests.flows.rated import rated_rows
from tests.flows.train_judge.test_dataset import dialogue

QUIET = {"progress": lambda stage, done, total: None}


class Spy(Fits):
    """Remembers who was trained on for whom."""

    def __call__(self, train, test):
        self.__dict__.setdefault("pairs", []).append((train, test))
        return super().__call__(train, test)


def spy(dataset, tmp_path, judge="plain"):
    return Spy(dataset, create("judge", judge), tmp_path / "fits", 0)


def test_folds_by_context_share_no_context(dataset, tmp_path):
    found = dataset()
    fits = spy(found, tmp_path)
    folds = context_folds(found, 5, 0)
    crossed = by_context(fits, folds, **QUIET)
    assert len(fits.pairs) == 5
    for train, test in fits.pairs:
        assert not set(found.cluster[train]) & set(found.cluster[test])
        assert len(train) + len(test) == len(found)
    assert not np.isnan(crossed.predictions).any()


def test_folds_by_system_share_no_system(dataset, tmp_path):
    found = dataset()
    fits = spy(found, tmp_path)
    folds, why = system_folds(found, 10, 0)
    by_system(fits, folds, **QUIET)
    assert why == ""
    assert len(fits.pairs) == 5
    for train, test in fits.pairs:
        assert not set(found.system[train]) & set(found.system[test])


def test_of_conversations_the_other_side_is_kept_out_too(dataset, tmp_path):
    rows = [dialogue(number, f"s{number % 3}", number % 4) | {"group": f"g{number // 2}"} for number in range(24)]
    found = dataset(rows, judge="cheat")
    fits = spy(found, tmp_path, "cheat")
    by_system(fits, system_folds(found, 10, 0)[0], **QUIET)
    for train, test in fits.pairs:
        assert not set(found.system[train]) & set(found.system[test])
        assert not set(found.cluster[train]) & set(found.cluster[test])
        assert len(train)


def test_an_oracle_of_systems_wins_by_chance_alone(dataset, tmp_path):
    """It knows who speaks and nothing else: a random split takes that for skill, folds by system do not."""
    found = dataset(rated_rows(contexts=30), judge="cheat")
    fits = spy(found, tmp_path, "cheat")
    random = cross_validate(fits, found.target, np.random.default_rng(0).integers(0, 10, len(found)))
    folds, _ = system_folds(found, 10, 0)
    systems = by_system(fits, folds, **QUIET)
    assert pool({"": random.predictions}, found, seed=0)[""].spearman.r > 0.5
    assert pool({"": systems.predictions}, found, seed=0)[""].spearman.r < 0
    assert spread(systems.aligned, found.target) == 0, (
        "with a common start it knows nothing of systems that it has not seen"
    )


def test_means_of_folds_and_pooled_values(dataset, tmp_path):
    found = dataset()
    folds = context_folds(found, 4, 0)
    crossed = by_context(spy(found, tmp_path), folds, **QUIET)
    table = cross_validation_table(crossed, found, folds, seed=0)
    each = [(crossed.predictions[folds == fold], found.target[folds == fold]) for fold in range(4)]
    assert table.pearson == pytest.approx(np.mean([stats.pearsonr(x, y)[0] for x, y in each]))
    assert table.spearman == pytest.approx(np.mean([stats.spearmanr(x, y)[0] for x, y in each]))
    assert table.mae == pytest.approx(np.mean([np.abs(x - y).mean() for x, y in each]))
    together = table.pooled
    assert together.pearson.r == pytest.approx(stats.pearsonr(crossed.predictions, found.target)[0])
    assert together.spearman.r == pytest.approx(stats.spearmanr(crossed.predictions, found.target)[0])
    assert together.mae == pytest.approx(np.abs(crossed.predictions - found.target).mean())
    assert together.spearman.low < together.spearman.r < together.spearman.high
    guess = np.concatenate([np.abs(y - found.target[folds != fold].mean()) for fold, (_, y) in enumerate(each)])
    assert table.mae_of_mean == pytest.approx(guess.mean())
    assert [fold.n for fold in table.each] == [len(x) for x, _ in each]


def test_spread_by_hand():
    assert spread(np.array([1.0, 2.0, np.nan]), np.array([0.0, 4.0, 9.0])) == 0.25
    assert np.isnan(spread(np.array([1.0, 2.0]), np.array([3.0, 3.0])))


def test_too_few_for_the_folds(dataset):
    with pytest.raises(NeedsError, match="share one context"):
        context_folds(dataset(rated_rows(contexts=1)), 10, 0)
    with pytest.raises(UsageError, match="3 rated items of 3 contexts leave 1 for a fold of 10; a fold needs two"):
        context_folds(dataset(rated_rows(contexts=3, systems=1)), 10, 0)


def test_why_there_are_no_folds_by_system(dataset):
    assert system_folds(dataset(rated_rows(systems=1)), 10, 0)[1] == "all items are of s0"
    rows = [row | {"system": ""} for row in rated_rows()]
    assert system_folds(dataset(rows), 10, 0)[1] == "the items name no systems"
    marked = dataset(quality="", human=("s4",))
    assert system_folds(marked, 10, 0)[1] == "the system is what it learns to tell"
