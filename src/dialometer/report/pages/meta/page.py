"""The report of a study: sections in the order in which a reader asks."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.meta import LENGTH_ONLY, PEOPLE, MetaResult
from dialometer.contracts.meta_tables import Coefficient, SystemMean
from dialometer.report import blocks as b
from dialometer.report.pages.agree.raters import rater_sections
from dialometer.report.pages.cells import interval, real
from dialometer.report.pages.meta.bias import bias_section, disagreement_section
from dialometer.report.pages.meta.conclusions import coefficient_text
from dialometer.report.pages.meta.correlations import better_section, correlation_sections, filter_section
from dialometer.report.pages.meta.data import StudyData
from dialometer.report.pages.meta.heatmaps import heat_sections
from dialometer.report.pages.meta.preferences import choice_sections
from dialometer.report.pages.meta.reanalyses import reanalysis_sections
from dialometer.report.pages.trajectories import path_sections

PICTURES = 6  # metrics that get a scatter plot of their own: those that follow people best, and the length-only baseline
SYSTEM_PICTURES = 3
JITTER = 0.075  # of the scale's width: N(0, 0.3) on a scale from 1 to 5 (Lowe et al. 2017, figure 3)


def meta_page(result: MetaResult, data: StudyData) -> b.Page:
    """The page of a run."""
    sections = [
        *heat_sections(result),
        *correlation_sections(result, list(data.human)),
        *filter_section(result),
        *_scatters(result, data),
        *_systems(result, data),
        *path_sections(result.trajectories),
        *better_section(result),
        *bias_section(result),
        *disagreement_section(result, data),
        *choice_sections(result),
        *reanalysis_sections(result, data.stress),
        *(rater_sections(result.agreement, data.scores) if result.agreement else ()),
    ]
    title = f"Metrics beside {result.reference}: {result.quality}"
    shown = [section for section in sections if section.blocks]
    return b.Page(title, shown, data.items, result.recipes, data.versions, result.summary, result.tones)


def _ranked(result: MetaResult, level: str, kind: str) -> list[tuple[str, Coefficient]]:
    """Metrics with a coefficient of the main quality at a level, from the highest."""
    rows = [row for row in result.rows if row.level == level and row.quality == result.quality]
    pairs: list[tuple[str, Coefficient]] = [(row.metric, getattr(row, kind)) for row in rows]
    return sorted((pair for pair in pairs if pair[1].r is not None), key=lambda pair: -real(pair[1].r))


def _scatters(result: MetaResult, data: StudyData) -> list[b.Section]:
    """Clouds of the metrics that follow people best; a click shows the item."""
    best = [pair for pair in _ranked(result, result.unit, "spearman") if pair[0] != LENGTH_ONLY][:PICTURES]
    if result.unit == "system" or not best:
        return []
    coefficients = {row.metric: row.spearman for row in result.rows
                    if row.level == result.unit and row.quality == result.quality}  # fmt: skip
    human = data.human[result.quality]
    width = float(np.nanmax(human) - np.nanmin(human))
    baseline = [LENGTH_ONLY] if LENGTH_ONLY in data.columns else []
    clouds = [
        b.Scatter(
            f"scatter-{name}", f"{result.reference}: {result.quality}", name, range(len(human)), human, data.columns[name],
            f"{name}: Spearman {coefficient_text(coefficients[name])}", JITTER * width,
        )
        for name in [*(name for name, _ in best), *baseline]
    ]  # fmt: skip
    return [b.Section("Item by item", clouds)]


def _systems(result: MetaResult, data: StudyData) -> list[b.Section]:
    """Systems: people's means, and the best metrics against them."""
    people = result.means.get(f"human: {result.quality}", {})
    blocks: list[b.Block] = []
    if people:
        names = sorted(people, key=lambda name: -np.nan_to_num(real(people[name].mean), nan=-np.inf))
        means = [people[name] for name in names]
        blocks.append(
            b.Dots(
                "system-means", names, [real(one.mean) for one in means], [_ends(one.interval_95) for one in means],
                [_ends(one.interval_90) for one in means], f"mean {result.quality}",
                f"Means of {result.reference} with 90% and 95% intervals",
            )
        )  # fmt: skip
    for name, one in _ranked(result, "system", "pearson")[:SYSTEM_PICTURES]:
        if points := _labelled(result, data, name, f"{name}: Pearson {coefficient_text(one)}"):
            blocks.append(points)
    if result.means:
        blocks.append(_means(result, data))
    return [b.Section("Systems", blocks)]


def _ends(bounds: list[float | None]) -> tuple[float, float]:
    low, high = map(real, bounds)
    return low, high


def _mean(one: SystemMean, bounds: list[float | None]) -> b.Interval:
    return interval(one.mean, *bounds)


def _means(result: MetaResult, data: StudyData) -> b.Table:
    """Every mean with its 95% interval; the CSV has them all."""
    human = {f"human: {quality}" for quality in data.human} if result.reference != PEOPLE else set()
    rows: list[list[b.Cell]] = [
        [
            column.replace("human", result.reference, 1) if column in human else column,
            system,
            one.n,
            _mean(one, one.interval_95),
            _mean(one, one.interval_90),
            real(one.sd),
        ]
        for column, systems in result.means.items()
        for system, one in systems.items()
    ]
    header = ["column", "system", "n", "mean [95%]", "mean [90%]", "sd"]
    return b.Table("means", header, rows, f"Means of {result.reference} and metrics per system", by_row=True)


def _labelled(result: MetaResult, data: StudyData, name: str, caption: str) -> b.Labelled | None:
    """Systems as points: people's mean and the metric's."""
    quality, means = result.quality, result.means
    if result.unit == "system":
        if name not in data.columns:
            return None
        x, y = ([b.Interval(float(v)) for v in side] for side in (data.human[quality], data.columns[name]))
        return b.Labelled(f"systems-{name}", result.systems, x, y, quality, name, caption)
    if name not in means:
        return None
    x, y = (
        [_mean(side[system], side[system].interval_95) for system in result.systems]
        for side in (means[f"human: {quality}"], means[name])
    )
    return b.Labelled(f"systems-{name}", result.systems, x, y, f"{result.reference}: {quality}", name, caption)
