"""Recall@k by hand."""

import numpy as np
import pytest

from dialometer.bots._retrieval.recall import candidates, chance, recall_at
from dialometer.core.errors import NeedsError


def test_by_hand():
    scores = np.array([[0.9, 0.1, 0.5], [0.2, 0.3, 0.1], [0.1, 0.2, 0.3]])
    assert recall_at(scores, 0, (1, 2, 3)) == {1: 1 / 3, 2: 2 / 3, 3: 1.0}
    assert recall_at(scores, np.array([0, 1, 2]), (1,)) == {1: 1.0}


def test_ties_are_worth_their_chance():
    assert recall_at(np.zeros((5, 10)), 0, (1, 2, 5)) == pytest.approx(chance(10, (1, 2, 5)))


def test_candidates_hold_the_truth_first_and_no_other_copy_of_it():
    replies = np.random.default_rng(0).integers(0, 12, 200)
    chosen = candidates(replies, seed=4)
    assert chosen.shape == (200, 10)
    assert (chosen[:, 0] == np.arange(200)).all()
    assert (replies[chosen[:, 1:]] != replies[:, None]).all()
    assert all(len(set(row)) == 10 for row in chosen.tolist())
    assert (candidates(replies, seed=4) == chosen).all()
    assert (candidates(replies, seed=5) != chosen).any()


def test_replies_that_are_all_alike_are_refused():
    with pytest.raises(NeedsError, match="all alike"):
        candidates([1, 1, 1])
