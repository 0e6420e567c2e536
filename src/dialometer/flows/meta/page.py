"""The report of a study: sections in the order in which a reader asks."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer._version import __version__
from dialometer.core.types import Example
from dialometer.data import Item
from dialometer.flows.agree.sections import rater_sections
from dialometer.flows.meta.blocks_bias import bias_section, parting_section
from dialometer.flows.meta.blocks_heatmaps import heat_sections
from dialometer.flows.meta.blocks_metrics import better_section, correlation_sections, filter_section
from dialometer.flows.meta.blocks_preferences import choice_sections
from dialometer.flows.meta.blocks_reanalyses import also_sections
from dialometer.flows.meta.conclusions import interval
from dialometer.flows.meta.study import PEOPLE, Study
from dialometer.flows.shared.trajectories.picture import path_sections
from dialometer.report import blocks as b
from dialometer.report.page import write_page
from dialometer.stats.validation.length_bias import LENGTH_ONLY

if TYPE_CHECKING:
    from dialometer.contracts.meta import MetaRequest

PICTURES = 6  # metrics that get a scatter plot of their own: those that follow people best, and the length-only baseline
SYSTEM_PICTURES = 3
JITTER = 0.075  # of the scale's width: N(0, 0.3) on a scale from 1 to 5 (Lowe et al. 2017, figure 3)


def write_report(study: Study, found: dict[str, Any], request: MetaRequest, folder: Path) -> Path:
    """Write the page, its tables and its figures."""
    sections = [
        *heat_sections(found),
        *correlation_sections(study, found),
        *filter_section(found),
        *_scatters(study, found),
        *_systems(study, found),
        *path_sections(found["trajectories"]),
        *better_section(found),
        *bias_section(found),
        *parting_section(study, found),
        *choice_sections(found),
        *also_sections(found),
    ]
    if study.rated is not None and found["agreement"]:
        sections += rater_sections(study.everybody or study.rated, found["agreement"])
    page = b.Page(
        f"Metrics beside {study.reference}: {found['quality']}",
        [section for section in sections if section.blocks],
        _items(study),
        study.columns.recipes,
        {"dialometer": __version__, "python": platform.python_version(), "numpy": np.__version__, "seed": str(request.seed),
         "files": ", ".join(Path(path).name for path in request.inputs), "resamples": str(request.resamples)},
        found["summary"], found["tones"],
    )  # fmt: skip
    return write_page(page, folder)


def _scatters(study: Study, found: dict[str, Any]) -> list[b.Section]:
    """Clouds of the metrics that follow people best; a click shows the item."""
    rows = [
        r
        for r in found["rows"]
        if r["level"] == study.unit and r["quality"] == found["quality"] and r["metric"] != LENGTH_ONLY
    ]
    ranked = sorted((r for r in rows if r["spearman"]["r"] == r["spearman"]["r"]), key=lambda r: -r["spearman"]["r"])
    names = [row["metric"] for row in ranked[:PICTURES]]
    if study.unit == "system" or not names:
        return []
    human = study.human[found["quality"]]
    width = float(np.nanmax(human) - np.nanmin(human))
    clouds = [
        b.Scatter(
            f"scatter-{name}", f"{study.reference}: {found['quality']}", name, range(len(study)), human, study.columns.items[name],
            f"{name}: Spearman {_coefficient(found, study.unit, name)}", JITTER * width,
        )
        for name in [*names, *([LENGTH_ONLY] if LENGTH_ONLY in study.columns.items else [])]
    ]  # fmt: skip
    return [b.Section("Item by item", clouds)]


def _coefficient(found: dict[str, Any], level: str, name: str) -> str:
    row = next(r for r in found["rows"] if (r["metric"], r["quality"], r["level"]) == (name, found["quality"], level))
    return interval(row["spearman"])


def _systems(study: Study, found: dict[str, Any]) -> list[b.Section]:
    """Systems: people's means, and the best metrics against them."""
    rows = [r for r in found["rows"] if r["level"] == "system" and r["quality"] == found["quality"]]
    people = found["means"].get(f"human: {found['quality']}", {})
    blocks: list[b.Block] = []
    if people:
        names = sorted(people, key=lambda name: -np.nan_to_num(people[name]["mean"], nan=-np.inf))
        blocks.append(
            b.Dots(
                "system-means", names, [people[s]["mean"] for s in names], [tuple(people[s]["95"]) for s in names],
                [tuple(people[s]["90"]) for s in names], f"mean {found['quality']}",
                f"Means of {study.reference} with 90% and 95% intervals",
            )
        )  # fmt: skip
    ranked = sorted((r for r in rows if r["pearson"]["r"] == r["pearson"]["r"]), key=lambda r: -r["pearson"]["r"])
    for row in ranked[:SYSTEM_PICTURES]:
        if points := _labelled(study, found, row["metric"], f"{row['metric']}: Pearson {interval(row['pearson'])}"):
            blocks.append(points)
    if found["means"]:
        blocks.append(_means(study, found))
    return [b.Section("Systems", blocks)]


def _means(study: Study, found: dict[str, Any]) -> b.Table:
    """Every mean with its 95% interval; the CSV has them all."""
    human = {f"human: {quality}" for quality in study.human} if study.reference != PEOPLE else set()
    rows: list[list[b.Cell]] = [
        [
            column.replace("human", study.reference, 1) if column in human else column,
            system,
            row["n"],
            b.Interval(row["mean"], *row["95"]),
            b.Interval(row["mean"], *row["90"]),
            row["sd"],
        ]
        for column, systems in found["means"].items()
        for system, row in systems.items()
    ]
    header = ["column", "system", "n", "mean [95%]", "mean [90%]", "sd"]
    return b.Table("means", header, rows, f"Means of {study.reference} and metrics per system", by_row=True)


def _labelled(study: Study, found: dict[str, Any], name: str, caption: str) -> b.Labelled | None:
    quality, means = found["quality"], found["means"]
    if study.unit == "system":
        x, y = study.human[quality], study.columns.items.get(name)
        if y is None:
            return None
        sides = [[b.Interval(float(v)) for v in side] for side in (x, y)]
        return b.Labelled(f"systems-{name}", study.systems, sides[0], sides[1], quality, name, caption)
    if name not in means:
        return None
    people = means[f"human: {quality}"]
    sides = [
        [b.Interval(side[s]["mean"], *side[s]["95"]) for s in study.systems] for side in (people, means[name])
    ]  # fmt: skip
    return b.Labelled(f"systems-{name}", study.systems, sides[0], sides[1], f"{study.reference}: {quality}", name, caption)


def _items(study: Study) -> list[b.Item]:
    """What a click shows: the dialogue, its scores, and the ratings that the study rests on."""
    if study.unit == "system":
        return []
    columns = list(study.columns.items.items())
    given = _ratings(study)
    items = study.rated.items if study.rated else study.ids
    return [
        _item(item, {name: float(values[row]) for name, values in columns if values[row] == values[row]}, given[row])
        for row, item in enumerate(items)
    ]


def _ratings(study: Study) -> list[dict[str, list[float]]]:
    """Per item and quality what people gave; for a table of means, the mean."""
    found: list[dict[str, list[float]]] = [{} for _ in study.ids]
    if study.rated is None:
        for name, means in study.human.items():
            for own, value in zip(found, means.tolist(), strict=True):
                own[name] = [value]
        return found
    ratings = study.rated.ratings
    for quality in ratings.qualities:
        judged = ratings.of(quality)
        for row, value in zip(judged.item.tolist(), judged.value.tolist(), strict=True):
            found[row].setdefault(quality, []).append(value)
    return found


def _item(item: Item | str, scores: dict[str, float], ratings: dict[str, list[float]]) -> b.Item:
    if isinstance(item, str):
        return b.Item(item, "", (), scores=scores, ratings=ratings)
    if isinstance(item, Example):
        turns = [(turn.speaker, turn.text) for turn in item.context]
        return b.Item(item.id, item.system, turns, item.response, item.references, scores, ratings)
    return b.Item(item.id, item.system, [(turn.speaker, turn.text) for turn in item.turns], scores=scores, ratings=ratings)
