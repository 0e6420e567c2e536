"""``train amfm --tune``: choose k, n and λ against ratings, show how, and fit the chosen metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dialometer.contracts.result import number
from dialometer.contracts.train import TunedVariant, TuningResult
from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.core.registry import parse
from dialometer.flows.tune.figures import write_crossplots, write_curves
from dialometer.flows.tune.grid_search import Grid, measure_parts, tune
from dialometer.flows.tune.rated_items import Rated


def check_tunable(metric: Any) -> None:
    """Only k of lsi, n of ngram and λ are tuned, on parts that are still to be fitted."""
    if (parse(metric.am).name, parse(metric.fm).name) != ("lsi", "ngram") or metric.fixed():
        raise UsageError(
            "--tune chooses k of lsi and n of ngram, both fitted on FILE", "leave out am=… and fm=…, or --tune"
        )
    if metric.pm:
        raise UsageError("--tune weighs AM against FM alone", "leave out pm=… while tuning")


def tune_amfm(
    metric: Any, rated: Rated, dialogues: list[list[str]], grid: Grid, folder: Path, progress: Progress
) -> tuple[Any, TuningResult]:
    """The metric with the chosen options, fitted; curves, variants and cross-plots are written to the folder."""
    parts = measure_parts(metric, rated.corpus, dialogues, grid, progress)
    grid = replace(grid, ks=tuple(parts.am))
    search = tune(parts, rated.units, rated.target, rated.folds, grid)
    pictures = write_curves(folder, parts, rated, search, grid)
    k, n, weight = search.chosen
    pictures += write_crossplots(folder, rated, parts.scores(search.chosen))
    specs = {"am": _spec(metric.am, k=k), "fm": _spec(metric.fm, order=n), "weight": weight}
    fitted = replace(metric, **specs, parts=(parts.encoder.truncated(k), parts.likelihoods[n]))
    return fitted, TuningResult(
        chosen=TunedVariant(k=k, n=n, weight=weight),
        folds=list(search.folds),
        inside=number(search.inside),
        held_out=number(search.held_out),
        held_out_mean=number(search.held_out_mean),
        variants=search.variants,
        n=search.n,
        quality=rated.quality,
        level=rated.level,
        pictures=pictures,
        left_out=rated.left_out,
    )


def _spec(spec: str, **options: int) -> str:
    parsed = parse(spec)
    others = {key: value for key, value in parsed.options if key not in options}
    return str(replace(parsed, options=tuple((others | {key: str(value) for key, value in options.items()}).items())))
