"""Agreement of raters on each quality, correlation between qualities, and the effect of flagged items."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.types import KappaWeights, Ratings
from dialometer.stats.agreement.aggregate import item_means
from dialometer.stats.agreement.kappa import ShareAbove, middle, pair_kappas, share_above
from dialometer.stats.agreement.krippendorff import Alpha, krippendorff
from dialometer.stats.correlation.correlate import pearson, spearman


@dataclass(frozen=True)
class Quality:
    """Agreement on one quality; κ and ρ are medians over pairs of raters, NaN with a reason where there are none."""

    name: str
    items: int
    judgements: int
    alpha: Alpha
    kappa: float
    spearman: float
    pairs: int  # pairs of raters with a κ
    above: tuple[ShareAbove, ...]
    why: str


@dataclass(frozen=True)
class QualityCorrelation:
    """The correlation of the item means of two qualities, over the items that have both."""

    a: str
    b: str
    n: int
    pearson: float
    spearman: float


@dataclass(frozen=True)
class Change:
    """Agreement on a quality with all items, and without the flagged ones."""

    name: str
    before: Quality
    after: Quality
    excluded: int  # flagged items that had a rating of this quality


def quality_table(
    ratings: Ratings,
    *,
    weights: KappaWeights = "quadratic",
    clusters: np.ndarray | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Quality]:
    """Agreement on each quality: interval α with its 95% interval, median κ and ρ where raters are known (ADEM, table 2)."""
    table = []
    for name in ratings.qualities:
        rows = ratings.of(name)
        alpha = krippendorff(rows, clusters=clusters, resamples=resamples, seed=seed)
        kappa = rho = float("nan")
        above: tuple[ShareAbove, ...] = ()
        try:
            pairs = pair_kappas(rows, weights=weights)
        except NeedsError as error:
            why = error.message
        else:
            kappa, rho, above = middle(pairs.kappa), middle(pairs.spearman), share_above(pairs)
            why = "" if above[0].pairs else "no pair of raters varies over two shared items"
        count = above[0].pairs if above else 0
        table.append(Quality(name, len(np.unique(rows.item)), len(rows), alpha, kappa, rho, count, above, why))
    return table


def links(ratings: Ratings) -> list[QualityCorrelation]:
    """Every two qualities: the correlation of their item means."""
    means = [item_means(ratings.of(name)) for name in ratings.qualities]
    table = []
    for i, a in enumerate(ratings.qualities):
        for j in range(i + 1, len(means)):
            both = ~(np.isnan(means[i]) | np.isnan(means[j]))
            x, y = means[i][both], means[j][both]
            table.append(QualityCorrelation(a, ratings.qualities[j], len(x), pearson(x, y), spearman(x, y)))
    return table


def excluding(ratings: Ratings, items: Collection[str]) -> Ratings:
    """The rows about other items than these; attention checks are kept in any case."""
    flagged = np.array([name in items for name in ratings.items], bool)
    return ratings.rows(~flagged[ratings.item] | ~np.isnan(ratings.check))


def before_and_after(
    ratings: Ratings,
    flagged: Collection[str],
    *,
    weights: KappaWeights = "quadratic",
    clusters: np.ndarray | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Change]:
    """Agreement on each quality, with and without the flagged items."""
    names = frozenset(flagged)
    tables = [
        quality_table(rows, weights=weights, clusters=clusters, resamples=resamples, seed=seed)
        for rows in (ratings, excluding(ratings, names))
    ]
    return [Change(before.name, before, after, before.items - after.items) for before, after in zip(*tables, strict=True)]
