"""Pairs within groups, against a double loop."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dialometer.stats.correlation.pairs import all_pairs, group_starts, pair_counts, some_pairs


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_all_pairs_are_those_of_a_double_loop(groups):
    order, starts = group_starts(np.array(groups), len(groups))
    a, b, group = all_pairs(order, starts)
    wanted = {(i, j) for i, j in combinations(range(len(groups)), 2) if groups[i] == groups[j]}
    assert {tuple(sorted(pair)) for pair in zip(a.tolist(), b.tolist(), strict=True)} == wanted
    assert len(a) == len(wanted) == pair_counts(starts).sum()
    names = sorted(set(groups))
    assert [names[g] for g in group] == [groups[i] for i in a]


def test_no_groups_are_one_and_large_ones_can_be_left_out():
    assert len(all_pairs(*group_starts(None, 5))[0]) == 10
    order, starts = group_starts(np.array([0, 0, 1, 1, 1]), 5)
    assert all_pairs(order, starts, largest=2)[2].tolist() == [0]


def test_drawn_pairs_are_of_one_group_and_all_alike():
    """30,000 draws of 1 + 3 + 6 pairs: each is expected 3,000 times, with a standard deviation of 52."""
    groups = np.repeat([0, 1, 2], [2, 3, 4])
    a, b, group = some_pairs(*group_starts(groups, 9), 30_000, seed=1)
    assert (groups[a] == groups[b]).all()
    assert (groups[a] == group).all()
    assert (a != b).all()
    counts = np.unique(np.minimum(a, b) * 9 + np.maximum(a, b), return_counts=True)[1]
    assert len(counts) == 10
    assert (np.abs(counts - 3000) < 300).all()
