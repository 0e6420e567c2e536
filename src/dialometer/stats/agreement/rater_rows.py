"""Shared by the statistics of raters: ratings of one quality with known raters, as small integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.core.errors import DataError, NeedsError, UsageError
from dialometer.core.types import Ratings

ALPHA = "ask for Krippendorff's α, which needs the values of each item and no names"


def single(ratings: Ratings) -> Ratings:
    """The ratings of the one quality these are about; without attention checks."""
    found = ratings.rows(np.isnan(ratings.check))
    numbers = np.unique(found.quality)
    if len(numbers) > 1:
        names = ", ".join(ratings.qualities[number] for number in numbers)
        raise UsageError(
            f"these ratings are of {len(numbers)} qualities ({names}), and one is measured at a time",
            "ratings.of(quality)",
        )
    return found


def once(ratings: Ratings) -> Ratings:
    """``single``, without repeated ratings of one item by one rater, which are no agreement between raters."""
    found = single(ratings)
    named = np.flatnonzero(found.rater >= 0)
    order = np.lexsort((found.rater[named], found.item[named]))
    again = named[order[~_fresh(found.item[named][order], found.rater[named][order])]]
    return found.rows(~np.isin(np.arange(len(found)), again))


def unknown(ratings: Ratings) -> int:
    """How many ratings have no rater."""
    return int(((ratings.rater < 0) & np.isnan(ratings.check)).sum())


def known(ratings: Ratings, what: str) -> Ratings:
    """The ratings with a rater; refused where fewer than two raters are known."""
    found = ratings.rows((ratings.rater >= 0) & np.isnan(ratings.check))
    if not len(found) and unknown(ratings):
        raise NeedsError(
            f"{what} needs to know who judged, and the file does not say it: column i of a rating list is not a fixed person",
            ALPHA,
        )
    if not len(found):
        raise NeedsError(f"{what} needs ratings, and there are none", "a file with ratings")
    if found.rater.min() == found.rater.max():
        name = ratings.raters[int(found.rater[0])]
        raise NeedsError(
            f"{what} needs two raters or more, and all {len(found)} judgements with a name are of one ({name})",
            "let others rate some of the same items",
        )
    return found


def firsts(ratings: Ratings) -> tuple[Ratings, int]:
    """Each rater's first rating of each item, by item and rater, and how many repeats were set aside."""
    order = np.lexsort((ratings.rater, ratings.item))  # stable: equal keys keep the order of the rows
    fresh = _fresh(ratings.item[order], ratings.rater[order])
    return ratings.rows(order[fresh]), int((~fresh).sum())


def _fresh(item: np.ndarray, rater: np.ndarray) -> np.ndarray:
    """Which rows are the first of their item and rater, in rows sorted by both."""
    fresh = np.ones(len(item), bool)
    fresh[1:] = (item[1:] != item[:-1]) | (rater[1:] != rater[:-1])
    return fresh


def codes_of(values: np.ndarray, categories: Sequence[float] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The place of each value among the ordered categories (those that occur, unless a scale is declared), and these.

    >>> codes_of(np.array([5.0, 1.0, 5.0]))[0].tolist(), codes_of(np.array([5.0, 1.0]), [1, 2, 3, 4, 5])[0].tolist()
    ([1, 0, 1], [4, 0])
    """
    scale = np.unique(np.asarray(values if categories is None else categories, float))
    places = np.searchsorted(scale, values)
    inside = places < len(scale)
    inside[inside] = scale[places[inside]] == values[inside]
    if not inside.all():
        raise DataError(
            f"a rating of {values[~inside][0]:g} is not on the declared scale ({', '.join(f'{c:g}' for c in scale)})",
            count=int((~inside).sum()),
            hint="declare every value that may occur, or none",
        )
    return places, scale


def runs(sorted_numbers: np.ndarray) -> np.ndarray:
    """Where each run of equal numbers starts.

    >>> runs(np.array([4, 4, 7, 9, 9])).tolist()
    [0, 2, 3]
    """
    if not len(sorted_numbers):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate([[True], sorted_numbers[1:] != sorted_numbers[:-1]]))


def pair_rows(item: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of every two ratings of the same item; the rows are sorted by item.

    >>> [side.tolist() for side in pair_rows(np.array([0, 0, 1, 2, 2]))]
    [[0, 3], [1, 4]]
    """
    starts = runs(item)
    sizes = np.diff(np.append(starts, len(item)))
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes[sizes > 1]).tolist():  # items with equally many ratings are one matrix
        rows = starts[sizes == size][:, None] + np.arange(size)
        one, other = np.triu_indices(size, 1)
        left.append(rows[:, one].ravel())
        right.append(rows[:, other].ravel())
    return np.concatenate(left), np.concatenate(right)
