"""The study as files: ``items.jsonl`` for a rating platform, ``sheet.csv`` for a spreadsheet, ``study.toml``, and the key."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from dialometer.core.atomic import write_bytes
from dialometer.core.errors import UsageError
from dialometer.core.files import LARGE, read_limited
from dialometer.core.seeds import derived
from dialometer.core.types import USERS, Dialogue, Turn
from dialometer.flows.compare.dialogues import Piece, Talks
from dialometer.flows.compare.study_plan import ITEMS, KEY, QUESTIONS, SHEET, STUDY, Plan, study_pieces

Row = dict[str, Any]


def check_folder(folder: str) -> None:
    """Refuse a place where no study can lie, before anybody talks."""
    path = Path(folder)
    if path.is_dir() and any(path.iterdir()) and not (path / STUDY).exists():
        raise UsageError(f"{folder} is not empty and holds no study", "name a new or empty folder: --study DIR")
    if path.exists() and not path.is_dir():
        raise UsageError(f"{folder} is a file, and a study is a folder", "name a new folder: --study DIR")


def write_study(folder: str, talks: Talks, plan: Plan) -> dict[str, int]:
    """Write the study unless it is there; another one in its place is refused. Returns how many items, checks and contexts."""
    pieces = study_pieces(talks)
    rows, checks = study_rows(pieces, plan)
    path, data = Path(folder), _lines(rows)
    counts = {"items": len(pieces), "checks": len(checks), "contexts": len({piece.block for piece in pieces})}
    if (path / ITEMS).exists():
        if read_limited(path / ITEMS, LARGE) != data:
            raise UsageError(f"{folder} holds a study of other conversations", "name a new folder: --study DIR")
        return counts
    try:
        path.mkdir(parents=True, exist_ok=True)
        write_bytes(path / KEY, _key(pieces, checks, plan))
        write_bytes(path / SHEET, _sheet(rows, plan))
        write_bytes(path / STUDY, _toml(plan, counts, len(talks.systems), _unit(pieces)))
        write_bytes(path / ITEMS, data)  # last: where it is, all is
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot write the study {folder}: {reason}", "name another folder: --study DIR") from None
    return counts


def study_rows(pieces: Sequence[Piece], plan: Plan) -> tuple[list[Row], dict[str, float]]:
    """Items in random order under blind codes, with an attention check somewhere in every ``plan.checks`` of them."""
    systems = _codes(dict.fromkeys(piece.system for piece in pieces), plan, "S")
    contexts = _codes(dict.fromkeys(piece.block for piece in pieces), plan, "C")
    rows: list[Row] = [
        {
            "id": plan.code(piece.item.id),
            "system": systems[piece.system],
            "group": contexts[piece.block],
            **_shown(piece),
        }
        for piece in pieces
    ]
    rows.sort(key=lambda row: (derived(plan.seed, "study order", row["id"]), row["id"]))
    checks = plan.checks_for(len(rows))
    for number, (code, answer) in reversed(list(enumerate(checks.items()))):
        place = number * plan.checks + derived(plan.seed, "check place", number) % plan.checks
        text = f"This item checks whether you are reading. Please answer {answer:g} to every question about it."
        rows.insert(place, {"id": code, "system": "", "group": "", "check": answer, "turns": [_turn("note", text, False)]})
    return rows, checks


def _codes(names: dict[str, None], plan: Plan, kind: str) -> dict[str, str]:
    """Numbers that say nothing of the names or of their order."""
    drawn = sorted(names, key=lambda name: (derived(plan.seed, kind, name), name))
    return {name: f"{kind}{number}" for number, name in enumerate(drawn, 1)}


def _shown(piece: Piece) -> Row:
    """The turns with speakers that give nobody away; what was given to all is marked, and so is who is rated if one is."""
    item = piece.item
    if isinstance(item, Dialogue):
        turns, own = item.turns, item.speakers
    else:
        turns, own = (*item.context, Turn("\x1fresponse", item.response)), frozenset(["\x1fresponse"])
    others = dict.fromkeys(turn.speaker for turn in turns if turn.speaker.lower() not in USERS)
    names = {speaker: chr(ord("A") + number % 26) for number, speaker in enumerate(others)}
    shown = [
        _turn(names.get(turn.speaker, "user"), turn.text, bool(turn.extra.get("given")) or turn.speaker not in own)
        for turn in turns
    ]
    spoken = {names.get(speaker, "user") for speaker in own}
    return {"turns": shown} | ({"rated_speaker": spoken.pop()} if len(spoken) == 1 else {})


def _turn(speaker: str, text: str, given: bool) -> Row:
    return {"speaker": speaker, "text": text} | ({"given": True} if given else {})


def _lines(rows: Sequence[Row]) -> bytes:
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def _key(pieces: Sequence[Piece], checks: dict[str, float], plan: Plan) -> bytes:
    """What the codes stand for: not for raters."""
    codes = _codes(dict.fromkeys(piece.system for piece in pieces), plan, "S")
    told = {
        "systems": {code: system for system, code in codes.items()},
        "items": {plan.code(piece.item.id): piece.item.id for piece in pieces},
        "checks": checks,
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _sheet(rows: Sequence[Row], plan: Plan) -> bytes:
    """A row per item to fill in; each rater gets a copy. No cell begins with a sign that a spreadsheet takes for a formula."""
    made = io.StringIO(newline="")
    write = csv.writer(made, lineterminator="\r\n")
    write.writerow(["item", "rater", "conversation", *plan.qualities])
    for row in rows:
        rated = row.get("rated_speaker")
        said = [f"{turn['speaker']}{'*' * (turn['speaker'] == rated)}: {turn['text']}" for turn in row["turns"]]
        write.writerow([row["id"], "", "\n".join(said), *[""] * len(plan.qualities)])
    return made.getvalue().encode("utf-8")


def _unit(pieces: Sequence[Piece]) -> str:
    return "dialogue" if any(isinstance(piece.item, Dialogue) for piece in pieces) else "response"


def _toml(plan: Plan, counts: dict[str, int], systems: int, unit: str) -> bytes:
    low, high = plan.scale
    what = "conversation" if unit == "dialogue" else "last turn (marked *)"
    lines = [
        f'title = "How good is each {what}?"',
        f'unit = "{unit}"',
        f"seed = {plan.seed}",
        f"systems = {systems}",
        f"contexts = {counts['contexts']}",
        f'files = {{ items = "{ITEMS}", sheet = "{SHEET}", key = "{KEY}" }}  # the key is not for raters',
        'instructions = "Read each conversation to its end, then answer. Where a speaker is marked *, rate that speaker alone."',
        "",
        "[scale]",
        f"low = {low:g}",
        f"high = {high:g}",
        'labels = { low = "very poor", high = "very good" }',
        "",
        "[checks]",
        f"every = {plan.checks}",
        f"count = {counts['checks']}",
    ]
    for name in plan.qualities:
        question = QUESTIONS.get(name, f"How would you rate its {name}?")
        lines += ["", "[[quality]]", f"name = {_quoted(name)}", f"question = {_quoted(question)}"]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()
