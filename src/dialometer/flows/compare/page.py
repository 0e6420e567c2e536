"""A comparison as a page: what it says, differences with their intervals, people, every number, and what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Any

import msgspec

from dialometer._version import __version__
from dialometer.contracts.trajectories import Trajectories
from dialometer.core.types import Dialogue
from dialometer.flows.compare.dialogues import Piece, Talks
from dialometer.report.blocks import Block, Cell, Dots, Examples, Interval, Item, Page, Section, Table, Text, Tone
from dialometer.report.pages.trajectories import path_sections

SHOWN = 3  # contexts whose conversations can be read, of all systems
EVIDENCE = {"": "independent", "used": "chosen by", "akin": "akin"}
NOTES = (
    "Units are openers or contexts; a conversation has the mean of its bot's replies.",
    "Intervals are 95%: units resampled, or for a number of a whole set left out in blocks (jackknife).",
    "Effect: d_z of paired differences, Hedges' g otherwise. Higher: the chance that a is the higher one, ties counting half.",
    "Signs flipped, and Wilcoxon's test: of pairs that share an opener or a context. Welch's, and Mann and Whitney's: of others.",
    "p (Holm) is adjusted over all tests of the run, or over those of --planned; ratings by people are a table of their own.",
    "A column in which the two never differ is not tested, and does not count among the tests.",
)


def compare_page(talks: Talks, found: Mapping[str, Any]) -> Page:
    """The page of a run."""
    people = found["human"]
    shown = _readable(talks)
    sections = [
        *([Section("What people say", _people(people))] if people else []),
        Section("Means", [_means(found["systems"])]),
        Section("Differences", [*_differences(found["pairs"], found["independent"]), Text(NOTES)], lead=_lead(found)),
        *path_sections(msgspec.convert(found["trajectories"], list[Trajectories])),
        Section("What was said", [_systems(found), *_examples(talks, shown)]),
    ]
    said: dict[str, Tone] = dict.fromkeys(people["conclusions"] if people else (), "plain")
    said |= dict.fromkeys(found["conclusions"], "plain")
    said |= dict.fromkeys(found["notes"], "caution")
    return Page(
        "Systems compared", sections, [_item(piece) for piece in shown], found["recipes"], {"dialometer": __version__},
        list(said), list(said.values()),
    )  # fmt: skip


def _lead(found: Mapping[str, Any]) -> str:
    count = f"{found['n']} {found['unit']}s of {len(found['systems'])} systems"
    unit = ", in standard deviations" if _one_pair(found["pairs"]) else ""
    return f"{count}. A dot is the difference of two means{unit}, with its 95% interval; the line is at 0."


def _differences(
    pairs: Sequence[Mapping[str, Any]], independent: Mapping[str, bool], before: str = "difference"
) -> list[Block]:
    """A picture and a table per column; those that a re-ranker chose by say so, and come last. Two systems have one of each."""
    if _one_pair(pairs):
        return _effects(pairs, before)
    blocks: list[Block] = []
    columns = dict.fromkeys(row["metric"] for row in pairs)
    for column in sorted(columns, key=lambda one: not independent.get(one, True)):
        own, name = [row for row in pairs if row["metric"] == column], f"{before}-{column}"
        labels = [f"{row['a']} − {row['b']}" for row in own]
        bounds = [(row["low"], row["high"]) for row in own]
        caption = (
            column if independent.get(column, True) else f"{column}: a re-ranker chose its replies by this, or by its kin"
        )
        values = [row["difference"] for row in own]
        blocks.append(Dots(name, labels, values, bounds, x_label=f"difference in {column}", caption=caption, zero=True))
        blocks.append(_numbers(f"tests-{name}", own))
    return blocks


def _one_pair(pairs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether two systems are compared, by several columns."""
    return len({(row["a"], row["b"]) for row in pairs}) == 1 and len(pairs) > 1


def _effects(pairs: Sequence[Mapping[str, Any]], before: str) -> list[Block]:
    """All columns in one picture, largest first, in standard deviations; and all in one table, in their own units."""
    a, b = pairs[0]["a"], pairs[0]["b"]
    drawn = sorted((row for row in pairs if not isnan(row["effect"]) and not row["same"]), key=lambda row: -row["effect"])
    measure = " and ".join(dict.fromkeys(row["measure"] for row in drawn))
    blocks: list[Block] = []
    if drawn:
        labels = [f"{row['metric']}{' °' * bool(row['depends'])}" for row in drawn]
        bounds = [_in_deviations(row) for row in drawn]
        marked = "; °: a re-ranker chose its replies by this, or by its kin" * any(row["depends"] for row in drawn)
        caption = f"{a} less {b}: {measure} of each column, with 95% intervals{marked}"
        values = [row["effect"] for row in drawn]
        axis = f"difference in standard deviations ({measure})"
        blocks.append(Dots(f"{before}-effects", labels, values, bounds, x_label=axis, caption=caption, zero=True))
    return [*blocks, _numbers(f"tests-{before}", pairs, f"a {a}, b {b}")]


def _in_deviations(row: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of the difference in the units of the effect."""
    unit = row["effect"] / row["difference"] if row["difference"] else nan
    return row["low"] * unit, row["high"] * unit


def _people(people: Mapping[str, Any]) -> list[Block]:
    means = people["means"]
    blocks: list[Block] = [Text(people["notes"], "caution")] if people["notes"] else []
    for quality in people["agreement"]:
        cells = [means[system].get(quality) for system in means]
        if all(cells):
            bounds = [(cell["low"], cell["high"]) for cell in cells]
            blocks.append(
                Dots(f"mean-{quality}", list(means), [cell["mean"] for cell in cells], bounds, x_label=f"mean {quality}",
                     caption=f"{quality}, rated by people")
            )  # fmt: skip
    blocks += _differences(people["pairs"], {}, "people")
    rows: list[list[Cell]] = [
        [name, own["items"], own["judgements"], Interval(*(own["alpha"][key] for key in ("value", "low", "high"))),
         own["kappa"]["median"], own["kappa"]["n"]]
        for name, own in people["agreement"].items()
    ]  # fmt: skip
    header = ["quality", "rated", "judgements", "Krippendorff's α", "median κ of pairs", "pairs of raters"]
    return [*blocks, Table("agreement", header, rows, "How well raters agree")]


def _means(systems: Mapping[str, Mapping[str, Any]]) -> Table:
    """A row per system, or per column where these are more."""
    columns = list(dict.fromkeys(column for own in systems.values() for column in own["columns"]))
    caption = "Means over units, with 95% intervals"
    if len(columns) > len(systems):
        units = ", ".join(f"{own['units']} units of {system}" for system, own in systems.items())
        lines: list[list[Cell]] = [
            [column, *(_interval(own["columns"].get(column)) for own in systems.values())] for column in columns
        ]
        return Table("means", ["column", *systems], lines, caption, [f"{units}."], by_row=True)
    rows: list[list[Cell]] = [
        [system, own["units"], *(_interval(own["columns"].get(column)) for column in columns)]
        for system, own in systems.items()
    ]
    return Table("means", ["system", "units", *columns], rows, caption)


def _interval(cell: Mapping[str, Any] | None) -> Cell:
    return Interval(cell["mean"], cell["low"], cell["high"]) if cell else None


def _numbers(name: str, pairs: Sequence[Mapping[str, Any]], caption: str = "") -> Table:
    """A row per pair of systems; under a caption that names the two, a row per column. What is the same throughout is left out."""
    cells: dict[str, list[Cell]] = {"column": [row["metric"] for row in pairs]} if caption else {
        "a": [row["a"] for row in pairs], "b": [row["b"] for row in pairs],
    }  # fmt: skip
    cells["a − b"] = [Interval(row["difference"], row["low"], row["high"]) for row in pairs]
    keys = {"effect": "effect", "higher": "superiority", "p": "p", "p (Holm)": "p_holm"}
    cells |= {heading: [row[key] for row in pairs] for heading, key in keys.items()}
    if all(row["n_a"] == row["n_b"] for row in pairs):
        cells["n"] = [row["n_a"] for row in pairs]
    else:
        cells |= {"n a": [row["n_a"] for row in pairs], "n b": [row["n_b"] for row in pairs]}
    cells["test"] = [row["test"] for row in pairs]
    if any(row["depends"] for row in pairs):
        cells["evidence"] = [EVIDENCE[row["depends"]] for row in pairs]
    rows = list(map(list, zip(*cells.values(), strict=True)))
    return Table(name, list(cells), rows, caption, by_row=bool(caption))


def _systems(found: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [system, own["conversations"], own["replies"], own["stopped"], own["source"], own["recipe"]]
        for system, own in found["systems"].items()
    ]
    return Table("systems", ["system", f"{found['unit']}s", "replies", "stopped early", "source", "recipe"], rows)


def _readable(talks: Talks) -> list[Piece]:
    """The conversations of the first contexts that most systems share."""
    times: dict[str, int] = {}
    for piece in talks.pieces:
        times[piece.block] = times.get(piece.block, 0) + 1
    blocks = sorted(times, key=lambda block: -times[block])[:SHOWN]
    return sorted((piece for piece in talks.pieces if piece.block in blocks), key=lambda piece: blocks.index(piece.block))


def _examples(talks: Talks, shown: Sequence[Piece]) -> list[Block]:
    return [
        Examples("conversations", list(range(len(shown))), [piece.system for piece in shown], "The same openers for all")
    ]


def _item(piece: Piece) -> Item:
    item = piece.item
    turns = item.turns if isinstance(item, Dialogue) else item.context
    response = "" if isinstance(item, Dialogue) else item.response
    return Item(item.id, item.system, [(turn.speaker, turn.text) for turn in turns], response)
