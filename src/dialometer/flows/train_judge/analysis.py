"""Everything that is reported about a judge: how far it gets on items it was not fitted on, and compared with what it must beat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from dialometer.contracts.result import number
from dialometer.contracts.train import TrainRequest
from dialometer.contracts.train_judge import (
    JudgeRobustness,
    LeaveOneSystemOut,
    TrainingShare,
    TrainingShares,
)
from dialometer.contracts.train_judge_tables import (
    Attribution,
    Baseline,
    ByUnseen,
    CalibrationTable,
    ComparedJudge,
    FoldTables,
    HumanCeiling,
    SystemTable,
)
from dialometer.core.errors import DataError, DialometerError, NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.flows.stress.reactions import Reaction
from dialometer.flows.train_judge.attribution import attribute_variance
from dialometer.flows.train_judge.baselines import (
    baseline_columns,
    best_baseline,
    compare_baselines,
    other_judges,
    williams_tests,
)
from dialometer.flows.train_judge.dataset import RatedDataset, set_scale
from dialometer.flows.train_judge.fits import Fits, fits_of
from dialometer.flows.train_judge.leave_bot_out import folds_of
from dialometer.flows.train_judge.leave_system_out import leave_one_system_out
from dialometer.flows.train_judge.robustness import measure_robustness
from dialometer.flows.train_judge.tables import calibration_table, ceiling_table, system_table, training_overlap
from dialometer.flows.train_judge.validation import (
    by_context,
    by_system,
    context_folds,
    cross_validation_table,
    system_folds,
)
from dialometer.stats.validation.cross_validation import SHARES, CrossValidated, efficiency

PARTS = 3  # folds of the expensive analyses
REPEATS = 5  # draws of each share of the training contexts
Folds = dict[str, np.ndarray]


@dataclass(frozen=True)
class LongAnalyses:
    """What takes many fits; None where it was not asked for or was not possible."""

    leave_one_system_out: LeaveOneSystemOut | None = None
    amounts: TrainingShares | None = None
    stress: JudgeRobustness | None = None
    reactions: tuple[Reaction, ...] = ()
    unfitted: list[str] | None = None


@dataclass(frozen=True)
class Analysis:
    """The tables, and the numbers per item behind them: out-of-fold predictions by way, and columns of the baselines.

    ``aligned`` are the same predictions with a common start in place of each fold's own.
    """

    folds: FoldTables
    baselines: dict[str, Baseline]
    ceiling: HumanCeiling
    calibration: ByUnseen[CalibrationTable]
    systems: SystemTable
    attribution: Attribution
    overlap: dict[str, float]
    best: str
    judges: dict[str, ByUnseen[ComparedJudge]]
    left_out_analyses: dict[str, str]
    left_out_metrics: list[str]
    long: LongAnalyses
    predictions: dict[str, np.ndarray]
    aligned: dict[str, np.ndarray]
    columns: dict[str, np.ndarray]
    recipes: dict[str, str]


def analyse(
    dataset: RatedDataset, judge: Any, request: TrainRequest, folds: int, work: Path, progress: Progress
) -> Analysis:
    """All tables of a judge over a dataset."""
    fits = fits_of(dataset, judge, work / "fits", request.seed)
    ways, why = _folds(dataset, judge, folds, request.seed)
    crossed = _cross_validate(fits, ways, progress)
    predictions = {way: one.predictions for way, one in crossed.items()}
    aligned = {way: one.aligned for way, one in crossed.items()}
    columns = baseline_columns(dataset, request.metrics, work / "baselines", progress)
    tables = {way: cross_validation_table(one, dataset, ways[way], seed=request.seed) for way, one in crossed.items()}
    baselines = compare_baselines(columns.items, predictions, dataset, seed=request.seed, aligned=aligned)
    judges, left = _compare_judges(dataset, judge, request, ways, crossed, work, progress)
    return Analysis(
        folds=FoldTables(context=tables["context"], system=tables.get("system")),
        baselines=baselines,
        ceiling=ceiling_table(dataset, request.seed),
        calibration=ByUnseen(**{way: calibration_table(values, dataset.target) for way, values in aligned.items()}),
        systems=system_table(dataset, predictions, aligned),
        attribution=attribute_variance(columns.items, aligned["context"], dataset.target),
        overlap=training_overlap(dataset, judge, request.metrics),
        best=best_baseline(baselines),
        judges=judges,
        left_out_analyses={"by system": why} if why else {},
        left_out_metrics=columns.notes + left,
        long=LongAnalyses() if request.quick else _analyse_long(fits, "system" in ways, progress, request.seed),
        predictions=predictions,
        aligned=aligned,
        columns=columns.items,
        recipes=columns.recipes,
    )


def _folds(dataset: RatedDataset, judge: Any, folds: int, seed: int) -> tuple[Folds, str]:
    """The fold of each item by context and, where there are systems, by system; and why there is none."""
    ways: Folds = {"context": context_folds(dataset, folds, seed)}
    systems, why = system_folds(dataset, folds_of(dataset, judge, folds), seed)
    return ways | ({} if why else {"system": systems}), why


def _cross_validate(fits: Fits, ways: Folds, progress: Progress) -> dict[str, CrossValidated]:
    crossed = {"context": by_context(fits, ways["context"], progress)}
    return crossed | ({"system": by_system(fits, ways["system"], progress)} if "system" in ways else {})


def _compare_judges(
    dataset: RatedDataset,
    judge: Any,
    request: TrainRequest,
    ways: Folds,
    crossed: Mapping[str, CrossValidated],
    work: Path,
    progress: Progress,
) -> tuple[dict[str, ByUnseen[ComparedJudge]], list[str]]:
    """Other judges on the same folds, with the test of this one against each; those that it names itself may be missing."""
    judges, left = other_judges(judge, request.beside)
    rows: dict[str, ByUnseen[ComparedJudge]] = {}
    for spec, other in judges.items():
        try:
            other = set_scale(other, dataset, request.aggregate)
            of_other = _cross_validate(fits_of(dataset, other, work / "fits", request.seed), ways, progress)
        except DialometerError as error:
            if spec in request.beside:
                raise
            left.append(f"{spec}: {error.message}")
            continue
        rows[spec] = ByUnseen(**{
            way: ComparedJudge(
                **structs.asdict(cross_validation_table(one, dataset, ways[way], seed=request.seed)),
                williams=williams_tests(crossed[way].predictions, one.predictions, dataset.target),
                williams_aligned=williams_tests(crossed[way].aligned, one.aligned, dataset.target),
            )
            for way, one in of_other.items()
        })  # fmt: skip
    return rows, left


def _analyse_long(fits: Fits, systems: bool, progress: Progress, seed: int) -> LongAnalyses:
    """What takes many fits: systems left out, ever more data, perturbed replies; where these are not possible, why."""
    try:
        parts = context_folds(fits.dataset, PARTS, seed)
        removal = leave_one_system_out(fits, parts, progress, seed=seed) if systems else None
        amounts = measure_shares(fits, parts, progress, seed=seed)
        stress, reactions = None, list[Reaction]()
        if fits.judge.unit == "response":  # a judge of dialogues has no score of a single perturbed reply
            stress, reactions = measure_robustness(fits, parts, progress, seed=seed)
    except (NeedsError, DataError, UsageError) as error:
        return LongAnalyses(unfitted=sorted({*fits.reasons, error.message}))
    return LongAnalyses(removal, amounts, stress, tuple(reactions), sorted(set(fits.reasons)))


def measure_shares(fits: Fits, folds: np.ndarray, progress: Progress, *, seed: int) -> TrainingShares:
    """How much data a judge needs: fits on ever larger shares of the training contexts (Lowe et al. 2017, table 14).

    The first of the folds is the test set throughout.
    """
    dataset = fits.dataset
    test, train = np.flatnonzero(folds == 0), np.flatnonzero(folds != 0)
    total = REPEATS * (len(SHARES) - 1) + 1
    done = 0
    progress("amounts", 0, total)

    def fit_predict(rows: np.ndarray) -> np.ndarray:
        nonlocal done
        scores = fits.attempt(train[rows], test)
        done += 1
        progress("amounts", done, total)
        return scores

    shares = efficiency(fit_predict, dataset.target[test], dataset.cluster[train], SHARES, REPEATS, seed)
    return TrainingShares(
        shares=[
            TrainingShare(
                share=one.share,
                rows=number(one.rows),
                pearson=number(one.pearson),
                pearson_sd=number(one.pearson_sd),
                spearman=number(one.spearman),
                spearman_sd=number(one.spearman_sd),
                repeats=one.repeats,
            )
            for one in shares
        ],
        test=len(test),
        training=len(train),
        repeats=REPEATS,
    )
