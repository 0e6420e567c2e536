"""Everything ``meta`` computes, as plain values in the order in which the report tells it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.core.protocols import Progress
from dialometer.core.types import Example
from dialometer.flows.agree.agreement import agreement
from dialometer.flows.meta.bias import bias
from dialometer.flows.meta.columns import varies
from dialometer.flows.meta.common_items import common_items
from dialometer.flows.meta.conclusions import conclusions
from dialometer.flows.meta.correlations import (
    levels_of,
    of_systems,
    rated_systems,
    refuse_no_numbers,
    rows_of,
    system_columns,
)
from dialometer.flows.meta.disagreements import partings_of
from dialometer.flows.meta.intercorrelations import among
from dialometer.flows.meta.preferences import choices, factors
from dialometer.flows.meta.reanalyses import also
from dialometer.flows.meta.significance import better
from dialometer.flows.meta.study import Study
from dialometer.flows.meta.trajectories import turn_by_turn
from dialometer.flows.shared.planned import planned_pairs
from dialometer.flows.shared.rated_items import read_scale
from dialometer.stats.agreement.aggregate import NAMED_WAYS
from dialometer.stats.correlation.ceiling import ceiling
from dialometer.stats.correlation.correlate import correlate_table
from dialometer.stats.correlation.system_level import LEAST, system_correlation
from dialometer.stats.means import means_table

if TYPE_CHECKING:
    from dialometer.contracts.meta import MetaRequest


def main_quality(study: Study, request: MetaRequest) -> str:
    """The quality that pictures and bias tables are about: the first named, else the one called overall, else the first."""
    names = list(study.human)
    if request.quality:
        return request.quality[0]
    return next((name for name in names if name.lower() == "overall"), names[0])


def analyse(study: Study, request: MetaRequest, folder: Path, progress: Progress) -> dict[str, Any]:
    """All tables of a study."""
    refuse_no_numbers(study)
    planned = planned_pairs(request.planned, [*study.columns.items, *study.columns.systems], "column")
    quality = main_quality(study, request)
    options: dict[str, Any] = {"resamples": request.resamples, "seed": request.seed}
    levels = levels_of(study, request.level)
    found: dict[str, Any] = {
        "unit": study.unit,
        "n": int((~np.isnan(study.human[quality])).sum()),
        "only_of_systems": [] if "system" in levels else list(study.columns.systems),
        "systems": list(study.systems),
        "quality": quality,
        "reference": study.reference,
        "levels_asked": list(request.level),
        "aggregate": request.aggregate,
        "left_out": study.left_out | _unrated(study, quality, request),
        "constant": _constant(study),
        "notes": study.columns.notes,
        "drawn": study.columns.drawn,
        "copies": _copies(study),
        "unscored": _unscored(study, quality),
        "reasons": study.columns.reasons,
        "planned": [sorted(pair) for pair in planned],
        "common": {} if study.unit == "system" else common_items(study, quality),
        "rows": rows_of(study, levels=levels, progress=progress, **options),
        "ceiling": _ceilings(study, options),
        "agreement": _raters(study, request),
        "filter": _filter(study, levels),
        "means": _means(study, options),
        "among": among(study),
        "trajectories": turn_by_turn(study, quality, request.systems, seed=request.seed),
    }
    found |= better(study, levels, planned=planned, permutations=request.permutations, seed=request.seed, progress=progress)
    if study.unit != "system":
        found["bias"] = bias(study, quality, permutations=request.permutations, progress=progress, **options)
        found["partings"] = partings_of(study, quality, _scale(study, request), seed=request.seed)
    if request.preferences:
        found["preferences"] = choices(request.preferences, **options)
    if request.systems:
        found["anova"] = factors(study, request.systems)
    found["also"] = also(study, quality, request, folder, progress)
    found["recipes"] = study.columns.recipes
    said = conclusions(found)
    return found | {"summary": [words for words, _ in said], "tones": [tone for _, tone in said]}


def _unrated(study: Study, quality: str, request: MetaRequest) -> dict[str, int]:
    """Items that nobody rated, and judgements that a way to aggregate cannot use because nobody knows whose they are."""
    left = {f"items without a rating of {quality}": int(np.isnan(study.human[quality]).sum())}
    if study.rated is not None and request.aggregate in NAMED_WAYS:
        judged = study.rated.ratings.of(quality)
        left[f"judgements of unknown raters ({request.aggregate})"] = int((judged.rater < 0).sum())
    return {what: count for what, count in left.items() if count}


def _scale(study: Study, request: MetaRequest) -> tuple[float, float] | None:
    """The declared scale, where the targets are on it."""
    return None if study.standardised else read_scale(request.scale)


def _constant(study: Study) -> dict[str, list[str]]:
    """Columns without a number, and columns that never vary: their correlation does not exist."""
    named = {**study.columns.items, **{f"ratings of {name}": values for name, values in study.human.items()}}
    without = [name for name, values in named.items() if np.isnan(values).all()]
    still = [name for name, values in named.items() if name not in without and not varies(values)]
    return {"without": without, "still": still}


def _unscored(study: Study, quality: str) -> list[dict[str, Any]]:
    """Columns by how many rated items they have no number for, with the systems that have none at all."""
    rated = ~np.isnan(study.human[quality])
    groups: dict[bytes, dict[str, Any]] = {}
    for name, values in study.columns.items.items():
        missing = rated & np.isnan(values)
        if not missing.any() or missing.sum() == rated.sum():
            continue
        whole = [study.systems[s] for s in np.unique(study.system[missing]) if missing[rated & (study.system == s)].all()]
        group = groups.setdefault(missing.tobytes(), {"items": int(missing.sum()), "systems": whole, "columns": []})
        group["columns"].append(name)
    return list(groups.values())


def _copies(study: Study) -> dict[str, float]:
    """Per system, the share of responses that are one of their own references word for word: overlap is given these."""
    items = [item for item in (study.rated.items if study.rated else ()) if isinstance(item, Example)]
    every = Counter(item.system for item in items)
    same = Counter(item.system for item in items if item.response.split() in [text.split() for text in item.references])
    return {system: count / every[system] for system, count in same.items()}


def _ceilings(study: Study, options: dict[str, Any]) -> dict[str, Any]:
    """People against people, per quality; empty where judgements are not there to be split."""
    if study.rated is None or not study.judged:
        return {}
    rated = study.rated
    return {
        quality: asdict(ceiling(rated.ratings.of(quality), rated.judged_cluster, rated.judged_system, **options))
        for quality in rated.ratings.qualities
    }


def _raters(study: Study, request: MetaRequest) -> dict[str, Any] | None:
    if study.rated is None or not study.judged:
        return None
    return agreement(
        study.everybody or study.rated,
        weights=request.weights,
        min_kappa=request.min_kappa,
        resamples=request.resamples,
        seed=request.seed,
    )


def _filter(study: Study, levels: tuple[str, ...]) -> list[dict[str, Any]]:
    """Correlations with all raters and with those who are kept; empty where nobody was filtered."""
    rows = []
    names = [study.systems[number] for number in study.system]
    for quality, everybody in study.human_of_all.items():
        for level in (level for level in ("item", "system") if level in levels):
            if level == "system" and rated_systems(study, quality) < LEAST:
                continue
            sides = []
            for human in (everybody, study.human[quality]):
                if level == "item":
                    sides.append(correlate_table(study.columns.items, human, study.cluster, resamples=0))
                else:
                    sides.append(system_correlation(system_columns(study), of_systems(study, human), names, resamples=0))
            rows += [
                {"metric": metric, "quality": quality, "level": study.unit if level == "item" else level,
                 "all": {kind: one.r for kind, one in sides[0][metric].items()},
                 "kept": {kind: one.r for kind, one in sides[1][metric].items()}}
                for metric in sides[0]
            ]  # fmt: skip
    return rows


def _means(study: Study, options: dict[str, Any]) -> dict[str, Any]:
    """Per system the mean of people and of every metric, with 90% and 95% intervals."""
    if study.unit == "system":
        return {}
    names = [study.systems[number] for number in study.system]
    columns = {**{f"human: {quality}": values for quality, values in study.human.items()}, **study.columns.items}
    clusters = study.rated.documents if study.rated else study.ids
    return {
        column: {
            system: {"mean": m.mean, "sd": m.sd, "n": m.n, "90": list(m.intervals[0.9]), "95": list(m.intervals[0.95])}
            for system, m in found.items()
        }
        for column, found in means_table(columns, names, clusters, **options).items()
    }
