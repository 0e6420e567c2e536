"""Tables of metrics beside people at every level, and tests of which metric is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.contracts.meta import KINDS, PEOPLE, MetaResult
from dialometer.contracts.meta_tables import CommonItems, ComparisonTable, CorrelationRow
from dialometer.report.blocks import Block, Cell, HeatMap, Section, Table, Text
from dialometer.report.pages.cells import coefficient_cell, interval, real, square

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


def correlation_sections(result: MetaResult, qualities: Sequence[str]) -> list[Section]:
    """A table per level: every quality and metric, people's own rows among them."""
    levels = list(dict.fromkeys(row.level for row in result.rows))
    titles = {"turn": "Per response", "dialogue": "Per dialogue", "context": "Within contexts", "system": "Per system"}
    return [Section(f"{titles[one]}: metrics and {result.reference}", _tables(result, one, qualities)) for one in levels]


def _tables(result: MetaResult, level: str, qualities: Sequence[str]) -> list[Block]:
    """The main quality in the open, the others folded."""
    blocks: list[Block] = []
    for quality in sorted(qualities, key=lambda name: name != result.quality):
        rows = [row for row in result.rows if row.level == level and row.quality == quality]
        header, lines = (_within if level == "context" else _line_table)(rows)
        people = [[*cells, *[None] * (len(header) - len(cells))] for cells in _people(result, quality, level)]
        name, folded = f"{level}-{quality}", quality != result.quality
        blocks.append(Table(name, header, [*people, *lines], quality, [NOTES.get(level, PER_ITEM)], folded))
    if level == result.unit and result.common.n is not None:
        blocks.append(_common(result.common, result.quality))
    return blocks


def _common(common: CommonItems, quality: str) -> Table:
    """Coefficients over the items that every column has, where columns lack numbers."""
    rows: list[list[Cell]] = [
        [row.metric, *map(real, (row.pearson, row.spearman, row.kendall))] for row in common.rows or ()
    ]
    caption = f"{quality}, over the {common.n} items that every column has"
    notes = [f"In the table above n is {common.least} to {common.most}: its rows rest on different items."]
    return Table(f"common-{quality}", ["metric", *NAMES.values()], rows, caption, notes)


def _line_table(rows: list[CorrelationRow]) -> tuple[list[str], list[list[Cell]]]:
    """Coefficients, p of Spearman after correction, and what the level has besides."""
    system = bool(rows) and rows[0].level == "system"
    header = ["metric", "n", *NAMES.values(), "Holm p", "BH p", "without one" if system else "accuracy"]
    lines: list[list[Cell]] = []
    for row in rows:
        left, last = row.without_one, None if system else _accuracy(row)
        intervals = [coefficient_cell(one) for one in (row.pearson, row.spearman, row.kendall)]
        ends = f"{left.low:.2f} … {left.high:.2f}" if left else last
        lines.append([row.metric, row.n, *intervals, real(row.spearman.holm), real(row.spearman.bh), ends])
    return header, lines


def _accuracy(row: CorrelationRow) -> float:
    return real(row.accuracy.value if row.accuracy else None)


def _within(rows: list[CorrelationRow]) -> tuple[list[str], list[list[Cell]]]:
    """Means over contexts, the pooled form beside, and how many contexts count."""
    header = ["metric", "contexts", *NAMES.values(), "Holm p", "pooled Spearman", "accuracy"]
    lines: list[list[Cell]] = []
    for row in rows:
        one = row.spearman
        pooled = interval(real(one.pooled), real(one.pooled_low), real(one.pooled_high))
        intervals = [coefficient_cell(kind) for kind in (row.pearson, row.spearman, row.kendall)]
        lines.append([row.metric, one.contexts or 0, *intervals, real(one.holm), pooled, _accuracy(row)])
    return header, lines


def _people(result: MetaResult, quality: str, level: str) -> list[list[Cell]]:
    """Half of the raters against the other half, and what a perfect metric would reach."""
    wanted, table = "system" if level == "system" else "item", result.ceiling.get(quality)
    rows = {row.kind: row for row in (table.rows if table else ()) if row.level == wanted}
    if level == "context" or not rows:
        return []
    n = next(iter(rows.values())).n
    halves: list[Cell] = ["people (half against half)", n]
    reach: list[Cell] = ["a perfect metric (estimate)", n]
    for kind in KINDS:
        one = rows[kind]
        halves.append(interval(one.r, one.low, one.high))
        reach.append(interval(one.reach, one.reach_low, one.reach_high))
    return [halves, reach]


def filter_section(result: MetaResult) -> list[Section]:
    """Correlations with all raters and with those who are kept."""
    rows: list[list[Cell]] = [
        [row.metric, row.quality, row.level,
         *map(real, (row.all.pearson, row.kept.pearson, row.all.spearman, row.kept.spearman, row.all.kendall, row.kept.kendall))]
        for row in result.filter
    ]  # fmt: skip
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


def better_section(result: MetaResult) -> list[Section]:
    """A matrix of p-values per test, and clusters that cannot be told apart."""
    tables = [table for table in result.comparisons if table.quality == result.quality]
    blocks = [block for table in tables for block in _comparison(table)]
    same = "the same people" if result.reference == PEOPLE else "the same qualities"
    lead = f"Two metrics are compared on the same items and {same}, so overlapping intervals prove nothing: these tests do."
    return [Section("Which metric is better?", blocks, lead)] if blocks else []


def _comparison(table: ComparisonTable) -> list[Block]:
    names, values = table.metrics, square(table.difference)
    label = f"{TESTS[table.test]}, {NAMES[table.kind]}, per {table.level}"
    caption = f"{label}: difference of correlations, row less column; * where p is below 0.05 after Holm's correction"
    marks = [["*" if real(p) < 0.05 else "" for p in line] for line in table.holm]
    most = float(np.nanmax(np.abs(values), initial=0.1))
    stem = f"better-{table.level}-{table.kind}-{table.test}"
    least, greatest = table.n
    rest = (
        f"{greatest} in every comparison"
        if least == greatest
        else f"{least} to {greatest}, by which items both metrics have"
    )
    return [
        HeatMap(stem, names, names, values, caption, -most, most, marks),
        Text([_clusters(table.clusters), f"n is {rest}."]),
    ]
