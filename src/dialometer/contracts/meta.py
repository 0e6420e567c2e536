"""meta: which ratings and metrics are compared, and everything the comparison reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from dialometer.contracts.agree import Agreement
from dialometer.contracts.base import normalise_request
from dialometer.contracts.meta_audits import AnovaTables, BiasTables, DisagreementTables, PreferenceTables, Reanalyses
from dialometer.contracts.meta_tables import (
    CeilingTable,
    CommonItems,
    ComparisonTable,
    ConstantColumns,
    CorrelationRow,
    FilterRow,
    Intercorrelations,
    MetricComparison,
    SystemMean,
    UnscoredItems,
)
from dialometer.contracts.result import Record, doc
from dialometer.contracts.trajectories import Trajectories
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Draws, Range, Seed
from dialometer.core.types import KappaWeights

KINDS = ("pearson", "spearman", "kendall")
LENGTH_ONLY = "length-only"  # the column of response lengths, a baseline
PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class MetaRequest:
    """Which ratings, which metrics, and how to set them side by side.

    ``reference`` says what stands in place of people, such as "the construction": qualities that are known, not judged.
    """

    inputs: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    quality: tuple[str, ...] = ()
    ratings: str = ""
    where: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    aggregate: str = "mean"
    filter_raters: bool = False
    min_kappa: Annotated[float, Range(-1, 1)] = 0.2
    weights: KappaWeights = "quadratic"
    scale: str = ""
    preferences: str = ""
    systems: str = ""
    also: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    reference: str = ""
    tok: str = ""
    resamples: Draws = 1000
    permutations: Draws = 1000
    engine: str = "serial"
    seed: Seed = 0
    format: str = ""
    max_line: Bytes = MAX_LINE
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)


class MetaResult(Record, frozen=True, omit_defaults=True):
    """What ``meta`` reports: every table of the page and the conclusions."""

    unit: Annotated[str, doc("what a row is: turn, dialogue or system")]
    n: Annotated[int, doc("items or systems with a rating of the main quality")]
    only_of_systems: Annotated[list[str], doc("columns of whole systems, where no level of systems is reported")]
    systems: Annotated[list[str], doc("names of the systems")]
    quality: Annotated[str, doc("the main quality")]
    reference: Annotated[str, doc("what metrics are compared with: people, or what the request names")]
    levels_asked: Annotated[list[str], doc("levels that the request names")]
    aggregate: Annotated[str, doc("how ratings of an item are aggregated")]
    left_out: Annotated[dict[str, int], doc("what was left out, and how many")]
    constant: Annotated[ConstantColumns, doc("columns without a correlation")]
    notes: Annotated[list[str], doc("remarks about the scores")]
    drawn: Annotated[dict[str, str], doc("metrics of replies that are drawn only, and the metric that has their means")]
    copies: Annotated[dict[str, float], doc("per system, the share of responses that equal one of their references")]
    unscored: Annotated[list[UnscoredItems], doc("rated items without a score")]
    reasons: Annotated[dict[str, str], doc("why a column lacks numbers")]
    planned: Annotated[list[list[str]], doc("planned comparisons")]
    common: Annotated[CommonItems, doc("coefficients over the items that all columns have")]
    rows: Annotated[list[CorrelationRow], doc("the main table: metric, quality and level")]
    ceiling: Annotated[dict[str, CeilingTable], doc("people against people, per quality")]
    agreement: Annotated[Agreement | None, doc("agreement of the raters; null where there are none")]
    filter: Annotated[list[FilterRow], doc("correlations before and after raters were filtered")]
    means: Annotated[dict[str, dict[str, SystemMean]], doc("means by column and system")]
    among: Annotated[Intercorrelations, doc("qualities and metrics, all by all")]
    trajectories: Annotated[list[Trajectories], doc("dialogues turn by turn")]
    better: Annotated[list[MetricComparison], doc("which metric is better: every comparison")]
    comparisons: Annotated[list[ComparisonTable], doc("the same as matrices")]
    also: Annotated[Reanalyses, doc("analyses that score altered items")]
    recipes: Annotated[dict[str, str], doc("recipe of each column")]
    summary: Annotated[list[str], doc("conclusions in sentences")]
    tones: Annotated[list[Literal["plain", "good", "caution", "bad"]], doc("tone of each sentence")]
    bias: Annotated[BiasTables | None, doc("length bias; absent for systems alone")] = None
    partings: Annotated[DisagreementTables | None, doc("disagreements with people; absent for systems alone")] = None
    preferences: Annotated[PreferenceTables | None, doc("pairwise choices, where given")] = None
    anova: Annotated[AnovaTables | None, doc("analysis of variance, where factors are given")] = None
    run: Annotated[str, doc("directory of the run; absent in its own result file")] = ""
