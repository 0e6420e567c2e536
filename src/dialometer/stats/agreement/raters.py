"""Who rated, how, and whom to leave out: the filter of the papers.

Left out are raters whose mean κ against the others is below 0.2 (Liu et al. 2016; Lowe et al. 2017) and raters who failed an
attention check (Lowe et al. 2017). The papers' raters all judged the same items. Where each pair shares other items, a pair
counts by how many it shares; ``against="all"`` is for raters who share few items with any other: one κ of each rater's ratings
beside all other ratings of the same items. A rater whose κ cannot be computed is kept and marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.types import KappaWeights, Ratings
from dialometer.stats.agreement.kappa import kappa_by_group, pair_kappas
from dialometer.stats.agreement.rater_rows import codes_of, firsts, known, pair_rows, single

Against = Literal["pairs", "all"]
AGAINST = get_args(Against)


@dataclass(frozen=True)
class Rater:
    """One rater: ratings with mean and sd, κ against the others, median seconds, checks failed of checks, and the verdict."""

    id: str
    n: int
    mean: float
    sd: float
    kappa: float
    partners: int  # raters with whom a κ exists
    shared: int  # ratings behind κ, a shared item counting once per partner
    seconds: float
    failed: int
    checks: int
    kept: bool
    why: str


def rater_table(
    ratings: Ratings,
    *,
    min_kappa: float = 0.2,
    weights: KappaWeights = "quadratic",
    against: Against = "pairs",
    least: int = 2,
    qualities: Sequence[str] = (),
) -> list[Rater]:
    """Every rater with a rating or a check, in the order of ``ratings.raters``; all qualities count unless some are named.

    ``least`` is how many items a pair must share (with ``against="all"``: a rater with the others) for its κ to count.
    """
    if against not in AGAINST:
        raise UnknownName("κ of a rater", against, AGAINST, hint=f"one of: {', '.join(AGAINST)}")
    for name in qualities:
        if name not in ratings.qualities:
            raise UnknownName("quality", name, ratings.qualities, hint="")
    numbers = [ratings.qualities.index(name) for name in qualities or ratings.qualities]
    judged = known(ratings.rows(np.isin(ratings.quality, numbers)), "a table of raters")
    checks = ratings.rows(~np.isnan(ratings.check) & (ratings.rater >= 0))
    kappa, partners, shared = _kappas(judged, weights, against, least, checked=len(checks) > 0)
    count = np.bincount(checks.rater, minlength=len(ratings.raters))
    failed = np.bincount(checks.rater[checks.check == 0], minlength=len(ratings.raters))
    values, seconds = _by_rater(judged.rater, judged.value), _by_rater(judged.rater, judged.seconds)
    table = []
    for number in np.flatnonzero((count > 0) | np.isin(np.arange(len(count)), judged.rater)).tolist():
        own, timed = values.get(number, np.zeros(0)), seconds.get(number, np.zeros(0))
        mean, sd, _ = _mean_sd_median(own)
        missed, checked = int(failed[number]), int(count[number])
        agreement, partner, common = float(kappa[number]), int(partners[number]), int(shared[number])
        kept, why = _verdict(agreement, min_kappa, missed, checked, common)
        pace = _mean_sd_median(timed[~np.isnan(timed)])[2]
        name = ratings.raters[number]
        table.append(Rater(name, len(own), mean, sd, agreement, partner, common, pace, missed, checked, kept, why))
    return table


def keep(ratings: Ratings, raters: Iterable[Rater]) -> Ratings:
    """The rows of raters who are kept; rows without a rater are kept too.

    Agreement among those kept is agreement among raters chosen for agreeing: report it beside that of all.
    """
    dropped = {rater.id for rater in raters if not rater.kept}
    out = np.array([name in dropped for name in ratings.raters] + [False])  # the last one is for rater −1
    return ratings.rows(~out[ratings.rater])


def _verdict(kappa: float, least: float, failed: int, checks: int, shared: int) -> tuple[bool, str]:
    """Whether a rater is kept, and what there is to say about it."""
    if failed:
        return False, f"failed {failed} of {checks} attention checks"
    if kappa < least:
        return False, f"κ {kappa:.2f} against the others is below {least:g}"
    if np.isnan(kappa):
        reason = "too few varied judgements are shared" if shared else "no item is shared with enough others"
        return True, f"κ cannot be computed: {reason}"
    return True, ""


def _kappas(
    judged: Ratings, weights: KappaWeights, against: Against, least: int, *, checked: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per rater: the mean κ over qualities and partners (weighted by shared items), partners, and shared ratings.

    Raters who share no items are refused, unless there are attention checks.
    """
    size = len(judged.raters)
    total, weight, shared = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    partners = np.zeros((size, size), bool)
    overlap = False
    for number in np.unique(judged.quality).tolist():
        rows = judged.rows(judged.quality == number)
        try:
            pairs = pair_kappas(rows, weights=weights)
        except NeedsError:  # no shared items of this quality; refused below if there are none of any quality
            continue
        overlap = True
        good = ~np.isnan(pairs.kappa) & (pairs.n >= least)
        for one, other in ((pairs.a, pairs.b), (pairs.b, pairs.a)):
            partners[one[good], other[good]] = True
            shared += np.bincount(one, pairs.n, size).astype(np.int64)
            if against == "pairs":
                total += np.bincount(one[good], (pairs.kappa * pairs.n)[good], size)
                weight += np.bincount(one[good], pairs.n[good], size)
        if against == "all":
            kappa, n = _beside_all(rows, weights)
            good = ~np.isnan(kappa) & (n >= least)
            total[good] += (kappa * n)[good]
            weight[good] += n[good]
    if not overlap and not checked:
        raise NeedsError("no two raters judged the same item, so none can be compared", "let raters share some items")
    mean = np.divide(total, weight, out=np.full(size, np.nan), where=weight > 0)
    return mean, partners.sum(axis=1), shared


def _beside_all(rows: Ratings, weights: KappaWeights) -> tuple[np.ndarray, np.ndarray]:
    """κ of each rater's ratings beside every other rating of the same items, and how many such there are."""
    first, _ = firsts(single(rows))
    codes, scale = codes_of(first.value)
    left, right = pair_rows(first.item)
    mine, theirs = np.concatenate([left, right]), np.concatenate([right, left])
    group, size = first.rater[mine].astype(np.int64), len(rows.raters)
    found, _ = kappa_by_group(group, codes[mine], codes[theirs], size, len(scale), weights)
    return found, np.bincount(group, minlength=size)


def _mean_sd_median(values: np.ndarray) -> tuple[float, float, float]:
    """NaN for what too few values do not have."""
    if not len(values):
        return float("nan"), float("nan"), float("nan")
    sd = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
    return float(values.mean()), sd, float(np.median(values))


def _by_rater(rater: np.ndarray, values: np.ndarray) -> dict[int, np.ndarray]:
    order = np.argsort(rater, kind="stable")
    numbers, starts = np.unique(rater[order], return_index=True)
    return dict(zip(numbers.tolist(), np.split(values[order], starts[1:]), strict=True))
