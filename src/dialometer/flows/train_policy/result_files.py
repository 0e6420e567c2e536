"""What a learning by reward leaves beside the bot: its curves as numbers and as a picture, and conversations before and after."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from dialometer.bots._policy.episode import Episode
from dialometer.core.atomic import write_bytes
from dialometer.core.types import Dialogue, Turn
from dialometer.data.formats.jsonl import Jsonl
from dialometer.report.figures.reward import reward_curves

CURVE, PICTURE, TALKS = "reward.csv", "reward.png", "episodes.jsonl"


def write_curves(
    folder: Path, records: Sequence[Mapping[str, float]], *, title: str, alarm: int, others: Sequence[str]
) -> None:
    """A row per step, and the picture where matplotlib is."""
    names = list(dict.fromkeys(name for record in records for name in record))
    made = io.StringIO()
    rows = csv.writer(made, lineterminator="\n")
    rows.writerow(["step", *names])
    rows.writerows([n, *(_cell(one.get(name, math.nan)) for name in names)] for n, one in enumerate(records, 1))
    write_bytes(folder / CURVE, made.getvalue().encode())
    if find_spec("matplotlib"):
        reward_curves(folder / PICTURE, records, title=title, alarm=alarm, others=others)


def _cell(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"


def write_episodes(folder: Path, played: Mapping[str, Sequence[Episode]]) -> None:
    """Conversations from the same openers, the system's name says when; ready for ``score``."""
    found = [_dialogue(when, number, one) for when, episodes in played.items() for number, one in enumerate(episodes)]
    Jsonl().write(found, folder / TALKS)


def _dialogue(when: str, number: int, one: Episode) -> Dialogue:
    given = [Turn("user", text, extra={"given": True}) for text in one.opener]
    said = [Turn("ab"[place % 2], text) for place, text in enumerate(one.said)]
    rated = {} if one.every == 1 else {"rated_speaker": "a"}
    extra = {"opener_turns": len(given), "generated_turns": len(said), **rated}
    return Dialogue(f"{when}-{number:04d}", when, (*given, *said), group=f"opener-{number:04d}", extra=extra)
