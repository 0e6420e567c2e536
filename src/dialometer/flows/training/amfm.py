"""``train amfm --tune``: choose k, n and λ against ratings, write the curves and the cross-plots, fit the chosen metric."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.data import examples
from dialometer.errors import NeedsError, UnknownName, UsageError
from dialometer.flows.training.tuning import Grid, Parts, Tuning, by_unit, fold_numbers, measure_parts, tune
from dialometer.protocols import Progress
from dialometer.registry import create, parse
from dialometer.report.crossplots import Cloud, crossplots
from dialometer.report.curves import curve
from dialometer.stats.correlate import correlate, pearson
from dialometer.stats.halves import split_halves
from dialometer.store.atomic import write_bytes
from dialometer.text.corpus import Corpus
from dialometer.types import Example

PANELS = ("best", "middle", "worst")


@dataclass(frozen=True)
class Rated:
    """Rated items: the corpus, each item's unit (itself, or its system), and the mean rating and fold of each unit."""

    items: Sequence[Example]
    corpus: Corpus
    quality: str
    units: np.ndarray
    target: np.ndarray
    folds: np.ndarray
    left_out: int  # rated items without a reference

    def ratings(self, row: int) -> list[float]:
        """What people gave one item."""
        return _given(self.items[row], self.quality)


def _given(item: Example, quality: str) -> list[float]:
    """The ratings that people gave an item, without those they declined to give."""
    return [float(value) for value in item.ratings.get(quality, ()) if value is not None]


def read_rated(
    paths: Sequence[str], quality: str, *, level: str, folds: int, seed: int, format: str, max_line: int
) -> Rated:
    """Items with a reference and a rating of this quality; folds keep documents (or systems) together."""
    items = list(examples(paths, format=format or None, max_line=max_line))
    known = {name for item in items for name in item.ratings}
    if quality not in known:
        raise UnknownName("quality", quality, known, hint=f"-q one of the qualities of {paths[0]}")
    kept = [item for item in items if item.references and _given(item, quality)]
    if not kept:
        raise NeedsError(f"no item of {paths[0]} has a reference and a rating of {quality}", "another file, or another -q")
    left_out = sum(bool(_given(item, quality)) for item in items) - len(kept)
    corpus = Corpus.build(kept)
    means = np.array([np.mean(_given(item, quality)) for item in kept])
    if level == "item":
        documents = fold_numbers([item.document for item in kept], folds, seed)
        return Rated(kept, corpus, quality, np.arange(len(kept)), means, documents, left_out)
    names = sorted({item.system for item in kept})
    units = np.array([names.index(item.system) for item in kept])
    systems = fold_numbers(names, min(folds, len(names)), seed)
    return Rated(kept, corpus, quality, units, by_unit(means, units), systems, left_out)


def check_tunable(metric: Any) -> None:
    """Only k of lsi, n of ngram and λ are tuned, on parts that are still to be fitted."""
    if (parse(metric.am).name, parse(metric.fm).name) != ("lsi", "ngram") or metric.fixed():
        raise UsageError(
            "--tune chooses k of lsi and n of ngram, both fitted on FILE", "leave out am=… and fm=…, or --tune"
        )
    if metric.pm:
        raise UsageError("--tune weighs AM against FM alone", "leave out pm=… while tuning")


def tuned(
    metric: Any, rated: Rated, talks: list[list[str]], grid: Grid, folder: Path, progress: Progress
) -> tuple[Any, Tuning, list[str]]:
    """The metric with what was chosen, fitted; curves, variants and cross-plots are written to the folder, and named."""
    parts = measure_parts(metric, rated.corpus, talks, grid, progress)
    grid = replace(grid, ks=tuple(parts.am))
    found = tune(parts, rated.units, rated.target, rated.folds, grid)
    pictures = write_curves(folder, parts, rated, found, grid)
    k, n, weight = found.chosen
    pictures += write_crossplots(folder, rated, parts.scores(found.chosen))
    specs = {"am": _spec(metric.am, k=k), "fm": _spec(metric.fm, order=n), "weight": weight}
    return replace(metric, **specs, parts=(parts.encoder.truncated(k), parts.likelihoods[n])), found, pictures


def _spec(spec: str, **options: int) -> str:
    parsed = parse(spec)
    kept = {key: value for key, value in parsed.options if key not in options}
    return str(replace(parsed, options=tuple((kept | {key: str(value) for key, value in options.items()}).items())))


def write_curves(folder: Path, parts: Parts, rated: Rated, found: Tuning, grid: Grid) -> list[str]:
    """Figures 1 and 2 and table 2 as pictures and CSV, and every variant with its correlation; the pictures' names."""
    k, n, weight = found.chosen

    def reached(scores: np.ndarray) -> float:
        return pearson(by_unit(scores, rated.units), rated.target)

    by_k = [reached(parts.am[value]) for value in grid.ks]
    by_n = [correlate(by_unit(parts.fm[value], rated.units), rated.target, resamples=0) for value in grid.orders]
    by_weight = [reached(parts.scores((k, n, value))) for value in grid.weights]
    _csv(folder / "dimensions.csv", ("k", "pearson"), zip(grid.ks, by_k, strict=True))
    sizes = [parts.likelihoods[value].size() for value in grid.orders]
    _csv(
        folder / "orders.csv",
        ("n", "ngrams", "pearson", "p"),
        ((value, size, c.r, c.p) for value, size, c in zip(grid.orders, sizes, by_n, strict=True)),
    )
    _csv(folder / "weights.csv", ("weight", "pearson"), zip(grid.weights, by_weight, strict=True))
    variants = ((*variant, reached(parts.scores(variant))) for variant in grid.variants())
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
