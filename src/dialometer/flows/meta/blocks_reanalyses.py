"""Tables and curves of the analyses that scored altered items."""

from __future__ import annotations

from typing import Any

from dialometer.flows.meta.cells import interval_cell
from dialometer.flows.stress.picture import stress_blocks
from dialometer.flows.stress.reactions import Reaction
from dialometer.report.blocks import Block, Interval, Lines, Section, Table, Text

FEW = 4
TITLES = {
    "references": "How many references?",
    "retrieved": "Human and retrieved references",
    "stopwords": "Without stop words and punctuation",
    "speakers": "Without speaker tokens",
    "stress": "Under stress",
}


def also_sections(found: dict[str, Any]) -> list[Section]:
    """A section per analysis; one that the items did not allow says why."""
    made = []
    for name, table in found["also"].items():
        if "why" in table:
            blocks: list[Block] = [Text([f"Not done: {table['why']}."], "caution")]
        elif name == "stress":
            told = Text([f"{table['n']} of {table['total']} items, drawn by their ids."])
            blocks = [told, *stress_blocks([Reaction(**row) for row in table["rows"]])]
        elif name in ("references", "retrieved"):
            blocks = _references(name, table, found["reference"])
        else:
            blocks = [_stripped(name, table)]
        made.append(Section(TITLES[name], blocks))
    return made


def _references(name: str, table: dict[str, Any], whom: str) -> list[Block]:
    rows = [
        [row["metric"], row["kind"], row["k"], row["n"], interval_cell(row["pearson"]), interval_cell(row["spearman"])]
        for row in table["rows"]
    ]
    header = ["metric", "references", "k", "n", "Pearson", "Spearman"]
    blocks: list[Block] = [Table(name, header, rows, f"Correlation with {whom} under k references, averaged over draws")]
    for kind in dict.fromkeys(row["kind"] for row in table["rows"]):
        part = [row for row in table["rows"] if row["kind"] == kind]
        ks = sorted({row["k"] for row in part})
        series = {
            metric: [interval_cell(row["spearman"]) for row in part if row["metric"] == metric]
            for metric in dict.fromkeys(row["metric"] for row in part if row["spearman"]["r"] == row["spearman"]["r"])
        }
        if len(series) > FEW:  # bands over each other hide the lines
            series = {metric: [Interval(one.value) for one in line] for metric, line in series.items()}
        if len(ks) > 1 and series:
            blocks.append(Lines(f"{name}-{kind}", ks, series, f"{kind} references", f"Spearman with {whom}"))
    return blocks


def _stripped(name: str, table: dict[str, Any]) -> Table:
    rows = [
        [
            row["metric"],
            *(interval_cell(row[side][kind]) for kind in ("pearson", "spearman") for side in ("plain", "stripped")),
        ]
        for row in table["rows"]
    ]
    header = ["metric", "Pearson", "Pearson, stripped", "Spearman", "Spearman, stripped"]
    return Table(name, header, rows, TITLES[name], [f"{table['changed']} of {table['n']} items changed."])
