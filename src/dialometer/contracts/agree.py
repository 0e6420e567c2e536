"""agree: which ratings are compared, and the tables of agreement, raters and filter that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec

from dialometer.contracts.base import normalise_request
from dialometer.contracts.result import Record, doc
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Draws, Range, Seed
from dialometer.core.types import KappaWeights


@dataclass(frozen=True, slots=True)
class AgreeRequest:
    """Whose ratings, of what."""

    inputs: tuple[str, ...]
    quality: tuple[str, ...] = ()
    ratings: str = ""
    where: tuple[str, ...] = ()
    flagged: str = ""
    weights: KappaWeights = "quadratic"
    min_kappa: Annotated[float, Range(-1, 1)] = 0.2
    scale: str = ""
    resamples: Draws = 1000
    seed: Seed = 0
    format: str = ""
    max_line: Bytes = MAX_LINE
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)


class AlphaCoefficient(Record, frozen=True):
    """Krippendorff's α of a quality."""

    value: Annotated[float | None, doc("α for interval data")]
    low: Annotated[float | None, doc("lower end of its 95% interval")]
    high: Annotated[float | None, doc("upper end of its 95% interval")]
    ordinal: Annotated[float | None, doc("α for ordinal data")]
    nominal: Annotated[float | None, doc("α for nominal data")]


class PairKappas(Record, frozen=True):
    """Agreement between pairs of raters."""

    median: Annotated[float | None, doc("median of Cohen's κ over pairs")]
    spearman: Annotated[float | None, doc("median of Spearman's ρ over pairs")]
    n: Annotated[int, doc("pairs of raters with a κ")]
    pairs: Annotated[dict[str, int], doc("how many pairs have a κ above each threshold")]
    why: Annotated[str, doc("why there is no κ; empty where there is one")]


class QualityAgreement(Record, frozen=True):
    """Agreement on one quality."""

    items: Annotated[int, doc("items with a rating")]
    judgements: Annotated[int, doc("ratings")]
    single: Annotated[int, doc("items with a single rating, which α leaves out")]
    values: Annotated[list[float], doc("lowest and highest rating given")]
    alpha: Annotated[AlphaCoefficient, doc("Krippendorff's α")]
    kappa: Annotated[PairKappas, doc("Cohen's κ and Spearman's ρ over pairs of raters")]
    fleiss: Annotated[float | None, doc("Fleiss' κ")]


class QualityLink(Record, frozen=True):
    """Correlation of the item means of two qualities."""

    a: Annotated[str, doc("first quality")]
    b: Annotated[str, doc("second quality")]
    n: Annotated[int, doc("items that have both")]
    pearson: Annotated[float | None, doc("Pearson's r")]
    spearman: Annotated[float | None, doc("Spearman's ρ")]


class RaterQuality(Record, frozen=True):
    """What one rater gave for one quality."""

    n: Annotated[int, doc("ratings")]
    mean: Annotated[float | None, doc("their mean")]
    sd: Annotated[float | None, doc("their standard deviation")]


class RaterRow(Record, frozen=True):
    """One rater."""

    n: Annotated[int, doc("ratings of all qualities")]
    mean: Annotated[float | None, doc("mean rating")]
    sd: Annotated[float | None, doc("standard deviation of the ratings")]
    kappa: Annotated[float | None, doc("mean κ against the other raters")]
    partners: Annotated[int, doc("raters with whom a κ exists")]
    shared: Annotated[int, doc("ratings behind κ, a shared item counting once per partner")]
    seconds: Annotated[float | None, doc("median seconds per rating")]
    failed: Annotated[int, doc("failed attention checks")]
    checks: Annotated[int, doc("attention checks")]
    kept: Annotated[bool, doc("whether the filter keeps the rater")]
    why: Annotated[str, doc("why the rater is set apart; empty for those who are kept")]
    mace: Annotated[dict[str, float | None], doc("MACE's competence per quality")]
    qualities: Annotated[dict[str, RaterQuality], doc("what the rater gave, per quality")]


class AgreementSummary(Record, frozen=True):
    """Agreement in short."""

    alpha: Annotated[float | None, doc("Krippendorff's α for interval data")]
    low: Annotated[float | None, doc("lower end of its 95% interval")]
    high: Annotated[float | None, doc("upper end of its 95% interval")]
    kappa: Annotated[float | None, doc("median κ over pairs of raters")]
    items: Annotated[int, doc("items with a rating")]


class FilterSides(Record, frozen=True):
    """Agreement on a quality before and after the filter."""

    all: Annotated[AgreementSummary, doc("with all raters")]
    kept: Annotated[AgreementSummary, doc("with the raters who are kept")]


class FilteredMean(Record, frozen=True):
    """Mean rating of a system before and after the filter."""

    quality: Annotated[str, doc("the rated quality")]
    system: Annotated[str, doc("name of the system")]
    all: Annotated[float | None, doc("mean with all raters")]
    kept: Annotated[float | None, doc("mean with the raters who are kept")]


class FilterEffect(Record, frozen=True):
    """What changes when the raters who are set apart are left out."""

    dropped: Annotated[list[str], doc("raters set apart")]
    judgements: Annotated[int, doc("ratings that they gave")]
    agreement: Annotated[dict[str, FilterSides], doc("agreement per quality")]
    means: Annotated[list[FilteredMean], doc("means per quality and system")]


class FlaggedEffect(Record, frozen=True):
    """Agreement on a quality with and without flagged items."""

    quality: Annotated[str, doc("the rated quality")]
    excluded: Annotated[int, doc("flagged items that had a rating of it")]
    before: Annotated[AgreementSummary, doc("with all items")]
    after: Annotated[AgreementSummary, doc("without the flagged items")]


class Agreement(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Every table about raters."""

    weights: Annotated[str, doc("weights of κ: quadratic, linear or none")]
    min_kappa: Annotated[float, doc("mean κ below which a rater is set apart")]
    qualities: Annotated[dict[str, QualityAgreement], doc("agreement per quality")]
    links: Annotated[list[QualityLink], doc("correlations between qualities")]
    raters: Annotated[dict[str, RaterRow], doc("raters by name")]
    mace: Annotated[dict[str, str], doc("qualities for which MACE is not computed, and why")]
    why: Annotated[str, doc("why raters could not be compared; empty where they could")]
    against: Annotated[str, doc("whom a rater's κ is with: pairs, or all others at once")]
    filter: Annotated[FilterEffect | None, doc("effect of the filter; null where nobody is set apart")]
    flagged: Annotated[list[FlaggedEffect], doc("agreement without flagged items, where any were named")] = msgspec.field(
        default_factory=list
    )


class AgreeTables(Agreement, frozen=True, kw_only=True):
    """The result file of a run of ``agree``."""

    items: Annotated[int, doc("rated items")]
    left_out: Annotated[dict[str, int], doc("what was left out, and how many")]
    summary: Annotated[list[str], doc("the tables in sentences")]


class KappaSummary(Record, frozen=True):
    """κ of the first quality."""

    median: Annotated[float | None, doc("median of Cohen's κ over pairs")]
    pairs: Annotated[dict[str, int], doc("how many pairs have a κ above each threshold")]


class AgreeResult(AgreeTables, frozen=True, kw_only=True):
    """What ``agree`` returns: all tables, with α and κ of the first quality at the top."""

    run: Annotated[str, doc("directory of the run")]
    quality: Annotated[str, doc("the first quality")]
    alpha: Annotated[float | None, doc("its Krippendorff's α")]
    kappa: Annotated[KappaSummary, doc("its Cohen's κ")]
