"""Overlap of conversations: by hand, against a comparison of everything with everything, and at size."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.stats.dialogue_overlap import OverlapShare, found_in, shared_pairs, text_codes, window_keys

TALKS = st.lists(st.lists(st.sampled_from("abc"), max_size=7), max_size=8)


def cut(talk, width):
    return {tuple(talk[i : i + width]) for i in range(len(talk) - width + 1)}


def by_comparing(talks, width):
    long = [talk for talk in talks if len(talk) >= width]
    return OverlapShare(sum(bool(cut(a, width) & cut(b, width)) for a, b in combinations(long, 2)), math.comb(len(long), 2))


@given(TALKS, st.integers(1, 5))
def test_pairs_are_those_found_by_comparing_all(talks, width):
    assert shared_pairs(text_codes(talks), width) == by_comparing(talks, width)


@given(TALKS, TALKS, st.integers(1, 4))
def test_training_windows_are_those_found_by_comparing_all(talks, training, width):
    seen = set().union(*(cut(talk, width) for talk in training)) if training else set()
    found = sum(bool(cut(talk, width) & seen) for talk in talks)
    keys = window_keys(text_codes(training), width)
    assert found_in(text_codes(talks), keys, width) == OverlapShare(found, sum(len(talk) >= width for talk in talks))
    assert len(keys) == len(seen)


def test_by_hand():
    """Three consecutive turns anywhere count; the same turns in another order or with one between do not."""
    talks = text_codes(
        [
            ["hi", "what?", "i don't know", "what?", "bye"],
            ["so", "hi", "what?", "i don't know"],  # three of the first, one place later
            ["i don't know", "what?", "hi"],  # all of these, turned round
            ["hi", "what?", "tea", "i don't know", "what?", "bye"],  # the last three of the first
        ]
    )
    assert shared_pairs(talks, 3) == OverlapShare(2, 6)
    assert shared_pairs(talks, 2) == OverlapShare(5, 6)  # not the second and the third
    assert shared_pairs(talks, 4) == OverlapShare(0, 3)
    assert shared_pairs(talks, 5).of == 1
    training = text_codes([["hi", "what?"], ["tea", "i don't know", "what?"], ["bye"]])
    assert found_in(talks, window_keys(training, 2), 2) == OverlapShare(4, 4)
    assert found_in(talks, window_keys(training, 3), 3) == OverlapShare(1, 4)


def test_windows_do_not_reach_over_the_end_of_a_conversation():
    talks = text_codes([["a", "b"], ["c", "d"], ["b", "c"]])
    assert shared_pairs(talks, 2) == OverlapShare(0, 3)
    assert found_in(text_codes([["b", "c"]]), window_keys(text_codes([["a", "b"], ["c", "d"]]), 2), 2) == OverlapShare(0, 1)


def test_order_matters_and_case_too():
    assert shared_pairs(text_codes([["a", "b"], ["b", "a"], ["A", "b"]]), 2).found == 0


@pytest.mark.parametrize("talks", [[], [[]], [["a"]], [["a", "b", "c"]]])
def test_too_few_or_too_short_is_not_a_number(talks):
    assert math.isnan(shared_pairs(text_codes(talks), 3).share)
    assert math.isnan(shared_pairs(text_codes([talk[:2] for talk in talks]), 3).share)


def test_ten_thousand_conversations():
    """A bot that always says the same, one that mostly does, and one that never does; numbers known in advance."""
    n = 10_000
    constant = text_codes([["i don't know"] * 10] * n)
    assert shared_pairs(constant, 3) == OverlapShare(math.comb(n, 2), math.comb(n, 2))
    different = text_codes([[f"{i} {k}" for k in range(10)] for i in range(n)])
    assert shared_pairs(different, 3).found == 0
    # every conversation has windows of its own, and all share one
    shared = text_codes([["x", "y", "z", *(f"{i} {k}" for k in range(5))] for i in range(n)])
    assert shared_pairs(shared, 3).found == math.comb(n, 2)
    # in two halves, and ten that know both
    halves = [[*("abc" if i % 2 else "def"), str(i)] for i in range(n)] + [[*"abc", *"def", f"both {i}"] for i in range(10)]
    assert shared_pairs(text_codes(halves), 3).found == 2 * math.comb(n // 2, 2) + 10 * n + math.comb(10, 2)


def test_codes_are_those_of_texts():
    first, second = text_codes([["tea", "tea"], ["tea", "no"]])
    assert first.dtype == np.uint64
    assert first[0] == first[1] == second[0] != second[1]
    assert len(text_codes([["\ud800"]])[0]) == 1
