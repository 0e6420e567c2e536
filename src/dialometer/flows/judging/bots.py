"""Bots left out one by one: what a judge of conversations says of each bot that it has not seen, and what of that may be chance."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.errors import UsageError
from dialometer.flows.judging.bench import Bench
from dialometer.flows.judging.column_fits import ColumnFits
from dialometer.flows.judging.selfplay import chained
from dialometer.protocols import Progress
from dialometer.stats.bot_level import Bot, bots, over_bots
from dialometer.stats.correlate import KINDS, correlate, pearson
from dialometer.stats.leave_bot_out import Fold, LeftOut, Solve, Weights, bot_folds, leave_bot_out
from dialometer.stats.sign_table import flipped, sign_table
from dialometer.stats.system_level import LEAST, by_system
from dialometer.stats.whole_null import whole_null

if TYPE_CHECKING:
    from dialometer.flows.train import TrainRequest

DRAWS, QUICK = 499, 99  # times that ratings are dealt anew
PLAY = "dialogues.jsonl"  # what a run of play holds
BESIDE = ("ridge", "ols")  # straight forms whose weights are shown beside the judge's own


def check_conversations(request: TrainRequest, judge: Any) -> None:
    """Refuse self-play for a judge of responses, and a run without conversations."""
    if not request.selfplay:
        return
    if judge.unit != "dialogue":
        raise UsageError(f"--selfplay is for a judge of conversations, and {judge.name} judges responses", "train hybrid …")
    if not Path(selfplay_file(request.selfplay)).is_file():
        raise UsageError(
            f"{request.selfplay} is neither a file nor a run of play", "dialometer play --a BOT -n 100 --turns 10"
        )


def selfplay_file(name: str) -> str:
    """The file of a run of play, or the file itself."""
    return str(Path(name) / PLAY) if Path(name).is_dir() else name


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


def left_out_bots(bench: Bench, judge: Any, request: TrainRequest, work: Path, progress: Progress) -> dict[str, Any]:
    """``bots``: every table over bots; or why there is none."""
    if bench.rated.unit != "dialogue":
        raise UsageError(
            f"{judge.name} learns from rated conversations, and these are rated replies", "stack, or autojudge"
        )
    names = np.unique(bench.system)
    if len(names) < 2:
        return {"bots": {"why": f"all conversations are of {names[0] or 'a system without a name'}", "count": len(names)}}
    fits = ColumnFits(bench, judge, work / "fits", request.seed)
    made = _folds(fits, judge)
    left = leave_bot_out(made, bench.target)
    found = {
        "count": len(names),
        **_levels(bench, left, request.seed),
        "features": _features(fits, request.seed),
        "stability": _stability(fits, left),
        "chance": _chance(bench, made, QUICK if request.quick else DRAWS, request.seed, progress),
    }
    if request.selfplay:
        found["selfplay"] = chained(fits, selfplay_file(request.selfplay), request, progress)
    return {"bots": found}


def _folds(fits: ColumnFits, judge: Any) -> list[Fold]:
    """A fold per system; scaling and all choices happen inside."""
    columns, systems = fits.columns, fits.bench.system

    def prepare(train: np.ndarray, test: np.ndarray) -> Solve:
        design = judge.design(columns[train], systems[train].tolist(), seed=fits.seed)

        def solve(ratings: np.ndarray) -> tuple[np.ndarray, Weights]:
            form = design.solve(ratings)
            return form.predict(columns[test]), lambda: form.slopes(columns[train])[: columns.shape[1]]

        return solve

    return bot_folds(systems, prepare)


def _levels(bench: Bench, left: LeftOut, seed: int) -> dict[str, Any]:
    """Correlations over bots and over conversations, of leads (against the other bots) and of plain predictions."""
    human = _means(bench.target, bench)
    sides = {"lead": left.lead, "prediction": left.predictions}
    return {
        "rows": [_row(bot) for bot in bots(left.lead, bench.target, bench.system)],
        "over_bots": {
            side: {kind: asdict(one) for kind, one in over_bots(_means(values, bench), human, seed=seed).items()}
            for side, values in sides.items()
        },
        "over_dialogues": {
            side: {kind: asdict(correlate(values, bench.target, bench.cluster, kind=kind, seed=seed)) for kind in KINDS}
            for side, values in sides.items()
        },
        "start_only": pearson(_means(left.others, bench), human),
    }


def _row(bot: Bot) -> dict[str, Any]:
    sides = {
        name: {"value": one.mean, "low": one.intervals[0.95][0], "high": one.intervals[0.95][1]}
        for name, one in (("human", bot.human), ("score", bot.score))
    }
    return {"system": bot.system, "n": bot.n, **sides}


def _means(values: np.ndarray, bench: Bench) -> np.ndarray:
    return np.array(list(by_system(values, bench.system).values()))


def _features(fits: ColumnFits, seed: int) -> list[dict[str, Any]]:
    """Each feature by itself, over bots and over conversations; nothing is fitted."""
    bench, human = fits.bench, _means(fits.bench.target, fits.bench)
    found = []
    for name, column in zip(fits.judge.names, fits.columns.T, strict=True):
        over = over_bots(_means(column, bench), human, seed=seed, resamples=0)
        each = correlate(column, bench.target, bench.cluster, seed=seed, resamples=0)
        found.append({
            "name": name, "over_bots": {kind: asdict(one) for kind, one in over.items()}, "over_dialogues": each.r,
            "within_bots": pearson(*(_within(side, bench) for side in (column, bench.target))),
            "unscored": int(np.isnan(column).sum()),
        })  # fmt: skip
    return found


def _within(values: np.ndarray, bench: Bench) -> np.ndarray:
    """What is left when every bot has the same mean; a hole stands at the mean."""
    means = by_system(values, bench.system)
    return np.nan_to_num(values - np.array([means[name] for name in bench.system.tolist()]))


def _stability(fits: ColumnFits, left: LeftOut) -> dict[str, Any]:
    """Weights over folds, of the judge's own form and of straight ones beside it."""
    ways = {fits.judge.model: (fits.judge, left.weights)}
    for model in BESIDE:
        if model not in ways:
            other = replace(fits.judge, model=model, head=None)
            ways[model] = (other, leave_bot_out(_folds(fits, other), fits.bench.target).weights)
    found = {}
    for model, (judge, folds) in ways.items():
        form = judge.design(fits.columns, fits.bench.system.tolist(), seed=fits.seed).solve(fits.bench.target)
        whole = form.slopes(fits.columns)[: len(judge.names)]
        rows = sign_table(judge.names, whole, folds)
        found[model] = {"rows": [asdict(row) for row in rows], "flipped": flipped(rows), "folds": folds.tolist()}
    return found


def _chance(bench: Bench, made: list[Fold], draws: int, seed: int, progress: Progress) -> dict[str, Any]:
    """The whole procedure on ratings that were dealt anew: over bots, and over conversations."""
    codes = np.unique(bench.system, return_inverse=True)[1]

    def over(y: np.ndarray) -> float:
        sums = np.bincount(codes, leave_bot_out(made, y).lead), np.bincount(codes, y)
        return pearson(*(side / np.bincount(codes) for side in sums))

    ways = {"dialogues": lambda y: pearson(leave_bot_out(made, y).lead, y)}
    if len(made) >= LEAST:
        ways["bots"] = over
    found = {}
    for way, figure in ways.items():
        null = whole_null(figure, bench.target, bench.system, way=way, draws=draws, seed=seed, progress=progress)
        found[way] = {"value": null.value, "p": null.p, "draws": null.draws.tolist()}
    return found
