"""Everything that is told of a judge, as plain values: how far it gets on what it has not seen, beside what it must beat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.core.errors import DataError, DialometerError, NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.attribution import leaning
from dialometer.flows.train_judge.baselines import beside, best, compared, other_judges, untrained
from dialometer.flows.train_judge.column_fits import fits_of
from dialometer.flows.train_judge.dataset import Bench, on_scale
from dialometer.flows.train_judge.fits import Fits
from dialometer.flows.train_judge.learning_curve import amounts
from dialometer.flows.train_judge.leave_bot_out import folds_of
from dialometer.flows.train_judge.leave_system_out import agreement, removals
from dialometer.flows.train_judge.robustness import stressed
from dialometer.flows.train_judge.training_overlap import overlaps, trained_parts
from dialometer.flows.train_judge.validation import by_context, by_system, context_folds, system_folds, table_of
from dialometer.stats.correlation.ceiling import ceiling
from dialometer.stats.validation.calibration import calibration
from dialometer.stats.validation.cross_validation import CrossValidated

if TYPE_CHECKING:
    from dialometer.contracts.train import TrainRequest

PARTS = 3  # folds of the expensive analyses
Folds = dict[str, np.ndarray]


@dataclass(frozen=True)
class Analysis:
    """The tables, and the numbers per item behind them: out-of-fold predictions by way, and columns of the baselines.

    ``aligned`` are the same predictions with a common start in place of each fold's own.
    """

    found: dict[str, Any]
    predictions: dict[str, np.ndarray]
    aligned: dict[str, np.ndarray]
    columns: dict[str, np.ndarray]
    recipes: dict[str, str]


def analyse(bench: Bench, judge: Any, request: TrainRequest, folds: int, work: Path, progress: Progress) -> Analysis:
    """All tables of a judge over a bench."""
    fits = fits_of(bench, judge, work / "fits", request.seed)
    ways, why = _folds(bench, judge, folds, request.seed)
    crossed = _crossed(fits, ways, progress)
    predictions = {way: one.predictions for way, one in crossed.items()}
    aligned = {way: one.aligned for way, one in crossed.items()}
    columns = untrained(bench, request.metrics, work / "baselines", progress)
    found: dict[str, Any] = {
        "folds": {way: table_of(one, bench, ways[way], seed=request.seed) for way, one in crossed.items()},
        "baselines": beside(columns.items, predictions, bench, seed=request.seed, aligned=aligned),
        "ceiling": _ceiling(bench, request.seed),
        "calibration": {way: asdict(calibration(values, bench.target)) for way, values in aligned.items()},
        "systems": _systems(bench, predictions, aligned),
        "leaning": leaning(columns.items, aligned["context"], bench.target),
        "overlap": overlaps(bench, trained_parts(judge, request.metrics)),
    }
    found["folds"] |= {"system": None} if "system" not in crossed else {}
    found["best"] = best(found["baselines"])
    found["judges"], left = _others(bench, judge, request, ways, crossed, work, progress)
    found["left_out_analyses"] = {"by system": why} if why else {}
    found["left_out_metrics"] = columns.notes + left
    if not request.quick:
        found |= _longer(fits, "system" in ways, progress, request.seed)
    return Analysis(found, predictions, aligned, columns.items, columns.recipes)


def _folds(bench: Bench, judge: Any, folds: int, seed: int) -> tuple[Folds, str]:
    """The fold of each item by context and, where there are systems, by system; and why there is none."""
    ways: Folds = {"context": context_folds(bench, folds, seed)}
    systems, why = system_folds(bench, folds_of(bench, judge, folds), seed)
    return ways | ({} if why else {"system": systems}), why


def _crossed(fits: Fits, ways: Folds, progress: Progress) -> dict[str, CrossValidated]:
    made = {"context": by_context(fits, ways["context"], progress)}
    return made | ({"system": by_system(fits, ways["system"], progress)} if "system" in ways else {})


def _others(
    bench: Bench,
    judge: Any,
    request: TrainRequest,
    ways: Folds,
    own: Mapping[str, CrossValidated],
    work: Path,
    progress: Progress,
) -> tuple[dict[str, Any], list[str]]:
    """Other judges on the same folds, with the test of this one against each; those it wants itself may be missing."""
    made, left = other_judges(judge, request.beside)
    rows: dict[str, Any] = {}
    for spec, other in made.items():
        try:
            other = on_scale(other, bench, request.aggregate)
            crossed = _crossed(fits_of(bench, other, work / "fits", request.seed), ways, progress)
        except DialometerError as error:
            if spec in request.beside:
                raise
            left.append(f"{spec}: {error.message}")
            continue
        rows[spec] = {
            way: table_of(one, bench, ways[way], seed=request.seed)
            | {
                "williams": compared(own[way].predictions, one.predictions, bench.target),
                "williams_aligned": compared(own[way].aligned, one.aligned, bench.target),
            }
            for way, one in crossed.items()
        }
    return rows, left


def _longer(fits: Fits, systems: bool, progress: Progress, seed: int) -> dict[str, Any]:
    """What takes many fits: systems left out, ever more data, spoilt replies; where these cannot be had, why."""
    try:
        return _longest(fits, context_folds(fits.bench, PARTS, seed), systems, progress, seed)
    except (NeedsError, DataError, UsageError) as error:
        return {"unfitted": sorted({*fits.reasons, error.message})}


def _longest(fits: Fits, parts: np.ndarray, systems: bool, progress: Progress, seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {"removal": removals(fits, parts, progress, seed=seed)} if systems else {}
    found["amounts"] = amounts(fits, parts, progress, seed=seed)
    if fits.judge.unit == "response":  # a judge of conversations says nothing of a single spoilt reply
        found["stress"] = stressed(fits, parts, progress, seed=seed)
    return found | {"unfitted": sorted(set(fits.reasons))}


def _ceiling(bench: Bench, seed: int) -> dict[str, Any]:
    """Half of the raters against the other half; empty where items have one judgement."""
    rated = bench.rated
    judged = rated.ratings.of(bench.quality)
    return asdict(ceiling(judged, rated.judged_cluster, rated.judged_system, kinds=("pearson", "spearman"), seed=seed))


def _systems(bench: Bench, predictions: Folds, aligned: Folds) -> dict[str, Any]:
    """Per system the means of people and of predictions, and how these follow those over systems."""
    names = np.unique(bench.system)
    sides = predictions | {f"{way}_aligned": values for way, values in aligned.items()}
    rows = [
        {"system": str(name), "n": int((bench.system == name).sum()), "human": float(bench.target[bench.system == name].mean())}
        | {f"by_{way}": float(np.nanmean(values[bench.system == name])) for way, values in sides.items()}
        for name in names
    ]  # fmt: skip
    human = np.array([row["human"] for row in rows])
    follows = {way: agreement(np.array([row[f"by_{way}"] for row in rows]), human) for way in sides}
    return {"rows": rows, "follows": follows}
