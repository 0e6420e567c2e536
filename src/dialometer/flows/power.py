"""power: how many items and raters tell two systems apart, and how many items two metrics; simulated from one's own data."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from dialometer._version import __version__
from dialometer.data.limits import MAX_LINE
from dialometer.data.scores import read_scores
from dialometer.errors import DataError, DialometerError, NeedsError, RunError, UnknownName, UsageError
from dialometer.flows.rating.source import Rated, read_rated, read_scale
from dialometer.protocols import Progress
from dialometer.report.figure import can_draw
from dialometer.report.powers import powers
from dialometer.stats.metric_power import metric_power
from dialometer.stats.pool import make_pool
from dialometer.stats.power import check_plan, power_grid
from dialometer.store.atomic import write_bytes, write_json
from dialometer.store.runs import Run, file_hash, move_into, open_run

RESULTS = "power.json"
KINDS = ("pearson", "spearman")
TESTS = ("t", "permutation")


@dataclass(frozen=True, slots=True)
class PowerRequest:
    """Whose ratings to plan from, and what to tell apart: two systems by an effect, or two metrics by their scores.

    ``effect`` is in points of the scale (``0.3``) or in standard deviations of a rating (``0.3sd``); left empty, it is the
    difference seen between a and b.
    """

    inputs: tuple[str, ...]
    quality: str = ""
    ratings: str = ""
    where: tuple[str, ...] = ()
    scale: str = ""
    a: str = ""
    b: str = ""
    effect: str = ""
    items: str = "25,50,100,200,400"
    raters: str = "1,2,3,5"
    paired: bool = False
    panel: bool = False
    test: str = "t"
    scores: str = ""
    metrics: tuple[str, ...] = ()
    kind: str = "pearson"
    level: float = 0.05
    goal: float = 0.8
    simulations: int = 2000
    seed: int = 0
    format: str = ""
    max_line: int = MAX_LINE
    output: str = ""

    @property
    def about_systems(self) -> bool:
        """Whether systems are to be told apart: always, unless metrics are and nobody named an effect or a system."""
        return bool(self.effect or self.a or self.b or not self.scores)


@dataclass(frozen=True)
class PowerReport:
    """What a run found: ``systems`` and ``metrics`` hold the grid and the smallest study, or nothing where not asked for."""

    run: str
    results: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        return {"run": self.run, **self.results}


def power(request: PowerRequest, *, progress: Progress = lambda stage, done, total: None) -> PowerReport:
    """Simulate, or read a finished simulation."""
    check_request(request)
    run = open_run("power", asdict(request), _identity(request), folder=request.output)
    try:
        if not run.done:
            _fill(run, request, progress)
        return _read(run)
    except RunError:
        raise
    except (
        DialometerError
    ):  # these ratings can never be planned from like this; the mended command must find the place free
        run.discard()
        raise
    finally:
        run.close()


def check_request(request: PowerRequest) -> None:
    """Every refusal that needs no file."""
    if not request.inputs:
        raise UsageError("no file was given", "dialometer power RATED.jsonl --effect 0.3")
    if request.about_systems and not request.effect and not (request.a and request.b):
        raise UsageError("nobody said what difference to look for", "--effect 0.3, or --effect 0.2sd, or --a ONE --b OTHER")
    if request.test not in TESTS:
        raise UsageError(f"--test is t or permutation, not {request.test!r}", "--test t")
    if request.kind not in KINDS:
        raise UsageError(f"--kind is pearson or spearman, not {request.kind!r}", "--kind pearson")
    if request.metrics and not request.scores:
        raise UsageError("metrics are columns of a file of scores, and none was named", "--scores FILE -m ONE -m OTHER")
    if request.metrics and len(set(request.metrics)) != 2:
        raise UsageError(f"two metrics are told apart, not {len(set(request.metrics))}", "-m ONE -m OTHER")
    if not -(2**63) <= request.seed < 2**63:
        raise UsageError("--seed has more than 64 bits", "--seed 0")
    read_effect(request.effect or "0", 1.0)
    check_plan(_whole("--items", request.items), request.level, request.goal, request.simulations)
    _whole("--raters", request.raters)
    read_scale(request.scale)
    can_draw()


def read_effect(text: str, sd: float) -> float:
    """An effect in points; ``sd`` is the standard deviation that one in deviations counts.

    >>> read_effect("0.3", 2.0), read_effect("0.3sd", 2.0)
    (0.3, 0.6)
    """
    try:
        value = float(text.removesuffix("sd")) * (sd if text.endswith("sd") else 1.0)
    except ValueError:
        value = math.nan
    if not abs(value) < 1e9:  # nor is what is not a number
        raise UsageError(f"an effect is a number of points, or of standard deviations, not {text!r}", "--effect 0.3sd")
    return value


def _whole(option: str, text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise UsageError(f"{option} wants whole numbers with commas between, not {text!r}", f"{option} 1,2,5")
    return found


def _identity(request: PowerRequest) -> dict[str, Any]:
    """All that can change a number."""
    files = [*request.inputs, *(path for path in (request.ratings, request.scores) if path)]
    silent = ("inputs", "ratings", "scores", "output", "max_line")
    return {
        "files": [[Path(path).name, file_hash(Path(path))] for path in files],
        "beside": [bool(request.ratings), bool(request.scores)],
        "dialometer": __version__,
        **{key: value for key, value in asdict(request).items() if key not in silent},
    }


def _fill(run: Run, request: PowerRequest, progress: Progress) -> None:
    """Read, simulate, draw, keep."""
    progress("reading", 0, 0)
    rated = read_rated(
        request.inputs, ratings=request.ratings, qualities=(request.quality,) if request.quality else (),
        where=request.where, scale=request.scale, format=request.format, max_line=request.max_line,
    )  # fmt: skip
    quality = _quality(rated, request)
    found: dict[str, Any] = {
        "quality": quality,
        "unit": rated.unit,
        "goal": request.goal,
        "level": request.level,
        "simulations": request.simulations,
        "left_out": rated.left_out,
        "systems": _systems(rated, quality, request, progress) if request.about_systems else None,
        "metrics": _metrics(rated, quality, request, progress) if request.scores else None,
    }
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    write_bytes(made / "power.csv", _table(found))
    _draw(made / "power.png", found)
    write_json(made / RESULTS, found)
    move_into(made, run.folder)
    run.finish()


def _quality(rated: Rated, request: PowerRequest) -> str:
    names = rated.ratings.qualities
    if not request.quality and len(names) > 1:
        raise UsageError(
            f"{len(names)} qualities are rated, and a study is planned for one", f"-q one of: {', '.join(names)}"
        )
    return request.quality or names[0]


def _systems(rated: Rated, quality: str, request: PowerRequest, progress: Progress) -> dict[str, Any]:
    """Two systems: the components of the ratings, the grid, the smallest studies."""
    ratings = rated.ratings.of(quality)
    names = [item.system for item in rated.items] or [""] * len(ratings.items)
    groups = [str(number) for number in rated.cluster] if rated.items else list(ratings.items)
    extra = len(ratings.items) - len(names)  # attention checks that are no items: nobody rates their quality
    pool = make_pool(
        ratings.value, ratings.item, ratings.rater, [*names, *[""] * extra], [*groups, *map(str, ratings.items[:extra])],
        a=request.a, b=request.b, panel=request.panel, seed=request.seed,
    )  # fmt: skip
    sd = pool.components.sd
    effect = read_effect(request.effect, sd) if request.effect else pool.observed
    grid = power_grid(
        pool, effect, _whole("--items", request.items), _whole("--raters", request.raters), paired=request.paired,
        test=request.test, level=request.level, goal=request.goal, simulations=request.simulations, seed=request.seed,
        progress=progress,
    )  # fmt: skip
    return {
        "a": request.a,
        "b": request.b,
        "effect": effect,
        "effect_sd": effect / sd if sd > 0 else math.nan,
        "observed": pool.observed,
        "from_data": not request.effect,
        "paired": request.paired,
        "panel": request.panel,
        "test": request.test,
        "components": asdict(pool.components) | {"sd": sd},
        "cells": [asdict(cell) for cell in grid.cells],
        "needed": {str(k): asdict(cell) if cell else None for k, cell in grid.needed.items()},
    }


def _metrics(rated: Rated, quality: str, request: PowerRequest, progress: Progress) -> dict[str, Any]:
    """Two metrics: their correlations with people, and how many items tell those apart."""
    ratings = rated.ratings.of(quality)
    n = len(ratings.items)
    count = np.bincount(ratings.item, minlength=n)
    human = np.where(count > 0, np.bincount(ratings.item, ratings.value, n) / np.maximum(count, 1), np.nan)
    names, (ours, theirs), strangers = _columns(request, ratings.items)
    clusters = rated.cluster if rated.items else np.arange(n)
    clusters = np.concatenate([clusters, np.arange(n - len(clusters)) + clusters.max(initial=0) + 1])
    found = metric_power(
        ours, theirs, human, _whole("--items", request.items), clusters, kind=request.kind, level=request.level,
        goal=request.goal, simulations=request.simulations, seed=request.seed, progress=progress,
    )  # fmt: skip
    return {"a": names[0], "b": names[1], "kind": request.kind, "strangers": strangers, **asdict(found)}


def _columns(request: PowerRequest, ids: tuple[str, ...]) -> tuple[tuple[str, ...], list[np.ndarray], int]:
    """The two columns in the order of the items, and how many scored ids are none of them."""
    key, rows, columns = read_scores(request.scores)
    if key != "id":
        raise NeedsError(f"{request.scores} has a row per system, and items are drawn here", "scores with an 'id' column")
    names = request.metrics or tuple(columns)
    for name in names:
        if name not in columns:
            raise UnknownName("column of scores", name, columns, hint=f"-m one of: {', '.join(columns)}")
    if len(names) != 2:
        raise UsageError(f"{request.scores} has {len(names)} columns, and two are told apart", "-m ONE -m OTHER")
    place = {name: number for number, name in enumerate(ids)}
    at = np.array([place.get(name, -1) for name in rows])
    if (at < 0).all():
        raise DataError(
            f"scores none of these {len(ids)} items: its ids ({', '.join(rows[:3])}, …) are others",
            file=request.scores, hint=f"use the items' own ids: {', '.join(ids[:3])}, …",
        )  # fmt: skip
    aligned = []
    for name in names:
        column = np.full(len(ids), np.nan)
        column[at[at >= 0]] = columns[name][at >= 0]
        aligned.append(column)
    return names, aligned, int((at < 0).sum())


def _table(found: dict[str, Any]) -> bytes:
    out = io.StringIO()
    sheet = csv.writer(out, lineterminator="\n")
    sheet.writerow(["about", "items", "raters", "power", "low", "high", "method"])
    for about in ("systems", "metrics"):
        for cell in found[about]["cells"] if found[about] else ():
            numbers = [f"{cell[key]:.4f}" for key in ("power", "low", "high")]
            sheet.writerow([about, cell["items"], cell["raters"] or "", *numbers, cell["method"]])
    return out.getvalue().encode()


def _draw(path: Path, found: dict[str, Any]) -> None:
    panels: dict[str, dict[str, list[tuple[int, float, float, float]]]] = {}
    for about in ("systems", "metrics"):
        for cell in found[about]["cells"] if found[about] else ():
            k = cell["raters"]
            where = "items per system" if about == "systems" else "items"
            name = f"{k} rater{'s' * (k > 1)}" if k else f"{found[about]['a']}\nor {found[about]['b']}"
            point = (cell["items"], cell["power"], cell["low"], cell["high"])
            panels.setdefault(where, {}).setdefault(name, []).append(point)
    powers(path, panels, goal=found["goal"], title=f"Power to find a difference in {found['quality']}")


def _read(run: Run) -> PowerReport:
    try:
        return PowerReport(str(run.folder), dict(orjson.loads((run.folder / RESULTS).read_bytes())))
    except (OSError, ValueError, TypeError) as error:
        raise RunError(
            f"the finished run {run.folder} is damaged ({error})", f"rm -r {run.folder}, then the same command again"
        ) from None
