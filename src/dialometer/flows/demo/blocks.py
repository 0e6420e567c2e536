"""Tables and pictures of the demo's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dialometer.flows.compare.dependence import USED
from dialometer.flows.demo.cautions import cautions
from dialometer.flows.demo.conclusions import beyond
from dialometer.flows.demo.constructed_replies import ABOUT
from dialometer.flows.demo.labels import UNITS, listed, shown
from dialometer.flows.demo.plan import RERANK, RULES
from dialometer.flows.demo.results import finite
from dialometer.flows.demo.steps import ANSWERS as REPLIES
from dialometer.flows.demo.steps import CROSS, SELF
from dialometer.report.blocks import Block, Cell, Dots, Interval, Table, Text

ANSWERS = ("bleu-2", "rouge-l", "meteor", "embedding-average", "greedy-matching", "am", "fm", "am-fm", "autojudge")
CONSTRUCTED = "Quality by construction, not human ratings"


def talk_blocks(found: Mapping[str, Any]) -> list[Block]:
    """M_H and the judge with itself and with the partner, the gap between them, and counts."""
    blocks: list[Block] = []
    own, cross = found["talks"][SELF], found["talks"][CROSS]
    for column in ("hybrid", "autojudge"):
        if all(column in cells for cells in own.values()):
            blocks.append(_dots(column, own, cross))
    if found["gaps"]:
        blocks.append(_gaps(found["gaps"]))
    return [*blocks, _counts(found["play"]), *_cautions(found, SELF, CROSS)]


def feature_table(found: Mapping[str, Any]) -> Table:
    """Features down, bots across."""
    own = found["features"][SELF]
    columns = list(next(iter(own.values())))
    rows: list[list[Cell]] = [[column, *(_interval(cells[column]) for cells in own.values())] for column in columns]
    notes = ["Means over conversations with 95% intervals. With itself, consecutive turns play user and bot."]
    return Table("features", ["feature", *own], rows, "Self-play: what conversations are like", notes, by_row=True)


def answers_blocks(found: Mapping[str, Any]) -> list[Block]:
    """Metrics down, bots across."""
    cells = found["answers"]
    columns = [column for column in ANSWERS if all(column in own for own in cells.values())]
    rows: list[list[Cell]] = [[shown(c), *(_interval(own[c]) for own in cells.values())] for c in columns]
    notes = ["References are all answers that the corpus has. Means with 95% intervals, over few questions."]
    if any(bot["name"] == RERANK for bot in found["bots"]):
        notes.append("rerank chose its replies by autojudge: that column is no evidence for it.")
    notes += _memory(found)
    return [
        Table("answers", ["metric", *cells], rows, "Replies against the known answers", notes, by_row=True),
        *_cautions(found, REPLIES),
    ]


def _memory(found: Mapping[str, Any]) -> list[str]:
    """Which bots gave known answers, and how they come to have them."""
    counts = {bot: count for bot, count in found["by_heart"].items() if count}
    if not counts:
        return []
    whence = {
        **dict.fromkeys(RULES, "its rules and the corpus have sources in common"),
        RERANK: "it took them over from the bots that it chose from",
    }
    learnt = "it learnt them as replies to something else"
    told = [f"{count} of {bot} ({whence.get(bot, learnt)})" for bot, count in counts.items()]
    known = f"Of {found['corpus']['questions']} replies each, {listed(told)} are known answers"
    return [f"{known}, compared by letters and digits: there the columns show memory."]


def constructed_blocks(found: Mapping[str, Any]) -> list[Block]:
    """Correlations with the constructed quality, and the mean of each construction."""
    ways = [f"{way} = {value}: {ABOUT[way]}" for way, value in found["constructions"].items()]
    intro = Text(
        [f"{CONSTRUCTED}: nobody was asked. The replies were made to be good or bad: {'; '.join(ways)}.",
         "A metric that orders them well has passed a first test; whether it follows people, only ratings can tell."],
        "caution",
    )  # fmt: skip
    rows = sorted(found["rows"], key=lambda row: -finite(row["spearman"]["r"]))
    labels = [shown(row["metric"]) for row in rows]
    bounds = [(_number(row["spearman"]["low"]), _number(row["spearman"]["high"])) for row in rows]
    picture = Dots(
        "constructed-spearman", labels, [_number(row["spearman"]["r"]) for row in rows],
        bounds, x_label="Spearman with the constructed quality",
        caption=f"Which metrics order {found['n']} constructed replies as they were made",
    )  # fmt: skip
    return [intro, picture, _means(found)]


def difference_blocks(found: Mapping[str, Any]) -> list[Block]:
    """Pairs of bots down, columns across; which of them are more than chance, and which prove nothing."""
    differences = found["differences"]
    columns = list(next(iter(differences.values())))
    rows: list[list[Cell]] = [[pair, *(_difference(own.get(c)) for c in columns)] for pair, own in differences.items()]
    tested = {f"{pair} in {shown(c)}": beyond(own[c]) for pair, own in differences.items() for c in columns if c in own}
    most = max(cell["n"] for own in differences.values() for cell in own.values())
    notes = [
        f"The first bot less the second, with 95% intervals: {most} conversations each with themselves, paired by opener.",
        f"More than chance (p below 0.05, adjusted over the table by Holm): {_more_than_chance(tested)}.",
        *(sentence for bot, marks in found["depends"].items() for sentence in _no_evidence(bot, marks)),
    ]
    made: list[Block] = [Table("differences", ["bots", *map(shown, columns)], rows, "Bots compared in self-play", notes)]
    return [*made, Text(found["notes"], "caution")] if found["notes"] else made


def _more_than_chance(tested: Mapping[str, bool]) -> str:
    """Which of them are, in few words."""
    sure, unsure = ([name for name, found in tested.items() if found is wanted] for wanted in (True, False))
    if not (sure and unsure):
        return "all" if sure else "none"
    return listed(sure) if len(sure) < len(unsure) else f"all but {listed(unsure)}"


def _no_evidence(bot: str, marks: Mapping[str, str]) -> list[str]:
    """What a re-ranker's own choice makes of the columns."""
    used, akin = ([shown(c) for c, mark in marks.items() if (mark == USED) is wanted] for wanted in (True, False))
    said = [f"{bot} chose its replies by {listed(used)}: no evidence for it."] if used else []
    if akin:
        said.append(
            f"What {bot} chose by also looks at what {listed(akin)} measure{'s' * (len(akin) == 1)}: weak evidence."
        )
    return said


def _difference(cell: Mapping[str, Any] | None) -> Cell:
    return Interval(*(_number(cell[key]) for key in ("difference", "low", "high"))) if cell else None


def _cautions(found: Mapping[str, Any], *sides: str) -> list[Block]:
    """What the judges say against being used there."""
    said = cautions(found["cautions"], *sides)
    return [Text(said, "caution")] if said else []


def _means(found: Mapping[str, Any]) -> Table:
    ways = list(found["constructions"])
    rows: list[list[Cell]] = [
        [
            shown(name),
            *(Interval(*map(_number, (own[way]["mean"], *own[way]["95"]))) if way in own else None for way in ways),
        ]
        for name, own in found["means"].items()
    ]
    header = ["metric", *(f"{way} ({value})" for way, value in found["constructions"].items())]
    return Table("constructed-means", header, rows, f"Mean of each kind of reply. {CONSTRUCTED}.", by_row=True)


def _dots(column: str, own: Mapping[str, Any], cross: Mapping[str, Any]) -> Dots:
    labels, values, bounds = [], [], []
    for bot in sorted(own, key=lambda name: -finite(own[name][column]["mean"])):
        for side, cells in (("itself", own), ("partner", cross)):
            cell = cells[bot][column]
            labels.append(f"{bot} with {side}")
            values.append(_number(cell["mean"]))
            bounds.append((_number(cell["low"]), _number(cell["high"])))
    said = {
        "hybrid": "M_H (in files: hybrid): features of conversations, weighed by ratings of other bots; sd: standard deviations",
        "autojudge": "autojudge: each reply against its context, learnt from ratings of engagement; rerank chose by it",
    }
    label = f"mean {shown(column)} ({UNITS[column]})"
    return Dots(f"talks-{column}", labels, values, bounds, x_label=label, caption=said[column])


def _gaps(found: Mapping[str, Any]) -> Table:
    columns = list(next(iter(found.values())))
    rows: list[list[Cell]] = [[bot, *(_difference(own[c]) for c in columns)] for bot, own in found.items()]
    tested = {f"{bot} by {shown(c)}": beyond(own[c]) for bot, own in found.items() for c in columns}
    notes = [
        "With itself less with the partner, paired by opener, 95% intervals.",
        f"More than chance (p below 0.05 by flipped signs, adjusted over all gaps by Holm): {_more_than_chance(tested)}.",
        "A bot that looks much better alone may be gaming the score.",
    ]
    return Table("gaps", ["bot", *map(shown, columns)], rows, "The gap between self-play and the fixed partner", notes)


def _counts(played: Mapping[str, Any]) -> Table:
    columns = ("turns", "words", "distinct-1", "distinct-2", "repeated")
    rows: list[list[Cell]] = [
        [bot, side, *(_number(own[column]) for column in columns)]
        for side, bots in played.items()
        for bot, own in bots.items()
    ]
    notes = ["words: mean per turn. repeated: share of turns said before in the same conversation."]
    return Table("counts", ["bot", "talks", *columns], rows, "What they said, counted", notes)


def _interval(cell: Mapping[str, Any]) -> Interval:
    return Interval(*(_number(cell[key]) for key in ("mean", "low", "high")))


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
