"""Williams' test: which of two metrics correlates better with the same human ratings.

``t = (r₁₂ − r₁₃) √[(n − 1)(1 + r₂₃) / (2K (n − 1)/(n − 3) + ¼ (r₁₂ + r₁₃)² (1 − r₂₃)³)]`` with n − 3 degrees of freedom and
``K = 1 − r₁₂² − r₁₃² − r₂₃² + 2 r₁₂ r₁₃ r₂₃`` (Williams 1959; Steiger 1980; for metrics: Graham & Baldwin 2014). Human
ratings are 1, the metrics 2 and 3. It is for Pearson's r, and takes items for independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dialometer.stats.correlation.correlate import pearson

Side = Literal["two-sided", "greater", "less"]
SAME = 1e-12  # metrics whose correlation is nearer to 1 order the items alike


@dataclass(frozen=True)
class Williams:
    """The difference of two correlations with the ratings, its t and p, and the items behind it."""

    difference: float
    t: float
    p: float
    n: int


def williams(a: np.ndarray, b: np.ndarray, y: np.ndarray, side: Side = "two-sided") -> Williams:
    """Metric a against metric b, over the items where both and the ratings have numbers; signed correlations."""
    a, b, y = (np.asarray(v, float) for v in (a, b, y))
    rows = ~(np.isnan(a) | np.isnan(b) | np.isnan(y))
    a, b, y = a[rows], b[rows], y[rows]
    return williams_r(pearson(a, y), pearson(b, y), pearson(a, b), len(y), side)


def williams_r(r12: float, r13: float, r23: float, n: int, side: Side = "two-sided") -> Williams:
    """The test from three correlations; ``greater`` asks whether r₁₂ is above r₁₃. NaN for undefined correlations or n < 4.

    Metrics that are linear functions of each other have the same correlation: t = 0 and p = 1. Opposite ones (r₂₃ = −1) leave the
    formula 0/0: NaN.

    >>> result = williams_r(0.4, 0.5, 0.1, 103)  # psych::r.test(103, .4, .5, .1)
    >>> round(result.t, 2), round(result.p, 2)
    (-0.89, 0.37)
    """
    from scipy import stats

    difference = r12 - r13
    if n < 4 or np.isnan(difference) or np.isnan(r23) or r23 <= SAME - 1:
        return Williams(difference, float("nan"), float("nan"), n)
    if r23 >= 1 - SAME:
        return Williams(difference, 0.0, 1.0, n)
    k = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    below = 2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if difference == 0:
        t = 0.0
    else:
        t = (
            difference * float(np.sqrt((n - 1) * (1 + r23) / below))
            if below > 0
            else float(np.copysign(np.inf, difference))
        )
    tail = stats.t.sf(abs(t) if side == "two-sided" else t if side == "greater" else -t, n - 3)
    return Williams(difference, t, float(2 * tail if side == "two-sided" else tail), n)
