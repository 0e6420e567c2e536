"""Rated items as read: the items that take part, who judged them how, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dialometer.core.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import shown
from dialometer.core.types import Dialogue, Example, Ratings
from dialometer.data import Item, open_items
from dialometer.data.fields import LARGEST
from dialometer.data.tables.ratings import holds_ratings, ratings_of, read_ratings
from dialometer.data.tables.reader import columns_of
from dialometer.flows.shared.where import sieve


@dataclass(frozen=True)
class Rated:
    """Items (none, where only a table of judgements was given), their judgements in the same order, and what stayed out.

    ``offered`` are all qualities that were rated; ``excluded`` are the ids that ``--where`` leaves out, with their systems.
    """

    items: tuple[Item, ...]
    ratings: Ratings
    left_out: dict[str, int] = field(default_factory=dict)
    offered: tuple[str, ...] = ()
    excluded: dict[str, str] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """What a rating is about: a turn, or a whole dialogue."""
        return "dialogue" if any(isinstance(item, Dialogue) for item in self.items) else "turn"

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in order of appearance."""
        return tuple(dict.fromkeys(item.system for item in self.items))

    @cached_property
    def system(self) -> np.ndarray:
        """Each item's system, by number."""
        index = {name: number for number, name in enumerate(self.systems)}
        return np.array([index[item.system] for item in self.items], np.int64)

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """What each item shares with others, by name: a context, or a conversation."""
        return tuple(_shared(item) for item in self.items)

    @cached_property
    def cluster(self) -> np.ndarray:
        """``documents`` by number."""
        index: dict[str, int] = {}
        return np.array([index.setdefault(name, len(index)) for name in self.documents], np.int64)

    @property
    def judged_cluster(self) -> np.ndarray:
        """``cluster`` of everything that is judged: attention checks may be about things that are no items."""
        first = int(self.cluster.max(initial=-1)) + 1
        return np.concatenate([self.cluster, first + np.arange(len(self.ratings.items) - len(self.items))])

    @property
    def judged_system(self) -> np.ndarray:
        """``system`` of everything that is judged; −1 for what is no item."""
        return np.concatenate([self.system, np.full(len(self.ratings.items) - len(self.items), -1)])


def read_rated(
    inputs: Sequence[str],
    *,
    ratings: str = "",
    qualities: Sequence[str] = (),
    where: Sequence[str] = (),
    scale: str = "",
    format: str = "",
    max_line: int = MAX_LINE,
) -> Rated:
    """Items with ratings inside, or beside them in a table; or a table of judgements alone."""
    bounds = read_scale(scale)
    if not inputs:
        raise UsageError("no file was given", "name a file of rated items")
    if not format and not ratings and len(inputs) == 1 and _is_table(inputs[0]):
        if where:
            raise UsageError("--where speaks of items, and this is a table of judgements", "name the items' file too")
        table = read_ratings(inputs[0], scale=bounds, qualities=qualities)
        return Rated((), choose(table, qualities, inputs[0]), offered=table.qualities)
    _refuse_other_tables(inputs, format)
    excluded: dict[str, str] = {}
    items, failed = sieve(open_items(inputs, format=format or None, max_line=max_line), where, excluded)
    items.sort(key=lambda item: item.id)  # draws go by place: the order of a file must change no number
    checked: dict[str, Any] = {"scale": bounds, "qualities": qualities}
    found = read_ratings(ratings, **checked) if ratings else ratings_of(items, **checked)
    offered = found.qualities
    missing: dict[str, int] = {}
    if ratings:
        found, missing = aligned(found, [item.id for item in items], ratings, excluded)
    return Rated(tuple(items), choose(found, qualities, ratings or inputs[0]), failed | missing, offered, excluded)


def choose(ratings: Ratings, qualities: Sequence[str], file: str) -> Ratings:
    """The named qualities alone, in that order; all where none is named."""
    if not ratings.qualities:
        raise NeedsError(f"{file} holds no ratings", "rate its items, or name a table of judgements with --ratings FILE")
    for name in qualities:
        if name not in ratings.qualities:
            raise UnknownName("quality", name, ratings.qualities, hint=f"-q one of: {', '.join(ratings.qualities)}")
    wanted = tuple(dict.fromkeys(qualities)) or ratings.qualities
    number = np.full(len(ratings.qualities), -1, np.int32)
    number[[ratings.qualities.index(name) for name in wanted]] = np.arange(len(wanted))
    kept = ratings.rows((number[ratings.quality] >= 0) | (ratings.check == ratings.check))
    # A check that was about another quality is about the rater all the same.
    return replace(kept, qualities=wanted, quality=np.maximum(number[kept.quality], 0))


def aligned(
    ratings: Ratings, ids: Sequence[str], file: str, excluded: Collection[str] = ()
) -> tuple[Ratings, dict[str, int]]:
    """Judgements renumbered to these items; those of other items are left out and counted, attention checks stay.

    Items that ``--where`` leaves out (``excluded``) are counted with it already.
    """
    place = {name: number for number, name in enumerate(ids)}
    names = list(ids)
    number = np.full(len(ratings.items), -1, np.int32)
    checks = set(ratings.item[ratings.check == ratings.check].tolist())
    judged = set(ratings.item[ratings.check != ratings.check].tolist())
    strangers = 0
    for code, name in enumerate(ratings.items):
        if name in place:
            number[code] = place[name]
        elif code in checks:
            number[code] = len(names)
            names.append(name)
            strangers += code in judged and name not in excluded
        else:
            strangers += name not in excluded
    if not any(name in place and code in judged for code, name in enumerate(ratings.items)):
        raise DataError(
            f"rates none of these {len(ids)} items: its ids ({', '.join(ratings.items[:3])}, …) are others",
            file=file, hint=f"use the items' own ids: {', '.join(ids[:3])}, …",
        )  # fmt: skip
    inside = number[ratings.item]
    # Of what is no item the checks alone stay: they are about raters.
    kept = ratings.rows((inside >= 0) & ((inside < len(ids)) | ~np.isnan(ratings.check)))
    return replace(kept, items=tuple(names), item=number[kept.item]), {"rated things that are no items": strangers}


def read_scale(text: str) -> tuple[float, float] | None:
    """``1,5`` as bounds.

    >>> read_scale("1,5"), read_scale("")
    ((1.0, 5.0), None)
    """
    if not text:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low, high = 0.0, 0.0
    if not -LARGEST <= low < high <= LARGEST:
        raise UsageError(f"a scale is its lowest and highest rating, not {shown(text)}", "--scale 1,5")
    return low, high


def _refuse_other_tables(inputs: Sequence[str], format: str) -> None:
    """A table that is neither rated items nor judgements is told what it lacks."""
    for path in inputs if not format else ():
        try:
            names = columns_of(path)
        except DataError:  # the door will say what is wrong, if anything is
            continue
        if names and not {"response", "turns", "messages", "role"} & set(names):
            raise DataError(
                f"is neither rated items nor a table of judgements (columns found: {', '.join(names)})", file=path,
                hint="items have a 'response' or 'turns'; judgements have a row each: item, rater, quality, value",
            )  # fmt: skip


def _is_table(path: str) -> bool:
    try:
        return holds_ratings(path)
    except DataError:  # not a table: the door will say what is wrong, if anything is
        return False


def _shared(item: Item) -> str:
    return item.document if isinstance(item, Example) else item.group or item.id
