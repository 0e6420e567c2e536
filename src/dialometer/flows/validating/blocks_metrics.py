"""Tables and pictures of how metrics stand beside people, and beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.flows.validating.nouns import Study
from dialometer.report.blocks import Block, Cell, HeatMap, Interval, Section, Table, Text
from dialometer.stats.correlate import KINDS

NAMES = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall τ-b"}
STAR = "Intervals are 95%: whole contexts resampled; over systems Fisher's below 20 of them, else systems resampled. "


def correlation_sections(study: Study, found: dict[str, Any]) -> list[Section]:
    """A table per level: every quality and metric, people's own rows among them."""
    levels = list(dict.fromkeys(row["level"] for row in found["rows"]))
    titles = {"turn": "Per response", "dialogue": "Per conversation", "context": "Within contexts", "system": "Per system"}
    return [Section(f"{titles[level]}: metrics and people", _tables(study, found, level)) for level in levels]


def _tables(study: Study, found: dict[str, Any], level: str) -> list[Block]:
    blocks: list[Block] = []
    for quality in study.human:
        rows = [row for row in found["rows"] if row["level"] == level and row["quality"] == quality]
        lines = [*_people(found, quality, level), *(_line(row) for row in rows)]
        accuracy = ["accuracy"] if any("accuracy" in row for row in rows) else []
        header = ["metric", "n", *NAMES.values(), "Holm p", "BH p", *accuracy]
        blocks.append(
            Table(f"{level}-{quality}", header, [_fit(line, len(header)) for line in lines], quality, _notes(level))
        )
    return blocks


def _line(row: dict[str, Any]) -> list[Cell]:
    cells: list[Cell] = [row["metric"], row["n"]]
    cells += [Interval(row[kind]["r"], row[kind]["low"], row[kind]["high"], row[kind]["p"]) for kind in KINDS]
    cells += [row["spearman"]["holm"], row["spearman"]["bh"]]
    return [*cells, row["accuracy"]["value"]] if "accuracy" in row else cells


def _people(found: dict[str, Any], quality: str, level: str) -> list[list[Cell]]:
    """Half of the raters against the other half, and what a perfect metric would reach."""
    wanted = "system" if level == "system" else "item"
    rows = [r for r in found["ceiling"].get(quality, {}).get("rows", ()) if r["level"] == wanted]
    if level == "context" or not rows:
        return []
    by = {row["kind"]: row for row in rows}
    halves: list[Cell] = ["people (half against half)", rows[0]["n"]]
    reach: list[Cell] = ["a perfect metric (estimate)", rows[0]["n"]]
    for kind in KINDS:
        one = by[kind]
        halves.append(Interval(one["r"], one["low"], one["high"]))
        reach.append(Interval(one["reach"], one["reach_low"], one["reach_high"]))
    return [halves, reach]


def _fit(cells: list[Cell], width: int) -> list[Cell]:
    return [*cells, *[None] * (width - len(cells))]


def _notes(level: str) -> list[str]:
    notes = {
        "context": "Means over contexts of the coefficient among replies to one context; contexts with fewer than three replies, "
        "or where one side is constant, are left out.",
        "system": "One point per system: means over its items. p is exact (all orders) up to 10 systems.",
    }
    tail = " Accuracy: share of pairs that the metric orders as people do, ties calibrated on these pairs (Deutsch et al. 2023)."
    return [STAR + notes.get(level, "p takes items as independent; Holm and BH adjust Spearman's over the table." + tail)]


def heat_section(found: dict[str, Any]) -> Section:
    """Metric × quality at the first level."""
    rows = [row for row in found["rows"] if row["level"] == found["rows"][0]["level"]]
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    qualities = list(dict.fromkeys(row["quality"] for row in rows))
    values, marks = np.full((len(metrics), len(qualities)), np.nan), [[""] * len(qualities) for _ in metrics]
    for row in rows:
        i, j = metrics.index(row["metric"]), qualities.index(row["quality"])
        values[i, j] = row["spearman"]["r"]
        marks[i][j] = "*" if row["spearman"]["holm"] < 0.05 else ""
    caption = "Spearman; * where p is below 0.05 after Holm's correction over the column"
    return Section("At a glance", [HeatMap("metrics-qualities", metrics, qualities, values, caption, marks=marks)])


def better_section(found: dict[str, Any]) -> list[Section]:
    """A matrix of p-values per test, and clusters that cannot be told apart."""
    blocks: list[Block] = []
    for table in found["comparisons"]:
        if table["quality"] != found["quality"]:
            continue
        names = table["metrics"]
        label = f"{table['test']}, {NAMES[table['kind']]}, {table['level']} level"
        stem = f"better-{table['level']}-{table['kind']}-{table['test']}"
        marks = [["*" if p < 0.05 else "" for p in line] for line in np.asarray(table["holm"], float)]
        caption = f"{label}: difference of correlations, row less column; * where p is below 0.05 after Holm's correction"
        values = np.asarray(table["difference"], float)
        most = float(np.nanmax(np.abs(values), initial=0.1))
        blocks.append(HeatMap(stem, names, names, values, caption, -most, most, marks))
        groups = "; ".join(f"{number}. {', '.join(group)}" for number, group in enumerate(table["clusters"], 1))
        blocks.append(Text([f"Clusters ({label}): {groups}."]))
    lead = "Two metrics are compared on the same items and the same people, so overlapping intervals prove nothing: these tests do."
    return [Section("Which metric is better?", blocks, lead)] if blocks else []
