"""Repeats by hand, cells that weigh evenly on real ratings, and limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import DataError, UsageError
from dialometer.judges._bilinear.oversampling import oversampled, repeats
from tests.real import lines


def test_by_hand():
    """Cells: short and low 4 rows, short and high 2, long and low 1, long and high 1; 4/2 = 2, 4/1 = 4, cut to 3."""
    lengths = np.array([2, 2, 2, 2, 2, 2, 8, 8])
    scores = np.array([1, 1, 1.5, 2, 4, 5, 1, 5])
    expected = [1, 1, 1, 1, 2, 2, 4, 4]
    assert repeats(lengths, scores, length_bins=4, score_bins=2).tolist() == expected
    assert repeats(lengths, scores, length_bins=4, score_bins=2, most=3).tolist() == [min(n, 3) for n in expected]
    assert oversampled(lengths, scores, length_bins=4, score_bins=2, most=3).tolist() == [
        0,
        1,
        2,
        3,
        4,
        4,
        5,
        5,
        6,
        6,
        6,
        7,
        7,
        7,
    ]


def test_length_tells_less_of_the_score_after_it(shared_data):
    """On rated responses, scores and lengths hang together; with even cells they do so less."""
    rows = lines(shared_data("turns/zhao_dailydialog.jsonl.gz"))
    lengths = np.array([len(row["response"].split()) for row in rows])
    scores = np.array([np.mean(row["ratings"]["appropriateness"]) for row in rows])
    used = oversampled(lengths, scores, most=50)
    before, after = np.corrcoef(lengths, scores)[0, 1], np.corrcoef(lengths[used], scores[used])[0, 1]
    assert abs(after) < abs(before)
    assert set(used.tolist()) == set(range(len(rows)))


@given(
    st.lists(st.tuples(st.integers(0, 30), st.floats(1, 5)), max_size=40),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 9),
)
def test_every_row_is_used_and_rare_ones_more(rows, length_bins, score_bins, most):
    lengths, scores = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    counts = repeats(lengths, scores, length_bins=length_bins, score_bins=score_bins, most=most)
    assert counts.shape == scores.shape
    assert ((counts >= 1) & (counts <= most)).all()
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    mixed = repeats(lengths[order], scores[order], length_bins=length_bins, score_bins=score_bins, most=most)
    assert mixed.tolist() == counts[order].tolist()


def test_one_cell_repeats_nothing():
    assert repeats(np.full(5, 7), np.full(5, 3.0)).tolist() == [1] * 5


def test_bad_input_is_refused():
    with pytest.raises(UsageError, match="from 1"):
        repeats(np.ones(2), np.ones(2), most=0)
    with pytest.raises(UsageError, match="2 lengths for 3 scores"):
        repeats(np.ones(2), np.ones(3))
    with pytest.raises(DataError, match="1 of 2 rows"):
        repeats(np.ones(2), np.array([1.0, np.nan]))
