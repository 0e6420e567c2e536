"""Bots left out one by one: what a judge of conversations says of each bot that it has not seen, and what of that may be chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.flows.train_judge.bot_dialogues import Chats
from dialometer.flows.train_judge.column_fits import ColumnFits
from dialometer.flows.train_judge.dataset import Bench
from dialometer.flows.train_judge.selfplay import Played, chained
from dialometer.stats.correlation.correlate import COEFFICIENTS, KINDS, NAN, correlate, pearson
from dialometer.stats.correlation.system_level import LEAST
from dialometer.stats.correlation.weighted import level_out
from dialometer.stats.validation.bot_level import Bot, bots, over_bots
from dialometer.stats.validation.leave_bot_out import Fold, LeftOut, leave_bot_out
from dialometer.stats.validation.permutation_null import Way, whole_null
from dialometer.stats.validation.sign_stability import flipped, sign_table

if TYPE_CHECKING:
    from dialometer.contracts.train import TrainRequest

DRAWS, QUICK = 499, 99  # times that ratings are dealt anew
BESIDE = ("ridge", "ols")  # straight forms whose weights are shown beside the judge's own


def folds_of(bench: Bench, judge: Any, folds: int) -> int:
    """Folds to ask for: with a judge of conversations one per system, or more."""
    return max(folds, min(1000, len(np.unique(bench.system)))) if judge.unit == "dialogue" else folds


def refuse_replies(bench: Bench, judge: Any) -> None:
    """A judge of conversations learns from whole ones."""
    if judge.unit == "dialogue" and bench.rated.unit != "dialogue":
        raise UsageError(
            f"{judge.name} learns from rated conversations, and these are {len(bench):,} rated replies",
            "dialometer train stack, or autojudge",
        )


def left_out_bots(
    bench: Bench, judge: Any, request: TrainRequest, played: Played | None, work: Path, progress: Progress
) -> dict[str, Any]:
    """``bots``: every table over bots; or why there is none."""
    fits = ColumnFits(bench, judge, work / "fits", request.seed)
    chats = Chats.of(fits)
    names = np.unique(chats.system)
    if len(names) < 2:
        told = f"all conversations are of {names[0]}" if len(names) else "no conversation says which system it is of"
        return {"bots": {"why": told, "count": len(names)}}
    made = chats.folds(judge)
    left = leave_bot_out(made, chats.target)
    draws = QUICK if request.quick else DRAWS
    found = {
        "count": len(names),
        "nameless": len(bench) - len(chats.target),
        **_levels(chats, left),
        "features": _features(chats),
        "stability": _stability(chats, left),
        "chance": _chance(chats, made, draws, progress),
    }
    if played:
        found["selfplay"] = chained(chats, played, draws, progress)
    return {"bots": found}


def _levels(chats: Chats, left: LeftOut) -> dict[str, Any]:
    """Correlations over bots and over conversations, of leads (against the other bots) and of plain predictions.

    Conversations are drawn bot by bot for the interval: those of one bot are not independent. Within bots, they are.
    """
    human, seed = chats.means(chats.target), chats.seed
    sides = {"lead": left.lead, "prediction": left.predictions}
    within = correlate(*_within(left.lead, chats), chats.cluster, seed=seed)
    return {
        "rows": [_row(bot) for bot in bots(left.lead, chats.target, chats.system)],
        "over_bots": {
            side: {kind: asdict(one) for kind, one in over_bots(chats.means(values), human, seed=seed).items()}
            for side, values in sides.items()
        },
        "over_dialogues": {
            side: {kind: asdict(correlate(values, chats.target, chats.system, kind=kind, seed=seed)) for kind in KINDS}
            for side, values in sides.items()
        },
        "within_bots": asdict(within),
        "start_only": pearson(chats.means(left.others), human),
    }


def _row(bot: Bot) -> dict[str, Any]:
    sides = {
        name: {"value": one.mean, "low": one.intervals[0.95][0], "high": one.intervals[0.95][1]}
        for name, one in (("human", bot.human), ("score", bot.score))
    }
    return {"system": bot.system, "n": bot.n, **sides}


def _features(chats: Chats) -> list[dict[str, Any]]:
    """Each feature by itself, over bots and over conversations that have it; nothing is fitted."""
    found = []
    for name, column in zip(chats.judge.names, chats.columns.T, strict=True):
        rows = np.flatnonzero(~np.isnan(column))
        over = over_bots(chats.means(column, rows), chats.means(chats.target, rows), seed=chats.seed, resamples=0)
        found.append({
            "name": name, "over_bots": {kind: asdict(one) for kind, one in over.items()},
            "over_dialogues": pearson(column[rows], chats.target[rows]),
            "within_bots": pearson(*(side[rows] for side in _within(column, chats))),
            "unscored": len(column) - len(rows),
        })  # fmt: skip
    return found


def _within(column: np.ndarray, chats: Chats) -> tuple[np.ndarray, np.ndarray]:
    """A column and the ratings less the means of each bot, over the conversations that have both; NaN for the others."""
    hole = np.where(np.isnan(column), np.nan, 0.0)
    codes = np.unique(chats.system, return_inverse=True)[1]
    sizes = np.maximum(np.bincount(codes, hole == 0), 1)
    sides = []
    for side in (np.nan_to_num(column), chats.target):
        means = np.bincount(codes, np.where(hole == 0, side, 0.0)) / sizes
        sides.append(level_out(side - means[codes]) + hole)
    return sides[0], sides[1]


def _stability(chats: Chats, left: LeftOut) -> dict[str, Any]:
    """Weights over folds, of the judge's own form and of straight ones beside it."""
    ways = {chats.judge.model: (chats.judge, left.weights)}
    for model in BESIDE:
        if model not in ways:
            other = replace(chats.judge, model=model, head=None)
            ways[model] = (other, leave_bot_out(chats.folds(other), chats.target).weights)
    found = {}
    for model, (judge, folds) in ways.items():
        form = judge.design(chats.columns, chats.system.tolist(), seed=chats.seed).solve(chats.target)
        whole = form.slopes(chats.columns)[: len(judge.names)]
        rows = sign_table(judge.names, whole, folds)
        found[model] = {"rows": [asdict(row) for row in rows], "flipped": flipped(rows), "folds": folds.tolist()}
    return found


def _chance(chats: Chats, made: list[Fold], draws: int, progress: Progress) -> dict[str, Any]:
    """The whole procedure on ratings that were dealt anew: coefficients over bots, and Pearson's over conversations."""
    codes = np.unique(chats.system, return_inverse=True)[1]
    sizes = np.bincount(codes)

    def over(y: np.ndarray) -> list[float]:
        lead, human = (np.bincount(codes, side) / sizes for side in (leave_bot_out(made, y).lead, y))
        return [COEFFICIENTS[kind](lead, human) for kind in KINDS]

    def each(y: np.ndarray) -> list[float]:
        return [pearson(leave_bot_out(made, y).lead, y)]

    ways: dict[Way, Callable[[np.ndarray], Sequence[float]]] = {"dialogues": each}
    if len(made) >= LEAST:
        ways["bots"] = over
    found: dict[str, Any] = {}
    for way, figures in ways.items():
        null = whole_null(figures, chats.target, chats.system, way=way, draws=draws, seed=chats.seed, progress=progress)
        first = null.draws[:, 0]
        known = first[~np.isnan(first)]
        found[way] = {
            "value": float(null.value[0]), "p": float(null.p[0]), "mean": float(known.mean()) if len(known) else NAN,
            "draws": first.tolist(), "kinds": dict(zip(KINDS, null.p.tolist(), strict=False)),
        }  # fmt: skip
    return found
