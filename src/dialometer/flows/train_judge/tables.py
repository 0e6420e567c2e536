"""Tables of a judge that need no more fits: the human ceiling, calibration, systems, and texts that its parts were fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from dialometer.contracts.result import number
from dialometer.contracts.train_judge_tables import (
    CalibrationBin,
    CalibrationTable,
    CeilingLevel,
    HumanCeiling,
    JudgedSystem,
    SystemAgreement,
    SystemTable,
)
from dialometer.core.registry import create
from dialometer.flows.train_judge.dataset import RatedDataset
from dialometer.flows.train_judge.leave_system_out import agreement
from dialometer.judges._shared.features import split_specs
from dialometer.judges._shared.training_rows import texts_seen
from dialometer.stats.correlation.ceiling import ceiling
from dialometer.stats.validation.calibration import calibration

OVERLAP = 0.02  # share of texts above which it is reported; greetings are said everywhere


def training_overlap(dataset: RatedDataset, judge: Any, metrics: Sequence[str]) -> dict[str, float]:
    """The share of replies and turns that the judge's encoder, its features or the baselines were fitted on, where it is more than
    a little.
    """
    named = {"encoder": [getattr(judge, "encoder", "")], "metric": [*split_specs(getattr(judge, "features", "")), *metrics]}
    parts = {spec: create(kind, spec) for kind, specs in named.items() for spec in specs if spec}
    texts = texts_seen(dataset.corpus)
    overlap = {}
    for name, part in parts.items():
        if hasattr(part, "seen") and getattr(part, "fitted", True):
            share = float(np.isin(texts, part.seen()).mean()) if len(texts) else 0.0
            if share > OVERLAP:
                overlap[name] = share
    return overlap


def ceiling_table(dataset: RatedDataset, seed: int) -> HumanCeiling:
    """Half of the raters against the other half; no rows where items have one rating."""
    rated = dataset.rated
    ratings = rated.ratings.of(dataset.quality)
    one = ceiling(ratings, rated.judged_cluster, rated.judged_system, kinds=("pearson", "spearman"), seed=seed)
    return HumanCeiling(
        rows=[
            CeilingLevel(
                level=row.level,
                kind=row.kind,
                n=row.n,
                r=number(row.r),
                low=number(row.low),
                high=number(row.high),
                reliability=number(row.reliability),
                reach=number(row.reach),
                reach_low=number(row.reach_low),
                reach_high=number(row.reach_high),
            )
            for row in one.rows
        ],
        items=one.items,
        left_out=one.left_out,
        splits=one.splits,
        resamples=one.resamples,
    )


def calibration_table(predicted: np.ndarray, human: np.ndarray) -> CalibrationTable:
    """Mean ratings of items with similar predictions."""
    one = calibration(predicted, human)
    return CalibrationTable(
        bins=[
            CalibrationBin(
                low=number(each.low),
                high=number(each.high),
                n=each.n,
                predicted=number(each.predicted),
                human=number(each.human),
                human_low=number(each.human_low),
                human_high=number(each.human_high),
            )
            for each in one.bins
        ],
        slope=number(one.slope),
        intercept=number(one.intercept),
        error=number(one.error),
        spread=number(one.spread),
        n=one.n,
    )


def system_table(
    dataset: RatedDataset, predictions: Mapping[str, np.ndarray], aligned: Mapping[str, np.ndarray]
) -> SystemTable:
    """Per system the means of ratings and of predictions, and how these follow those over systems."""
    names = np.unique(dataset.system)
    of_name = [dataset.system == name for name in names]
    human = np.array([dataset.target[rows].mean() for rows in of_name])
    columns = {**predictions, **{f"{way}_aligned": values for way, values in aligned.items()}}
    means = {way: np.array([np.nanmean(values[rows]) for rows in of_name]) for way, values in columns.items()}

    def mean(way: str, place: int) -> float | None:
        return number(means[way][place])

    rows = [
        JudgedSystem(
            system=str(name),
            n=int(of_name[place].sum()),
            human=number(human[place]),
            by_context=mean("context", place),
            by_context_aligned=mean("context_aligned", place),
            by_system=mean("system", place) if "system" in means else UNSET,
            by_system_aligned=mean("system_aligned", place) if "system" in means else UNSET,
        )
        for place, name in enumerate(names)
    ]
    return SystemTable(
        rows=rows, follows=SystemAgreement(**{way: agreement(values, human) for way, values in means.items()})
    )
