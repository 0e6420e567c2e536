"""What raters have in common: agreement per quality, who stands apart, and what the papers' filter changes."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from dialometer.contracts.agree import (
    Agreement,
    AgreementSummary,
    AlphaCoefficient,
    FilteredMean,
    FilterEffect,
    FilterSides,
    FlaggedEffect,
    PairKappas,
    QualityAgreement,
    QualityLink,
    RaterQuality,
    RaterRow,
)
from dialometer.contracts.result import number
from dialometer.core.errors import NeedsError
from dialometer.core.types import KappaWeights, Ratings
from dialometer.flows.shared.rated_items import Rated
from dialometer.flows.shared.records import to_record
from dialometer.stats.agreement.aggregate import WAYS, aggregate, item_means
from dialometer.stats.agreement.fleiss import fleiss
from dialometer.stats.agreement.kappa import pair_kappas
from dialometer.stats.agreement.krippendorff import krippendorff
from dialometer.stats.agreement.mace import mace
from dialometer.stats.agreement.qualities import Quality, before_and_after, links, quality_table
from dialometer.stats.agreement.raters import Against, Rater, keep, rater_table
from dialometer.stats.agreement.standard_scores import strips

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


class Sampling(TypedDict):
    """How agreement is computed."""

    weights: KappaWeights
    clusters: np.ndarray
    resamples: int
    seed: int


def agreement(
    rated: Rated, *, weights: KappaWeights, min_kappa: float, resamples: int, seed: int, flagged: Collection[str] = ()
) -> Agreement:
    """Every table about raters."""
    ratings = rated.ratings
    options: Sampling = {"weights": weights, "clusters": rated.judged_cluster, "resamples": resamples, "seed": seed}
    filtered = filter_raters(ratings, min_kappa=min_kappa, weights=weights)
    unfit = {quality: why for quality in ratings.qualities if (why := _unfit_for_mace(ratings.of(quality)))}
    changes = before_and_after(ratings, flagged, **options) if flagged else []
    return Agreement(
        weights=weights,
        min_kappa=min_kappa,
        qualities={row.name: _quality(row, ratings, options) for row in quality_table(ratings, **options)},
        links=[to_record(QualityLink, link) for link in links(ratings)],
        raters=_raters(filtered, ratings, unfit, seed),
        mace=unfit if filtered.raters else {},
        why=filtered.why,
        against=filtered.against,
        filter=_filter(rated, filtered, options) if filtered.dropped else None,
        flagged=[
            FlaggedEffect(quality=c.name, excluded=c.excluded, before=_brief(c.before), after=_brief(c.after))
            for c in changes
        ],
    )


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


def _raters(filtered: Filtered, ratings: Ratings, unfit: Collection[str], seed: int) -> dict[str, RaterRow]:
    """Each rater's row, with MACE's confidence in them per quality that is fit for it."""
    if not filtered.raters:
        return {}
    trust: dict[str, dict[str, float | None]] = {rater.id: {} for rater in filtered.raters}
    given: dict[str, dict[str, RaterQuality]] = {rater.id: {} for rater in filtered.raters}
    for quality in ratings.qualities:
        judged = ratings.of(quality)
        competence = np.full(len(ratings.raters), np.nan)
        if quality not in unfit:
            competence = mace(judged, seed=seed).competence
        for place in np.unique(judged.rater[judged.rater >= 0]).tolist():
            name, values = ratings.raters[place], judged.value[judged.rater == place]
            trust[name][quality] = number(competence[place])
            sd = float(values.std(ddof=1)) if len(values) > 1 else None
            given[name][quality] = RaterQuality(n=len(values), mean=number(values.mean()), sd=number(sd))
    return {r.id: to_record(RaterRow, r, mace=trust[r.id], qualities=given[r.id]) for r in filtered.raters}


def standard_scores(ratings: Ratings) -> dict[str, np.ndarray]:
    """The standard scores of each rater; nobody's where raters are not known."""
    try:
        return strips(ratings)
    except NeedsError:
        return {}


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


def _quality(row: Quality, ratings: Ratings, options: Sampling) -> QualityAgreement:
    judged = ratings.of(row.name)
    ordinal, nominal = (
        krippendorff(judged, level=level, clusters=options["clusters"], resamples=0, seed=options["seed"]).alpha
        for level in ("ordinal", "nominal")
    )
    try:
        several = fleiss(judged).kappa
    except NeedsError:
        several = float("nan")
    alpha = AlphaCoefficient(
        value=number(row.alpha.alpha), low=number(row.alpha.low), high=number(row.alpha.high), ordinal=number(ordinal),
        nominal=number(nominal),
    )  # fmt: skip
    kappa = PairKappas(
        median=number(row.kappa), spearman=number(row.spearman), n=row.pairs,
        pairs={f"{share.threshold:g}": share.count for share in row.above}, why=row.why,
    )  # fmt: skip
    return QualityAgreement(
        items=row.items,
        judgements=row.judgements,
        single=row.alpha.left_out,
        values=np.unique(judged.value)[[0, -1]].tolist() if len(judged) else [],
        alpha=alpha,
        kappa=kappa,
        fleiss=number(several),
    )


def _filter(rated: Rated, filtered: Filtered, options: Sampling) -> FilterEffect:
    """Agreement and system means with all raters and with those who are kept."""
    before = rated.ratings
    everybody, kept_rows = (quality_table(ratings, **options) for ratings in (before, filtered.ratings))
    means = []
    for quality in before.qualities:
        people = [item_means(ratings.of(quality))[: len(rated.items)] for ratings in (before, filtered.ratings)]
        for place, system in enumerate(rated.systems):
            rows = rated.system == place
            sides = [number(_mean(values[rows])) for values in people]
            means.append(FilteredMean(quality=quality, system=system, all=sides[0], kept=sides[1]))
    return FilterEffect(
        dropped=list(filtered.dropped),
        judgements=int(np.isnan(before.check).sum() - np.isnan(filtered.ratings.check).sum()),
        agreement={
            name: FilterSides(all=_brief(row), kept=_brief(other))
            for name, row, other in zip(before.qualities, everybody, kept_rows, strict=True)
        },
        means=means,
    )


def _brief(row: Quality) -> AgreementSummary:
    return AgreementSummary(
        alpha=number(row.alpha.alpha), low=number(row.alpha.low), high=number(row.alpha.high), kappa=number(row.kappa),
        items=row.items,
    )  # fmt: skip


def _mean(values: np.ndarray) -> float:
    seen = values[~np.isnan(values)]
    return float(seen.mean()) if len(seen) else float("nan")


def kept(rated: Rated, filtered: Filtered) -> Rated:
    """The same items with the ratings of the raters who are kept."""
    return replace(rated, ratings=filtered.ratings)
