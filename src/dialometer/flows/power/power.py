"""power: how many items and raters tell two systems apart, and how many items two metrics; simulated from one's own data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from dialometer._version import __version__
from dialometer.contracts.power import PowerRequest
from dialometer.core.atomic import write_bytes, write_json
from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.flows.power.columns import two_columns
from dialometer.flows.power.grid import draw_grid, grid_csv
from dialometer.flows.power.options import read_effect, whole_numbers
from dialometer.flows.score.result_files import digest_of
from dialometer.flows.shared.rated_items import Rated, read_rated, read_scale
from dialometer.flows.shared.runs import check_unchanged, hashes, read_results, run_or_resume
from dialometer.report.figures.figure import can_draw
from dialometer.stats.agreement.aggregate import item_means
from dialometer.stats.power.metrics import metric_power
from dialometer.stats.power.rating_pool import make_pool
from dialometer.stats.power.systems import check_plan, power_grid
from dialometer.store.runs import Run, move_into

RESULTS = "power.json"
KINDS = ("pearson", "spearman")
TESTS = ("t", "permutation")


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
    return run_or_resume(
        "power",
        request,
        _identity(request),
        lambda run: _fill(run, request, progress),
        lambda run: PowerReport(str(run.folder), read_results(run, RESULTS)),
    )


def check_request(request: PowerRequest) -> None:
    """Every refusal that needs no file."""
    if not request.inputs:
        raise UsageError("no file was given", "dialometer power RATED.jsonl --effect 0.3")
    if bool(request.a) != bool(request.b):
        raise UsageError("two systems are told apart, and one was named", "--a ONE --b OTHER")
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
    read_effect(str(request.effect or "0"), 1.0)
    check_plan(whole_numbers("--items", request.items), request.level, request.goal, request.simulations)
    whole_numbers("--raters", request.raters)
    read_scale(request.scale)
    can_draw()


def _identity(request: PowerRequest) -> dict[str, Any]:
    """All that can change a number."""
    silent = ("inputs", "ratings", "scores", "output", "max_line", "fresh")
    return {
        "inputs": hashes(request.inputs),
        "ratings": hashes([request.ratings] if request.ratings else []),
        "scores": digest_of(request.scores) if request.scores else [],
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
    check_unchanged(run, request.inputs)
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    write_bytes(made / "power.csv", grid_csv(found))
    draw_grid(made / "power.png", found)
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
    extra = len(ratings.items) - len(names)  # attention checks that are no items: nobody rates their quality
    pool = make_pool(
        ratings.value, ratings.item, ratings.rater, [*names, *[""] * extra], rated.judged_cluster.astype(str).tolist(),
        a=request.a, b=request.b, panel=request.panel, seed=request.seed,
    )  # fmt: skip
    sd = pool.components.sd
    effect = read_effect(str(request.effect), sd) if request.effect else pool.observed
    grid = power_grid(
        pool, effect, whole_numbers("--items", request.items), whole_numbers("--raters", request.raters), paired=request.paired,
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
    names, (ours, theirs), strangers = two_columns(request.scores, request.metrics, ratings.items)
    found = metric_power(
        ours, theirs, item_means(ratings), whole_numbers("--items", request.items), rated.judged_cluster,
        kind=request.kind, level=request.level,
        goal=request.goal, simulations=request.simulations, seed=request.seed, progress=progress,
    )  # fmt: skip
    return {"a": names[0], "b": names[1], "kind": request.kind, "strangers": strangers, **asdict(found)}
