"""train JUDGE: what a trained judge reaches on items that it has not seen, beside what it must beat."""

from __future__ import annotations

from typing import Any, Literal

from dialometer.contracts.result import Annotated, Record, doc
from dialometer.contracts.train_judge_bots import BotTables
from dialometer.contracts.train_judge_tables import (
    Agreement,
    Attribution,
    Baseline,
    ByUnseen,
    CalibrationTable,
    ComparedJudge,
    FoldTables,
    HumanCeiling,
    SystemTable,
)

Tone = Literal["plain", "good", "caution", "bad"]


class RatedFile(Record, frozen=True, kw_only=True):
    """One of several files of ratings."""

    file: str
    quality: Annotated[str, doc("the name of the quality in this file")]
    items: Annotated[int, doc("items that meet the conditions")]
    rated: Annotated[int, doc("items that have a rating")]


class DataFile(Record, frozen=True, kw_only=True):
    """A file that was trained on."""

    file: str
    blake2b: str


class RemovalAgreement(Record, frozen=True, kw_only=True):
    """Agreement with ratings after training on everything, without a system, and without as many items drawn at random."""

    everything: Agreement
    without: Agreement
    random: Agreement


class RemovalFigures(Record, frozen=True, kw_only=True):
    """Over all items and over those of the system alone; as predicted, and with a common start of the folds."""

    all: RemovalAgreement
    alone: RemovalAgreement
    all_aligned: RemovalAgreement
    alone_aligned: RemovalAgreement


class RemovedSystem(RemovalFigures, frozen=True, kw_only=True):
    """A system left out of training."""

    system: str
    n: int
    share: Annotated[float, doc("of all items")]


class LeaveOneSystemOut(Record, frozen=True, kw_only=True):
    """Systems left out of training one by one (Lowe et al. 2017, table 5)."""

    rows: list[RemovedSystem]
    mean: Annotated[RemovalFigures, doc("over systems, of the values that exist")]
    left_out: Annotated[int, doc("systems with fewer items that were not left out one by one")]
    folds: int
    within_contexts: Annotated[bool, doc("whether random items are drawn context by context")]


class TrainingShare(Record, frozen=True, kw_only=True):
    """What is reached with a share of the training contexts: mean and standard deviation over draws."""

    share: float
    rows: Annotated[float | None, doc("mean number of items")]
    pearson: float | None
    pearson_sd: float | None
    spearman: float | None
    spearman_sd: float | None
    repeats: Annotated[int, doc("draws whose predictions vary")]


class TrainingShares(Record, frozen=True, kw_only=True):
    """How much data a judge needs (Lowe et al. 2017, table 14)."""

    shares: list[TrainingShare]
    test: Annotated[int, doc("items held out")]
    training: Annotated[int, doc("items to draw from")]
    repeats: Annotated[int, doc("draws per share")]


class JudgeReaction(Record, frozen=True, kw_only=True):
    """The judge under one perturbation of the replies."""

    metric: str
    perturbation: str
    delta: Annotated[float | None, doc("mean change")]
    low: float | None
    high: float | None
    effect: Annotated[float | None, doc("in standard deviations of the original scores")]
    original: float | None
    perturbed: float | None
    n: int
    changed: int
    scored: int
    expected: str
    verdict: str


class DegenerateReplies(Record, frozen=True, kw_only=True):
    """One kind of degenerate reply against the median real reply."""

    name: str
    about: str
    n: int
    median: float | None
    median_real: float | None
    share_above: Annotated[float | None, doc("share that scores above the median real reply")]
    below: Annotated[bool, doc("whether the median is below that of real replies")]


class JudgeRobustness(Record, frozen=True, kw_only=True):
    """Reactions to perturbed replies of contexts that were held out."""

    rows: list[JudgeReaction]
    degenerate: list[DegenerateReplies]
    n: Annotated[int, doc("replies that were perturbed")]
    of: Annotated[int, doc("replies held out")]


class JudgeSeconds(Record, frozen=True, kw_only=True):
    """Times."""

    fit: float
    score: float
    replies: Annotated[int, doc("replies that were scored to measure the time")]


class JudgeResult(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A trained judge."""

    quality: str
    n: Annotated[int, doc("rated items")]
    unit: Annotated[str, doc("turn or dialogue")]
    replies: int
    contexts: int
    named_systems: int
    judgements: Annotated[int, doc("single ratings")]
    raters: Annotated[int, doc("0 where they are not known")]
    aggregate: Annotated[str, doc("how ratings of one item are combined")]
    scale: tuple[float, float]
    folds_asked: int
    left_out: Annotated[dict[str, int], doc("items left out, by reason")]
    files: Annotated[list[RatedFile], doc("of several files, what each has")]
    data: list[DataFile]
    licence: str
    seed: int
    folds: FoldTables
    baselines: dict[str, Baseline]
    best: Annotated[str, doc("the untrained column that follows ratings most closely")]
    ceiling: HumanCeiling
    calibration: ByUnseen[CalibrationTable]
    systems: SystemTable
    attribution: Attribution
    overlap: Annotated[dict[str, float], doc("share of texts that a part was fitted on, where it is above 2%")]
    judges: Annotated[dict[str, ByUnseen[ComparedJudge]], doc("other judges on the same folds")]
    left_out_analyses: Annotated[dict[str, str], doc("reasons")]
    left_out_metrics: Annotated[list[str], doc("baselines and judges that could not be compared, with the reason")]
    recipe: str
    spec: str
    fitted: Annotated[dict[str, Any], doc("what the judge reports about its fit; each kind of judge has names of its own")]
    seconds: JudgeSeconds
    summary: list[str]
    tones: Annotated[list[Tone], doc("of the sentences of the summary")]
    leave_one_system_out: Annotated[LeaveOneSystemOut | None, doc("not there with --quick")] = None
    amounts: Annotated[TrainingShares | None, doc("not there with --quick")] = None
    stress: Annotated[JudgeRobustness | None, doc("not there with --quick, or for a judge of dialogues")] = None
    unfitted: Annotated[list[str] | None, doc("reasons why fits on part of the data failed; not there with --quick")] = None
    bots: Annotated[BotTables | None, doc("only for a judge of dialogues")] = None
