"""Correlations as heat maps: metrics with people, and all with all."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.meta import KINDS, MetaResult
from dialometer.contracts.meta_tables import AdjustedCoefficient, Matrix
from dialometer.report.blocks import Block, HeatMap, Section
from dialometer.report.pages.cells import real, square
from dialometer.report.pages.meta.correlations import NAMES


def heat_sections(result: MetaResult) -> list[Section]:
    """Spearman of metrics × qualities at the first level; where there are several qualities the others too, and all by all."""
    blocks: list[Block] = [_with_people(result, "spearman")]
    if len({row.quality for row in result.rows}) > 1:
        blocks += [_with_people(result, kind, folded=True) for kind in KINDS if kind != "spearman"]
    if result.among.names:
        blocks += [_all(result.among.names, getattr(result.among, kind), kind, result.reference) for kind in KINDS]
    return [Section("At a glance", blocks)]


def _with_people(result: MetaResult, kind: str, folded: bool = False) -> HeatMap:
    rows = [row for row in result.rows if row.level == result.rows[0].level]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    qualities = list(dict.fromkeys(row.quality for row in rows))
    values, marks = np.full((len(metrics), len(qualities)), np.nan), [[""] * len(qualities) for _ in metrics]
    for row in rows:
        i, j = metrics.index(row.metric), qualities.index(row.quality)
        one: AdjustedCoefficient = getattr(row, kind)
        values[i, j] = real(one.r)
        marks[i][j] = "*" if real(one.holm) < 0.05 else ""
    whom = f"{NAMES[kind]} correlation of metrics with {result.reference}"
    caption = f"{whom}; * where p is below 0.05 after Holm's correction over the column"
    name = "metrics-qualities" if kind == "spearman" else f"metrics-qualities-{kind}"
    return HeatMap(name, metrics, qualities, values, caption, marks=marks, folded=folded)


def _all(names: list[str], matrix: Matrix, kind: str, whom: str) -> HeatMap:
    caption = f"{NAMES[kind]} correlation of metrics and qualities ({whom}), all by all"
    return HeatMap(f"all-by-all-{kind}", names, names, square(matrix), caption, folded=True)
