"""Degenerate replies against the median real reply, worked by hand."""

import math

import numpy as np

from dialometer.core.types import Example, Scores, Turn
from dialometer.flows.stress.perturb import spoil
from dialometer.flows.train_judge.robustness import degenerate_replies
from dialometer.text.perturb import PERTURBATIONS


def test_medians_and_shares():
    items = [Example(f"i{n}", (Turn("user", "hi"),), text) for n, text in enumerate(["a b", "c d", "e f"])]
    items.append(Example("i3", (), "g h"))  # nothing to say back
    spoilt = spoil(items, 4, PERTURBATIONS.values(), 0)
    scores = {"original": [1.0, 2.0, 3.0, 4.0], "empty": [0.0, 0.0, 9.0, 0.0], "copy-context": [5.0, 5.0, 2.0, 9.0]}
    scores |= {"generic": [2.5] * 4, "said-twice": [math.nan] * 4}
    names = [f"i{n}~{way}" for way in scores for n in range(4)]
    table = Scores(tuple(names), {"judge": np.array([v for values in scores.values() for v in values])}, {})
    found = {row.name: row for row in degenerate_replies(table, "judge", spoilt)}
    assert {row.median_real for row in found.values()} == {2.5}
    assert (found["empty"].median, found["empty"].share_above, found["empty"].below) == (0.0, 0.25, True)
    assert (found["copy-context"].n, found["copy-context"].below) == (3, False)
    assert found["generic"].below is False
    assert found["said-twice"].n == 0
