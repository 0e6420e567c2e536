"""Leave-one-bot-out: what a judge of dialogues says of each bot that it was not fitted on, and what of that may be chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.train import TrainRequest
from dialometer.contracts.train_judge_bots import (
    BotRow,
    BotTables,
    Coefficients,
    DialogueCorrelation,
    FeatureAgreement,
    FeatureWeight,
    LeadAndPrediction,
    PermutationNull,
    PermutationNulls,
    WeightStability,
)
from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.bot_dialogues import BotDialogues, bot_correlations, bot_mean
from dialometer.flows.train_judge.dataset import RatedDataset
from dialometer.flows.train_judge.fits import ColumnFits
from dialometer.flows.train_judge.selfplay import SelfPlay, self_play_table
from dialometer.stats.correlation.correlate import COEFFICIENTS, KINDS, Correlation, correlate, pearson
from dialometer.stats.correlation.system_level import LEAST
from dialometer.stats.correlation.weighted import level_out
from dialometer.stats.validation.bot_level import bots
from dialometer.stats.validation.leave_bot_out import LeftOut, SystemFold, leave_bot_out
from dialometer.stats.validation.permutation_null import Way, whole_null
from dialometer.stats.validation.sign_stability import flipped, sign_table

DRAWS, QUICK = 499, 99  # permutations of the ratings
LINEAR = ("ridge", "ols")  # forms whose weights are shown next to the judge's own


def folds_of(dataset: RatedDataset, judge: Any, folds: int) -> int:
    """Folds to ask for: with a judge of dialogues one per system, or more."""
    return max(folds, min(1000, len(np.unique(dataset.system)))) if judge.unit == "dialogue" else folds


def refuse_replies(dataset: RatedDataset, judge: Any) -> None:
    """A judge of dialogues learns from whole ones."""
    if judge.unit == "dialogue" and dataset.rated.unit != "dialogue":
        raise UsageError(
            f"{judge.name} learns from rated conversations, and these are {len(dataset):,} rated replies",
            "dialometer train stack, or autojudge",
        )


def bot_tables(
    dataset: RatedDataset, judge: Any, request: TrainRequest, played: SelfPlay | None, work: Path, progress: Progress
) -> BotTables:
    """Every table over bots; or why there is none."""
    dialogues = BotDialogues.of(ColumnFits(dataset, judge, work / "fits", request.seed))
    names = np.unique(dialogues.system)
    if len(names) < 2:
        why = f"all conversations are of {names[0]}" if len(names) else "no conversation says which system it is of"
        return BotTables(count=len(names), why=why)
    folds = dialogues.folds(judge)
    left = leave_bot_out(folds, dialogues.target)
    draws = QUICK if request.quick else DRAWS
    human = dialogues.means(dialogues.target)
    return BotTables(
        count=len(names),
        nameless=len(dataset) - len(dialogues.target),
        rows=[
            BotRow(system=bot.system, n=bot.n, human=bot_mean(bot.human), score=bot_mean(bot.score))
            for bot in bots(left.lead, dialogues.target, dialogues.system)
        ],
        over_bots=LeadAndPrediction(
            lead=bot_correlations(dialogues.means(left.lead), human, seed=dialogues.seed),
            prediction=bot_correlations(dialogues.means(left.predictions), human, seed=dialogues.seed),
        ),
        over_dialogues=LeadAndPrediction(
            lead=_over_dialogues(left.lead, dialogues), prediction=_over_dialogues(left.predictions, dialogues)
        ),
        within_bots=_correlation(correlate(*_within(left.lead, dialogues), dialogues.cluster, seed=dialogues.seed)),
        start_only=number(pearson(dialogues.means(left.others), human)),
        features=_features(dialogues),
        stability=_stability(dialogues, left),
        chance=_permutation_nulls(dialogues, folds, draws, progress),
        selfplay=self_play_table(dialogues, played, draws, progress) if played else None,
    )


def _over_dialogues(values: np.ndarray, dialogues: BotDialogues) -> Coefficients[DialogueCorrelation]:
    """Bots are resampled for the interval: dialogues of one bot are not independent."""
    return Coefficients(**{
        kind: _correlation(correlate(values, dialogues.target, dialogues.system, kind=kind, seed=dialogues.seed))
        for kind in KINDS
    })  # fmt: skip


def _correlation(one: Correlation) -> DialogueCorrelation:
    return DialogueCorrelation(
        r=number(one.r), p=number(one.p), low=number(one.low), high=number(one.high), n=one.n, test=one.test
    )


def _features(dialogues: BotDialogues) -> list[FeatureAgreement]:
    """Each feature by itself, over bots and over the dialogues that have it; nothing is fitted."""
    rows = []
    for name, column in zip(dialogues.judge.names, dialogues.columns.T, strict=True):
        scored = np.flatnonzero(~np.isnan(column))
        means = (dialogues.means(values, scored) for values in (column, dialogues.target))
        rows.append(
            FeatureAgreement(
                name=name,
                over_bots=bot_correlations(*means, seed=dialogues.seed, resamples=0),
                over_dialogues=number(pearson(column[scored], dialogues.target[scored])),
                within_bots=number(pearson(*(values[scored] for values in _within(column, dialogues)))),
                unscored=len(column) - len(scored),
            )
        )
    return rows


def _within(column: np.ndarray, dialogues: BotDialogues) -> tuple[np.ndarray, np.ndarray]:
    """A column and the ratings less the means of each bot, over the dialogues that have both; NaN for the others."""
    missing = np.where(np.isnan(column), np.nan, 0.0)
    codes = np.unique(dialogues.system, return_inverse=True)[1]
    sizes = np.maximum(np.bincount(codes, missing == 0), 1)
    centred = []
    for values in (np.nan_to_num(column), dialogues.target):
        means = np.bincount(codes, np.where(missing == 0, values, 0.0)) / sizes
        centred.append(level_out(values - means[codes]) + missing)
    return centred[0], centred[1]


def _stability(dialogues: BotDialogues, left: LeftOut) -> dict[str, WeightStability]:
    """Weights over folds, of the judge's own form and of linear ones."""
    forms = {dialogues.judge.model: (dialogues.judge, left.weights)}
    for model in LINEAR:
        if model not in forms:
            other = replace(dialogues.judge, model=model, head=None)
            forms[model] = (other, leave_bot_out(dialogues.folds(other), dialogues.target).weights)
    tables = {}
    for model, (judge, folds) in forms.items():
        form = judge.design(dialogues.columns, dialogues.system.tolist(), seed=dialogues.seed).solve(dialogues.target)
        rows = sign_table(judge.names, form.slopes(dialogues.columns)[: len(judge.names)], folds)
        tables[model] = WeightStability(
            rows=[
                FeatureWeight(
                    name=row.name,
                    weight=number(row.weight),
                    mean=number(row.mean),
                    low=number(row.low),
                    high=number(row.high),
                    up=number(row.up),
                    down=number(row.down),
                )
                for row in rows
            ],
            flipped=number(flipped(rows)),
            folds=[[number(weight) for weight in fold] for fold in folds.tolist()],
        )
    return tables


def _permutation_nulls(
    dialogues: BotDialogues, folds: list[SystemFold], draws: int, progress: Progress
) -> PermutationNulls:
    """The full procedure on permuted ratings: coefficients over bots, and Pearson's over dialogues."""
    codes = np.unique(dialogues.system, return_inverse=True)[1]
    sizes = np.bincount(codes)

    def over_bots(y: np.ndarray) -> list[float]:
        lead, human = (np.bincount(codes, values) / sizes for values in (leave_bot_out(folds, y).lead, y))
        return [COEFFICIENTS[kind](lead, human) for kind in KINDS]

    def over_dialogues(y: np.ndarray) -> list[float]:
        return [pearson(leave_bot_out(folds, y).lead, y)]

    def null(figures: Callable[[np.ndarray], Sequence[float]], way: Way) -> PermutationNull:
        one = whole_null(
            figures, dialogues.target, dialogues.system, way=way, draws=draws, seed=dialogues.seed, progress=progress
        )
        values = one.draws[:, 0]
        known = values[~np.isnan(values)]
        return PermutationNull(
            value=number(one.value[0]),
            p=number(one.p[0]),
            mean=float(known.mean()) if len(known) else None,
            draws=[number(value) for value in values.tolist()],
            kinds={kind: number(p) for kind, p in zip(KINDS, one.p.tolist(), strict=False)},
        )

    return PermutationNulls(
        dialogues=null(over_dialogues, "dialogues"), bots=null(over_bots, "bots") if len(folds) >= LEAST else None
    )
