"""A comparison as a page: what it says, differences with their intervals, people, every number, and what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dialometer._version import __version__
from dialometer.flows.comparing.talks import Piece, Talks
from dialometer.flows.trajectories.picture import path_sections
from dialometer.report.blocks import Block, Cell, Dots, Examples, Interval, Item, Page, Section, Table, Text, Tone
from dialometer.types import Dialogue

SHOWN = 3  # contexts whose conversations can be read, of all systems
EVIDENCE = {"": "independent", "used": "chosen by", "akin": "akin"}
NOTES = (
    "Units are openers or contexts; a conversation has the mean of its bot's replies.",
    "Intervals are 95%: units resampled, or for a number of a whole set left out in blocks (jackknife).",
    "Effect: d_z of paired differences, Hedges' g otherwise. Higher: the chance that a is the higher one, ties counting half.",
    "Signs flipped, and Wilcoxon's test: of pairs that share an opener or a context. Welch's, and Mann and Whitney's: of others.",
    "p (Holm) is adjusted over all tests of the run; ratings by people are a table of their own.",
)


def compare_page(talks: Talks, found: Mapping[str, Any]) -> Page:
    """The page of a run."""
    people = found["human"]
    shown = _readable(talks)
    sections = [
        *([Section("What people say", _people(people))] if people else []),
        Section("Means", [_means(found["systems"])]),
        Section("Differences", [*_differences(found["pairs"], found["independent"]), Text(NOTES)], lead=_lead(found)),
        *path_sections(found["trajectories"]),
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
    return f"{count}. A dot is the difference of two means, with its 95% interval."


def _differences(
    pairs: Sequence[Mapping[str, Any]], independent: Mapping[str, bool], before: str = "difference"
) -> list[Block]:
    """A picture and a table per column; those that a re-ranker chose by say so, and come last."""
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
        blocks.append(Dots(name, labels, values, bounds, x_label=f"difference in {column}", caption=caption))
        blocks.append(_numbers(f"tests-{name}", own))
    return blocks


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
    columns = list(dict.fromkeys(column for own in systems.values() for column in own["columns"]))
    rows: list[list[Cell]] = [
        [system, own["units"], *(_interval(own["columns"].get(column)) for column in columns)]
        for system, own in systems.items()
    ]
    return Table("means", ["system", "units", *columns], rows, "Means over units, with 95% intervals")


def _interval(cell: Mapping[str, Any] | None) -> Cell:
    return Interval(cell["mean"], cell["low"], cell["high"]) if cell else None


def _numbers(name: str, pairs: Sequence[Mapping[str, Any]]) -> Table:
    header = ["a", "b", "a − b", "effect", "higher", "p", "p (Holm)", "n a", "n b", "test", "evidence"]
    rows: list[list[Cell]] = [
        [
            row["a"], row["b"], Interval(row["difference"], row["low"], row["high"]), row["effect"], row["superiority"],
            row["p"], row["p_holm"], row["n_a"], row["n_b"], row["test"], EVIDENCE[row["depends"]],
        ]
        for row in pairs
    ]  # fmt: skip
    return Table(name, header, rows)


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
