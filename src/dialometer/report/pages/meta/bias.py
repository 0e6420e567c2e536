"""Tables of length bias and stability, and examples on which metrics and people disagree."""

from __future__ import annotations

from collections.abc import Sequence

from dialometer.contracts.meta import MetaResult
from dialometer.contracts.meta_audits import CaseSample, DisagreementRow, DisagreementTables, OverlapCases
from dialometer.report.blocks import Block, Cell, Examples, Section, Table
from dialometer.report.pages.cells import coefficient_cell, interval, real
from dialometer.report.pages.meta.data import StudyData

Kinds = list[tuple[str, int]]  # a remark and the row of an item
SHOWN = 2  # metrics whose examples are shown


def bias_section(result: MetaResult) -> list[Section]:
    """Length, length difference, and stability over subsets."""
    tables = result.bias
    if not tables:
        return []
    quality, whom, blocks = tables.quality, result.reference, list[Block]()
    if tables.length:
        rows: list[list[Cell]] = [
            [row.metric, *map(coefficient_cell, (row.metric_length, row.plain, row.partial, row.matched))]
            for row in tables.length
        ]
        header = ["metric", "with length", f"with {whom}", "… given length", "… among equal lengths"]
        people = f"{quality} itself with length: {real(tables.length[0].human_length.r):.3f}"
        caption = f"Spearman of metrics with length and with {quality}; {people}"
        blocks.append(Table("length", header, rows, caption, ["Equal lengths: pooled over ten bins of response length."]))
    if tables.difference:
        rows = [
            [
                row.metric,
                *map(real, (row.near, row.far, row.difference, row.welch_p, row.permutation_p)),
                row.n_near,
                row.n_far,
            ]
            for row in tables.difference
        ]
        header = ["metric", "Δw ≤ 6", "Δw > 6", "difference", "p (Welch)", "p (permutation)", "n ≤ 6", "n > 6"]
        caption = "Scores by the difference in words to the closest reference (Liu et al. 2016, table 5)"
        blocks.append(Table("length-difference", header, rows, caption, by_row=True))
    if tables.subsets:
        rows = [
            [row.metric, interval(row.mean, row.low, row.high), real(row.sd), real(row.of_means), row.n]
            for row in tables.subsets
        ]
        header = ["metric", "mean over subsets", "sd", "of subset means", "n"]
        caption = (
            "Spearman within random subsets of 100 items (Lowe et al. 2017, footnote 4); the range holds 95% of subsets"
        )
        blocks.append(Table("subsets", header, rows, caption))
    return [Section("What do metrics lean on?", blocks)]


def disagreement_section(result: MetaResult, data: StudyData) -> list[Section]:
    """Counts of clear agreement and clash, and the items themselves for the best metrics."""
    tables = result.partings
    if not tables or not tables.rows:
        return []
    whom = result.reference
    blocks: list[Block] = [_clear_cases(tables, whom)]
    beside = [(row, row.beside_overlap) for row in tables.rows if row.beside_overlap]
    if beside:
        blocks.append(_normalised(beside, tables.overlap, whom))
    order = {
        row.metric: real(row.spearman.r)
        for row in result.rows
        if row.level == result.unit and row.quality == tables.quality
    }
    rank = {name: -r if r == r else float("inf") for name, r in order.items()}
    for row in sorted(tables.rows, key=lambda row: rank.get(row.metric, float("inf")))[:SHOWN]:
        blocks.append(_examples(data, row, tables.quality, whom))
    for row, cases in sorted(beside, key=lambda pair: rank.get(pair[0].metric, float("inf")))[:1]:
        sample = _sampled(data, row.metric, cases, tables.quality, whom)
        blocks += [sample] if sample.items else []
    return [Section(f"Where metrics and {whom} part", blocks)]


def _clear_cases(tables: DisagreementTables, whom: str) -> Table:
    rows: list[list[Cell]] = [
        [
            row.metric,
            row.both_good.among,
            *(kind.count for kind in (row.both_good, row.both_bad, row.overrated, row.underrated)),
        ]
        for row in tables.rows
    ]
    low, high = tables.scale
    among = "items whose raters differ by less than a quarter of the scale" if tables.twice else "items"
    clear = f"{whom} in the top or bottom quarter of {low:g}–{high:g}"
    note = f"Of the {among}: the metric above 0.8 or below 0.2 of its range, {clear}."
    header = ["metric", "items", "both good", "both bad", "overrated", "underrated"]
    return Table("clear-cases", header, rows, "Clear cases of agreement and clash", [note])


def _normalised(beside: Sequence[tuple[DisagreementRow, OverlapCases]], overlap: Sequence[str], whom: str) -> Table:
    rows: list[list[Cell]] = [
        [row.metric, c.n, c.good.count, c.overlap_fails.count, c.rescued.count, c.missed.count, c.missed_alone.count,
         c.fooled_alone.count]
        for row, c in beside
    ]  # fmt: skip
    header = ["metric", "items", f"{whom} high", "… overlap low", "… metric high", "metric low", "… overlap high"]
    caption = f"Normalised scores: high for {whom}, while word overlap or the metric fails (Lowe et al. 2017, table 6)"
    return Table("normalised", [*header, "fooled alone"], rows, caption, [f"Word overlap: {', '.join(overlap)}."])


def _examples(data: StudyData, row: DisagreementRow, quality: str, whom: str) -> Examples:
    """A case of either agreement, and the widest clashes both ways (Liu et al. 2016, figure 2)."""
    kinds = [
        *(("both call it good", place) for place in row.both_good.rows[:1]),
        *(("both call it bad", place) for place in row.both_bad.rows[:1]),
        *((f"ranked far above {whom}", place) for place in row.most_over),
        *((f"ranked far below {whom}", place) for place in row.most_under),
    ]
    caption = f"{row.metric} and {quality}: agreement and clash"
    return _shown(data, f"examples-{row.metric}", row.metric, quality, kinds, caption)


def _sampled(data: StudyData, metric: str, cases: OverlapCases, quality: str, whom: str) -> Examples:
    """Random cases of the three tables of Lowe et al. 2017."""
    remarks: list[tuple[str, CaseSample]] = [
        (f"{whom} high, every word overlap low, the metric high (table 9)", cases.rescued),
        (f"{whom} and some word overlap high, the metric low (table 12)", cases.missed_alone),
        (f"{whom} and some word overlap low, the metric high (table 13)", cases.fooled_alone),
    ]
    kinds = [(remark, place) for remark, sample in remarks for place in sample.rows]
    caption = f"{metric} beside word overlap: random cases"
    return _shown(data, f"sampled-{metric}", metric, quality, kinds, caption)


def _shown(data: StudyData, name: str, metric: str, quality: str, kinds: Kinds, caption: str) -> Examples:
    """Items with remarks that give the numbers."""
    values, human = data.columns[metric], data.human[quality]
    remarks = [f"{remark}: {metric} {values[row]:.3g}, {quality} {human[row]:.3g}" for remark, row in kinds]
    return Examples(name, [row for _, row in kinds], remarks, caption)
