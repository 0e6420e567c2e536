"""Fleiss' κ against statsmodels and the paper's example; items with other numbers of judgements by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from dialometer.stats.agreement.fleiss import fleiss
from tests.stats.rating_tables import matrix

# Fleiss (1971), table 1, as in many textbooks: 10 subjects, 14 raters, 5 categories; κ .210.
TABLE = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def test_the_textbook_example():
    values = [np.repeat(np.arange(5), row) for row in TABLE]
    found = fleiss(matrix(values, named=False))
    assert found.kappa == pytest.approx(0.210, abs=5e-4)
    assert (found.items, found.left_out, found.fewest, found.most) == (10, 0, 14, 14)


@given(st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=2, max_size=12))
def test_equals_statsmodels(values):
    found = fleiss(matrix(values)).kappa
    if np.ptp(values) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(fleiss_kappa(aggregate_raters(np.array(values))[0]), abs=1e-12)


def test_unequal_numbers_by_hand():
    """Items aa, aab, and one judgement that has no pair: P = (1 + 1/3)/2 = 2/3, p = (5/6, 1/6), E = 26/36, κ = −1/5."""
    found = fleiss(matrix([[1, 1, np.nan], [1, 1, 2], [3, np.nan, np.nan]]))
    assert found.kappa == pytest.approx(-0.2)
    assert (found.items, found.left_out, found.fewest, found.most) == (2, 1, 2, 3)
    nothing = fleiss(matrix([[1, np.nan]]))
    assert np.isnan(nothing.kappa)
    assert nothing.left_out == 1
