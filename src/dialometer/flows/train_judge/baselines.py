"""What a judge must beat: the length of the response, untrained metrics, other judges on the same folds; Williams' tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.train_judge_tables import LENGTH_ONLY, Baseline, ByUnseen, WilliamsTest, WilliamsTests
from dialometer.core.errors import DialometerError, MissingResource
from dialometer.core.protocols import Progress
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Example
from dialometer.flows.meta.columns import Columns, gather
from dialometer.flows.shared.runs import build_tables
from dialometer.flows.train_judge.dataset import RatedDataset
from dialometer.flows.train_judge.validation import pool
from dialometer.stats.testing.permutation import mean_ranks
from dialometer.stats.testing.williams import Williams, williams
from dialometer.text.corpus import Corpus

UNTRAINED = ("bleu", "rouge", "meteor", "embedding", "sentence", "turns")


def baseline_columns(dataset: RatedDataset, specs: Sequence[str], folder: Path, progress: Progress) -> Columns:
    """Columns of the metrics that were named, else of those that the data and the installation allow; length always.

    Whole conversations have no references, and what can be measured of them is what a judge of conversations is made of.
    """
    left: list[str] = []
    allowed = UNTRAINED if dataset.rated.unit == "turn" else ()
    chosen = [spec for spec in specs or allowed if specs or _usable(spec, dataset, left, progress)]
    columns = gather(dataset.rated.items, chosen, (), folder, progress=progress)
    columns.notes += left
    return columns


def _usable(spec: str, dataset: RatedDataset, left: list[str], progress: Progress) -> bool:
    """Whether a metric can score these items here, tried on one of them."""
    try:
        metric = create("metric", spec)
        needs = sorted(metric.needs & {"context", "reference"})  # what else there is to need is no part of an item
        first = next((example for example in dataset.examples if all(_has(example, need) for need in needs)), None)
        if first is None:
            left.append(f"{spec} needs {' and '.join(f'{need}s' for need in needs)}")
            return False
        build_tables([metric], progress)
        metric.measure(Corpus.build([first]))
    except MissingResource as error:
        left.append(f"{spec}: {error.message}")
        return False
    return True


def _has(example: Example, need: str) -> bool:
    return bool(example.references if need == "reference" else example.context)


def compare_baselines(
    baselines: Mapping[str, np.ndarray],
    judge: Mapping[str, np.ndarray],
    dataset: RatedDataset,
    *,
    seed: int,
    aligned: Mapping[str, np.ndarray] | None = None,
) -> dict[str, Baseline]:
    """Each baseline's correlation with ratings, and the test of the judge's out-of-fold predictions against it.

    The test is made of the predictions as they are (``williams``) and with a common start (``williams_aligned``).
    A column that falls as ratings rise is tested with the opposite sign: a sign is easily learnt.
    """
    rows: dict[str, Baseline] = {}
    for name, one in pool(baselines, dataset, seed=seed).items():
        turned = one.pearson.r is not None and one.pearson.r < 0
        values = -baselines[name] if turned else baselines[name]
        rows[name] = Baseline(
            pearson=one.pearson,
            spearman=one.spearman,
            n=one.n,
            turned=turned,
            williams=_tests_by(judge, values, dataset.target),
            williams_aligned=_tests_by(aligned or judge, values, dataset.target),
        )
    return rows


def _tests_by(judge: Mapping[str, np.ndarray], other: np.ndarray, human: np.ndarray) -> ByUnseen[WilliamsTests]:
    return ByUnseen(**{way: williams_tests(predicted, other, human) for way, predicted in judge.items()})


def williams_tests(judge: np.ndarray, other: np.ndarray, human: np.ndarray) -> WilliamsTests:
    """Williams' test on the values and on their ranks; a positive difference is in favour of the judge."""
    rows = ~(np.isnan(judge) | np.isnan(other) | np.isnan(human))
    a, b, y = judge[rows], other[rows], human[rows]
    return WilliamsTests(
        pearson=_test(williams(a, b, y)), spearman=_test(williams(mean_ranks(a), mean_ranks(b), mean_ranks(y)))
    )


def _test(one: Williams) -> WilliamsTest:
    return WilliamsTest(difference=number(one.difference), t=number(one.t), p=number(one.p))


def best_baseline(baselines: Mapping[str, Baseline]) -> str:
    """The untrained column that follows ratings most closely, up or down; length is a row of its own."""
    known = {
        name: abs(row.spearman.r) for name, row in baselines.items() if name != LENGTH_ONLY and row.spearman.r is not None
    }
    return max(known, key=lambda name: known[name]) if known else ""


def other_judges(judge: Any, named: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Judges to fit on the same folds: those that were named, and those that the judge itself names for comparison."""
    others: dict[str, Any] = {}
    left: list[str] = []
    for spec in dict.fromkeys([*named, *getattr(judge, "beside", ())]):
        try:
            other = create("metric", spec)
            if other == judge:
                continue
            others[spec if spec in named else spec_of(other, other.name)] = other
        except DialometerError as error:
            if spec in named:
                raise
            left.append(f"{spec}: {error.message}")
    return others, left
