"""One number per item: every way by plain loops or its own module."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import NeedsError, UnknownName, UsageError
from dialometer.stats.agreement.aggregate import WAYS, aggregate
from dialometer.stats.agreement.dawid_skene import dawid_skene
from dialometer.stats.agreement.mace import mace
from tests.stats.agreement.test_mace import simulate
from tests.stats.rating_tables import matrix, rows

cell = st.sampled_from([1.0, 2.0, 4.0, np.nan])


@given(st.lists(st.lists(cell, min_size=4, max_size=4), min_size=1, max_size=6))
def test_means_and_medians(values):
    for how, by_numpy in (("mean", np.mean), ("median", np.median)):
        wanted = [by_numpy(seen) if len(seen := [v for v in row if v == v]) else np.nan for row in values]
        np.testing.assert_allclose(aggregate(matrix(values, named=False), how), wanted)


def test_z_is_the_mean_on_raters_own_scales():
    """Rater 0 uses 1 … 3, rater 1 uses 10 … 30; the third never varies, and alone on the last item leaves it without number."""
    nan = np.nan
    found = aggregate(matrix([[1, 10, 5], [2, 20, 5], [3, 30, 5], [nan, nan, 5]]), "z")
    np.testing.assert_allclose(found, [-1, 0, 1, nan])


def test_models_are_those_of_their_files():
    ratings = matrix(simulate(items=40)[0])
    np.testing.assert_array_equal(aggregate(ratings, "mace", seed=3), mace(ratings, seed=3).labels.value)
    np.testing.assert_array_equal(aggregate(ratings, "dawid-skene"), dawid_skene(ratings).labels.value)


@pytest.mark.parametrize("how", WAYS)
def test_checks_stay_out_and_every_item_has_a_place(how):
    ratings = rows("abc", "xy", "q", [0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [1, 1, 2, 2, 9], check=[np.nan] * 4 + [1])
    found = aggregate(ratings, how)
    assert np.isnan(found).tolist() == [False, False, True]
    assert found[0] < found[1] < 9


@pytest.mark.parametrize("how", ["z", "mace", "dawid-skene"])
def test_names_are_needed(how):
    with pytest.raises(NeedsError, match="who judged"):
        aggregate(matrix([[1, 2]], named=False), how)


def test_refusals():
    with pytest.raises(UnknownName, match="dawid-skene"):
        aggregate(matrix([[1, 2]]), "dawid")
    with pytest.raises(UsageError, match="one is measured at a time"):
        aggregate(rows("a", "xy", ("p", "q"), [0, 0], [0, 1], [1, 2], quality=[0, 1]))
