"""Leave-one-system-out: what it costs on all items and on those of the system, compared with as many items left out at random.

Lowe et al. 2017, table 5. Every item is scored by a fit on other contexts, here of three folds, so each row rests on all items.
``all`` and ``alone`` are of predictions as they are; ``all_aligned`` and ``alone_aligned`` of predictions with a common start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.train_judge import LeaveOneSystemOut, RemovalAgreement, RemovalFigures, RemovedSystem
from dialometer.contracts.train_judge_tables import Agreement
from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.dataset import RatedDataset
from dialometer.flows.train_judge.fits import FitPredict, Fits, report_progress
from dialometer.stats.correlation.correlate import pearson, spearman
from dialometer.stats.validation.cross_validation import CrossValidated, cross_validate
from dialometer.stats.validation.folds import same_amount

Thinning = Callable[[np.ndarray], np.ndarray]
MOST = 25  # systems that are left out one by one: those with the most items


def leave_one_system_out(fits: Fits, folds: np.ndarray, progress: Progress, *, seed: int) -> LeaveOneSystemOut:
    """A row per system, their mean, and the fit on everything."""
    dataset = fits.dataset
    names, counts = np.unique(dataset.system, return_counts=True)
    order = sorted(range(len(names)), key=lambda place: (-int(counts[place]), names[place]))[:MOST]
    call = report_progress(fits.attempt, progress, "leave out", len(np.unique(folds)) * (1 + 2 * len(order)))
    groups = dataset.cluster if _shares_contexts(dataset) else None
    everything = cross_validate(call, dataset.target, folds, lambda train, test: fits.start(train))
    rows = []
    for place in order:
        of_system = dataset.system == names[place]
        without = _predict(fits, call, folds, _without(of_system))
        random = _predict(fits, call, folds, _without_as_many(of_system, groups, seed))
        whole = np.ones(len(dataset), bool)
        fitted = (everything, without, random)
        rows.append(
            RemovedSystem(
                system=str(names[place]),
                n=int(counts[place]),
                share=float(of_system.mean()),
                all=_compare([one.predictions for one in fitted], dataset.target, whole),
                alone=_compare([one.predictions for one in fitted], dataset.target, of_system),
                all_aligned=_compare([one.aligned for one in fitted], dataset.target, whole),
                alone_aligned=_compare([one.aligned for one in fitted], dataset.target, of_system),
            )
        )
    return LeaveOneSystemOut(
        rows=rows,
        mean=_means(rows),
        left_out=max(0, len(names) - MOST),
        folds=len(np.unique(folds)),
        within_contexts=groups is not None,
    )


def _compare(predicted: Sequence[np.ndarray], human: np.ndarray, rows: np.ndarray) -> RemovalAgreement:
    everything, without, random = (agreement(values[rows], human[rows]) for values in predicted)
    return RemovalAgreement(everything=everything, without=without, random=random)


def _without(of_system: np.ndarray) -> Thinning:
    """Training items that are not of the system."""
    return lambda train: train[~of_system[train]]


def _without_as_many(of_system: np.ndarray, groups: np.ndarray | None, seed: int) -> Thinning:
    """Training items less as many as the system has, drawn at random; of each context as many, where there are groups."""
    return lambda train: train[~same_amount(of_system[train], None if groups is None else groups[train], seed)]


def _predict(fits: Fits, call: FitPredict, folds: np.ndarray, thin: Thinning) -> CrossValidated:
    """All items, from fits on thinned training items."""
    return cross_validate(
        lambda train, test: np.asarray(call(thin(train), test)),
        fits.dataset.target,
        folds,
        lambda train, test: fits.start(thin(train)),
    )


def agreement(predicted: np.ndarray, human: np.ndarray) -> Agreement:
    """Pearson and Spearman where both are known."""
    both = ~(np.isnan(predicted) | np.isnan(human))
    return Agreement(
        pearson=number(pearson(predicted[both], human[both])), spearman=number(spearman(predicted[both], human[both]))
    )


def _shares_contexts(dataset: RatedDataset) -> bool:
    """Whether contexts are answered by several systems: then each may lose as many replies as it had of the one."""
    systems = np.unique(dataset.system, return_inverse=True)[1]
    pairs = np.unique(np.stack([dataset.cluster, systems]), axis=1)
    return bool(np.mean(np.unique(pairs[0], return_counts=True)[1] > 1) > 0.5)


def _means(rows: Sequence[RemovalFigures]) -> RemovalFigures:
    """Means over systems, of the values that exist."""
    return RemovalFigures(
        all=_mean_comparison([row.all for row in rows]),
        alone=_mean_comparison([row.alone for row in rows]),
        all_aligned=_mean_comparison([row.all_aligned for row in rows]),
        alone_aligned=_mean_comparison([row.alone_aligned for row in rows]),
    )


def _mean_comparison(rows: Sequence[RemovalAgreement]) -> RemovalAgreement:
    return RemovalAgreement(
        everything=_mean_agreement([row.everything for row in rows]),
        without=_mean_agreement([row.without for row in rows]),
        random=_mean_agreement([row.random for row in rows]),
    )


def _mean_agreement(rows: Sequence[Agreement]) -> Agreement:
    return Agreement(pearson=_mean([row.pearson for row in rows]), spearman=_mean([row.spearman for row in rows]))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
