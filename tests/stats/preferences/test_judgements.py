"""Sums of judgements: by hand, normalised per rater, and on real ratings."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.types import Ratings
from dialometer.stats.preferences.judgements import judgement_sums


def ratings(rows, raters=("r0", "r1"), qualities=("q", "f")):
    """From (item, rater, quality, value)."""
    item, rater, quality, value = (np.array(column) for column in zip(*rows, strict=True))
    nothing = np.full(len(rows), np.nan)
    names = tuple(f"i{number}" for number in range(item.max() + 1))
    return Ratings(names, raters, qualities, item, rater, quality, value.astype(float), nothing, nothing)


ROWS = [(0, 0, 0, 3), (0, 0, 1, 4), (0, 1, 0, 1), (0, 1, 1, 2), (1, 0, 0, 5), (1, 0, 1, 5), (1, 1, 0, 2)]


def test_sums_by_hand():
    found = judgement_sums(ratings(ROWS))
    assert list(zip(found.item.tolist(), found.rater.tolist(), found.value.tolist(), strict=True)) == [
        (0, 0, 7), (0, 1, 3), (1, 0, 10)
    ]  # fmt: skip
    assert found.incomplete == 1
    assert judgement_sums(ratings(ROWS), ("q",)).value.tolist() == [3, 1, 5, 2]


def test_nameless_raters_are_averaged_first():
    rows = [(item, -1, quality, value) for item, _, quality, value in ROWS]
    found = judgement_sums(ratings(rows))
    assert found.value.tolist() == [2 + 3, 3.5 + 5]
    assert found.rater.tolist() == [-1, -1]
    with pytest.raises(NeedsError, match="whose"):
        judgement_sums(ratings(rows), normalise=True)


def test_normalised_raters_have_mean_0_and_deviation_1():
    rng = np.random.default_rng(0)
    rows = [
        (i, r, q, 2 * r + (1 + r) * rng.normal()) for i in range(30) for r in range(3) for q in range(2) if r < 2 or i < 5
    ]
    found = judgement_sums(ratings(rows, ("r0", "r1", "r2")), ("f",), normalise=True)
    assert found.left_out_raters == ("r2",)
    for rater in range(2):
        own = found.value[found.rater == rater]
        assert own.mean() == pytest.approx(0, abs=1e-12)
        assert own.std(ddof=1) == pytest.approx(1)


def test_a_rater_who_never_varies_has_no_scale():
    rows = [(i, r, 0, i if r else 3) for i in range(12) for r in range(2)]
    found = judgement_sums(ratings(rows, qualities=("q",)), normalise=True)
    assert found.left_out_raters == ("r0",)
    assert len(found.value) == 12


def test_unknown_qualities_are_named():
    with pytest.raises(UnknownName):
        judgement_sums(ratings(ROWS), ("fluency",))
