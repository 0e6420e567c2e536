"""The demo as one page: who talked, what the judges say, what the metrics are worth, what was said, and where everything lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dialometer._version import __version__
from dialometer.core.types import Dialogue
from dialometer.flows.demo.blocks import (
    answers_blocks,
    constructed_blocks,
    difference_blocks,
    feature_table,
    talk_blocks,
)
from dialometer.flows.demo.conclusions import summary
from dialometer.flows.demo.labels import shown as name_of
from dialometer.flows.demo.steps import ANSWERS, COMPARE, CROSS, META, SELF
from dialometer.report.blocks import Block, Cell, Examples, Item, Links, Page, Section, Table, Text

SHOWN = 2  # openers whose conversations can be read, of every bot
PLACES = {
    f"{SELF}/report.html": "the bots with themselves: counts, conversations to read",
    f"{CROSS}/report.html": "the bots with the partner",
    f"{META}/report.html": "the metrics beside quality by construction, item by item",
    f"{COMPARE}/report.html": "the bots compared: every difference with its interval and test",
    f"scores-{SELF}/scores.parquet": "every score of every reply with itself; features in scores-self-play-features",
    f"scores-{CROSS}/scores.parquet": "the same with the partner",
    f"scores-{ANSWERS}/scores.parquet": "every score of every reply to a held-out question",
    "data/constructed.jsonl": "the replies of constructed quality",
    "demo.json": "every number of this page",
}


def demo_page(found: Mapping[str, Any], own: Sequence[Dialogue], cross: Sequence[Dialogue]) -> Page:
    """The page; ``own`` and ``cross`` are the conversations with themselves and with the partner."""
    shown = [*_first(own), *_first(cross)]
    told = summary(found)
    sections = [
        Section("The bots", [_bots(found), *_left_out(found)], _corpus(found["corpus"])),
        Section("Whole conversations", [*talk_blocks(found), _links(SELF, CROSS)]),
        *([Section("Features of conversations", [feature_table(found)])] if found["features"] else []),
        Section("Replies to held-out questions", answers_blocks(found)),
        Section("Do the metrics know good from bad?", [*constructed_blocks(found["meta"]), _links(META)]),
        *_differences(found["compare"]),
        Section("Read them", _examples(shown, len(_first(own)))),
        Section("Where everything lies", [Links(_places(found))], "Every step is a run of its own, beside this page."),
    ]  # fmt: skip
    items, versions = [_item(one) for one in shown], {"dialometer": __version__}
    recipes = {name_of(column): recipe for column, recipe in found["recipes"].items()}
    return Page("Dialometer: the whole loop", sections, items, recipes, versions, list(told), list(told.values()))


def _differences(found: Mapping[str, Any]) -> list[Section]:
    if not found["pairs"]:
        return []
    return [Section("Which differences are more than chance?", [*difference_blocks(found), _links(COMPARE)])]


def _corpus(corpus: Mapping[str, Any]) -> str:
    return (
        f"Trained on {corpus['conversations']:,} conversations ({corpus['utterances']:,} utterances) of {corpus['name']}; "
        f"{corpus['questions']} questions and their answers were held out."
    )


def _bots(found: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [[bot["name"], bot["about"]] for bot in found["bots"]]
    return Table("bots", ["bot", "what it is"], rows)


def _left_out(found: Mapping[str, Any]) -> list[Block]:
    lines = [f"Left out: {one['what']}: {one['why']}. To have it: {one['way']}" for one in found["left_out"]]
    return [Text(lines, "caution")] if lines else []


def _places(found: Mapping[str, Any]) -> dict[str, str]:
    return {path: about for path, about in PLACES.items() if found["compare"]["pairs"] or not path.startswith(COMPARE)}


def _links(*steps: str) -> Links:
    """To the reports of steps."""
    return Links({path: PLACES[path] for path in (f"{step}/report.html" for step in steps)})


def _first(talks: Sequence[Dialogue]) -> list[Dialogue]:
    """The conversations from the first openers, opener by opener."""
    openers = list(dict.fromkeys(one.group for one in talks))[:SHOWN]
    return [one for opener in openers for one in talks if one.group == opener]


def _examples(shown: Sequence[Dialogue], own: int) -> list[Block]:
    rows = list(range(len(shown)))
    return [
        Examples("with-themselves", rows[:own], ["with itself"] * own, "The bots with themselves, from the same openers"),
        Examples("with-the-partner", rows[own:], ["a is the bot, b the partner"] * (len(rows) - own), "The bots with the partner"),
    ]  # fmt: skip


def _item(one: Dialogue) -> Item:
    side = CROSS if "rated_speaker" in one.extra else SELF
    return Item(f"{side} {one.id}", one.system, [(turn.speaker, turn.text) for turn in one.turns])
