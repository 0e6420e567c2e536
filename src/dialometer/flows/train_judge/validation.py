"""Cross-validation by context and by system: the folds' own values and their mean, and all predictions taken together.

AutoJudge's table 1 averages the values of the folds (Deriu & Cieliebak 2019); ``pooled`` correlates all out-of-fold predictions at
once, as papers do. That counts how far the folds' starts are apart, and these run against the ratings: the fit without the best
system has the lowest start. ``aligned`` correlates predictions with one common start (docs/design/judges.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.dataset import Bench, refuse_few
from dialometer.flows.train_judge.fits import Fits, told
from dialometer.flows.train_judge.read_ratings import WRITTEN
from dialometer.stats.correlation.correlate import Correlation, correlate_table
from dialometer.stats.validation.cross_validation import CrossValidated, cross_validated
from dialometer.stats.validation.folds import even_folds

KINDS = ("pearson", "spearman")
RESAMPLES = 1000


def context_folds(bench: Bench, folds: int, seed: int) -> np.ndarray:
    """Folds that keep contexts (or conversations) whole; fewer where there are fewer contexts."""
    made = even_folds(_names(bench.cluster), min(folds, len(np.unique(bench.cluster))), seed)
    refuse_few(bench, made, folds)
    return made


def system_folds(bench: Bench, folds: int, seed: int) -> tuple[np.ndarray, str]:
    """Folds that keep systems whole, or why there are none."""
    names = np.unique(bench.system)
    if bench.quality == WRITTEN:
        return np.zeros(0, np.int64), "the system is what it learns to tell"
    if len(names) < 2:
        return np.zeros(0, np.int64), "the items name no systems" if names[0] == "" else f"all items are of {names[0]}"
    return even_folds(bench.system.tolist(), min(folds, len(names)), seed), ""


def by_context(fits: Fits, folds: np.ndarray, progress: Progress) -> CrossValidated:
    """Every item from a fit on other contexts."""
    call = told(fits, progress, "by context", len(np.unique(folds)))
    return cross_validated(call, fits.bench.target, folds, lambda train, test: fits.start(train))


def by_system(fits: Fits, folds: np.ndarray, progress: Progress) -> CrossValidated:
    """Every item from a fit on other systems; of conversations, on conversations that the system had no part in.

    The context of a single reply may well be among those fitted on: all systems answered it.
    """
    bench = fits.bench

    def apart(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        if bench.rated.unit == "dialogue":
            train = train[~np.isin(bench.cluster[train], bench.cluster[test])]
        if not len(train):
            raise NeedsError("every conversation has a part of every fold of systems", "fewer --folds")
        return train

    call = told(lambda train, test: fits(apart(train, test), test), progress, "by system", len(np.unique(folds)))
    return cross_validated(call, bench.target, folds, lambda train, test: fits.start(apart(train, test)))


def table_of(found: CrossValidated, bench: Bench, folds: np.ndarray, *, seed: int) -> dict[str, Any]:
    """Means over folds, the folds, all items together with and without the folds' own starts, how far predictions spread."""
    human = bench.target
    aligned = pooled({"": found.aligned}, bench, seed=seed)[""]
    del aligned["mae"]  # an error is that of what was predicted
    return {
        **{name: getattr(found, name) for name in ("spearman", "pearson", "mae")},
        "pooled": pooled({"": found.predictions}, bench, seed=seed)[""],
        "aligned": aligned,
        "mae_of_mean": _mean_error(human, folds),
        "spread": spread(found.predictions, human),
        "spread_aligned": spread(found.aligned, human),
        "each": [asdict(fold) for fold in found.folds],
    }


def pooled(columns: Mapping[str, np.ndarray], bench: Bench, *, seed: int) -> dict[str, dict[str, Any]]:
    """Correlations of columns with people over all items, with intervals by resampling contexts; and the absolute error."""
    options: dict[str, Any] = {"kinds": KINDS, "resamples": RESAMPLES, "seed": seed}
    found = correlate_table(columns, bench.target, bench.cluster, **options)
    return {
        name: {
            **{kind: _short(rows[kind]) for kind in KINDS},
            "mae": _error(columns[name], bench.target),
            "n": rows["pearson"].n,
        }
        for name, rows in found.items()
    }


def spread(predicted: np.ndarray, human: np.ndarray) -> float:
    """sd(predicted) / sd(human): far below 1 for a judge that stays near the middle."""
    both = ~(np.isnan(predicted) | np.isnan(human))
    below = float(human[both].std()) if both.any() else 0.0
    return float(predicted[both].std()) / below if below else float("nan")


def _short(one: Correlation) -> dict[str, float]:
    return {"r": one.r, "p": one.p, "low": one.low, "high": one.high}


def _error(predicted: np.ndarray, human: np.ndarray) -> float:
    gaps = np.abs(predicted - human)
    seen = gaps[~np.isnan(gaps)]
    return float(seen.mean()) if len(seen) else float("nan")


def _mean_error(human: np.ndarray, folds: np.ndarray) -> float:
    """The absolute error of the training mean: what a judge that knows nothing has."""
    guess = np.array([human[folds != fold].mean() for fold in folds.tolist()])
    return float(np.abs(guess - human).mean())


def _names(codes: np.ndarray) -> list[str]:
    return [str(code) for code in codes.tolist()]
