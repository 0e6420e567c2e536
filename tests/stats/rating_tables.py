"""Judgements for tests: out of a matrix of items × raters, or of a real file."""

from functools import cache

import numpy as np

from dialometer.core.types import Ratings
from dialometer.data import open_items
from dialometer.data.tables.ratings import ratings_of


def matrix(values, *, named=True, quality="q"):
    """A Ratings out of items × raters; NaN is a judgement that nobody made."""
    values = np.asarray(values, float)
    item, rater = np.nonzero(~np.isnan(values))
    items = tuple(f"i{n}" for n in range(values.shape[0]))
    raters = tuple(f"r{n:03d}" for n in range(values.shape[1])) if named else ()
    return rows(items, raters, (quality,), item, rater if named else np.full(len(item), -1), values[item, rater])


def rows(items, raters, qualities, item, rater, value, quality=None, seconds=None, check=None):
    """A Ratings out of columns; what is not given is absent."""
    n = len(value)
    nan = np.full(n, np.nan)
    return Ratings(
        tuple(items),
        tuple(raters),
        tuple(qualities),
        np.asarray(item),
        np.asarray(rater),
        np.zeros(n, int) if quality is None else np.asarray(quality),
        np.asarray(value, float),
        nan if seconds is None else np.asarray(seconds, float),
        nan if check is None else np.asarray(check, float),
    )


@cache
def real(path):
    """The items of a real file, and their judgements."""
    items = tuple(open_items(path))
    return items, ratings_of(items)


def shuffled(ratings, seed=0):
    """The same judgements with items, raters and rows in another order; and the two orders (new place → old place)."""
    rng = np.random.default_rng(seed)
    items, raters = rng.permutation(len(ratings.items)), rng.permutation(len(ratings.raters))
    order = rng.permutation(len(ratings))
    return (
        rows(
            [ratings.items[i] for i in items],
            [ratings.raters[r] for r in raters],
            ratings.qualities,
            np.argsort(items)[ratings.item[order]],
            np.argsort(raters)[ratings.rater[order]],
            ratings.value[order],
        ),
        items,
        raters,
    )
