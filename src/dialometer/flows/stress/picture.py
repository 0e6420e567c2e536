"""The robustness profile as a page: effects as colours, intervals as dots, every number, and one item spoilt in every way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dialometer._version import __version__
from dialometer.flows.stress.perturb import Spoilt
from dialometer.flows.stress.reactions import Reaction
from dialometer.flows.stress.verdict import MARKS, MEANING
from dialometer.report.blocks import Block, Cell, Dots, HeatMap, Interval, Page, Section, Table, Text, Tone
from dialometer.text.perturb import PERTURBATIONS

LEGEND = "  ".join(f"{mark} {word}: {MEANING[word]}." for word, mark in MARKS.items() if word)
SCALE = 2.0  # standard deviations at which the colours are full


def robustness_page(rows: Sequence[Reaction], spoilt: Spoilt, recipes: Mapping[str, str]) -> Page:
    """The page of a run."""
    sections = [
        Section("Robustness profile", _profile(rows), lead=_lead(spoilt)),
        Section("Reactions with their intervals", _dots(rows)),
        Section("Every number", [_numbers(rows)]),
        Section("What was done to the responses", [_menu(rows), *_example(spoilt)]),
    ]
    said = _summary(rows)
    return Page(
        "Stress test", sections, recipes=recipes, versions={"dialometer": __version__}, summary=list(said),
        tones=list(said.values()),
    )  # fmt: skip


def stress_blocks(rows: Sequence[Reaction]) -> list[Block]:
    """The profile and every number, for a report that is about more than stress."""
    return [Text(list(_summary(rows))), *_profile(rows), _numbers(rows)]


def _lead(spoilt: Spoilt) -> str:
    n = len(spoilt.items)
    drawn = f"{n} of {spoilt.total} items, drawn by their ids" if n < spoilt.total else f"{n} items"
    return (
        f"How much each score moves when responses are spoilt: {drawn}. An effect is the mean change over the changed items, "
        "in standard deviations of the scores before."
    )


def _summary(rows: Sequence[Reaction]) -> dict[str, Tone]:
    """A sentence per metric that is judged, with its tone: how often it does what a human would, and what fools it."""
    lines: dict[str, Tone] = {}
    for metric in dict.fromkeys(row.metric for row in rows):
        judged = [row for row in rows if row.metric == metric and row.verdict]
        if not judged:
            continue
        right = sum(row.verdict == "as a human" for row in judged)
        told = [
            f"{word} {sign} {', '.join(names)}"
            for word, sign in (("fooled", "by"), ("blind", "to"))
            if (names := [row.perturbation for row in judged if row.verdict == word])
        ]
        tone: Tone = "bad" if told and told[0].startswith("fooled") else "caution" if right < len(judged) else "good"
        lines[f"{metric}: as a human in {right} of {len(judged)} tests{'; '.join(['', *told])}."] = tone
    return lines


def _profile(rows: Sequence[Reaction]) -> list[Block]:
    """Metrics down, perturbations across; a number of a whole set has no effect size and is left to the tables."""
    metrics = list(dict.fromkeys(row.metric for row in rows if not math.isnan(row.effect)))
    names = list(dict.fromkeys(row.perturbation for row in rows))
    if not metrics:
        return []
    cell = {(row.metric, row.perturbation): row for row in rows}
    effects = np.array([[cell[metric, name].effect for name in names] for metric in metrics])
    marks = [[MARKS[cell[metric, name].verdict] for name in names] for metric in metrics]
    caption = "Effect in standard deviations; what only describes a response has no mark."
    return [HeatMap("profile", metrics, names, effects.round(2) + 0.0, caption, -SCALE, SCALE, marks), Text([LEGEND])]


def _dots(rows: Sequence[Reaction]) -> list[Block]:
    """One picture per metric that is judged, or has no effect sizes: its mean change under each perturbation."""
    blocks: list[Block] = []
    for metric in dict.fromkeys(row.metric for row in rows):
        own = [row for row in rows if row.metric == metric and row.scored]
        if not any(row.verdict or math.isnan(row.effect) for row in own):
            continue
        labels, deltas = [row.perturbation for row in own], [row.delta for row in own]
        intervals = [(row.low, row.high) for row in own]
        name = f"reactions-{metric}"
        blocks.append(
            Dots(name, labels, deltas, intervals, x_label=f"change of {metric}", caption=f"{metric}, 95% intervals")
        )
    return blocks


def _numbers(rows: Sequence[Reaction]) -> Table:
    header = [
        "metric",
        "perturbation",
        "a human",
        "verdict",
        "change",
        "effect",
        "before",
        "after",
        "scored",
        "changed",
        "n",
    ]
    cells: list[list[Cell]] = [
        [
            row.metric, row.perturbation, row.expected, row.verdict, Interval(row.delta, row.low, row.high), row.effect,
            row.original, row.perturbed, row.scored, row.changed, row.n,
        ]
        for row in rows
    ]  # fmt: skip
    notes = ["Intervals are 95%, from whole documents resampled; before and after are means over the scored items."]
    return Table("reactions", header, cells, "Change of every score under every perturbation", notes)


def _menu(rows: Sequence[Reaction]) -> Table:
    changed = {row.perturbation: f"{row.changed} of {row.n}" for row in rows}
    cells = [
        [name, PERTURBATIONS[name].about, PERTURBATIONS[name].expected, PERTURBATIONS[name].reason, changed[name]]
        for name in changed
    ]
    return Table("perturbations", ["perturbation", "what it does", "a human", "why", "changed"], cells)


def _example(spoilt: Spoilt) -> list[Block]:
    """The item that most perturbations changed, each change beside the original."""
    made = np.array([[text is not None for text in responses] for responses in spoilt.responses.values()])
    row = int(made.sum(axis=0).argmax())
    item = spoilt.items[row]
    texts = [(name, responses[row]) for name, responses in spoilt.responses.items()]
    cells = [["original", item.response], *([name, text] for name, text in texts if text is not None)]
    said = [*(f"context: {turn.text}" for turn in item.context[-2:]), *(f"reference: {r}" for r in item.references[:2])]
    return [Table("example", ["perturbation", "response"], cells, f"Item {item.id}", said)]
