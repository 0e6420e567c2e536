"""What a judge must beat: the length of the response, untrained metrics, other judges on the same folds; Williams' tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.errors import DialometerError, MissingResource
from dialometer.core.protocols import Progress
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Example
from dialometer.flows.meta.columns import Columns, gather
from dialometer.flows.shared.runs import build_tables
from dialometer.flows.train_judge.dataset import Bench
from dialometer.flows.train_judge.validation import pooled
from dialometer.stats.testing.permutation import mean_ranks
from dialometer.stats.testing.williams import williams
from dialometer.stats.validation.length_bias import LENGTH_ONLY
from dialometer.text.corpus import Corpus

UNTRAINED = ("bleu", "rouge", "meteor", "embedding", "sentence", "turns")


def untrained(bench: Bench, specs: Sequence[str], folder: Path, progress: Progress) -> Columns:
    """Columns of the metrics that were named, else of those that the data and the installation allow; length always.

    Whole conversations have no references, and what can be measured of them is what a judge of conversations is made of.
    """
    left: list[str] = []
    allowed = UNTRAINED if bench.rated.unit == "turn" else ()
    chosen = [spec for spec in specs or allowed if specs or _usable(spec, bench, left, progress)]
    found = gather(bench.rated.items, chosen, (), folder, progress=progress)
    found.notes += left
    return found


def _usable(spec: str, bench: Bench, left: list[str], progress: Progress) -> bool:
    """Whether a metric can score these items here, tried on one of them."""
    try:
        metric = create("metric", spec)
        needs = sorted(metric.needs & {"context", "reference"})  # what else there is to need is no part of an item
        first = next((example for example in bench.examples if all(_has(example, need) for need in needs)), None)
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


def beside(
    baselines: Mapping[str, np.ndarray],
    judge: Mapping[str, np.ndarray],
    bench: Bench,
    *,
    seed: int,
    aligned: Mapping[str, np.ndarray] | None = None,
) -> dict[str, dict[str, Any]]:
    """Each baseline's correlation with people, and the test of the judge's out-of-fold predictions against it.

    The test is made of the predictions as they are (``williams``) and with a common start (``williams_aligned``).
    A column that falls as ratings rise is turned round for the test: a sign is easily learnt, and beating the wrong one is nothing.
    """
    found = pooled(baselines, bench, seed=seed)
    for name, column in baselines.items():
        del found[name]["mae"]  # untrained columns are on scales of their own
        found[name]["turned"] = bool(found[name]["pearson"]["r"] < 0)
        values = -column if found[name]["turned"] else column
        for key, sides in (("williams", judge), ("williams_aligned", aligned or judge)):
            found[name][key] = {way: compared(predicted, values, bench.target) for way, predicted in sides.items()}
    return found


def compared(judge: np.ndarray, other: np.ndarray, human: np.ndarray) -> dict[str, dict[str, float]]:
    """Williams' test on the numbers and on their ranks; a positive difference speaks for the judge."""
    rows = ~(np.isnan(judge) | np.isnan(other) | np.isnan(human))
    a, b, y = judge[rows], other[rows], human[rows]
    made = {"pearson": williams(a, b, y), "spearman": williams(mean_ranks(a), mean_ranks(b), mean_ranks(y))}
    return {kind: {"difference": one.difference, "t": one.t, "p": one.p} for kind, one in made.items()}


def best(baselines: Mapping[str, Mapping[str, Any]]) -> str:
    """The untrained column that follows people most closely, up or down; length is a row of its own."""
    known = {
        name: abs(row["spearman"]["r"])
        for name, row in baselines.items()
        if name != LENGTH_ONLY and row["spearman"]["r"] == row["spearman"]["r"]
    }
    return max(known, key=lambda name: known[name]) if known else ""


def other_judges(judge: Any, named: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Judges to fit on the same folds: those that were named, and those that the judge itself wants beside it."""
    made: dict[str, Any] = {}
    left: list[str] = []
    for spec in dict.fromkeys([*named, *getattr(judge, "beside", ())]):
        try:
            other = create("metric", spec)
            if other == judge:
                continue
            made[spec if spec in named else spec_of(other, other.name)] = other
        except DialometerError as error:
            if spec in named:
                raise
            left.append(f"{spec}: {error.message}")
    return made, left
