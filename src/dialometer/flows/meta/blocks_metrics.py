"""Tables and pictures of how metrics stand beside people, and beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.flows.meta.cells import interval_cell
from dialometer.flows.meta.study import PEOPLE, Study
from dialometer.report.blocks import Block, Cell, HeatMap, Interval, Section, Table, Text
from dialometer.stats.correlation.correlate import KINDS

TESTS = {"williams": "Williams' test", "perm-both": "PERM-BOTH", "perm-system": "PERM-SYS"}
NAMES = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall τ-b"}
ACCURACY = (
    "Accuracy: pairs that the metric orders as the quality does, ties calibrated on these very pairs (Deutsch et al. 2023)."
)
PER_ITEM = (
    "95% intervals by resampling whole contexts. p takes items as independent; Holm and BH adjust Spearman's over the table. "
) + ACCURACY
NOTES = {
    "context": "Means over contexts of the coefficient among the replies to one context; contexts with fewer than three replies, "
    "or where one side is constant, are left out. p by t over contexts; pooled: deviations from the context's mean together. "
    + ACCURACY,
    "system": "One point per system, the mean over its items. 95% intervals by Fisher's transformation below 20 systems, else by "
    "resampling systems; p is exact (all orders) up to 10. Without one: least and greatest Pearson when one system is left out.",
}


def correlation_sections(study: Study, found: dict[str, Any]) -> list[Section]:
    """A table per level: every quality and metric, people's own rows among them."""
    levels = list(dict.fromkeys(row["level"] for row in found["rows"]))
    titles = {"turn": "Per response", "dialogue": "Per conversation", "context": "Within contexts", "system": "Per system"}
    return [Section(f"{titles[level]}: metrics and {found['reference']}", _tables(study, found, level)) for level in levels]


def _tables(study: Study, found: dict[str, Any], level: str) -> list[Block]:
    """The main quality in the open, the others folded."""
    blocks: list[Block] = []
    for quality in sorted(study.human, key=lambda name: name != found["quality"]):
        rows = [row for row in found["rows"] if row["level"] == level and row["quality"] == quality]
        header, lines = (_within if level == "context" else _line_table)(rows)
        people = [[*cells, *[None] * (len(header) - len(cells))] for cells in _people(found, quality, level)]
        name, folded = f"{level}-{quality}", quality != found["quality"]
        blocks.append(Table(name, header, [*people, *lines], quality, [NOTES.get(level, PER_ITEM)], folded))
    if level == found["unit"] and found["common"]:
        blocks.append(_common(found))
    return blocks


def _common(found: dict[str, Any]) -> Table:
    """Coefficients over the items that every column has, where columns lack numbers."""
    common = found["common"]
    rows: list[list[Cell]] = [[row["metric"], *(row[kind] for kind in KINDS)] for row in common["rows"]]
    caption = f"{found['quality']}, over the {common['n']} items that every column has"
    notes = [f"In the table above n is {common['least']} to {common['most']}: its rows rest on different items."]
    return Table(f"common-{found['quality']}", ["metric", *NAMES.values()], rows, caption, notes)


def _line_table(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[Cell]]]:
    """Coefficients, p of Spearman after correction, and what the level has besides."""
    system = bool(rows) and rows[0]["level"] == "system"
    header = ["metric", "n", *NAMES.values(), "Holm p", "BH p", "without one" if system else "accuracy"]
    lines: list[list[Cell]] = []
    for row in rows:
        left = row.get("without_one")
        last: Cell = row["accuracy"]["value"] if not system else f"{left['low']:.2f} … {left['high']:.2f}" if left else None
        intervals = [interval_cell(row[kind]) for kind in KINDS]
        lines.append([row["metric"], row["n"], *intervals, row["spearman"]["holm"], row["spearman"]["bh"], last])
    return header, lines


def _within(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[Cell]]]:
    """Means over contexts, the pooled form beside, and how many contexts count."""
    header = ["metric", "contexts", *NAMES.values(), "Holm p", "pooled Spearman", "accuracy"]
    lines: list[list[Cell]] = []
    for row in rows:
        one = row["spearman"]
        pooled = Interval(one["pooled"], one["pooled_low"], one["pooled_high"])
        intervals = [interval_cell(row[kind]) for kind in KINDS]
        lines.append([row["metric"], one["contexts"], *intervals, one["holm"], pooled, row["accuracy"]["value"]])
    return header, lines


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


def filter_section(found: dict[str, Any]) -> list[Section]:
    """Correlations with all raters and with those who are kept."""
    rows: list[list[Cell]] = [
        [row["metric"], row["quality"], row["level"], *(row[side][kind] for kind in KINDS for side in ("all", "kept"))]
        for row in found["filter"]
    ]
    header = ["metric", "quality", "level", *(f"{NAMES[kind]}, {side}" for kind in KINDS for side in ("all", "kept"))]
    caption = "Correlations with all raters, and with those whom the filter keeps"
    return [Section("What the filter of raters changes", [Table("filter-metrics", header, rows, caption)])] if rows else []


def _clusters(groups: list[list[str]]) -> str:
    """Groups that are told apart: everyone above a cut is significantly better than everyone below it."""
    if not groups:
        return "No clusters: p is adjusted over the planned comparisons alone, and the others are exploratory."
    if len(groups) < 2:
        return "One cluster: nowhere is everyone above significantly better than everyone below, so no order is proven."
    numbered = (f"{number}. {', '.join(group)}" for number, group in enumerate(groups, 1))
    return f"Clusters, best first: {'; '.join(numbered)}."


def better_section(found: dict[str, Any]) -> list[Section]:
    """A matrix of p-values per test, and clusters that cannot be told apart."""
    blocks: list[Block] = []
    for table in found["comparisons"]:
        if table["quality"] != found["quality"]:
            continue
        names = table["metrics"]
        label = f"{TESTS[table['test']]}, {NAMES[table['kind']]}, per {table['level']}"
        stem = f"better-{table['level']}-{table['kind']}-{table['test']}"
        marks = [["*" if p < 0.05 else "" for p in line] for line in np.asarray(table["holm"], float)]
        caption = f"{label}: difference of correlations, row less column; * where p is below 0.05 after Holm's correction"
        values = np.asarray(table["difference"], float)
        most = float(np.nanmax(np.abs(values), initial=0.1))
        blocks.append(HeatMap(stem, names, names, values, caption, -most, most, marks))
        least, most = table["n"]
        rest = f"{most} in every comparison" if least == most else f"{least} to {most}, by which items both metrics have"
        blocks.append(Text([_clusters(table["clusters"]), f"n is {rest}."]))
    same = "the same people" if found["reference"] == PEOPLE else "the same qualities"
    lead = f"Two metrics are compared on the same items and {same}, so overlapping intervals prove nothing: these tests do."
    return [Section("Which metric is better?", blocks, lead)] if blocks else []
