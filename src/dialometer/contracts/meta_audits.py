"""Audits of metrics in ``meta``: length bias, disagreements with people, preferences, factors of systems, re-scored items."""

from __future__ import annotations

import msgspec

from dialometer.contracts.meta_tables import SampleCoefficient
from dialometer.contracts.result import Annotated, Record, doc


class LengthBiasRow(Record, frozen=True):
    """How much a metric shares with response length."""

    metric: Annotated[str, doc("column of scores")]
    metric_length: Annotated[SampleCoefficient, doc("metric with length")]
    human_length: Annotated[SampleCoefficient, doc("people with length")]
    plain: Annotated[SampleCoefficient, doc("metric with people")]
    partial: Annotated[SampleCoefficient, doc("metric with people given length")]
    matched: Annotated[SampleCoefficient, doc("metric with people among responses of equal length")]
    bins: Annotated[int, doc("bins of length behind it")]


class LengthDifferenceRow(Record, frozen=True):
    """Scores by the difference in words to the closest reference (Liu et al. 2016, table 5)."""

    metric: Annotated[str, doc("column of scores, or people")]
    near: Annotated[float | None, doc("mean where the difference is 6 or less")]
    far: Annotated[float | None, doc("mean where it is larger")]
    difference: Annotated[float | None, doc("near less far")]
    welch_p: Annotated[float | None, doc("p of Welch's test")]
    permutation_p: Annotated[float | None, doc("p of a permutation test")]
    n_near: Annotated[int, doc("items of the first mean")]
    n_far: Annotated[int, doc("items of the second mean")]
    left_out: Annotated[int, doc("items without a number or a reference")]


class SubsetsRow(Record, frozen=True):
    """Correlation within random subsets of the items (Lowe et al. 2017)."""

    metric: Annotated[str, doc("column of scores")]
    mean: Annotated[float | None, doc("mean over subsets")]
    sd: Annotated[float | None, doc("standard deviation over subsets")]
    low: Annotated[float | None, doc("lower end of the middle 95%")]
    high: Annotated[float | None, doc("upper end of the middle 95%")]
    of_means: Annotated[float | None, doc("correlation of the subsets' means")]
    defined: Annotated[int, doc("subsets in which both sides vary")]
    subsets: Annotated[int, doc("subsets drawn")]
    size: Annotated[int, doc("items in a subset")]
    n: Annotated[int, doc("items in all")]


class BiasTables(Record, frozen=True):
    """Length bias of the metrics, and how stable their correlation is."""

    quality: Annotated[str, doc("rated quality")]
    length: Annotated[list[LengthBiasRow], doc("metrics and response length")]
    difference: Annotated[list[LengthDifferenceRow], doc("metrics and length difference to the reference")]
    subsets: Annotated[list[SubsetsRow], doc("correlation over random subsets")]


class CaseSample(Record, frozen=True):
    """Items of a kind: how many, and a sample of them."""

    count: Annotated[int, doc("items of this kind")]
    among: Annotated[int, doc("items that could be")]
    rows: Annotated[list[int], doc("rows of a sample of them, counted from 0 in the order of ids")]


class OverlapCases(Record, frozen=True):
    """A metric beside word overlap, scores normalised to the rating scale (Lowe et al. 2017, table 6)."""

    good: Annotated[CaseSample, doc("high for people")]
    overlap_fails: Annotated[CaseSample, doc("high for people, low for every word overlap")]
    rescued: Annotated[CaseSample, doc("… and high for the metric")]
    missed: Annotated[CaseSample, doc("high for people, low for the metric")]
    missed_alone: Annotated[CaseSample, doc("… and high for some word overlap")]
    fooled_alone: Annotated[CaseSample, doc("low for people and some word overlap, high for the metric")]
    n: Annotated[int, doc("items with all numbers")]


class DisagreementRow(Record, frozen=True, omit_defaults=True):
    """Clear agreement and disagreement of a metric with people (Liu et al. 2016, figure 2)."""

    metric: Annotated[str, doc("column of scores")]
    both_good: Annotated[CaseSample, doc("high for both")] = msgspec.field(name="both good")
    both_bad: Annotated[CaseSample, doc("low for both")] = msgspec.field(name="both bad")
    overrated: Annotated[CaseSample, doc("high for the metric, low for people")]
    underrated: Annotated[CaseSample, doc("low for the metric, high for people")]
    most_over: Annotated[list[int], doc("rows of the items ranked furthest above people")]
    most_under: Annotated[list[int], doc("rows of the items ranked furthest below people")]
    beside_overlap: Annotated[OverlapCases | None, doc("beside word overlap; absent for word overlap itself")] = None


class DisagreementTables(Record, frozen=True):
    """Where metrics and people disagree, item by item."""

    quality: Annotated[str, doc("rated quality")]
    scale: Annotated[list[float], doc("lowest and highest rating")]
    twice: Annotated[bool, doc("whether only items count on which raters agree")]
    overlap: Annotated[list[str], doc("columns of word overlap")]
    rows: Annotated[list[DisagreementRow], doc("a row per metric")]


class PreferenceShare(Record, frozen=True):
    """A share of the choices."""

    share: Annotated[float | None, doc("the share")]
    low: Annotated[float | None, doc("lower end of the 90% interval")]
    high: Annotated[float | None, doc("upper end of the 90% interval")]


class PreferenceOutcome(Record, frozen=True):
    """Wins, losses and ties of a."""

    win: Annotated[PreferenceShare, doc("a was chosen")]
    loss: Annotated[PreferenceShare, doc("b was chosen")]
    tie: Annotated[PreferenceShare, doc("neither was chosen")]
    judgements: Annotated[int, doc("choices")]
    items: Annotated[int, doc("items")]


class PreferencePair(Record, frozen=True):
    """Choices between two systems under one quality."""

    a: Annotated[str, doc("first system")]
    b: Annotated[str, doc("second system")]
    quality: Annotated[str, doc("rated quality")]
    every: Annotated[PreferenceOutcome, doc("over all items")]
    clear: Annotated[PreferenceOutcome, doc("without ambiguous items")]
    ambiguous: Annotated[int, doc("items on which as many chose a as chose b")]


class StrengthRow(Record, frozen=True):
    """Bradley–Terry strength of a system."""

    system: Annotated[str, doc("name of the system")]
    strength: Annotated[float, doc("log strength")]
    low: Annotated[float | None, doc("lower end of the 95% interval")]
    high: Annotated[float | None, doc("upper end of the 95% interval")]
    wins: Annotated[float, doc("wins, ties counting half")]
    n: Annotated[int, doc("choices")]


class StrengthTable(Record, frozen=True, omit_defaults=True):
    """Bradley–Terry strengths under one quality, or why there are none."""

    systems: Annotated[list[StrengthRow], doc("systems from the strongest")] = msgspec.field(default_factory=list)
    prior: Annotated[float | None, doc("ties against an average system")] = None
    rescued: Annotated[float | None, doc("share of resamples that needed such ties")] = None
    why: Annotated[str, doc("why there are no strengths")] = ""
    hint: Annotated[str | None, doc("what would give some")] = None


class PreferenceTables(Record, frozen=True):
    """Pairwise choices between systems."""

    judgements: Annotated[int, doc("choices")]
    items: Annotated[int, doc("items")]
    pairs: Annotated[list[PreferencePair], doc("wins, losses and ties per pair")]
    strengths: Annotated[dict[str, StrengthTable], doc("strengths per quality")]


class AnovaEffect(Record, frozen=True):
    """A factor, or an interaction of two."""

    name: Annotated[str, doc("the factor, or a × b")]
    squares: Annotated[float | None, doc("sum of squares")]
    df: Annotated[int, doc("degrees of freedom")]
    f: Annotated[float | None, doc("F")]
    p: Annotated[float | None, doc("p of F")]
    eta_squared: Annotated[float | None, doc("partial η²")]


class AnovaLevel(Record, frozen=True):
    """A level of a factor against the mean over levels."""

    factor: Annotated[str, doc("the factor")]
    level: Annotated[str, doc("its level")]
    effect: Annotated[float | None, doc("distance from the mean over levels")]
    low: Annotated[float | None, doc("lower end of the 95% interval")]
    high: Annotated[float | None, doc("upper end of the 95% interval")]
    n: Annotated[int, doc("ratings")]


class AnovaTable(Record, frozen=True, omit_defaults=True):
    """Analysis of variance of one target, or why there is none."""

    effects: Annotated[list[AnovaEffect] | None, doc("factors and interactions")] = None
    levels: Annotated[list[AnovaLevel] | None, doc("levels of the factors")] = None
    residual_squares: Annotated[float | None, doc("residual sum of squares")] = None
    residual_df: Annotated[int | None, doc("residual degrees of freedom")] = None
    n: Annotated[int | None, doc("ratings")] = None
    notes: Annotated[list[str] | None, doc("what could not be estimated")] = None
    incomplete: Annotated[int | None, doc("ratings left out because they lack a quality")] = None
    left_out_raters: Annotated[int | None, doc("raters with too few ratings to normalise")] = None
    why: Annotated[str, doc("why there is no table")] = ""


class AnovaTables(Record, frozen=True):
    """Analysis of variance on factors of the systems."""

    factors: Annotated[list[str], doc("factors of the systems")]
    tables: Annotated[dict[str, AnovaTable], doc("tables by target")]


class ReferenceCountRow(Record, frozen=True):
    """A metric under k references."""

    metric: Annotated[str, doc("column of scores")]
    kind: Annotated[str, doc("human, retrieved, or human+retrieved")]
    k: Annotated[int, doc("references per item")]
    n: Annotated[int, doc("items")]
    pearson: Annotated[SampleCoefficient, doc("Pearson's r with people, mean over draws")]
    spearman: Annotated[SampleCoefficient, doc("Spearman's ρ with people, mean over draws")]


class ReferenceCountTable(Record, frozen=True, omit_defaults=True):
    """Correlation by number of references, or why there is none."""

    rows: Annotated[list[ReferenceCountRow], doc("a row per metric, kind and k")] = msgspec.field(default_factory=list)
    why: Annotated[str, doc("why it was not done")] = ""


class CoefficientPair(Record, frozen=True):
    """Two coefficients."""

    pearson: Annotated[SampleCoefficient, doc("Pearson's r")]
    spearman: Annotated[SampleCoefficient, doc("Spearman's ρ")]


class StrippedRow(Record, frozen=True):
    """A metric on items as they are and stripped."""

    metric: Annotated[str, doc("column of scores")]
    plain: Annotated[CoefficientPair, doc("as they are")]
    stripped: Annotated[CoefficientPair, doc("stripped")]


class StrippedTable(Record, frozen=True, omit_defaults=True):
    """Correlation on stripped items, or why there is none."""

    changed: Annotated[int, doc("items that changed")] = 0
    n: Annotated[int, doc("items")] = 0
    rows: Annotated[list[StrippedRow], doc("a row per metric")] = msgspec.field(default_factory=list)
    why: Annotated[str, doc("why it was not done")] = ""


class StressRow(Record, frozen=True):
    """A metric under a perturbation of the responses."""

    metric: Annotated[str, doc("column of scores")]
    perturbation: Annotated[str, doc("name of the perturbation")]
    delta: Annotated[float | None, doc("mean change")]
    low: Annotated[float | None, doc("lower end of its 95% interval")]
    high: Annotated[float | None, doc("upper end of its 95% interval")]
    effect: Annotated[float | None, doc("change in standard deviations")]
    original: Annotated[float | None, doc("mean before")]
    perturbed: Annotated[float | None, doc("mean after")]
    n: Annotated[int, doc("items")]
    changed: Annotated[int, doc("items that the perturbation changed")]
    scored: Annotated[int, doc("changed items with both scores")]
    expected: Annotated[str, doc("how people would react")]
    verdict: Annotated[str, doc("whether the metric reacts as people would")]


class StressSample(Record, frozen=True, omit_defaults=True):
    """The stress test of the same items, or why there is none."""

    n: Annotated[int, doc("items perturbed")] = 0
    total: Annotated[int, doc("items in all")] = 0
    rows: Annotated[list[StressRow], doc("a row per metric and perturbation")] = msgspec.field(default_factory=list)
    why: Annotated[str, doc("why it was not done")] = ""


class Reanalyses(Record, frozen=True, omit_defaults=True):
    """Analyses that score altered items again; absent unless asked for."""

    references: Annotated[ReferenceCountTable | None, doc("by number of references")] = None
    retrieved: Annotated[ReferenceCountTable | None, doc("with retrieved references")] = None
    stopwords: Annotated[StrippedTable | None, doc("without stop words and punctuation")] = None
    speakers: Annotated[StrippedTable | None, doc("without speaker tokens")] = None
    stress: Annotated[StressSample | None, doc("under perturbation")] = None
