"""Ratings on each rater's own scale, against scipy."""

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import NeedsError
from dialometer.stats.agreement.standard_scores import strips, z_scores
from tests.stats.rating_tables import matrix, real, rows


def test_equals_scipy_within_rater_and_quality():
    rng = np.random.default_rng(1)
    rater, quality, value = rng.integers(0, 3, 60), rng.integers(0, 2, 60), rng.integers(1, 6, 60)
    ratings = rows([f"i{n}" for n in range(60)], "xyz", ("p", "q"), np.arange(60), rater, value, quality=quality)
    found = z_scores(ratings)
    assert len(found) == 60
    for r in range(3):
        for q in range(2):
            own = (rater == r) & (quality == q)
            np.testing.assert_allclose(found.value[own], stats.zscore(value[own], ddof=1))


def test_what_has_no_standard_score_has_no_row():
    """A constant rater (0.1 has no exact mean), one judgement alone, one without a name; the rest keeps items and order."""
    ratings = rows("abc", "xyz", "q", [0, 1, 2, 0, 1, 2, 1, 2], [0, 0, 0, 1, 1, 1, 2, -1], [0.1, 0.1, 0.1, 1, 2, 3, 5, 5])
    found = z_scores(ratings)
    assert found.item.tolist() == [0, 1, 2]
    assert found.value.tolist() == [-1, 0, 1]
    assert found.items == ratings.items
    assert len(z_scores(ratings, least=4)) == 0
    with pytest.raises(NeedsError, match="a rater's own scale needs to know who judged"):
        z_scores(matrix([[1, 2]], named=False))


def test_strips_have_one_array_per_rater(shared_data):
    _, ratings = real(shared_data("turns/usr_topicalchat.jsonl.gz"))
    found = strips(ratings.of("Overall"))
    assert sorted(found) == sorted(ratings.raters)
    assert sum(map(len, found.values())) == 1080
    for strip in found.values():
        assert [strip.mean(), strip.std(ddof=1)] == pytest.approx([0, 1], abs=1e-9)
