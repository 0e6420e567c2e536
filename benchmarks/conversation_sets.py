"""Rated conversations as the benchmarks of whole conversations read them: sets, qualities, and files derived from them."""

from pathlib import Path
from typing import Any

import numpy as np
from known_answers import DATA

from dialometer.data import open_items
from dialometer.data.jsonl import Jsonl
from dialometer.types import Dialogue

JI = ("robotic", "interesting", "fun", "consistent", "fluent", "repetitive", "topic")
DSTC9 = (
    "overall", "likeable", "coherent", "understanding", "diverse", "informative", "flexible", "consistent", "topic depth",
    "error recovery", "inquisitive",
)  # fmt: skip


def dialogues(name: str) -> list[Dialogue]:
    """The conversations of a set that have a reply."""
    found = [item for item in open_items([str(DATA / "dialogues" / f"{name}.jsonl.gz")]) if isinstance(item, Dialogue)]
    return [item for item in found if any(True for _ in item.examples())]


def ji(standard: bool) -> list[Dialogue]:
    """Ten bots, workers who passed the checks; ratings as given or in deviations of the worker, their mean as overall."""
    made = []
    for item in dialogues("ji2022_free_run1"):
        if not item.extra["quality_control_passed"] or item.system == "quality_control":
            continue
        given: Any = item.extra["z_scores"] if standard else item.ratings
        ratings = {name: tuple(given[name]) for name in JI}
        ratings["overall"] = (float(np.mean([values[0] for values in ratings.values()])),)
        made.append(changed(item, ratings))
    return made


def changed(item: Dialogue, ratings: dict[str, Any]) -> Dialogue:
    """The same conversation with other ratings, and without fields that say more about them."""
    return Dialogue(item.id, item.system, item.turns, item.group, ratings, item.raters)


def convai2(name: str, replies: int = 2, rated: int = 8) -> list[Dialogue]:
    """Conversations of some length with a score, of bots that have some of them."""
    kept = [
        item
        for item in dialogues(name)
        if any(value is not None for value in item.ratings.get("eval_score", ())) and len(list(item.examples())) >= replies
    ]
    counts = {system: sum(item.system == system for item in kept) for system in {item.system for item in kept}}
    return [item for item in kept if counts[item.system] >= rated]


def sets() -> dict[str, tuple[list[Dialogue], tuple[str, ...]]]:
    """Name → conversations and qualities, the main one first."""
    return {
        "ji2022, worker's deviations": (ji(True), ("overall", *JI)),
        "ji2022, as given": (ji(False), ("overall", *JI)),
        "dstc9": (dialogues("dstc9_interactive"), DSTC9),
        "convai2 volunteers": (convai2("convai2_volunteers"), ("eval_score",)),
        "convai2 intermediate": (convai2("convai2_intermediate"), ("eval_score",)),
    }


def written(folder: Path, name: str, items: list[Dialogue]) -> Path:
    """The conversations as a file of the house."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{''.join(sign if sign.isalnum() else '-' for sign in name)}.jsonl"
    Jsonl().write(items, path)
    return path
