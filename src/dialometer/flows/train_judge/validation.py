"""Cross-validation by context and by system: the folds' own values and their mean, and all predictions taken together.

AutoJudge's table 1 averages the values of the folds (Deriu & Cieliebak 2019); ``pooled`` correlates all out-of-fold predictions at
once, as papers do. That counts how far the folds' starts are apart, and these run against the ratings: the fit without the best
system has the lowest start. ``aligned`` correlates predictions with one common start (docs/design/judges.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.train_judge_tables import (
    AlignedAgreement,
    CrossValidationTable,
    FoldAgreement,
    HumanCorrelation,
    PooledAgreement,
)
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.dataset import RatedDataset, refuse_few
from dialometer.flows.train_judge.fits import Fits, report_progress
from dialometer.flows.train_judge.read_ratings import WRITTEN
from dialometer.stats.correlation.correlate import Correlation, correlate_table
from dialometer.stats.validation.cross_validation import CrossValidated, cross_validate
from dialometer.stats.validation.folds import even_folds

RESAMPLES = 1000


def context_folds(dataset: RatedDataset, folds: int, seed: int) -> np.ndarray:
    """Folds that keep contexts (or conversations) whole; fewer where there are fewer contexts."""
    numbers = even_folds(_names(dataset.cluster), min(folds, len(np.unique(dataset.cluster))), seed)
    refuse_few(dataset, numbers, folds)
    return numbers


def system_folds(dataset: RatedDataset, folds: int, seed: int) -> tuple[np.ndarray, str]:
    """Folds that keep systems whole, or why there are none."""
    names = np.unique(dataset.system)
    if dataset.quality == WRITTEN:
        return np.zeros(0, np.int64), "the system is what it learns to tell"
    if len(names) < 2:
        return np.zeros(0, np.int64), "the items name no systems" if names[0] == "" else f"all items are of {names[0]}"
    return even_folds(dataset.system.tolist(), min(folds, len(names)), seed), ""


def by_context(fits: Fits, folds: np.ndarray, progress: Progress) -> CrossValidated:
    """Every item from a fit on other contexts."""
    call = report_progress(fits, progress, "by context", len(np.unique(folds)))
    return cross_validate(call, fits.dataset.target, folds, lambda train, test: fits.start(train))


def by_system(fits: Fits, folds: np.ndarray, progress: Progress) -> CrossValidated:
    """Every item from a fit on other systems; of conversations, on conversations that the system had no part in.

    The context of a single reply may well be among those fitted on: all systems answered it.
    """
    dataset = fits.dataset

    def apart(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        if dataset.rated.unit == "dialogue":
            train = train[~np.isin(dataset.cluster[train], dataset.cluster[test])]
        if not len(train):
            raise NeedsError("every conversation has a part of every fold of systems", "fewer --folds")
        return train

    call = report_progress(lambda train, test: fits(apart(train, test), test), progress, "by system", len(np.unique(folds)))
    return cross_validate(call, dataset.target, folds, lambda train, test: fits.start(apart(train, test)))


def cross_validation_table(
    crossed: CrossValidated, dataset: RatedDataset, folds: np.ndarray, *, seed: int
) -> CrossValidationTable:
    """Means over folds, the folds, all items together with and without the folds' own starts, the spread of predictions."""
    human = dataset.target
    aligned = pool({"": crossed.aligned}, dataset, seed=seed)[""]
    return CrossValidationTable(
        spearman=number(crossed.spearman),
        pearson=number(crossed.pearson),
        mae=number(crossed.mae),
        pooled=pool({"": crossed.predictions}, dataset, seed=seed)[""],
        aligned=AlignedAgreement(pearson=aligned.pearson, spearman=aligned.spearman, n=aligned.n),
        mae_of_mean=number(_mean_error(human, folds)),
        spread=number(spread(crossed.predictions, human)),
        spread_aligned=number(spread(crossed.aligned, human)),
        each=[
            FoldAgreement(
                fold=one.fold, n=one.n, pearson=number(one.pearson), spearman=number(one.spearman), mae=number(one.mae)
            )
            for one in crossed.folds
        ],
    )


def pool(columns: Mapping[str, np.ndarray], dataset: RatedDataset, *, seed: int) -> dict[str, PooledAgreement]:
    """Correlations of columns with ratings over all items, with intervals by resampling contexts; and the absolute error."""
    tables = correlate_table(
        columns, dataset.target, dataset.cluster, kinds=("pearson", "spearman"), resamples=RESAMPLES, seed=seed
    )
    return {
        name: PooledAgreement(
            pearson=_correlation(rows["pearson"]),
            spearman=_correlation(rows["spearman"]),
            mae=number(_error(columns[name], dataset.target)),
            n=rows["pearson"].n,
        )
        for name, rows in tables.items()
    }


def spread(predicted: np.ndarray, human: np.ndarray) -> float:
    """sd(predicted) / sd(human): far below 1 for a judge that stays near the middle."""
    both = ~(np.isnan(predicted) | np.isnan(human))
    below = float(human[both].std()) if both.any() else 0.0
    return float(predicted[both].std()) / below if below else float("nan")


def _correlation(one: Correlation) -> HumanCorrelation:
    return HumanCorrelation(r=number(one.r), p=number(one.p), low=number(one.low), high=number(one.high))


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
