"""Tables of a study of metrics: what ``MetaResult`` is made of."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from dialometer.contracts.result import Annotated, Record, doc

Matrix = list[list[float | None]]


class Coefficient(Record, frozen=True):
    """A correlation."""

    r: Annotated[float | None, doc("the coefficient")]
    p: Annotated[float | None, doc("two-sided p")]
    low: Annotated[float | None, doc("lower end of the 95% interval")]
    high: Annotated[float | None, doc("upper end of the 95% interval")]


class SampleCoefficient(Coefficient, frozen=True):
    """A correlation with the number of pairs behind it."""

    n: Annotated[int, doc("pairs of numbers")]
    test: Annotated[str, doc("how p was computed: t, scipy or exact")]


class AdjustedCoefficient(Coefficient, frozen=True, omit_defaults=True):
    """A correlation with p adjusted over its table; within contexts a mean over contexts with the pooled form beside."""

    holm: Annotated[float | None, doc("p after Holm's correction over the table")]
    bh: Annotated[float | None, doc("p after Benjamini and Hochberg's correction over the table")]
    test: Annotated[str | UnsetType, doc("how p was computed: t, scipy or exact")] = UNSET
    contexts: Annotated[int | UnsetType, doc("contexts behind the mean")] = UNSET
    left_out: Annotated[int | UnsetType, doc("contexts without a coefficient")] = UNSET
    pooled: Annotated[float | UnsetType | None, doc("coefficient of the deviations from the contexts' means")] = UNSET
    pooled_low: Annotated[float | UnsetType | None, doc("lower end of its 95% interval")] = UNSET
    pooled_high: Annotated[float | UnsetType | None, doc("upper end of its 95% interval")] = UNSET


class PairwiseAccuracy(Record, frozen=True):
    """Pairs of items that a metric orders as people do, ties calibrated (Deutsch et al. 2023)."""

    value: Annotated[float | None, doc("the accuracy")]
    epsilon: Annotated[float | None, doc("difference of scores up to which a pair is a tie")]
    ties: Annotated[float | None, doc("share of pairs that people tie")]
    pairs: Annotated[int, doc("pairs of items")]
    sampled: Annotated[bool, doc("whether the pairs are a sample of all")]


class WithoutOneSystem(Record, frozen=True):
    """Pearson's r when one system is left out."""

    low: Annotated[float, doc("least")]
    high: Annotated[float, doc("greatest")]
    weakest: Annotated[float, doc("weakest in the direction of the whole")]
    system: Annotated[str, doc("the system whose absence gives the weakest")]


class CorrelationRow(Record, frozen=True, omit_defaults=True):
    """One metric against one quality at one level."""

    metric: Annotated[str, doc("column of scores")]
    quality: Annotated[str, doc("rated quality")]
    level: Annotated[str, doc("turn, dialogue, context or system")]
    n: Annotated[int, doc("items or systems with both numbers")]
    pearson: Annotated[AdjustedCoefficient, doc("Pearson's r")]
    spearman: Annotated[AdjustedCoefficient, doc("Spearman's ρ")]
    kendall: Annotated[AdjustedCoefficient, doc("Kendall's τ-b")]
    accuracy: Annotated[PairwiseAccuracy | None, doc("pairwise accuracy; absent at system level")] = None
    without_one: Annotated[WithoutOneSystem | UnsetType | None, doc("Pearson without one system; at system level")] = UNSET
    length: Annotated[float | UnsetType | None, doc("Pearson of mean length with people; at system level")] = UNSET


class ConstantColumns(Record, frozen=True):
    """Columns that have no correlation."""

    without: Annotated[list[str], doc("columns without a number")]
    still: Annotated[list[str], doc("columns that never vary")]


class UnscoredItems(Record, frozen=True):
    """Rated items that some columns have no number for."""

    items: Annotated[int, doc("items without a number")]
    systems: Annotated[list[str], doc("systems all of whose items are without one")]
    columns: Annotated[list[str], doc("the columns")]


class CommonItemsRow(Record, frozen=True):
    """A column over the items that all columns have."""

    metric: Annotated[str, doc("column of scores")]
    pearson: Annotated[float | None, doc("Pearson's r")]
    spearman: Annotated[float | None, doc("Spearman's ρ")]
    kendall: Annotated[float | None, doc("Kendall's τ-b")]


class CommonItems(Record, frozen=True, omit_defaults=True):
    """Coefficients over the items that all columns have; empty where all columns have the same items."""

    n: Annotated[int | None, doc("items that all columns have")] = None
    least: Annotated[int, doc("least n of a column")] = 0
    most: Annotated[int, doc("greatest n of a column")] = 0
    rows: Annotated[list[CommonItemsRow] | None, doc("a row per column; none for fewer than three items")] = None


class CeilingRow(Record, frozen=True):
    """People against people at one level."""

    level: Annotated[str, doc("item or system")]
    kind: Annotated[str, doc("pearson, spearman or kendall")]
    n: Annotated[int, doc("items or systems")]
    r: Annotated[float | None, doc("half of the raters against the other half")]
    low: Annotated[float | None, doc("lower end of the 95% interval")]
    high: Annotated[float | None, doc("upper end of the 95% interval")]
    reliability: Annotated[float | None, doc("estimated reliability of the mean over all raters")]
    reach: Annotated[float | None, doc("estimated correlation of a perfect metric")]
    reach_low: Annotated[float | None, doc("lower end of its 95% interval")]
    reach_high: Annotated[float | None, doc("upper end of its 95% interval")]


class CeilingTable(Record, frozen=True):
    """The human ceiling of a quality."""

    rows: Annotated[list[CeilingRow], doc("a row per level and coefficient")]
    items: Annotated[int, doc("items with two ratings or more")]
    left_out: Annotated[int, doc("items with fewer")]
    splits: Annotated[int, doc("random splits of the raters")]
    resamples: Annotated[int, doc("bootstrap resamples")]


class CoefficientTrio(Record, frozen=True):
    """The three coefficients."""

    pearson: Annotated[float | None, doc("Pearson's r")]
    spearman: Annotated[float | None, doc("Spearman's ρ")]
    kendall: Annotated[float | None, doc("Kendall's τ-b")]


class FilterRow(Record, frozen=True):
    """Correlations before and after raters were filtered."""

    metric: Annotated[str, doc("column of scores")]
    quality: Annotated[str, doc("rated quality")]
    level: Annotated[str, doc("turn, dialogue or system")]
    all: Annotated[CoefficientTrio, doc("with all raters")]
    kept: Annotated[CoefficientTrio, doc("with the raters who are kept")]


class SystemMean(Record, frozen=True):
    """Mean of a column over the items of a system."""

    mean: Annotated[float | None, doc("the mean")]
    sd: Annotated[float | None, doc("standard deviation over items")]
    n: Annotated[int, doc("items with a number")]
    interval_90: Annotated[list[float | None], doc("90% interval")] = msgspec.field(name="90")
    interval_95: Annotated[list[float | None], doc("95% interval")] = msgspec.field(name="95")


class Intercorrelations(Record, frozen=True, omit_defaults=True):
    """Qualities and metrics, all by all; empty for a single quality or too many columns."""

    names: Annotated[list[str], doc("qualities, then metrics")] = msgspec.field(default_factory=list)
    pearson: Annotated[Matrix, doc("Pearson's r")] = msgspec.field(default_factory=list)
    spearman: Annotated[Matrix, doc("Spearman's ρ")] = msgspec.field(default_factory=list)
    kendall: Annotated[Matrix, doc("Kendall's τ-b")] = msgspec.field(default_factory=list)


class MetricComparison(Record, frozen=True):
    """Two metrics compared on the same items."""

    a: Annotated[str, doc("first metric")]
    b: Annotated[str, doc("second metric")]
    test: Annotated[str, doc("williams, perm-both or perm-system")]
    p: Annotated[float | None, doc("two-sided p")]
    difference: Annotated[float | None, doc("correlation of a less that of b")]
    p_holm: Annotated[float | None, doc("p after Holm's correction")]
    p_bh: Annotated[float | None, doc("p after Benjamini and Hochberg's correction")]
    n: Annotated[int, doc("items or systems that both have")]
    planned: Annotated[bool, doc("whether p is adjusted: over planned comparisons, or over all")]
    quality: Annotated[str, doc("rated quality")]
    level: Annotated[str, doc("turn, dialogue or system")]
    kind: Annotated[str, doc("pearson or spearman")]


class ComparisonTable(Record, frozen=True):
    """All comparisons of one test as a matrix, metrics by falling correlation."""

    quality: Annotated[str, doc("rated quality")]
    level: Annotated[str, doc("turn, dialogue or system")]
    kind: Annotated[str, doc("pearson or spearman")]
    test: Annotated[str, doc("williams, perm-both or perm-system")]
    n: Annotated[list[int], doc("least and greatest n of a comparison")]
    metrics: Annotated[list[str], doc("rows and columns of the matrices")]
    difference: Annotated[Matrix, doc("correlation of the row less that of the column")]
    holm: Annotated[Matrix, doc("p after Holm's correction")]
    clusters: Annotated[list[list[str]], doc("metrics not separated from each other; none with planned tests")]
