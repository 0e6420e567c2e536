"""α and β of ADEM (Lowe et al. 2017, eq. 1) in closed form, from all training rows.

``score = (raw − α)/β``. The paper sets the two so that the first predictions (M = N = I) lie in [0, 5]; here they span the rating
scale that is given, its ends included.
"""

from __future__ import annotations

import numpy as np

from dialometer.core.errors import DataError, UsageError

ALIKE = 1e-9  # a spread below this share of the values themselves is rounding


def alpha_beta(raw: np.ndarray, low: float, high: float) -> tuple[float, float]:
    """β = (max − min)/(high − low) and α = min − low·β of the first raw scores.

    >>> alpha, beta = alpha_beta(np.array([-0.5, 0.25, 1.5]), 1, 5)
    >>> ((np.array([-0.5, 0.25, 1.5]) - alpha) / beta).tolist()
    [1.0, 2.5, 5.0]
    """
    raw = np.asarray(raw, float)
    if not (np.isfinite([low, high]).all() and low < high):
        raise UsageError(
            f"a rating scale goes from a lower to a higher number, not from {low:g} to {high:g}", "1 to 5, say"
        )
    bad = int(np.count_nonzero(~np.isfinite(raw)))
    if bad or not raw.size:
        what = (
            f"{bad} of {raw.size} first scores are missing or infinite" if bad else "there are no rows to set α and β from"
        )
        raise DataError(what, hint="train on items that have a response and what the judge compares it with")
    least, most = float(raw.min()), float(raw.max())
    if most - least <= ALIKE * max(abs(least), abs(most)):
        raise DataError(
            f"all {raw.size} rows have the same first score ({least:g}), so that no α and β spread them over the scale",
            hint="train on responses that differ, or with another encoder",
        )
    beta = (most - least) / (high - low)
    return least - low * beta, beta
