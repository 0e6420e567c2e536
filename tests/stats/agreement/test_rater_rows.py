"""Rows of judgements: which are known, which come first, and which stand beside each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import DataError
from dialometer.stats.agreement.rater_rows import codes_of, firsts, known, pair_rows, single, unknown
from tests.stats.rating_tables import matrix, rows


@given(st.lists(st.integers(0, 5), max_size=20).map(sorted))
def test_pairs_are_all_pairs(items):
    left, right = pair_rows(np.array(items, np.int64))
    wanted = {(i, j) for i in range(len(items)) for j in range(i + 1, len(items)) if items[i] == items[j]}
    assert len(left) == len(wanted)
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == wanted


def test_first_judgements_in_the_order_of_the_file():
    ratings = rows("ab", "xy", "q", [1, 0, 1, 0, 1], [0, 1, 0, 1, 1], [5, 4, 3, 2, 1])
    first, repeats = firsts(ratings)
    assert repeats == 2
    assert first.value.tolist() == [4, 5, 1]


def test_checks_are_no_judgements():
    ratings = rows("a", "xy", "q", [0, 0, 0, 0], [0, 1, -1, -1], [1, 2, 3, 4], check=[np.nan, np.nan, np.nan, 0])
    assert unknown(ratings) == 1
    assert known(ratings, "x").value.tolist() == [1, 2]
    assert single(ratings).value.tolist() == [1, 2, 3]


@pytest.mark.parametrize("value", [0.0, 2.5, 6.0])
def test_values_beside_the_scale_are_refused(value):
    with pytest.raises(DataError, match=f"a rating of {value:g} .* \\(2 such cases"):
        codes_of(np.array([1, value, value, 5]), [1, 2, 3, 4, 5])
    assert codes_of(np.array([3.0]), [5, 3, 1, 3])[1].tolist() == [1, 3, 5]
    assert len(single(matrix([[np.nan]]))) == 0
