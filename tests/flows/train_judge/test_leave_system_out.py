"""Systems left out of training, and as many items left out at random."""

import numpy as np
import pytest
from scipy import stats

from dialometer.core.registry import create
from dialometer.flows.train_judge.fits import Fits
from dialometer.flows.train_judge.leave_system_out import leave_one_system_out
from dialometer.flows.train_judge.validation import context_folds


class Spy(Fits):
    """A judge of nothing that remembers what it was trained on; its score is the item's number."""

    def attempt(self, train, test):
        self.__dict__.setdefault("pairs", []).append((train, test))
        return test.astype(float)


def test_who_is_left_out_of_what(dataset, tmp_path):
    found = dataset()
    spy = Spy(found, create("judge", "plain"), tmp_path, 0)
    folds = context_folds(found, 3, 0)
    result = leave_one_system_out(spy, folds, lambda stage, done, total: None, seed=0)
    assert len(spy.pairs) == 3 * (1 + 2 * 5)
    for place, row in enumerate(result.rows):
        assert row.n == 12
        base = 3 + 6 * place
        for (without, test), (random, same_test) in zip(
            spy.pairs[base : base + 3], spy.pairs[base + 3 : base + 6], strict=True
        ):
            assert test.tolist() == same_test.tolist()
            assert row.system not in found.system[without]
            assert row.system in found.system[random]
            assert len(without) == len(random)
            assert not set(found.cluster[without]) & set(found.cluster[test])
            # each context loses as many replies as it had of the system
            assert np.bincount(found.cluster[without]).tolist() == np.bincount(found.cluster[random]).tolist()


def test_numbers_are_of_all_items_and_of_the_system_alone(dataset, tmp_path):
    found = dataset()
    spy = Spy(found, create("judge", "plain"), tmp_path, 0)
    result = leave_one_system_out(spy, context_folds(found, 3, 0), lambda stage, done, total: None, seed=0)
    numbers = np.arange(len(found)).astype(float)
    for row in result.rows:
        own = found.system == row.system
        assert row.all.without.spearman == pytest.approx(stats.spearmanr(numbers, found.target)[0])
        assert row.alone.random.pearson == pytest.approx(stats.pearsonr(numbers[own], found.target[own])[0])
    means = [row.alone.without.spearman for row in result.rows]
    assert result.mean.alone.without.spearman == pytest.approx(np.mean(means))
    assert result.within_contexts
