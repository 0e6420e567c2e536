"""Correlations as heat maps: metrics with people, and all with all."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.flows.meta.blocks_metrics import NAMES
from dialometer.report.blocks import Block, HeatMap, Section
from dialometer.stats.correlation.correlate import KINDS


def heat_sections(found: dict[str, Any]) -> list[Section]:
    """Spearman of metrics × qualities at the first level; where there are several qualities the others too, and all by all."""
    blocks: list[Block] = [_with_people(found, "spearman")]
    if len({row["quality"] for row in found["rows"]}) > 1:
        blocks += [_with_people(found, kind, folded=True) for kind in KINDS if kind != "spearman"]
    if found["among"]:
        blocks += [_all(found["among"], kind, found["reference"]) for kind in KINDS]
    return [Section("At a glance", blocks)]


def _with_people(found: dict[str, Any], kind: str, folded: bool = False) -> HeatMap:
    rows = [row for row in found["rows"] if row["level"] == found["rows"][0]["level"]]
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    qualities = list(dict.fromkeys(row["quality"] for row in rows))
    values, marks = np.full((len(metrics), len(qualities)), np.nan), [[""] * len(qualities) for _ in metrics]
    for row in rows:
        i, j = metrics.index(row["metric"]), qualities.index(row["quality"])
        values[i, j] = row[kind]["r"]
        marks[i][j] = "*" if row[kind]["holm"] < 0.05 else ""
    whom = f"{NAMES[kind]} correlation of metrics with {found['reference']}"
    caption = f"{whom}; * where p is below 0.05 after Holm's correction over the column"
    name = "metrics-qualities" if kind == "spearman" else f"metrics-qualities-{kind}"
    return HeatMap(name, metrics, qualities, values, caption, marks=marks, folded=folded)


def _all(found: dict[str, Any], kind: str, whom: str) -> HeatMap:
    names, values = found["names"], np.asarray(found[kind], float)
    return HeatMap(
        f"all-by-all-{kind}",
        names,
        names,
        values,
        f"{NAMES[kind]} correlation of metrics and qualities ({whom}), all by all",
        folded=True,
    )
