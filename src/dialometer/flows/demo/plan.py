"""What the demo can show here: the bots and metrics whose packages are installed, and the line to type for the others."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialometer.core.errors import DialometerError, MissingResource, UsageError
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, spec_of
from dialometer.flows.demo.corpus import CHATTERBOT, WAY, find_chatterbot
from dialometer.nets.requirements import needs_torch

JUDGE, HYBRID, FEATURES, EMBEDDING, AMFM = "autojudge", "hybrid", "conversation", "embedding", "amfm"
OVERLAP = ("bleu", "rouge", "meteor(stages=exact+stem)")  # further stages need files that are found in few places
COUNTED = ("length", "distinct")
RULES = {"eliza": "ELIZA, a therapist made of rules", "alice": "A.L.I.C.E., a chat robot of 98,000 rules"}
TFIDF, HRED, RERANK, PARTNER = "tfidf", "hred", "rerank", "partner"
SMALL = "hred(hidden=96,embedding=64,units=words,epochs=6,decode=sample,temperature=0.6)"
EACH = 1  # candidates that each bot gives to the re-ranker


@dataclass(frozen=True)
class Plan:
    """Names of what takes part, the recipes of what is not made on the spot, and (what, why, what to type) of the rest."""

    chatterbot: bool
    bots: tuple[str, ...]
    metrics: frozenset[str]
    recipes: tuple[str, ...]
    left_out: tuple[tuple[str, str, str], ...]

    @property
    def reranks(self) -> bool:
        """Whether there is a meta-bot."""
        return RERANK in self.bots

    @property
    def of_answers(self) -> tuple[str, ...]:
        """Metrics of single replies, by name; amfm is trained first."""
        return (*OVERLAP, *(name for name in (EMBEDDING, AMFM, JUDGE) if name in self.metrics))

    @property
    def of_talks(self) -> tuple[str, ...]:
        """Metrics of conversations."""
        return (*COUNTED, *(name for name in (JUDGE, HYBRID) if name in self.metrics))


def make_plan() -> Plan:
    """Try everything; nothing is trained or scored yet."""
    left_out: list[tuple[str, str, str]] = []
    recipes: list[str] = []

    def there(what: str, look: Callable[[str], str]) -> bool:
        try:
            recipes.append(look(what))
        except DialometerError as error:
            left_out.append((what, error.message, error.hint))
            return False
        return True

    chatterbot = there(CHATTERBOT, lambda _: find_chatterbot())
    bots = [TFIDF, *(name for name in RULES if there(name, _bot)), *([HRED] if there(HRED, _network) else [])]
    metrics = {AMFM, *(name for name in (EMBEDDING, JUDGE, FEATURES, HYBRID) if there(name, _metric))}
    if JUDGE in metrics and len(bots) > 1:
        bots.append(RERANK)
    else:
        left_out.append((RERANK, "it chooses by autojudge, between two bots or more", WAY))
    return Plan(chatterbot, tuple(bots), frozenset(metrics), tuple(recipes), tuple(left_out))


def spec_of_bot(name: str, folder: Path, bots: Sequence[str]) -> str:
    """A bot as ``play`` takes it: those that were trained are folders."""
    if name in RULES:
        return name
    place = spelt(folder)
    if name != RERANK:
        return f"{place}/{name}"
    others = [spec_of_bot(other, folder, ()) for other in bots if other != RERANK]
    return f'rerank(bots="{";".join(others)}",metric={JUDGE},k={EACH})'


def spelt(folder: Path) -> str:
    """A folder inside a spec: as it was typed, or whole where that cannot be."""
    for path in (folder, Path(os.path.realpath(folder))):
        if re.fullmatch(r"[^\s();,=\"']+", str(path)):
            return str(path) if "/" in str(path) else f"./{path}"
    raise UsageError(f"{folder} cannot be part of a spec: it has spaces, brackets or other signs", "-o runs/demo")


def _bot(name: str) -> str:
    return str(create("bot", name).recipe)


def _network(name: str) -> str:
    needs_torch(name)
    return spec_of(create("bot", SMALL), name)


def _metric(name: str) -> str:
    made: Any = create("metric", name)
    if not getattr(made, "fitted", True):
        raise MissingResource(
            f"{name} comes without a trained head here", f"dialometer train {name} RATED.jsonl -q QUALITY"
        )
    encoder = getattr(made, "encoder", "")  # a trained head knows its encoder's recipe without the encoder
    return recipe(made) + (str(create("encoder", encoder).recipe) if encoder else "")
