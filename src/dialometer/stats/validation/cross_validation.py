"""How well a trained metric does outside what it was trained on, and with how much data (Lowe et al. 2017, tables 5 and 14).

A fold's fit starts from the mean of what it was trained on, which is lower the better the items left out are: taken together,
uninformative predictions correlate negatively with ratings. ``aligned`` predictions have one start instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dialometer.core.errors import NeedsError, UsageError
from dialometer.stats.correlation.correlate import pearson, spearman
from dialometer.stats.resample import seed_for

SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
ROUNDING = 1e-9  # deviations of the ratings within which a prediction is the start itself


@dataclass(frozen=True)
class LearningCurvePoint:
    """A point of a learning curve: mean and sd of the correlation with a share of the training groups, where defined."""

    share: float
    rows: float
    pearson: float
    pearson_sd: float
    spearman: float
    spearman_sd: float
    repeats: int


@dataclass(frozen=True)
class FoldResult:
    """The correlation on one fold after training on the others."""

    fold: int
    n: int
    pearson: float
    spearman: float
    mae: float


@dataclass(frozen=True)
class CrossValidated:
    """Predictions of every row from a fit that had not seen it; the means are over the folds where each is defined.

    ``aligned`` are predictions less the start of their fold's fit, plus the mean start.
    """

    predictions: np.ndarray
    folds: tuple[FoldResult, ...]
    pearson: float
    spearman: float
    mae: float
    aligned: np.ndarray = field(default_factory=lambda: np.zeros(0))


def efficiency(
    fit_predict: Callable[[np.ndarray], np.ndarray],
    human: np.ndarray,
    groups: Sequence[str] | np.ndarray,
    shares: Sequence[float] = SHARES,
    repeats: int = 5,
    seed: int = 0,
) -> list[LearningCurvePoint]:
    """Fit on ever larger, nested sets of whole groups; ``fit_predict`` takes training rows and predicts the test items.

    ``human`` holds the test items' ratings, ``groups`` those of the training rows. The whole is one set, and is fitted once.
    """
    if not shares or min(shares) <= 0 or max(shares) > 1 or repeats < 1:
        raise UsageError("shares lie above 0 and up to 1, and repeats are 1 or more", "0.05 0.1 0.25 0.5 0.75 1")
    names, codes = np.unique(np.asarray(groups), return_inverse=True)
    found: dict[float, list[tuple[float, float, float]]] = {share: [] for share in sorted(shares)}
    for repeat in range(repeats):
        rank = np.random.default_rng(seed_for(seed, "efficiency", repeat)).permutation(len(names))
        for share, results in found.items():
            if share == 1 and repeat:
                continue
            rows = np.flatnonzero(rank[codes] < max(1, round(share * len(names))))
            r, rho, _ = _agreement(fit_predict(rows), human)
            results.append((len(rows), r, rho))
    return [_summarise(share, np.array(results)) for share, results in found.items()]


def _summarise(share: float, results: np.ndarray) -> LearningCurvePoint:
    seen = results[~np.isnan(results).any(axis=1)]  # predictions that do not vary correlate with nothing
    r, rho = seen[:, 1:].mean(axis=0) if len(seen) else (np.nan, np.nan)
    spread = seen[:, 1:].std(axis=0, ddof=1) if len(seen) > 1 else (np.nan, np.nan)
    rows = results[:, 0].mean()
    return LearningCurvePoint(share, float(rows), float(r), float(spread[0]), float(rho), float(spread[1]), len(seen))


def cross_validate(
    fit_predict: Callable[[np.ndarray, np.ndarray], np.ndarray],
    human: np.ndarray,
    folds: np.ndarray,
    start: Callable[[np.ndarray, np.ndarray], float] | None = None,
) -> CrossValidated:
    """Train on all folds but one, predict that one: ``fit_predict(training rows, test rows)``.

    ``start(training rows, test rows)`` is the mean prediction of that fit over its training rows; unless given, their mean rating.
    Rows without a rating are predicted, never trained on, and count nowhere.
    """
    if len(np.unique(folds)) < 2:
        raise NeedsError("cross-validation needs two folds or more", "items of more contexts, or of more systems")
    human = np.asarray(human, float)
    known = ~np.isnan(human)
    predictions, starts = np.full(len(human), np.nan), np.full(len(human), np.nan)
    results = []
    for fold in np.unique(folds):
        test, train = np.flatnonzero(folds == fold), np.flatnonzero((folds != fold) & known)
        predictions[test] = fit_predict(train, test)
        if not np.isnan(predictions[test]).all():
            starts[test] = start(train, test) if start else human[train].mean()
        n = int((known[test] & ~np.isnan(predictions[test])).sum())
        results.append(FoldResult(int(fold), n, *_agreement(predictions[test], human[test])))
    r, rho, mae = (_mean([getattr(result, name) for result in results]) for name in ("pearson", "spearman", "mae"))
    return CrossValidated(predictions, tuple(results), r, rho, mae, _align_starts(predictions, starts, human[known].std()))


def _align_starts(predictions: np.ndarray, starts: np.ndarray, spread: float) -> np.ndarray:
    """Predictions with the mean start in place of their fold's own; rounding is no difference from the start."""
    lead = predictions - starts
    seen = starts[~np.isnan(starts)]
    middle = float(seen.mean()) if len(seen) else 0.0
    return np.asarray(np.where(np.abs(lead) < ROUNDING * spread, 0.0, lead) + middle)


def _agreement(predicted: np.ndarray, human: np.ndarray) -> tuple[float, float, float]:
    """Pearson, Spearman and mean absolute error where both are known."""
    both = ~(np.isnan(predicted) | np.isnan(human))
    x, y = np.asarray(predicted, float)[both], np.asarray(human, float)[both]
    error = float(np.abs(x - y).mean()) if len(x) else float("nan")
    return pearson(x, y), spearman(x, y), error


def _mean(values: list[float]) -> float:
    seen = [value for value in values if value == value]
    return float(np.mean(seen)) if seen else float("nan")
