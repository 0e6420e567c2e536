"""Adjusted p-values against statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialometer.stats.testing.multiple import benjamini_hochberg, holm

multitest = pytest.importorskip("statsmodels.stats.multitest")


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1).map(lambda p: round(p, 6)), min_size=1, max_size=30))
def test_equal_statsmodels(p):
    np.testing.assert_allclose(holm(np.array(p)), multitest.multipletests(p, method="holm")[1], rtol=1e-12)
    np.testing.assert_allclose(benjamini_hochberg(np.array(p)), multitest.multipletests(p, method="fdr_bh")[1], rtol=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_nan_stays_and_is_not_counted(adjust):
    p = np.array([[0.01, np.nan], [0.2, 0.03]])
    found = adjust(p)
    assert np.isnan(found[0, 1])
    np.testing.assert_array_equal(found[~np.isnan(p)], adjust(p[~np.isnan(p)]))
    assert adjust(np.array([])).size == 0
    assert np.isnan(adjust(np.array([np.nan]))).all()
