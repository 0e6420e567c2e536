"""A run of play as a page: the table of bots, and conversations to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dialometer._version import __version__
from dialometer.core.types import Dialogue
from dialometer.flows.play.summary import PAIRS, TRAINING
from dialometer.report.blocks import Cell, Examples, Item, Page, Section, Table, Tone

SHOWN = 3  # conversations of each bot, the same openers for all
NOTES = (
    "words: mean per turn. repeated: turns said before in the same conversation.",
    "shared 3, 5: pairs of conversations with 3 or 5 consecutive turns exactly the same; only generated turns count.",
)
LEARNT = "training 2, 3: conversations with 2 or 3 consecutive turns of the training set, compared by letters and digits."


def play_page(bots: Mapping[str, Mapping[str, Any]], dialogues: Sequence[Dialogue], recipes: Mapping[str, str]) -> Page:
    """The page of a run; conversations that stopped early come after the samples."""
    by_bot = {label: [one for one in dialogues if one.system == label] for label in bots}
    shown: list[Dialogue] = []
    sections = [Section("The bots", [_table(bots)])]
    for label, own in by_bot.items():
        sample = [*own[:SHOWN], *[one for one in own[SHOWN:] if "error" in one.extra][:SHOWN]]
        rows = range(len(shown), len(shown) + len(sample))
        remarks = [_remark(one) for one in sample]
        shown += sample
        sections.append(Section(label, [Examples(f"conversations-{label}", list(rows), remarks)]))
    said = {_sentence(label, numbers): _tone(numbers) for label, numbers in bots.items()}
    return Page(
        "Conversations between bots", sections, [_item(one) for one in shown], recipes, {"dialometer": __version__},
        list(said), list(said.values()),
    )  # fmt: skip


def _table(bots: Mapping[str, Mapping[str, Any]]) -> Table:
    columns = ("conversations", "turns", "failed", "words", "distinct-1", "distinct-2", "repeated")
    windows = [(f"pairs_{width}", f"shared {width}") for width in PAIRS]
    compared = any(f"training_{width}" in found["overlap"] for found in bots.values() for width in TRAINING)
    if compared:
        windows += [(f"training_{width}", f"training {width}") for width in TRAINING]
    notes = (*NOTES, LEARNT) if compared else NOTES
    rows: list[list[Cell]] = [
        [
            label,
            *(_cell(found[column]) for column in columns),
            *(_cell(found["overlap"].get(key, {}).get("share")) for key, _ in windows),
        ]
        for label, found in bots.items()
    ]
    return Table("bots", ["bot", *columns, *(name for _, name in windows)], rows, "What they said", notes)


def _cell(value: Any) -> Cell:
    return float("nan") if value is None else value


def _sentence(label: str, found: Mapping[str, Any]) -> str:
    stopped = f"; {found['failed']} stopped early" if found["failed"] else ""
    return f"{label}: {found['conversations']} conversations, {found['turns']} turns{stopped}."


def _tone(found: Mapping[str, Any]) -> Tone:
    return "bad" if found["failed"] == found["conversations"] else "caution" if found["failed"] else "plain"


def _remark(one: Dialogue) -> str:
    if error := one.extra.get("error"):
        return f"stopped before turn {one.extra['stopped']}: {error}"
    bots = one.extra["bots"]
    return f"a is {bots['a']}, b is {bots['b']}" if "rated_speaker" in one.extra else "with itself"


def _item(one: Dialogue) -> Item:
    return Item(one.id, one.system, [(turn.speaker, turn.text) for turn in one.turns])
