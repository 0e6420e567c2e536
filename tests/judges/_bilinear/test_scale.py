"""α and β in closed form: first predictions span the scale, and what cannot be spread is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import DataError, UsageError
from dialometer.judges._bilinear.scale import alpha_beta


def test_by_hand():
    """Dot products from −1 to 3 on a scale of 1 to 5: β = 4/4 = 1, α = −1 − 1 = −2; on 0 to 5, β = 4/5, α = −1."""
    assert alpha_beta(np.array([3.0, 0.0, -1.0]), 1, 5) == (-2.0, 1.0)
    assert alpha_beta(np.array([3.0, 0.0, -1.0]), 0, 5) == (-1.0, 0.8)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2), st.floats(-10, 10), st.floats(0.1, 100))
def test_first_predictions_span_the_scale(raw, low, width):
    raw, high = np.array(raw), low + width
    if np.ptp(raw) <= 1e-6 * np.abs(raw).max():
        return
    alpha, beta = alpha_beta(raw, low, high)
    first = (raw - alpha) / beta
    np.testing.assert_allclose([first.min(), first.max()], [low, high], atol=1e-6 * width + 1e-9)
    assert beta > 0
    assert first.argsort(kind="stable").tolist() == raw.argsort(kind="stable").tolist() or len(set(raw)) > len(set(first))


@pytest.mark.parametrize("raw", [[], [np.nan, 1.0], [np.inf, 1.0], [2.0], [2.0, 2.0], [1.0, 1.0 + 1e-13]])
def test_what_cannot_be_spread_is_refused(raw):
    with pytest.raises(DataError):
        alpha_beta(np.array(raw), 1, 5)


@pytest.mark.parametrize(("low", "high"), [(5, 1), (3, 3), (0, np.inf), (np.nan, 5)])
def test_a_scale_has_two_ends(low, high):
    with pytest.raises(UsageError, match="scale"):
        alpha_beta(np.array([0.0, 1.0]), low, high)
