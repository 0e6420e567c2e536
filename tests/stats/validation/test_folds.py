"""Folds: whole groups, balance, the same wherever a name stands, and the random control."""

import numpy as np
import pytest

from dialometer.stats.validation.folds import even_folds, fold_numbers, same_amount

NAMES = [f"g{number // 3}" for number in range(90)]


@pytest.mark.parametrize("folds", [fold_numbers, even_folds])
def test_groups_stay_whole_and_folds_balanced(folds):
    numbers = folds(NAMES, 4, 7)
    assert all(len(set(numbers[start : start + 3])) == 1 for start in range(0, 90, 3))
    sizes = np.bincount(numbers)
    assert len(sizes) == 4
    assert sizes.max() - sizes.min() <= 3


def test_a_name_keeps_its_fold_wherever_it_stands():
    order = np.random.default_rng(0).permutation(90)
    shuffled = [NAMES[i] for i in order]
    for folds in (fold_numbers, even_folds):
        assert (folds(shuffled, 5, 1) == folds(NAMES, 5, 1)[order]).all()
        assert (folds(NAMES, 5, 1) != folds(NAMES, 5, 2)).any()


def test_even_folds_balance_rows_where_groups_differ():
    names = ["big"] * 50 + [f"small{number}" for number in range(50)]
    assert np.bincount(even_folds(names, 2)).tolist() == [50, 50]


def test_fewer_names_than_folds_give_fewer_folds():
    assert sorted(fold_numbers(["a", "b"], 3).tolist()) == [0, 1]
    assert sorted(even_folds(["a", "b"], 3).tolist()) == [0, 1]


def test_the_same_amount_is_removed():
    systems = np.tile(["a", "b", "c", "d"], 50)
    contexts = np.repeat(np.arange(50), 4)
    removed = systems == "b"
    anywhere, within = same_amount(removed, seed=1), same_amount(removed, contexts, seed=1)
    assert anywhere.sum() == within.sum() == 50
    assert (np.bincount(contexts, within) == 1).all()
    assert np.bincount(contexts, anywhere).max() > 1
    # each system loses about a quarter of its rows; all 50 from one has probability 4⁻⁵⁰
    assert all(0 < (within & (systems == name)).sum() < 30 for name in "abcd")
    assert (same_amount(removed, contexts, seed=1) == within).all()
    assert (same_amount(removed, contexts, seed=2) != within).any()


def test_nothing_removed():
    assert not same_amount(np.zeros(5, bool)).any()
    assert len(same_amount(np.zeros(0, bool))) == 0
