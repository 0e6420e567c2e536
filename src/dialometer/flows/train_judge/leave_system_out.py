"""A system left out of training: what it costs on all items and on its own, beside the same amount left out at random.

Lowe et al. 2017, table 5. Every item is scored by a fit on other contexts, here of three folds, so each row rests on all items.
``all`` and ``alone`` are of predictions as they are; ``all_aligned`` and ``alone_aligned`` of predictions with a common start.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.dataset import Bench
from dialometer.flows.train_judge.fits import FitPredict, Fits, told
from dialometer.stats.correlation.correlate import pearson, spearman
from dialometer.stats.validation.cross_validation import CrossValidated, cross_validated
from dialometer.stats.validation.folds import same_amount

WHERE = ("all", "alone", "all_aligned", "alone_aligned")
MOST = 25  # systems that are left out one by one: those with the most items


def removals(fits: Fits, folds: np.ndarray, progress: Progress, *, seed: int) -> dict[str, Any]:
    """A row per system, their mean, and the fit on everything."""
    bench = fits.bench
    names, counts = np.unique(bench.system, return_counts=True)
    order = sorted(range(len(names)), key=lambda place: (-int(counts[place]), names[place]))[:MOST]
    call = told(fits.tried, progress, "leave out", len(np.unique(folds)) * (1 + 2 * len(order)))
    groups = bench.cluster if _shared(bench) else None
    everything = cross_validated(call, bench.target, folds, lambda train, test: fits.start(train))
    rows = []
    for place in order:
        own = bench.system == names[place]
        ways = {way: _predicted(fits, call, folds, own, way, groups, seed) for way in ("without", "random")}
        rows.append({"system": str(names[place]), "n": int(counts[place]), "share": float(own.mean())} | {
            where: {
                name: agreement((one.aligned if "aligned" in where else one.predictions)[rows_], bench.target[rows_])
                for name, one in {"everything": everything, **ways}.items()
            }
            for where, rows_ in zip(WHERE, (np.ones(len(bench), bool), own) * 2, strict=True)
        })  # fmt: skip
    return {
        "rows": rows,
        "mean": _means(rows),
        "left_out": max(0, len(names) - MOST),
        "folds": len(np.unique(folds)),
        "within_contexts": groups is not None,
    }


def _predicted(
    fits: Fits, call: FitPredict, folds: np.ndarray, own: np.ndarray, way: str, groups: np.ndarray | None, seed: int
) -> CrossValidated:
    """All items, from fits without a system, or without as many items of anybody."""

    def thinned(train: np.ndarray) -> np.ndarray:
        gone = own[train]
        if way == "random":
            gone = same_amount(gone, None if groups is None else groups[train], seed)
        return train[~gone]

    return cross_validated(
        lambda train, test: np.asarray(call(thinned(train), test)),
        fits.bench.target,
        folds,
        lambda train, test: fits.start(thinned(train)),
    )


def agreement(predicted: np.ndarray, human: np.ndarray) -> dict[str, float]:
    """Pearson and Spearman where both are known."""
    both = ~(np.isnan(predicted) | np.isnan(human))
    return {"pearson": pearson(predicted[both], human[both]), "spearman": spearman(predicted[both], human[both])}


def _shared(bench: Bench) -> bool:
    """Whether contexts are answered by several systems: then each may lose as many replies as it had of the one."""
    systems = np.unique(bench.system, return_inverse=True)[1]
    pairs = np.unique(np.stack([bench.cluster, systems]), axis=1)
    return bool(np.mean(np.unique(pairs[0], return_counts=True)[1] > 1) > 0.5)


def _means(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over systems, of the values that exist."""
    return {
        where: {
            name: {kind: _mean([row[where][name][kind] for row in rows]) for kind in ("pearson", "spearman")}
            for name in ("everything", "without", "random")
        }
        for where in WHERE
    }


def _mean(values: list[float]) -> float:
    seen = [value for value in values if value == value]
    return float(np.mean(seen)) if seen else float("nan")
