"""What a bot's conversations are like: how varied, how long, how often the same, and how much of the training set is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from dialometer.bots._shared.converse import SIDES
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Dialogue
from dialometer.flows.train.training_text import read_talks
from dialometer.stats.dialogue_overlap import OverlapShare, found_in, shared_pairs, text_codes, window_keys
from dialometer.text.corpus import Corpus
from dialometer.text.training_overlap import text_hashes

PAIRS, TRAINING = (3, 5), (2, 3)  # turns of the windows in tables A.6 and A.7 of Ghandeharioun et al. (2019)
MEASURED = {"length": ("words",), "distinct": ("distinct-1", "distinct-2")}
REASONS = 5  # of failures, the most frequent
Training = dict[int, np.ndarray]


def recipes() -> dict[str, str]:
    """How the numbers are made."""
    return {column: recipe(create("metric", name)) for name, columns in MEASURED.items() for column in columns}


def read_training(paths: Sequence[str], *, format: str, max_line: int, where: Sequence[str] = ()) -> Training:
    """The windows of the training set, of those items that meet ``where``.

    Turns count as the same when their letters and digits agree up to case (``text.seen``): what a bot says and what it was
    trained on differ in tokenising, and an exact comparison would find nothing.
    """
    if not paths:
        return {}
    talks = [text_hashes(talk) for talk in read_talks(paths, format=format, max_line=max_line, where=where)]
    return {width: window_keys(talks, width) for width in TRAINING}


def numbers(dialogues: Sequence[Dialogue], training: Training) -> dict[str, Any]:
    """The numbers of one bot's conversations."""
    own = [turn.text for one in dialogues for turn in one.turns[_given(one) :] if turn.speaker in _sides(one)]
    stopped = [one for one in dialogues if "error" in one.extra]
    said = [[turn.text for turn in one.turns[_given(one) :]] for one in dialogues]
    return {
        "conversations": len(dialogues),
        "turns": sum(map(len, said)),
        "failed": len(stopped),
        **_measured(own),
        "repeated": _repeated(dialogues),
        "overlap": overlap(said, training),
        "cleaned": sum(one.extra.get("cleaned", 0) for one in dialogues),
        "first_failed": stopped[0].id if stopped else "",
        "reasons": dict(Counter(one.extra["error"] for one in stopped).most_common(REASONS)),
    }


def _given(one: Dialogue) -> int:
    return int(one.extra["opener_turns"])


def _sides(one: Dialogue) -> tuple[str, ...]:
    """Whose turns are the bot's: its own side, or both when it talks with itself."""
    return (one.extra["rated_speaker"],) if "rated_speaker" in one.extra else SIDES


def _measured(texts: Sequence[str]) -> dict[str, float | None]:
    """Words per turn, and distinct-n of all turns of the bot together."""
    if not texts:
        return dict.fromkeys((column for columns in MEASURED.values() for column in columns), None)
    corpus = Corpus.of(texts)
    length, distinct = (create("metric", name) for name in MEASURED)
    words = length.finish(length.measure(corpus).sum(axis=0), level="corpus")
    kinds = distinct.score(corpus, np.arange(len(corpus)))
    found = dict(zip(length.columns, words, strict=True)) | dict(zip(distinct.columns, kinds, strict=True))
    return {column: _number(found[column]) for columns in MEASURED.values() for column in columns}


def _repeated(dialogues: Sequence[Dialogue]) -> float | None:
    """The share of the bot's turns that were said before in the same conversation, in the opener too, by whomever."""
    again = turns = 0
    for one in dialogues:
        given, own, before = _given(one), _sides(one), set[str]()
        for place, turn in enumerate(one.turns):
            if place >= given and turn.speaker in own:
                turns += 1
                again += turn.text in before
            before.add(turn.text)
    return again / turns if turns else None


def overlap(said: Sequence[Sequence[str]], training: Training) -> dict[str, dict[str, Any]]:
    """Shares of pairs of conversations, and of conversations, with windows in common (appendix A.13).

    Only generated turns are looked at: what was given to all is no overlap. Among each other, turns are compared exactly.
    """
    exact, loose = text_codes(said), [text_hashes(talk) for talk in said] if training else []
    shares = {f"pairs_{width}": shared_pairs(exact, width) for width in PAIRS}
    shares |= {f"training_{width}": found_in(loose, keys, width) for width, keys in training.items()}
    return {name: _spelt(share) for name, share in shares.items()}


def _spelt(share: OverlapShare) -> dict[str, Any]:
    return {"share": _number(share.share), **asdict(share)}


def _number(value: float) -> float | None:
    """As JSON has it: what is not a number is nothing."""
    return float(value) if value == value else None
