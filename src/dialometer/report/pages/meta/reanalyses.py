"""Tables and curves of the analyses that scored altered items."""

from __future__ import annotations

from collections.abc import Sequence

from dialometer.contracts.meta import MetaResult
from dialometer.contracts.meta_audits import ReferenceCountTable, StressSample, StrippedTable
from dialometer.report.blocks import Block, Cell, Interval, LineChart, Section, Table, Text
from dialometer.report.pages.cells import coefficient_cell

FEW = 4
TITLES = {
    "references": "How many references?",
    "retrieved": "Human and retrieved references",
    "stopwords": "Without stop words and punctuation",
    "speakers": "Without speaker tokens",
    "stress": "Under stress",
}


def reanalysis_sections(result: MetaResult, stress: Sequence[Block]) -> list[Section]:
    """A section per analysis; one that the items did not allow says why."""
    also, blocks = result.also, dict[str, list[Block]]()
    for name, counts in (("references", also.references), ("retrieved", also.retrieved)):
        if counts:
            blocks[name] = _refused(counts.why) or _references(name, counts, result.reference)
    for name, stripped in (("stopwords", also.stopwords), ("speakers", also.speakers)):
        if stripped:
            blocks[name] = _refused(stripped.why) or [_stripped(name, stripped)]
    if also.stress:
        blocks["stress"] = _refused(also.stress.why) or [_drawn(also.stress), *stress]
    return [Section(TITLES[name], own) for name, own in blocks.items()]


def _refused(why: str) -> list[Block]:
    return [Text([f"Not done: {why}."], "caution")] if why else []


def _drawn(sample: StressSample) -> Text:
    return Text([f"{sample.n} of {sample.total} items, drawn by their ids."])


def _references(name: str, table: ReferenceCountTable, whom: str) -> list[Block]:
    rows: list[list[Cell]] = [
        [row.metric, row.kind, row.k, row.n, coefficient_cell(row.pearson), coefficient_cell(row.spearman)]
        for row in table.rows
    ]
    header = ["metric", "references", "k", "n", "Pearson", "Spearman"]
    blocks: list[Block] = [Table(name, header, rows, f"Correlation with {whom} under k references, averaged over draws")]
    for kind in dict.fromkeys(row.kind for row in table.rows):
        part = [row for row in table.rows if row.kind == kind]
        ks = sorted({row.k for row in part})
        series = {
            metric: [coefficient_cell(row.spearman) for row in part if row.metric == metric]
            for metric in dict.fromkeys(row.metric for row in part if row.spearman.r is not None)
        }
        if len(series) > FEW:  # bands over each other hide the lines
            series = {metric: [Interval(one.value) for one in line] for metric, line in series.items()}
        if len(ks) > 1 and series:
            blocks.append(LineChart(f"{name}-{kind}", ks, series, f"{kind} references", f"Spearman with {whom}"))
    return blocks


def _stripped(name: str, table: StrippedTable) -> Table:
    rows: list[list[Cell]] = [
        [
            row.metric,
            *map(coefficient_cell, (row.plain.pearson, row.stripped.pearson, row.plain.spearman, row.stripped.spearman)),
        ]
        for row in table.rows
    ]
    header = ["metric", "Pearson", "Pearson, stripped", "Spearman", "Spearman, stripped"]
    return Table(name, header, rows, TITLES[name], [f"{table.changed} of {table.n} items changed."])
