"""What raters have in common: agreement per quality, who stands apart, and what the papers' filter changes."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.types import KappaWeights, Ratings
from dialometer.flows.shared.rated_items import Rated
from dialometer.stats.agreement.aggregate import WAYS, aggregate, item_means
from dialometer.stats.agreement.fleiss import fleiss
from dialometer.stats.agreement.kappa import pair_kappas
from dialometer.stats.agreement.krippendorff import krippendorff
from dialometer.stats.agreement.mace import mace
from dialometer.stats.agreement.qualities import Quality, before_and_after, links, quality_table
from dialometer.stats.agreement.raters import Against, Rater, keep, rater_table

MACE_VALUES = 20  # categories: on a scale of 21 points careful raters who differ by a point already look like guessers
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


def filter_raters(ratings: Ratings, *, min_kappa: float, weights: KappaWeights) -> Filtered:
    """The papers' filter (κ against the others, attention checks); where raters cannot be compared it says why."""
    try:
        against = _against(ratings, weights)
        raters = tuple(rater_table(ratings, min_kappa=min_kappa, weights=weights, against=against))
    except NeedsError as error:
        return Filtered(ratings, why=error.message)
    return Filtered(keep(ratings, raters), raters, against)


def _against(ratings: Ratings, weights: KappaWeights) -> Against:
    """Pairs as in the papers, whose raters share their items; beside all others where a pair shares next to nothing."""
    shared = []
    for quality in ratings.qualities:
        with suppress(NeedsError):  # nobody shares items of this quality
            shared.append(pair_kappas(ratings.of(quality), weights=weights).n)
    return "all" if shared and np.median(np.concatenate(shared)) < FEW else "pairs"


def agreement(
    rated: Rated, *, weights: KappaWeights, min_kappa: float, resamples: int, seed: int, flagged: Collection[str] = ()
) -> dict[str, Any]:
    """Every table about raters, as plain values."""
    ratings = rated.ratings
    clusters = rated.judged_cluster
    options: dict[str, Any] = {"weights": weights, "clusters": clusters, "resamples": resamples, "seed": seed}
    qualities = {row.name: _quality(row, ratings, clusters, seed) for row in quality_table(ratings, **options)}
    filtered = filter_raters(ratings, min_kappa=min_kappa, weights=weights)
    unfit = {quality: why for quality in ratings.qualities if (why := _unfit_for_mace(ratings.of(quality)))}
    found: dict[str, Any] = {
        "weights": weights,
        "min_kappa": min_kappa,
        "qualities": qualities,
        "links": [asdict(link) for link in links(ratings)],
        "raters": _raters(filtered, ratings, unfit, seed),
        "mace": unfit if filtered.raters else {},
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


def _unfit_for_mace(judged: Ratings) -> str:
    """Why MACE's competence would say nothing of the raters of a quality; empty where it does.

    Values are categories without an order to it, and only equal ones agree: on a fine scale nobody ever does, and everybody's
    competence is near 0 however close they are.
    """
    named = judged.rows(judged.rater >= 0)
    pairs = np.unique(np.stack([named.item, named.rater]), axis=1)
    values = len(np.unique(named.value))
    if not len(named) or np.bincount(pairs[0]).max() < 2:
        return "no item was rated by two known raters"
    if values < 2:
        return "all ratings are the same"
    cells, times = np.unique(np.stack([named.item.astype(float), named.value]), axis=1, return_counts=True)
    if len(cells[0]) == len(pairs[0]) and times.max() < 2:
        return "no two raters ever gave an item the same value"
    if values > MACE_VALUES:
        return (
            f"{values} different values, which MACE takes for categories without an order; it is for {MACE_VALUES} or fewer"
        )
    return ""


def _raters(filtered: Filtered, ratings: Ratings, unfit: Collection[str], seed: int) -> dict[str, dict[str, Any]]:
    """Each rater's row, with MACE's confidence in them per quality that is fit for it."""
    rows = {rater.id: _plain(rater) | {"mace": {}, "qualities": {}} for rater in filtered.raters}
    for quality in ratings.qualities if rows else ():
        judged = ratings.of(quality)
        competence = np.full(len(ratings.raters), np.nan)
        if quality not in unfit:
            competence = mace(judged, seed=seed).competence
        for number in np.unique(judged.rater[judged.rater >= 0]).tolist():
            own, given = rows[ratings.raters[number]], judged.value[judged.rater == number]
            own["mace"][quality] = float(competence[number])
            spread = float(given.std(ddof=1)) if len(given) > 1 else float("nan")
            own["qualities"][quality] = {"n": len(given), "mean": float(given.mean()), "sd": spread}
    return rows


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
    before = rated.ratings
    sides = {"all": quality_table(before, **options), "kept": quality_table(filtered.ratings, **options)}
    means = []
    for quality in before.qualities:
        people = [item_means(ratings.of(quality))[: len(rated.items)] for ratings in (before, filtered.ratings)]
        for number, system in enumerate(rated.systems):
            rows = rated.system == number
            means.append(
                {"quality": quality, "system": system, "all": _mean(people[0][rows]), "kept": _mean(people[1][rows])}
            )
    return {
        "dropped": list(filtered.dropped),
        "judgements": int(np.isnan(before.check).sum() - np.isnan(filtered.ratings.check).sum()),
        "agreement": {
            name: {side: _brief(rows[number]) for side, rows in sides.items()}
            for number, name in enumerate(before.qualities)
        },
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
