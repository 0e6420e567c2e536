"""Good–Turing discounts in Katz's form (Katz 1987, eq. 18), with the retreats that small counts of counts need."""

from __future__ import annotations

import numpy as np

LEAST = 3e-6  # a smaller discount or left-over mass counts as none


def discounts(seen: np.ndarray, most: int) -> np.ndarray:
    """d_0 … d_most: what a count r is multiplied by; ``seen[r]`` n-grams occur r times, known up to r = most + 1.

    ``d_r = (r*/r − A) / (1 − A)``, ``r* = (r + 1) n_{r+1} / n_r``, ``A = (k + 1) n_{k+1} / n_1``. k is ``most``, lowered until
    n_{k+1} > 0; no singletons, no discount; a d_r outside (0, 1] is 1.

    >>> discounts(np.array([0, 10, 4, 1]), 2).round(4).tolist()
    [1.0, 0.7143, 0.1071]
    """
    made = np.ones(most + 1)
    while most > 0 and seen[most + 1] == 0:
        most -= 1
    if seen[1] == 0 or most == 0:
        return made
    common = (most + 1) * seen[most + 1] / seen[1]
    for r in range(1, most + 1):
        if seen[r] and common != 1:
            ratio = (r + 1) * seen[r + 1] / (r * seen[r])
            made[r] = (ratio - common) / (1 - common) if ratio <= 1 else 1
    return np.where((made > LEAST) & (made <= 1), made, 1.0)
