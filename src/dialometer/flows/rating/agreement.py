"""What raters have in common: agreement per quality, who stands apart, and what the papers' filter changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from dialometer.errors import NeedsError
from dialometer.flows.rating.source import Rated
from dialometer.stats.aggregate import WAYS, aggregate, item_means
from dialometer.stats.fleiss import fleiss
from dialometer.stats.kappa import Weights, pair_kappas
from dialometer.stats.krippendorff import krippendorff
from dialometer.stats.qualities import Quality, before_and_after, links, quality_table
from dialometer.stats.raters import Against, Rater, keep, rater_table
from dialometer.types import Ratings

FEW = 5  # pairs of raters that share fewer items than this are compared with all others at once


@dataclass(frozen=True)
class Filtered:
    """Ratings without the raters who stand apart; ``why`` says why nobody could be filtered."""

    ratings: Ratings
    raters: tuple[Rater, ...] = ()
    against: str = ""
    why: str = ""

    @property
    def dropped(self) -> tuple[str, ...]:
        """Who was left out."""
        return tuple(rater.id for rater in self.raters if not rater.kept)


def filter_raters(ratings: Ratings, *, min_kappa: float, weights: Weights) -> Filtered:
    """The papers' filter (κ against the others, attention checks); where raters cannot be compared it says why."""
    try:
        against = _against(ratings, weights)
        raters = tuple(rater_table(ratings, min_kappa=min_kappa, weights=weights, against=against))
    except NeedsError as error:
        return Filtered(ratings, why=error.message)
    return Filtered(keep(ratings, raters), raters, against)


def _against(ratings: Ratings, weights: Weights) -> Against:
    """Pairs as in the papers, whose raters share their items; beside all others where a pair shares next to nothing."""
    shared = pair_kappas(ratings.of(ratings.qualities[0]), weights=weights).n
    return "pairs" if np.median(shared) >= FEW else "all"


def agreement(
    rated: Rated, *, weights: Weights, min_kappa: float, resamples: int, seed: int, flagged: Collection[str] = ()
) -> dict[str, Any]:
    """Every table about raters, as plain values."""
    ratings = rated.ratings
    clusters = rated.judged_cluster
    options: dict[str, Any] = {"weights": weights, "clusters": clusters, "resamples": resamples, "seed": seed}
    qualities = {row.name: _quality(row, ratings, clusters, seed) for row in quality_table(ratings, **options)}
    filtered = filter_raters(ratings, min_kappa=min_kappa, weights=weights)
    found: dict[str, Any] = {
        "weights": weights,
        "min_kappa": min_kappa,
        "qualities": qualities,
        "links": [asdict(link) for link in links(ratings)],
        "raters": {rater.id: _plain(rater) for rater in filtered.raters},
        "why": filtered.why,
        "against": filtered.against,
        "filter": _filter(rated, filtered, options) if filtered.dropped else None,
    }
    if flagged:
        changes = before_and_after(ratings, flagged, **options)
        found["flagged"] = [
            {"quality": c.name, "excluded": c.excluded, "before": _brief(c.before), "after": _brief(c.after)}
            for c in changes
        ]
    return found


def labels(ratings: Ratings, seed: int = 0) -> dict[str, dict[str, np.ndarray]]:
    """quality → way → a value per item; a way that needs to know the raters is absent where they are not known."""
    made: dict[str, dict[str, np.ndarray]] = {}
    for quality in ratings.qualities:
        rows = ratings.of(quality)
        made[quality] = {}
        for way in WAYS:
            try:
                made[quality][way] = aggregate(rows, way, seed=seed)
            except NeedsError:
                continue
    return made


def _quality(row: Quality, ratings: Ratings, clusters: np.ndarray | None, seed: int) -> dict[str, Any]:
    judged = ratings.of(row.name)
    other = {
        level: krippendorff(judged, level=level, clusters=clusters, resamples=0, seed=seed).alpha
        for level in ("ordinal", "nominal")
    }
    try:
        several = fleiss(judged).kappa
    except NeedsError:
        several = float("nan")
    return {
        "items": row.items,
        "judgements": row.judgements,
        "single": row.alpha.left_out,
        "values": np.unique(judged.value)[[0, -1]].tolist() if len(judged) else [],
        "alpha": {"value": row.alpha.alpha, "low": row.alpha.low, "high": row.alpha.high, **other},
        "kappa": {
            "median": row.kappa,
            "spearman": row.spearman,
            "n": row.pairs,
            "pairs": {f"{share.threshold:g}": share.count for share in row.above},
            "why": row.why,
        },
        "fleiss": several,
    }


def _filter(rated: Rated, filtered: Filtered, options: dict[str, Any]) -> dict[str, Any]:
    """Agreement and system means with all raters and with those who are kept."""
    after = {row.name: row for row in quality_table(filtered.ratings, **options)}
    before = rated.ratings
    means = []
    for quality in before.qualities:
        sides = [item_means(ratings.of(quality))[: len(rated.items)] for ratings in (before, filtered.ratings)]
        for number, system in enumerate(rated.systems):
            rows = rated.system == number
            means.append(
                {"quality": quality, "system": system, "all": _mean(sides[0][rows]), "kept": _mean(sides[1][rows])}
            )
    return {
        "dropped": list(filtered.dropped),
        "judgements": len(before) - len(filtered.ratings),
        "agreement": {name: _brief(row) for name, row in after.items()},
        "means": means,
    }


def _brief(row: Quality) -> dict[str, Any]:
    return {"alpha": row.alpha.alpha, "low": row.alpha.low, "high": row.alpha.high, "kappa": row.kappa, "items": row.items}


def _plain(rater: Rater) -> dict[str, Any]:
    row = asdict(rater)
    del row["id"]
    return row


def _mean(values: np.ndarray) -> float:
    seen = values[~np.isnan(values)]
    return float(seen.mean()) if len(seen) else float("nan")


def kept(rated: Rated, filtered: Filtered) -> Rated:
    """The same items with the ratings of the raters who are kept."""
    return replace(rated, ratings=filtered.ratings)
