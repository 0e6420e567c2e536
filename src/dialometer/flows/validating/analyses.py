"""Everything ``meta`` computes, as plain values in the order in which the report tells it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.flows.rating.agreement import agreement
from dialometer.flows.rating.source import read_scale
from dialometer.flows.validating.also import also
from dialometer.flows.validating.better import better
from dialometer.flows.validating.bias import bias
from dialometer.flows.validating.choices import choices, factors
from dialometer.flows.validating.columns import varies
from dialometer.flows.validating.conclusions import conclusions
from dialometer.flows.validating.correlations import levels_of, refuse_nothing, rows_of
from dialometer.flows.validating.nouns import Study
from dialometer.flows.validating.partings import partings_of
from dialometer.protocols import Progress
from dialometer.stats.ceiling import ceiling
from dialometer.stats.means import system_means
from dialometer.types import Example

if TYPE_CHECKING:
    from dialometer.flows.meta import MetaRequest


def main_quality(study: Study, request: MetaRequest) -> str:
    """The quality that pictures and bias tables are about: the first named, else the one called overall, else the first."""
    names = list(study.human)
    if request.quality:
        return request.quality[0]
    return next((name for name in names if name.lower() == "overall"), names[0])


def analyse(study: Study, request: MetaRequest, folder: Path, progress: Progress) -> dict[str, Any]:
    """All tables of a study."""
    refuse_nothing(study)
    quality = main_quality(study, request)
    options: dict[str, Any] = {"resamples": request.resamples, "seed": request.seed}
    levels = levels_of(study, request.level)
    found: dict[str, Any] = {
        "unit": study.unit,
        "n": len(study),
        "systems": list(study.systems),
        "quality": quality,
        "aggregate": request.aggregate,
        "left_out": study.left_out,
        "constant": _constant(study),
        "copies": _copies(study),
        "rows": rows_of(study, levels=levels, progress=progress, **options),
        "ceiling": _ceilings(study, options),
        "agreement": _raters(study, request),
        "means": _means(study, options),
    }
    found |= better(study, levels, permutations=request.permutations, seed=request.seed, progress=progress)
    if study.unit != "system":
        found["bias"] = bias(study, quality, permutations=request.permutations, progress=progress, **options)
        found["partings"] = partings_of(study, quality, read_scale(request.scale), seed=request.seed)
    if request.preferences:
        found["preferences"] = choices(request.preferences, **options)
    if request.systems:
        found["anova"] = factors(study, request.systems)
    found["also"] = also(study, quality, request, folder, progress)
    found["recipes"] = study.columns.recipes
    found["summary"] = conclusions(found)
    return found


def _constant(study: Study) -> dict[str, list[str]]:
    """Columns without a number, and columns that never vary: their correlation does not exist."""
    named = {**study.columns.items, **{f"ratings of {name}": values for name, values in study.human.items()}}
    without = [name for name, values in named.items() if np.isnan(values).all()]
    still = [name for name, values in named.items() if name not in without and not varies(values)]
    return {"without": without, "still": still}


def _copies(study: Study) -> dict[str, float]:
    """Per system, the share of responses that are one of their own references word for word: overlap is given these."""
    items = [item for item in (study.rated.items if study.rated else ()) if isinstance(item, Example)]
    every = Counter(item.system for item in items)
    same = Counter(item.system for item in items if item.response.split() in [text.split() for text in item.references])
    return {system: count / every[system] for system, count in same.items()}


def _ceilings(study: Study, options: dict[str, Any]) -> dict[str, Any]:
    """People against people, per quality; empty where judgements are not there to be split."""
    if study.rated is None:
        return {}
    rated = study.rated
    return {
        quality: asdict(ceiling(rated.ratings.of(quality), rated.judged_cluster, rated.judged_system, **options))
        for quality in rated.ratings.qualities
    }


def _raters(study: Study, request: MetaRequest) -> dict[str, Any] | None:
    if study.rated is None:
        return None
    return agreement(
        study.rated, weights=request.weights, min_kappa=request.min_kappa, resamples=request.resamples, seed=request.seed
    )


def _means(study: Study, options: dict[str, Any]) -> dict[str, Any]:
    """Per system the mean of people and of every metric, with 90% and 95% intervals."""
    if study.unit == "system":
        return {}
    names = [study.systems[number] for number in study.system]
    columns = {**{f"human: {quality}": values for quality, values in study.human.items()}, **study.columns.items}
    return {
        column: {
            system: {"mean": m.mean, "sd": m.sd, "n": m.n, "90": list(m.intervals[0.9]), "95": list(m.intervals[0.95])}
            for system, m in system_means(values, names, study.cluster, **options).items()
        }
        for column, values in columns.items()
    }
