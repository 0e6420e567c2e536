"""Columns of catalogue metrics as features: any spec that scores a response by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.core.artifacts import check_arrays
from dialometer.core.errors import NeedsError, SpecError
from dialometer.core.protocols import Judge, Metric, Prepares
from dialometer.core.registry import create
from dialometer.text.corpus import Corpus


def split_specs(specs: str) -> list[str]:
    """Specs with semicolons between them; those inside brackets or quotes belong to a spec.

    >>> split_specs('length; rerank(bots="a;b") ;bleu')
    ['length', 'rerank(bots="a;b")', 'bleu']
    """
    parts, depth, quoted = [""], 0, False
    for sign in specs:
        quoted ^= sign == '"'
        depth += (sign == "(") - (sign == ")") if not quoted else 0
        if sign == ";" and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def feature_metrics(specs: str, units: Sequence[str] = ("response",)) -> list[Any]:
    """The metrics of the specs; one that is not batch-invariant, or that scores another unit, is refused."""
    made: list[Any] = [create("metric", spec) for spec in split_specs(specs)]
    if not made:
        raise SpecError("no metric is named as a feature", 'features="length;bleu(order=2)"')
    for metric in made:
        if (isinstance(metric, Judge) and not metric.fitted) or metric.needs - {"reference", "context"}:
            raise NeedsError(
                f"{metric.name} as a feature has not been fitted",
                f"dialometer train {metric.name} FILE… and the folder it prints in its place",
            )
        if not isinstance(metric, Metric):
            raise SpecError(f"{metric.name} scores a set of responses, and a feature scores each one", "leave it out")
        if metric.unit not in units:
            wanted = " or a ".join(units)
            raise SpecError(f"{metric.name} scores a {metric.unit}, and a feature scores a {wanted}", "leave it out")
        if isinstance(metric, Prepares) and "none" not in (getattr(metric, "idf", ""), getattr(metric, "weights", "")):
            raise SpecError(
                f"{metric.name} with these options weighs words by the whole collection: as a feature, the score of a "
                "response would depend on the others in its batch",
                "bleu, rouge or bertscore in its place",
            )
    if len(set(map(repr, made))) < len(made):
        raise SpecError("the same metric is named as a feature twice", "name each once")
    return made


def feature_needs(metrics: Sequence[Any]) -> frozenset[str]:
    """What an example must have for all of them: a reference, a context."""
    return frozenset[str]().union(*(metric.needs for metric in metrics))


def feature_columns(corpus: Corpus, specs: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """(examples, columns) float64 with NaN where a metric has no score, and the name of each column.

    Of two columns with one name, the spec goes before it. What the metrics need must be there for some example at least.
    """
    metrics = feature_metrics(specs)
    for metric in metrics:
        for need, lists in (("reference", corpus.references), ("context", corpus.contexts)):
            if need in metric.needs and len(corpus) and not len(lists.rows):
                raise NeedsError(
                    f"{metric.name} as a feature needs a {need}, and none of {len(corpus)} examples has one",
                    f"dialometer list metrics --without {need}",
                )
    columns = [metric.finish(metric.measure(corpus), level="item") for metric in metrics]
    return np.concatenate(columns, axis=1), column_labels(metrics, split_specs(specs))


def column_labels(metrics: Sequence[Any], specs: Sequence[str]) -> tuple[str, ...]:
    """A name for each column, all of them different."""
    plain = [column for metric in metrics for column in metric.columns]
    return tuple(
        column if plain.count(column) == 1 else f"{spec}:{column}"
        for metric, spec in zip(metrics, specs, strict=True)
        for column in metric.columns
    )


@dataclass(frozen=True, eq=False)
class Standard:
    """Columns as a linear model wants them: holes filled by the training mean and marked, then mean 0 and deviation 1."""

    mean: np.ndarray
    scale: np.ndarray  # infinite for a column that did not vary in training: nothing is known of what it means when it does
    marked: np.ndarray  # numbers of the columns that had holes in training: each has a further column, 1 where it has one

    @classmethod
    def fit(cls, columns: np.ndarray) -> Standard:
        """From training rows; a column without any value counts as 0 throughout.

        >>> made = Standard.fit(np.array([[1.0, 5.0], [3.0, np.nan], [2.0, 7.0]]))
        >>> made.apply(np.array([[2.0, np.nan], [2.0, 7.0]])).tolist()
        [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
        """
        holes = np.isnan(columns)
        sizes = np.maximum((~holes).sum(0), 1)
        mean = np.where(holes, 0.0, columns).sum(0) / sizes
        spread = np.sqrt(np.where(holes, 0.0, (columns - mean) ** 2).sum(0) / sizes)
        scale = np.where(spread > 1e-12 * np.maximum(1, np.abs(mean)), spread, np.inf)
        return cls(mean, scale, np.flatnonzero(holes.any(0) & ~holes.all(0)))

    @classmethod
    def read(cls, arrays: Mapping[str, np.ndarray], prefix: str = "") -> Standard:
        """From arrays of a file; a ValueError where they do not fit together."""
        names = [f"{prefix}{part}" for part in ("mean", "scale", "marked")]
        wanted = ("float columns", "float columns", "whole marks")
        check_arrays(arrays, **{name.replace(".", "__"): shape for name, shape in zip(names, wanted, strict=True)})
        mean, scale, marked = (arrays[name] for name in names)
        if ((marked < 0) | (marked >= len(mean))).any():
            raise ValueError(f"its marks are of columns that it has not ({len(mean)} columns)")
        return cls(mean, scale, marked)

    @property
    def width(self) -> int:
        """How many columns ``apply`` gives."""
        return len(self.mean) + len(self.marked)

    def apply(self, columns: np.ndarray) -> np.ndarray:
        """Filled and scaled columns, then the marks."""
        holes = np.isnan(columns)
        filled = np.where(holes, 0.0, (columns - self.mean) / self.scale)
        return np.concatenate([filled, holes[:, self.marked].astype(np.float64)], axis=1)

    def labels(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names of the columns that ``apply`` gives."""
        return (*names, *(f"no {names[number]}" for number in self.marked.tolist()))
