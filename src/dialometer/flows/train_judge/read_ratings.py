"""Reading rated items for a judge: one quality, every rating on its scale; a refusal names file and item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import DataError, UnknownName, UsageError
from dialometer.core.types import Ratings
from dialometer.data import Item, open_items
from dialometer.flows.shared.rated_items import Rated, choose, read_rated, read_scale
from dialometer.flows.shared.where import sieve
from dialometer.flows.train_judge.qualities import FileRatings, Notify, inspect_files, quality_names, rename_quality

WRITTEN = "human"  # the quality of items that are marked by who wrote them


def read_ratings(request: TrainRequest, notify: Notify = lambda line: None) -> tuple[Rated, list[FileRatings]]:
    """The items with the judgements of the one quality that is asked for, or the only one there is; or marked by who wrote them.

    Of several files, what each of them has.
    """
    if request.human:
        return _read_by_author(request), []
    name, names = quality_names(request.quality)
    files: list[FileRatings] = []
    if names and not request.ratings and (len(request.inputs) > 1 or len(names) > 1):
        files = inspect_files(request, names, notify)
    rated = read_rated(
        request.inputs, ratings=request.ratings, qualities=() if files or len(names) > 1 else names,
        where=request.where, format=request.format, max_line=request.max_line,
    )  # fmt: skip
    if files:
        rated = replace(rated, ratings=rename_quality(rated.ratings, name, files))
    elif len(names) > 1:  # a table of judgements
        present = next((each for each in names if each in rated.ratings.qualities), names[0])
        rated = replace(rated, ratings=replace(choose(rated.ratings, (present,), request.ratings), qualities=(name,)))
    if not rated.items:
        raise UsageError("a table of judgements names no responses to learn from", "ITEMS.jsonl --ratings TABLE")
    there = rated.ratings.qualities
    if len(there) > 1:
        raise UsageError(
            f"there are ratings of {len(there)} qualities, and a judge learns one", f"-q one of: {', '.join(there)}"
        )
    _check_scale(rated.ratings.of(there[0]), request)
    return rated, files


def _read_by_author(request: TrainRequest) -> Rated:
    """1 for the items of systems that are human, 0 for all others; nobody needs to have rated them."""
    items, failed = sieve(
        open_items(request.inputs, format=request.format or None, max_line=request.max_line), request.where
    )
    items.sort(key=lambda item: item.id)
    systems = {item.system for item in items}
    for name in request.human:
        if name not in systems:
            raise UnknownName("system", name, systems, hint="--human NAME names a system whose responses people wrote")
    return Rated(tuple(items), _author_ratings(items, request.human), failed)


def _author_ratings(items: Sequence[Item], human: Sequence[str]) -> Ratings:
    n = len(items)
    missing, no_rater = np.full(n, np.nan), np.full(n, -1, np.int32)
    value = np.array([float(item.system in human) for item in items])
    places = np.arange(n, dtype=np.int32), no_rater, np.zeros(n, np.int32)
    return Ratings(tuple(item.id for item in items), (), (WRITTEN,), *places, value, missing, missing.copy())


def _check_scale(ratings: Ratings, request: TrainRequest) -> None:
    """Ratings of this quality alone: others may well have scales of their own."""
    if not (bounds := read_scale(request.scale)):
        return
    wrong = np.flatnonzero((ratings.value < bounds[0]) | (ratings.value > bounds[1]))
    if len(wrong):
        item, value = ratings.items[int(ratings.item[wrong[0]])], ratings.value[wrong[0]]
        raise DataError(
            f"a rating of {value:g} is outside the scale {bounds[0]:g}…{bounds[1]:g}", file=_file_of(item, request),
            item=item, count=len(wrong), hint="mend the file, or name its scale: --scale LOW,HIGH",
        )  # fmt: skip


def _file_of(item: str, request: TrainRequest) -> str:
    """The file that holds the ratings of an item."""
    if request.ratings:
        return request.ratings
    for path in request.inputs[:-1]:
        items = open_items([path], format=request.format or None, max_line=request.max_line)
        if any(one.id == item for one in items):
            return path
    return request.inputs[-1]
