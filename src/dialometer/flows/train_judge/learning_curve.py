"""How much data a judge needs: fits on ever larger shares of the contexts, scored on others (Lowe et al. 2017, table 14)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.fits import Fits
from dialometer.stats.validation.cross_validation import SHARES, efficiency

REPEATS = 5


def amounts(fits: Fits, folds: np.ndarray, progress: Progress, *, seed: int) -> dict[str, Any]:
    """The curve over shares of the training contexts; the first of the folds is the test set throughout."""
    bench = fits.bench
    test, train = np.flatnonzero(folds == 0), np.flatnonzero(folds != 0)
    total = REPEATS * (len(SHARES) - 1) + 1
    done = 0
    progress("amounts", 0, total)

    def fit_predict(rows: np.ndarray) -> np.ndarray:
        nonlocal done
        found = fits.tried(train[rows], test)
        done += 1
        progress("amounts", done, total)
        return found

    shares = efficiency(fit_predict, bench.target[test], bench.cluster[train], SHARES, REPEATS, seed)
    return {"shares": [asdict(share) for share in shares], "test": len(test), "training": len(train), "repeats": REPEATS}
