"""Items, and every response spoilt in every way; written as a file that ``score`` reads, one system per perturbation."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dialometer.core.types import Example
from dialometer.data.formats.jsonl import Jsonl
from dialometer.stats.resample import seed_for
from dialometer.text.perturb import Others, Perturbation

ORIGINAL = "original"


@dataclass(frozen=True)
class Spoilt:
    """The stressed items, sorted by id, and per perturbation the changed responses: None where nothing changed."""

    items: tuple[Example, ...]
    total: int  # items that were read
    responses: dict[str, tuple[str | None, ...]]


def sample(items: Iterable[Example], limit: int, seed: int) -> tuple[list[Example], int]:
    """At most ``limit`` items (0: all) and how many were read; the choice depends on ids alone, not on their order."""
    read = 0

    def keyed() -> Iterator[tuple[int, str, Example]]:
        nonlocal read
        for item in items:
            read += 1
            yield seed_for(seed, "stress items", item.id), item.id, item

    drawn = heapq.nsmallest(limit, keyed(), key=lambda row: row[:2]) if limit else list(keyed())
    return sorted((item for _, _, item in drawn), key=lambda item: item.id), read


def spoil(items: Sequence[Example], total: int, perturbations: Iterable[Perturbation], seed: int) -> Spoilt:
    """Every perturbation of every item; each draw belongs to (seed, perturbation, item)."""
    others = Others.of(items)
    made = {p.name: tuple(p.of(item, others, seed_for(seed, p.name, item.id)) for item in items) for p in perturbations}
    return Spoilt(tuple(items), total, made)


def write(spoilt: Spoilt, path: Path) -> None:
    """Originals and perturbed, item by item.

    Each system holds all items, unchanged ones too, so that facts of a whole collection (CIDEr's document frequencies) are
    the same for all of them.
    """
    Jsonl().write(_rows(spoilt), path)


def row_name(item: str, system: str) -> str:
    """The id of an item's row under a perturbation."""
    return f"{item}~{system}"


def _rows(spoilt: Spoilt) -> Iterator[Example]:
    for number, item in enumerate(spoilt.items):
        # the document is spelt out: an item without group and context would else be named after its changed id
        plain = replace(item, system=ORIGINAL, group=item.document, ratings={}, raters=(), extra={})
        yield replace(plain, id=row_name(item.id, ORIGINAL))
        for name, responses in spoilt.responses.items():
            made = responses[number]
            yield replace(plain, id=row_name(item.id, name), system=name, response=item.response if made is None else made)
