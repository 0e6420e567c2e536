"""Ratings of a study on their way back: sheets that raters filled in, or tables with a row per judgement; joined by id alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from dialometer.core.atomic import write_bytes
from dialometer.core.errors import DataError
from dialometer.data.row_errors import RowError
from dialometer.data.tables.ratings import RATERS, read_ratings
from dialometer.data.tables.reader import Row, name_in, number_in, read_table
from dialometer.flows.compare.dialogues import Talks
from dialometer.flows.compare.study_plan import Plan, study_pieces
from dialometer.flows.shared.rated_items import Rated, aligned, choose

Judgement = dict[str, Any]
SHOWN = 3  # strangers that a sentence names


@dataclass(frozen=True)
class Names:
    """What a row may be about: conversations by code or own id, attention checks with the answer they ask for."""

    items: dict[str, str]
    checks: dict[str, float]


def names_of(talks: Talks, plan: Plan) -> Names:
    """The ids that ratings may have."""
    own = {piece.item.id: piece.item.id for piece in talks.pieces}
    codes = {plan.code(name): name for name in own}
    return Names(codes | own, plan.checks_for(len(study_pieces(talks))))


def read_back(paths: Sequence[str], talks: Talks, plan: Plan, work: Path) -> tuple[Rated, list[str]]:
    """The judgements of the conversations, and a sentence for everything that was not as it should be."""
    names = names_of(talks, plan)
    given = [row for path in paths for row in _judgements(path, plan, names)]
    rows, notes = _sorted_out(given, names)
    if not any("check" not in row for row in rows):
        first = ", ".join(row["item"] for row in given[:SHOWN])
        raise DataError(
            f"rates none of these {len(talks.pieces)} conversations (ids found: {first or 'none'})", file=paths[0],
            hint="the ids of sheet.csv and items.jsonl; and the same conversations, seed and --study as when it was written",
        )  # fmt: skip
    path = work / "ratings.jsonl"
    write_bytes(path, b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    items = tuple(piece.item for piece in talks.pieces)
    found, _ = aligned(read_ratings(path), [item.id for item in items], paths[0])
    rated = Rated(items, choose(found, [q for q in plan.qualities if q in found.qualities], paths[0]))
    if gone := [name for name in plan.qualities if name not in found.qualities]:
        notes.append(f"Nobody rated {', '.join(gone)}.")
    asked = {piece.item.id for piece in study_pieces(talks)}
    if bare := len(asked - {row["item"] for row in rows}):
        notes.append(f"{bare} of {len(asked)} {talks.unit}s of the study have no rating.")
    return rated, notes


def _judgements(path: str, plan: Plan, names: Names) -> Iterator[Judgement]:
    """All judgements of a file; a cell that is empty is none."""
    for _, found in read_table(path, lambda row, number: _of_row(row, plan, names)):
        yield from found


def _of_row(row: Row, plan: Plan, names: Names) -> list[Judgement]:
    """A judgement in the column ``value``, or one in each column that is called like a quality."""
    item = name_in(row, "item", "id", what="item")
    rater = next((str(row[key]) for key in RATERS if row.get(key) not in (None, "")), "")
    if "value" in row:
        cells = {str(row.get("quality") or plan.qualities[0]): "value"}
    else:
        cells = {name: name for name in plan.qualities if name in row}
    if not cells:
        raise RowError(
            "columns", f"has neither 'value' nor a column for {' or '.join(plan.qualities)} (columns found: {', '.join(row)})",
            "-q NAME, or --study DIR, says what was asked", item,
        )  # fmt: skip
    found = []
    for quality, column in cells.items():
        value = number_in(row, column)
        if value == value:
            if not plan.scale[0] <= value <= plan.scale[1]:
                what = f"a rating of {value:g} is outside the scale {plan.scale[0]:g}…{plan.scale[1]:g}"
                raise RowError("scale", what, "mend the file, or name its scale: --scale LOW,HIGH", item)
            seconds = number_in(row, "seconds") if "seconds" in row else float("nan")
            found.append({"item": item, "rater": rater, "quality": quality, "value": value, "seconds": seconds})
    return found


def _sorted_out(given: Sequence[Judgement], names: Names) -> tuple[list[Judgement], list[str]]:
    """Judgements under the conversations' own ids, checks as passed or failed; strangers and repeats are told, not used."""
    rows: list[Judgement] = []
    strangers: dict[str, int] = {}
    seen: set[tuple[str, str, str]] = set()
    again = nameless = 0
    for row in given:
        about = names.items.get(row["item"])
        key = (about or row["item"], row["rater"], row["quality"])
        if about is None and row["item"] not in names.checks:
            strangers[row["item"]] = strangers.get(row["item"], 0) + 1
        elif row["rater"] and key in seen:
            again += 1
        elif about is None:
            rows.append(row | {"check": float(row["value"] == names.checks[row["item"]])})
        else:
            rows.append(row | {"item": about})
            nameless += not row["rater"]
        seen.add(key)
    notes = []
    if strangers:
        first = ", ".join(list(strangers)[:SHOWN])
        notes.append(
            f"{sum(strangers.values())} ratings are of {len(strangers)} ids that this study lacks ({first}): unused."
        )
    if again:
        notes.append(
            f"{again} ratings repeat what the same rater said before of the same conversation: the first one counts."
        )
    if nameless:
        notes.append(f"{nameless} ratings name no rater: raters cannot be told apart there.")
    return rows, notes
