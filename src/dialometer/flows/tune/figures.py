"""Figures of a tuning: curves and their numbers, every variant, and cross-plots of three systems."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.atomic import write_bytes
from dialometer.core.registry import create
from dialometer.flows.tune.grid_search import Grid, GridSearch, Parts, by_unit
from dialometer.flows.tune.rated_items import Rated
from dialometer.report.figures.crossplots import Cloud, crossplots
from dialometer.report.figures.curves import curve
from dialometer.stats.correlation.correlate import correlate, pearson
from dialometer.stats.correlation.halves import split_halves
from dialometer.text.corpus import Corpus

PANELS = ("best", "middle", "worst")


def write_curves(folder: Path, parts: Parts, rated: Rated, search: GridSearch, grid: Grid) -> list[str]:
    """Figures 1 and 2 and table 2 as pictures and CSV, and every variant with its correlation; the pictures' names."""
    k, n, weight = search.chosen

    def correlation(scores: np.ndarray) -> float:
        return pearson(by_unit(scores, rated.units), rated.target)

    by_k = [correlation(parts.am[value]) for value in grid.ks]
    by_n = [correlate(by_unit(parts.fm[value], rated.units), rated.target, resamples=0) for value in grid.orders]
    by_weight = [correlation(parts.scores((k, n, value))) for value in grid.weights]
    _csv(folder / "dimensions.csv", ("k", "pearson"), zip(grid.ks, by_k, strict=True))
    sizes = [parts.likelihoods[value].size() for value in grid.orders]
    _csv(
        folder / "orders.csv",
        ("n", "ngrams", "pearson", "p"),
        ((value, size, c.r, c.p) for value, size, c in zip(grid.orders, sizes, by_n, strict=True)),
    )
    _csv(folder / "weights.csv", ("weight", "pearson"), zip(grid.weights, by_weight, strict=True))
    variants = ((*variant, correlation(parts.scores(variant))) for variant in grid.variants())
    _csv(folder / "variants.csv", ("k", "n", "weight", "pearson"), variants)
    curve(
        folder / "dimensions.png",
        grid.ks,
        {"AM": by_k},
        setting="k",
        title="AM and its dimensions",
        chosen=k,
        logarithmic=True,
    )
    curve(
        folder / "orders.png", grid.orders, {"FM": [c.r for c in by_n]}, setting="n", title="FM and the order of its model",
        chosen=n,
    )  # fmt: skip
    curve(
        folder / "weights.png", grid.weights, {f"AM-FM, k = {k}, n = {n}": by_weight}, setting="λ",
        title="AM-FM and the weight of AM", chosen=weight,
    )  # fmt: skip
    return ["dimensions.png", "orders.png", "weights.png"]


def write_crossplots(folder: Path, rated: Rated, scores: np.ndarray) -> list[str]:
    """Best, middle and worst system by mean rating: AM-FM, the embedding average, and people among themselves.

    With fewer than three systems there is nothing to set side by side, and no picture.
    """
    ratings = [rated.ratings(row) for row in range(len(rated.items))]
    people = np.array([np.mean(values) for values in ratings])
    systems = sorted({item.system for item in rated.items}, key=lambda s: -np.mean(people[_rows(rated, s)]))
    if len(systems) < 3:
        return []
    average = _average(rated.corpus)
    halves = split_halves(ratings, [item.id for item in rated.items])
    panels: dict[str, dict[str, Cloud]] = {}
    for label, system in zip(PANELS, (systems[0], systems[len(systems) // 2], systems[-1]), strict=True):
        rows = _rows(rated, system)
        clouds = {"AM-FM": (people[rows], scores[rows]), "embedding average": (people[rows], average[rows])}
        twice = rows[~np.isnan(halves[0][rows])]
        if len(twice) > 2:
            clouds["people"] = (halves[0][twice], halves[1][twice])
        panels[f"{label}: {system}"] = clouds
    crossplots(
        folder / "crossplots.png", panels, title="Sentence level, three systems", human=f"{rated.quality}, mean rating"
    )
    return ["crossplots.png"]


def _rows(rated: Rated, system: str) -> np.ndarray:
    return np.array([row for row, item in enumerate(rated.items) if item.system == system])


def _average(corpus: Corpus) -> np.ndarray:
    metric = create("metric", "embedding")
    values: np.ndarray = metric.finish(metric.measure(corpus), level="item")[:, 0]
    return values


def _csv(path: Path, head: Sequence[str], rows: Any) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    write_bytes(path, text.getvalue().encode())
