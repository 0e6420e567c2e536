"""Tables and pictures of the demo's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dialometer.flows.demoing.constructed import ABOUT
from dialometer.flows.demoing.plan import RULES
from dialometer.flows.demoing.steps import ANSWERS as REPLIES
from dialometer.flows.demoing.steps import CROSS, SELF
from dialometer.report.blocks import Block, Cell, Dots, Interval, Table, Text

ANSWERS = ("bleu-2", "rouge-l", "meteor", "embedding-average", "greedy-matching", "am", "fm", "am-fm", "autojudge")
NAMES = {"hybrid": "M_H", "am": "AM", "fm": "FM", "am-fm": "AM-FM"}
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
    return Table("features", ["feature", *own], rows, "Self-play: what conversations are like", notes)


def answers_blocks(found: Mapping[str, Any]) -> list[Block]:
    """Metrics down, bots across."""
    cells = found["answers"]
    columns = [column for column in ANSWERS if all(column in own for own in cells.values())]
    rows: list[list[Cell]] = [[NAMES.get(c, c), *(_interval(own[c]) for own in cells.values())] for c in columns]
    notes = ["References are all answers that the corpus has. Means with 95% intervals, over few questions."]
    if any(bot["name"] == "rerank" for bot in found["bots"]):
        notes.append("rerank chose its replies by autojudge: that column is no evidence for it.")
    notes += [
        f"{count} of {found['corpus']['questions']} replies of {bot} are answers of the corpus word for word: "
        "its rules and the corpus have sources in common, and its column shows memory."
        for bot, count in found["by_heart"].items()
        if count and bot in RULES
    ]
    return [
        Table("answers", ["metric", *cells], rows, "Replies against the known answers", notes),
        *_cautions(found, REPLIES),
    ]


def constructed_blocks(found: Mapping[str, Any]) -> list[Block]:
    """Correlations with the constructed quality, and the mean of each construction."""
    ways = [f"{way} = {value}: {ABOUT[way]}" for way, value in found["constructions"].items()]
    intro = Text(
        [f"{CONSTRUCTED}: nobody was asked. The replies were made to be good or bad: {'; '.join(ways)}.",
         "A metric that orders them well has passed a first test; whether it follows people, only ratings can tell."],
        "caution",
    )  # fmt: skip
    rows = sorted(found["rows"], key=lambda row: -_finite(row["spearman"]["r"]))
    labels = [NAMES.get(row["metric"], row["metric"]) for row in rows]
    bounds = [(_number(row["spearman"]["low"]), _number(row["spearman"]["high"])) for row in rows]
    picture = Dots(
        "constructed-spearman", labels, [_number(row["spearman"]["r"]) for row in rows],
        bounds, x_label="Spearman with the constructed quality",
        caption=f"Which metrics order {found['n']} constructed replies as they were made",
    )  # fmt: skip
    return [intro, picture, _means(found)]


def _cautions(found: Mapping[str, Any], *sides: str) -> list[Block]:
    """What the judges say against being used there."""
    said = [f"{side}: {sentence}" for side in sides for sentence in found["cautions"][side]]
    return [Text(said, "caution")] if said else []


def _means(found: Mapping[str, Any]) -> Table:
    ways = list(found["constructions"])
    rows: list[list[Cell]] = [
        [
            NAMES.get(name, name),
            *(Interval(*map(_number, (own[way]["mean"], *own[way]["95"]))) if way in own else None for way in ways),
        ]
        for name, own in found["means"].items()
    ]
    header = ["metric", *(f"{way} ({value})" for way, value in found["constructions"].items())]
    return Table("constructed-means", header, rows, f"Mean of each kind of reply. {CONSTRUCTED}.")


def _dots(column: str, own: Mapping[str, Any], cross: Mapping[str, Any]) -> Dots:
    labels, values, bounds = [], [], []
    for bot in sorted(own, key=lambda name: -_finite(own[name][column]["mean"])):
        for side, cells in (("itself", own), ("partner", cross)):
            cell = cells[bot][column]
            labels.append(f"{bot} with {side}")
            values.append(_number(cell["mean"]))
            bounds.append((_number(cell["low"]), _number(cell["high"])))
    said = {
        "hybrid": "M_H (hybrid): a regression on features of conversations, learnt from ratings of other bots",
        "autojudge": "autojudge: each reply against its context, learnt from ratings of engagement; rerank chose by it",
    }
    return Dots(
        f"talks-{column}", labels, values, bounds, x_label=f"mean {NAMES.get(column, column)}", caption=said[column]
    )


def _gaps(found: Mapping[str, Any]) -> Table:
    columns = list(next(iter(found.values())))
    rows: list[list[Cell]] = [
        [bot, *(Interval(*(_number(own[c][key]) for key in ("difference", "low", "high", "p"))) for c in columns)]
        for bot, own in found.items()
    ]
    notes = [
        "With itself less with the partner, paired by opener, 95% intervals.",
        "A bot that looks much better alone may be gaming the score.",
    ]
    return Table(
        "gaps", ["bot", *(NAMES.get(c, c) for c in columns)], rows, "The gap between self-play and the fixed partner", notes
    )


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


def _finite(value: float | None) -> float:
    """For sorting: what is absent goes last."""
    return float("-inf") if value is None or value != value else value
