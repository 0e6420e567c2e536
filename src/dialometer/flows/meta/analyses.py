"""Everything ``meta`` computes: the tables of a study, and the conclusions from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np

from dialometer.contracts.agree import Agreement
from dialometer.contracts.meta import MetaRequest, MetaResult
from dialometer.contracts.meta_tables import (
    CeilingRow,
    CeilingTable,
    CoefficientTrio,
    CommonItems,
    ConstantColumns,
    FilterRow,
    SystemMean,
    UnscoredItems,
)
from dialometer.contracts.result import number
from dialometer.core.protocols import Progress
from dialometer.core.types import Example
from dialometer.flows.agree.agreement import agreement
from dialometer.flows.meta.bias import bias
from dialometer.flows.meta.columns import varies
from dialometer.flows.meta.common_items import common_items
from dialometer.flows.meta.correlations import (
    correlation_rows,
    levels_of,
    of_systems,
    rated_systems,
    refuse_no_numbers,
    system_columns,
)
from dialometer.flows.meta.disagreements import disagreements
from dialometer.flows.meta.intercorrelations import intercorrelations
from dialometer.flows.meta.preferences import choices, factors
from dialometer.flows.meta.reanalyses import reanalyses
from dialometer.flows.meta.significance import better
from dialometer.flows.meta.study import Study
from dialometer.flows.meta.trajectories import turn_by_turn
from dialometer.flows.shared.planned import planned_pairs
from dialometer.flows.shared.rated_items import read_scale
from dialometer.flows.shared.records import numbers, to_record
from dialometer.report.pages.meta.conclusions import conclusions
from dialometer.stats.agreement.aggregate import NAMED_WAYS
from dialometer.stats.correlation.ceiling import ceiling
from dialometer.stats.correlation.correlate import Correlation, correlate_table
from dialometer.stats.correlation.system_level import LEAST, system_correlation
from dialometer.stats.means import means_table


def main_quality(study: Study, request: MetaRequest) -> str:
    """The quality that pictures and bias tables are about: the first named, else the one called overall, else the first."""
    names = list(study.human)
    if request.quality:
        return request.quality[0]
    return next((name for name in names if name.lower() == "overall"), names[0])


def analyse(study: Study, request: MetaRequest, folder: Path, progress: Progress) -> MetaResult:
    """All tables of a study."""
    refuse_no_numbers(study)
    planned = planned_pairs(request.planned, [*study.columns.items, *study.columns.systems], "column")
    quality = main_quality(study, request)
    resamples, permutations, seed = request.resamples, request.permutations, request.seed
    levels = levels_of(study, request.level)
    rows = correlation_rows(study, levels=levels, resamples=resamples, seed=seed, progress=progress)
    comparisons, matrices = better(study, levels, planned=planned, permutations=permutations, seed=seed, progress=progress)
    of_items = study.unit != "system"
    result = MetaResult(
        unit=study.unit,
        n=int((~np.isnan(study.human[quality])).sum()),
        only_of_systems=[] if "system" in levels else list(study.columns.systems),
        systems=list(study.systems),
        quality=quality,
        reference=study.reference,
        levels_asked=list(request.level),
        aggregate=request.aggregate,
        left_out=study.left_out | _unrated(study, quality, request),
        constant=_constant(study),
        notes=study.columns.notes,
        drawn=study.columns.drawn,
        copies=_copies(study),
        unscored=_unscored(study, quality),
        reasons=study.columns.reasons,
        planned=[sorted(pair) for pair in planned],
        common=common_items(study, quality) if of_items else CommonItems(),
        rows=rows,
        ceiling=_ceilings(study, resamples, seed),
        agreement=_raters(study, request),
        filter=_filter(study, levels),
        means=_means(study, resamples, seed) if of_items else {},
        among=intercorrelations(study),
        trajectories=turn_by_turn(study, quality, request.systems, seed=seed),
        better=comparisons,
        comparisons=matrices,
        bias=bias(study, quality, resamples=resamples, permutations=permutations, seed=seed, progress=progress)
        if of_items
        else None,
        partings=disagreements(study, quality, _scale(study, request), seed=seed) if of_items else None,
        preferences=choices(request.preferences, resamples=resamples, seed=seed) if request.preferences else None,
        anova=factors(study, request.systems) if request.systems else None,
        also=reanalyses(study, quality, request, folder, progress),
        recipes=study.columns.recipes,
        summary=[],
        tones=[],
    )
    sentences = conclusions(result)
    return msgspec.structs.replace(result, summary=[text for text, _ in sentences], tones=[tone for _, tone in sentences])


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


def _constant(study: Study) -> ConstantColumns:
    """Columns without a number, and columns that never vary: their correlation does not exist."""
    named = {**study.columns.items, **{f"ratings of {name}": values for name, values in study.human.items()}}
    without = [name for name, values in named.items() if np.isnan(values).all()]
    still = [name for name, values in named.items() if name not in without and not varies(values)]
    return ConstantColumns(without=without, still=still)


def _unscored(study: Study, quality: str) -> list[UnscoredItems]:
    """Columns by how many rated items they have no number for, with the systems that have none at all."""
    rated = ~np.isnan(study.human[quality])
    groups: dict[bytes, UnscoredItems] = {}
    for name, values in study.columns.items.items():
        missing = rated & np.isnan(values)
        if not missing.any() or missing.sum() == rated.sum():
            continue
        whole = [study.systems[s] for s in np.unique(study.system[missing]) if missing[rated & (study.system == s)].all()]
        group = groups.setdefault(missing.tobytes(), UnscoredItems(items=int(missing.sum()), systems=whole, columns=[]))
        group.columns.append(name)
    return list(groups.values())


def _copies(study: Study) -> dict[str, float]:
    """Per system, the share of responses that are one of their own references word for word: overlap is given these."""
    items = [item for item in (study.rated.items if study.rated else ()) if isinstance(item, Example)]
    every = Counter(item.system for item in items)
    same = Counter(item.system for item in items if item.response.split() in [text.split() for text in item.references])
    return {system: count / every[system] for system, count in same.items()}


def _ceilings(study: Study, resamples: int, seed: int) -> dict[str, CeilingTable]:
    """People against people, per quality; empty where judgements are not there to be split."""
    if study.rated is None or not study.judged:
        return {}
    rated, tables = study.rated, dict[str, CeilingTable]()
    for quality in rated.ratings.qualities:
        table = ceiling(
            rated.ratings.of(quality), rated.judged_cluster, rated.judged_system, resamples=resamples, seed=seed
        )
        tables[quality] = to_record(CeilingTable, table, rows=[to_record(CeilingRow, row) for row in table.rows])
    return tables


def _raters(study: Study, request: MetaRequest) -> Agreement | None:
    if study.rated is None or not study.judged:
        return None
    return agreement(
        study.everybody or study.rated,
        weights=request.weights,
        min_kappa=request.min_kappa,
        resamples=request.resamples,
        seed=request.seed,
    )


def _filter(study: Study, levels: tuple[str, ...]) -> list[FilterRow]:
    """Correlations with all raters and with those who are kept; empty where nobody was filtered."""
    rows = []
    names = [study.systems[place] for place in study.system]
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
            label = study.unit if level == "item" else level
            rows += [
                FilterRow(metric=metric, quality=quality, level=label, all=_trio(kinds), kept=_trio(sides[1][metric]))
                for metric, kinds in sides[0].items()
            ]
    return rows


def _trio(kinds: Mapping[str, Correlation]) -> CoefficientTrio:
    return CoefficientTrio(**{kind: number(one.r) for kind, one in kinds.items()})


def _means(study: Study, resamples: int, seed: int) -> dict[str, dict[str, SystemMean]]:
    """Per system the mean of people and of every metric, with 90% and 95% intervals."""
    names = [study.systems[place] for place in study.system]
    columns = {**{f"human: {quality}": values for quality, values in study.human.items()}, **study.columns.items}
    clusters = study.rated.documents if study.rated else study.ids
    return {
        column: {
            system: to_record(SystemMean, m, interval_90=numbers(m.intervals[0.9]), interval_95=numbers(m.intervals[0.95]))
            for system, m in means.items()
        }
        for column, means in means_table(columns, names, clusters, resamples=resamples, seed=seed).items()
    }
