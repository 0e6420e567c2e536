"""train JUDGE: tables of cross-validation, and of what a judge is compared with.

Cross-validation is by context and, where items name two systems or more, by system. ``pooled`` and plain names are of predictions
as they are; ``aligned`` ones have a common start in place of each fold's own (docs/design/judges.md).
"""

from __future__ import annotations

from typing import Generic, TypeVar

from msgspec import UNSET, UnsetType

from dialometer.contracts.result import Annotated, Record, doc

Row = TypeVar("Row")
LENGTH_ONLY = "length-only"  # the baseline that counts the words of a response
UNSEEN = ("context", "system")  # what a fold keeps out of training
MAX_ATTRIBUTED = 12  # columns among which variance is attributed


class ByUnseen(Record, Generic[Row], frozen=True, kw_only=True, omit_defaults=True):
    """The same figures by unseen contexts and by unseen systems; the latter only where there are folds by system."""

    context: Row
    system: Row | None = None

    def items(self) -> list[tuple[str, Row]]:
        """What there is, by name."""
        return [("context", self.context)] + ([] if self.system is None else [("system", self.system)])


class HumanCorrelation(Record, frozen=True, kw_only=True):
    """A correlation with ratings over all items."""

    r: Annotated[float | None, doc("the coefficient")]
    p: Annotated[float | None, doc("two-sided")]
    low: Annotated[float | None, doc("lower end of the 95% interval, contexts resampled")]
    high: Annotated[float | None, doc("upper end of the interval")]


class AlignedAgreement(Record, frozen=True, kw_only=True):
    """Agreement of predictions with a common start, over all items."""

    pearson: HumanCorrelation
    spearman: HumanCorrelation
    n: Annotated[int, doc("items")]


class PooledAgreement(AlignedAgreement, frozen=True, kw_only=True):
    """Agreement of predictions as they are, over all items."""

    mae: Annotated[float | None, doc("mean absolute error")]


class FoldAgreement(Record, frozen=True, kw_only=True):
    """Agreement on one fold by a fit on the others."""

    fold: int
    n: Annotated[int, doc("items")]
    pearson: float | None
    spearman: float | None
    mae: float | None


class CrossValidationTable(Record, frozen=True, kw_only=True):
    """Cross-validation of one judge."""

    spearman: Annotated[float | None, doc("mean over folds")]
    pearson: Annotated[float | None, doc("mean over folds")]
    mae: Annotated[float | None, doc("mean over folds")]
    pooled: Annotated[PooledAgreement, doc("all out-of-fold predictions together")]
    aligned: Annotated[AlignedAgreement, doc("the same with a common start of the folds")]
    mae_of_mean: Annotated[float | None, doc("mean absolute error of the training mean")]
    spread: Annotated[float | None, doc("sd(predicted) / sd(human)")]
    spread_aligned: Annotated[float | None, doc("the same with a common start of the folds")]
    each: Annotated[list[FoldAgreement], doc("the folds")]


class FoldTables(Record, frozen=True, kw_only=True):
    """Cross-validation by context and by system."""

    context: CrossValidationTable
    system: Annotated[CrossValidationTable | None, doc("null where systems are too few or have no names")]

    def items(self) -> list[tuple[str, CrossValidationTable]]:
        """What there is, by name."""
        return [("context", self.context)] + ([] if self.system is None else [("system", self.system)])


class WilliamsTest(Record, frozen=True, kw_only=True):
    """Williams' test of two correlations with the same ratings."""

    difference: Annotated[float | None, doc("of the correlations; positive where the judge is better")]
    t: float | None
    p: Annotated[float | None, doc("two-sided")]


class WilliamsTests(Record, frozen=True, kw_only=True):
    """The test on values and on ranks."""

    pearson: WilliamsTest
    spearman: WilliamsTest


class ComparedJudge(CrossValidationTable, frozen=True, kw_only=True):
    """Another judge on the same folds, and the test of this judge against it."""

    williams: WilliamsTests
    williams_aligned: WilliamsTests


class Baseline(Record, frozen=True, kw_only=True):
    """An untrained column, and the test of the judge against it."""

    pearson: HumanCorrelation
    spearman: HumanCorrelation
    n: Annotated[int, doc("items")]
    turned: Annotated[bool, doc("whether the column falls as ratings rise; the test takes it with the opposite sign")]
    williams: ByUnseen[WilliamsTests]
    williams_aligned: ByUnseen[WilliamsTests]


class CeilingLevel(Record, frozen=True, kw_only=True):
    """Raters against raters at one level."""

    level: Annotated[str, doc("item or system")]
    kind: Annotated[str, doc("pearson or spearman")]
    n: int
    r: Annotated[float | None, doc("half of the raters against the other half")]
    low: float | None
    high: float | None
    reliability: Annotated[float | None, doc("of the mean over all raters; an estimate")]
    reach: Annotated[float | None, doc("the correlation of a perfect judge; an estimate")]
    reach_low: float | None
    reach_high: float | None


class HumanCeiling(Record, frozen=True, kw_only=True):
    """How far raters agree among themselves; no rows where items have one rating."""

    rows: list[CeilingLevel]
    items: Annotated[int, doc("items with two ratings or more")]
    left_out: Annotated[int, doc("items with fewer")]
    splits: int
    resamples: int


class CalibrationBin(Record, frozen=True, kw_only=True):
    """Items with similar predictions."""

    low: float | None
    high: float | None
    n: int
    predicted: Annotated[float | None, doc("mean prediction")]
    human: Annotated[float | None, doc("mean rating")]
    human_low: float | None
    human_high: float | None


class CalibrationTable(Record, frozen=True, kw_only=True):
    """Mean ratings against predictions."""

    bins: list[CalibrationBin]
    slope: Annotated[float | None, doc("of ratings on predictions")]
    intercept: float | None
    error: Annotated[float | None, doc("mean absolute gap of the bins, weighted by items")]
    spread: Annotated[float | None, doc("sd(predicted) / sd(human)")]
    n: int


class JudgedSystem(Record, frozen=True, kw_only=True):
    """Mean rating and mean predictions of one system."""

    system: str
    n: int
    human: float | None
    by_context: float | None
    by_context_aligned: float | None
    by_system: Annotated[float | UnsetType | None, doc("not there without folds by system")] = UNSET
    by_system_aligned: float | UnsetType | None = UNSET


class Agreement(Record, frozen=True, kw_only=True):
    """Two coefficients."""

    pearson: float | None
    spearman: float | None


class SystemAgreement(Record, frozen=True, kw_only=True, omit_defaults=True):
    """How mean predictions follow mean ratings over systems."""

    context: Agreement
    context_aligned: Agreement
    system: Agreement | None = None
    system_aligned: Agreement | None = None


class SystemTable(Record, frozen=True, kw_only=True):
    """The systems, and the agreement over them."""

    rows: list[JudgedSystem]
    follows: SystemAgreement


class AttributedColumn(Record, frozen=True, kw_only=True):
    """What one untrained column accounts for, in scores and in ratings."""

    column: str
    r_judge: float | None
    r_people: float | None
    share_judge: Annotated[float | None, doc("Shapley share of R² of the judge's scores")]
    share_people: Annotated[float | None, doc("Shapley share of R² of the ratings")]


class Attribution(Record, frozen=True, kw_only=True):
    """Variance of scores and of ratings, attributed to untrained columns."""

    rows: list[AttributedColumn]
    judge: Annotated[float | None, doc("R² of all columns, scores")]
    people: Annotated[float | None, doc("R² of all columns, ratings")]
    left_out: Annotated[list[str], doc("columns that do not vary, or are not among the nearest to the judge")]
