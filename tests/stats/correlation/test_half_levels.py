"""Noise in half means, by hand."""

import numpy as np
import pytest

from dialometer.stats.correlation.half_levels import ItemLevel, SystemLevel

SIZES = np.array([2, 3, 5, 4])  # halves of 1 + 1, 1 + 2, 2 + 3, 2 + 2


def test_shares_of_items():
    wanted = (1 + 1 + 1 / 2 + 1 / 2) / 4, (1 + 1 / 2 + 1 / 3 + 1 / 2) / 4, (1 / 2 + 1 / 3 + 1 / 5 + 1 / 4) / 4
    assert ItemLevel(np.arange(4), 4).shares(SIZES) == pytest.approx(wanted)


def test_shares_of_systems():
    """The first system has one item, the second two, whose mean has a quarter of their summed noise; the last item has none."""
    level = SystemLevel(np.arange(4), 4, np.array([0, 1, 1, -1]))
    wanted = (1 + (1 + 1 / 2) / 4) / 2, (1 + (1 / 2 + 1 / 3) / 4) / 2, (1 / 2 + (1 / 3 + 1 / 5) / 4) / 2
    assert level.n == 2
    assert level.shares(SIZES) == pytest.approx(wanted)
