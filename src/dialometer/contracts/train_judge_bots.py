"""train JUDGE, for judges of dialogues: what a judge says of each bot that it was not fitted on."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from dialometer.contracts.result import Annotated, Record, doc

Figure = TypeVar("Figure")
MIN_BOTS = 4  # bots below which no correlation over bots is given


class Coefficients(Record, Generic[Figure], frozen=True, kw_only=True):
    """Three coefficients of the same two columns."""

    pearson: Figure
    spearman: Figure
    kendall: Figure

    def items(self) -> list[tuple[str, Figure]]:
        """By name."""
        return [("pearson", self.pearson), ("spearman", self.spearman), ("kendall", self.kendall)]


class LeadAndPrediction(Record, Generic[Figure], frozen=True, kw_only=True):
    """Predictions less the mean of what their fold was fitted on, and predictions as they are."""

    lead: Coefficients[Figure]
    prediction: Coefficients[Figure]


class DialogueCorrelation(Record, frozen=True, kw_only=True):
    """A correlation over dialogues, bots resampled."""

    r: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    test: str = ""


class BotCorrelation(DialogueCorrelation, frozen=True, kw_only=True):
    """A correlation over bots: Fisher's interval, and a bootstrap over bots."""

    drawn_low: Annotated[float | None, doc("lower end of the bootstrap interval")] = None
    drawn_high: Annotated[float | None, doc("upper end of the bootstrap interval")] = None


class BotMean(Record, frozen=True, kw_only=True):
    """A mean with its 95% interval."""

    value: float | None
    low: float | None
    high: float | None


class BotRow(Record, frozen=True, kw_only=True):
    """One bot."""

    system: str
    n: Annotated[int, doc("dialogues")]
    human: Annotated[BotMean, doc("mean rating")]
    score: Annotated[BotMean, doc("mean lead by a fit without this bot")]


class FeatureAgreement(Record, frozen=True, kw_only=True):
    """One feature by itself, nothing fitted."""

    name: str
    over_bots: Coefficients[BotCorrelation]
    over_dialogues: Annotated[float | None, doc("Pearson")]
    within_bots: Annotated[float | None, doc("Pearson, the means of bots subtracted")]
    unscored: Annotated[int, doc("dialogues without a value")]


class FeatureWeight(Record, frozen=True, kw_only=True):
    """The weight of one feature in the fit on everything, and over folds."""

    name: str
    weight: float | None
    mean: float | None
    low: float | None
    high: float | None
    up: Annotated[float | None, doc("share of folds with a weight above 0")]
    down: Annotated[float | None, doc("share of folds with a weight below 0")]


class WeightStability(Record, frozen=True, kw_only=True):
    """Weights of one form over folds."""

    rows: list[FeatureWeight]
    flipped: Annotated[float | None, doc("share of features whose sign is not the same in all folds")]
    folds: Annotated[list[list[float | None]], doc("weights, a row per fold")]


class PermutationNull(Record, frozen=True, kw_only=True):
    """The full procedure on permuted ratings."""

    value: Annotated[float | None, doc("Pearson with the ratings as they are")]
    p: Annotated[float | None, doc("one-sided")]
    mean: Annotated[float | None, doc("of Pearson over permutations")]
    draws: Annotated[list[float | None], doc("Pearson of each permutation")]
    kinds: Annotated[dict[str, float | None], doc("p by coefficient")]


class PermutationNulls(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Ratings permuted over and within bots, and the means of bots permuted; the latter from four bots on."""

    dialogues: PermutationNull
    bots: PermutationNull | None = None


class SelfPlayTable(Record, frozen=True, kw_only=True):
    """Fits to rated dialogues of the other bots, applied to the self-play of each (Ghandeharioun et al. 2019)."""

    rows: list[BotRow]
    over_bots: Coefficients[BotCorrelation]
    only_played: Annotated[list[str], doc("bots with self-play alone")]
    only_rated: Annotated[list[str], doc("bots with rated dialogues alone")]
    silent: Annotated[list[str], doc("bots without two replies in any self-play")]
    left_out: Annotated[dict[str, int], doc("self-play left out, by reason")]


def _empty(one: Figure) -> LeadAndPrediction[Figure]:
    """No figures, where no bot can be left out."""
    three = Coefficients(pearson=one, spearman=one, kendall=one)
    return LeadAndPrediction(lead=three, prediction=three)


NO_CORRELATION = DialogueCorrelation()
NO_BOTS = _empty(BotCorrelation())
NO_DIALOGUES = _empty(NO_CORRELATION)
NO_NULLS = PermutationNulls(dialogues=PermutationNull(value=None, p=None, mean=None, draws=[], kinds={}))


class BotTables(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Bots left out one by one; where this is not possible, ``count`` and ``why`` alone, and no rows."""

    count: Annotated[int, doc("bots")]
    why: Annotated[str, doc("why there are no tables")] = ""
    nameless: Annotated[int | UnsetType, doc("dialogues without the name of a system")] = UNSET
    rows: list[BotRow] = msgspec.field(default_factory=list)
    over_bots: LeadAndPrediction[BotCorrelation] = NO_BOTS
    over_dialogues: LeadAndPrediction[DialogueCorrelation] = NO_DIALOGUES
    within_bots: Annotated[DialogueCorrelation, doc("Pearson over dialogues, the means of bots subtracted")] = (
        NO_CORRELATION
    )
    start_only: Annotated[
        float | UnsetType | None, doc("Pearson over bots of the mean rating of the others, which knows nothing of the bot")
    ] = UNSET
    features: list[FeatureAgreement] = msgspec.field(default_factory=list)
    stability: Annotated[dict[str, WeightStability], doc("by form")] = msgspec.field(default_factory=dict)
    chance: Annotated[PermutationNulls, doc("the full procedure on permuted ratings")] = NO_NULLS
    selfplay: Annotated[SelfPlayTable | None, doc("only with --selfplay")] = None
