"""Rated items as a judge is fitted to them: replies with a target each; a dialogue's rating is the target of all its replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import DataError, NeedsError, UsageError
from dialometer.core.types import Dialogue, Example
from dialometer.data import Item
from dialometer.flows.shared.rated_items import Rated, aligned, read_scale
from dialometer.flows.train_judge.qualities import FileRatings, Notify
from dialometer.flows.train_judge.read_ratings import read_ratings
from dialometer.stats.agreement.aggregate import aggregate
from dialometer.text.corpus import Corpus


@dataclass(frozen=True)
class RatedDataset:
    """The items to fit on with the target of each, their replies as one corpus, and what was left out.

    ``owner`` says which item a reply of the corpus belongs to; where items are replies it is the identity.
    """

    rated: Rated
    quality: str
    target: np.ndarray
    examples: tuple[Example, ...]
    owner: np.ndarray
    corpus: Corpus
    scale: tuple[float, float]
    left_out: dict[str, int] = field(default_factory=dict)
    files: tuple[FileRatings, ...] = ()  # of several files, what each has

    def __len__(self) -> int:
        return len(self.target)

    @property
    def cluster(self) -> np.ndarray:
        """The context or dialogue of each item, by number."""
        return self.rated.cluster

    @cached_property
    def system(self) -> np.ndarray:
        """The name of each item's system."""
        return np.array([item.system for item in self.rated.items])

    def replies(self, items: np.ndarray) -> np.ndarray:
        """The rows of the corpus that belong to these items."""
        chosen = np.zeros(len(self), bool)
        chosen[items] = True
        return np.flatnonzero(chosen[self.owner])

    def by_item(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The mean over each item's scored replies; NaN where there is none."""
        rows = rows[~np.isnan(values)]
        scored = values[~np.isnan(values)]
        counts = np.bincount(self.owner[rows], minlength=len(self))
        sums = np.bincount(self.owner[rows], scored, minlength=len(self))
        return np.divide(sums, counts, out=np.full(len(self), np.nan), where=counts > 0)


def read_dataset(request: TrainRequest, judge: Any, notify: Notify = lambda line: None) -> RatedDataset:
    """Read rated items, leave out those that cannot be fitted on, and refuse too few."""
    rated, files = read_ratings(request, notify)
    quality = rated.ratings.qualities[0]
    left_out = dict(rated.left_out)
    kept = _usable_items(rated, quality, request, judge, left_out)
    ratings, _ = aligned(rated.ratings, [item.id for item in kept], request.inputs[0])
    target = _target(replace(rated, ratings=ratings), quality, request)[: len(kept)]
    known = np.flatnonzero(~np.isnan(target))
    if len(known) < len(kept):  # some ways to aggregate give unknown raters no weight
        left_out[f"items that {request.aggregate} gives no number"] = len(kept) - len(known)
        kept = [kept[row] for row in known.tolist()]
        ratings, _ = aligned(ratings, [item.id for item in kept], request.inputs[0])
    target = target[known]
    _check(target, quality)
    examples, owner = _replies(kept)
    corpus = replace(Corpus.build(examples), keep=True)
    values = ratings.of(quality).value
    given = target if request.aggregate == "z" else values  # standard scores have their own scale
    scale = read_scale(request.scale) or (float(given.min()), float(given.max()))
    left_out = {what: count for what, count in left_out.items() if count}
    return RatedDataset(
        Rated(tuple(kept), ratings), quality, target, examples, owner, corpus, scale, left_out, tuple(files)
    )


def _usable_items(rated: Rated, quality: str, request: TrainRequest, judge: Any, left_out: dict[str, int]) -> list[Item]:
    """The items to fit on; all others are counted by reason."""
    has_rating = np.zeros(len(rated.ratings.items), bool)
    has_rating[rated.ratings.of(quality).item] = True
    kept = [item for item, there in zip(rated.items, has_rating[: len(rated.items)], strict=True) if there]
    left_out[f"items without a rating of {quality}"] = len(rated.items) - len(kept)
    if not kept:
        raise NeedsError(f"no item has a rating of {quality}", "another -q, or fewer --where")
    if request.drop_references_equal and not request.human:  # who wrote a response is known whatever its reference
        others = [item for item in kept if not _is_copy(item)]
        left_out["items whose response is one of their own references"] = len(kept) - len(others)
        if not others:
            raise NeedsError(
                f"each of {len(kept)} responses is one of its own references", "keep them: --keep-references-equal"
            )
        kept = others
    needed = judge.needs | getattr(judge, "sides", frozenset())  # a head that stands in for it may need less
    for need, reason in (("reference", "items without a reference"), ("context", "items without a context")):
        if need in needed:
            having = [item for item in kept if _has(item, need)]
            left_out[f"{reason}, which {judge.name} needs"] = len(kept) - len(having)
            if not having:
                raise _lacking(judge.name, need, kept, request.inputs)
            kept = having
    return kept


def _lacking(judge: str, need: str, items: Sequence[Item], files: Sequence[str]) -> NeedsError:
    """What every item lacks, and what the first one has instead."""
    where = " and ".join(files[:2]) if len(files) < 3 else f"{files[0]} and {len(files) - 1} more files"
    first = items[0]
    if need == "context" and isinstance(first, Dialogue):
        speakers = ", ".join(dict.fromkeys(turn.speaker for turn in first.turns)) or "nobody"
        example = f"the first ({first.id}) has {len(first.turns)} turn{'s' * (len(first.turns) != 1)}, by {speakers}"
        return NeedsError(
            f"{judge} needs replies of the system to something, and none of {len(items):,} rated conversations of {where} has "
            f"one: {example}",
            'conversations of two turns or more; the field "rated_speaker" names the speaker who is the system',
        )
    way = "items in their context" if need == "context" else "dialometer train autojudge does without"
    message = f"{judge} needs a {need}, and none of {len(items):,} rated items has one: {where} (first: {first.id})"
    return NeedsError(message, way)


def set_scale(judge: Any, dataset: RatedDataset, aggregate: str) -> Any:
    """The judge with the ends of the rating scale, where it has such options and they were not given."""
    known = {f.name for f in fields(judge) if f.repr}
    if aggregate == "z" or not {"low", "high"} <= known or (judge.low, judge.high) != (0, 0):
        return judge
    return replace(judge, low=dataset.scale[0], high=dataset.scale[1])


def _is_copy(item: Item) -> bool:
    """Whether a response is one of its own references, white space aside: it would be judged by itself."""
    return isinstance(item, Example) and item.response.split() in [text.split() for text in item.references]


def _has(item: Item, need: str) -> bool:
    if isinstance(item, Example):
        return bool(item.references if need == "reference" else item.context)
    return need == "context" and any(True for _ in item.examples())


def _target(rated: Rated, quality: str, request: TrainRequest) -> np.ndarray:
    try:
        return aggregate(rated.ratings.of(quality), request.aggregate, seed=request.seed)
    except NeedsError as error:
        raise NeedsError(error.message, "--aggregate mean, or median") from None


def _check(target: np.ndarray, quality: str) -> None:
    if not len(target):
        raise NeedsError(f"no item has a rating of {quality} that can be used", "--aggregate mean, or another -q")
    if target.min() == target.max():
        raise NeedsError(
            f"all {len(target)} items have the same rating of {quality} ({target[0]:g}): there is nothing to learn",
            "another -q, or more items",
        )


def _replies(items: list[Item]) -> tuple[tuple[Example, ...], np.ndarray]:
    """Every reply, and the number of the item that it belongs to."""
    examples: list[Example] = []
    owner: list[int] = []
    for number, item in enumerate(items):
        replies = [item] if isinstance(item, Example) else list(item.examples())
        if not replies:
            raise DataError("has no reply to judge", item=item.id, hint="conversations need two turns or more")
        examples += replies
        owner += [number] * len(replies)
    return tuple(examples), np.array(owner, np.int64)


def refuse_few(dataset: RatedDataset, folds: np.ndarray, asked: int) -> None:
    """Each fold must hold two items or more, of contexts that no other fold has."""
    contexts = len(np.unique(dataset.cluster))
    if contexts < 2:
        raise NeedsError(
            f"all {len(dataset)} rated items share one context, so no fold is without it", "items of more contexts"
        )
    least = int(np.bincount(folds).min())
    if least < 2:
        most = int(max(2, min(contexts, len(dataset) // 2)))
        way = f"--folds {min(most, asked - 1)}" if asked > 2 else "more rated items"
        raise UsageError(
            f"{len(dataset)} rated items of {contexts} contexts leave {least} for a fold of {asked}; a fold needs two", way
        )
