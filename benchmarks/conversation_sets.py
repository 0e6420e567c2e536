"""Rated conversations as the benchmarks of whole conversations read them: sets, qualities, and files derived from them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from known_answers import DATA

from dialometer.core.types import Dialogue
from dialometer.data import open_items
from dialometer.data.formats.jsonl import Jsonl
from dialometer.text.corpus import Corpus

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
        "ji2022, as given": (ji(False), ("overall",)),
        "dstc9": (dialogues("dstc9_interactive"), DSTC9),
        "convai2 volunteers": (convai2("convai2_volunteers"), ("eval_score",)),
        "convai2 intermediate": (convai2("convai2_intermediate"), ("eval_score",)),
    }


def slug(name: str) -> str:
    """A name as part of a path."""
    return "".join(sign if sign.isalnum() else "-" for sign in name)


def written(folder: Path, name: str, items: list[Dialogue]) -> Path:
    """The conversations as a file of the house; one that is there is kept."""
    path = folder / f"{slug(name)}.jsonl"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        Jsonl().write(items, path)
    return path


def applied(judge: Any, items: list[Dialogue], quality: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Scores, people's means and systems of the conversations that have both."""
    given = [[value for value in item.ratings.get(quality, ()) if value is not None] for item in items]
    kept = [place for place, values in enumerate(given) if values]
    corpus = replace(Corpus.build([example for place in kept for example in items[place].examples()]), keep=True)
    scores = judge.finish(judge.measure(corpus), level="item")[:, 0]
    people = np.array([np.mean(given[place]) for place in kept])
    known = ~np.isnan(scores)
    return scores[known], people[known], [items[place].system for place, there in zip(kept, known, strict=True) if there]
