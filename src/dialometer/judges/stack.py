"""``stack``: catalogue metrics stacked by ridge regression or gradient boosting into one score on the raters' scale.

Ridge: ``ŷ = b + Σ w_k z_k`` over columns z of mean 0 and deviation 1 in training, with the penalty whose error is least when each
context is left out. Trees: boosting with as many rounds as are best on folds that keep contexts whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import MissingResource, NeedsError, SpecError
from dialometer.core.protocols import Progress
from dialometer.core.recipes import recipe
from dialometer.core.rowwise import row_dots
from dialometer.judges._shared.base import Learnt
from dialometer.judges._shared.features import Standard, feature_columns, feature_metrics, feature_needs
from dialometer.judges._shared.training_rows import complete, texts_seen, usable_rows
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits
from dialometer.judges._solvers.ridge import ridge
from dialometer.judges._solvers.trees import Trees, boost
from dialometer.text.corpus import Corpus

MODELS = {"ridge": "a weighted sum", "trees": "gradient boosting of small trees"}
PENALTIES = 10.0 ** np.arange(-4, 3.5, 0.5)
ROUNDS = 200


@dataclass(frozen=True, eq=False)
class _Learnt:
    """What was learnt: how columns are made ready, and the weights (intercept first) or the trees."""

    standard: Standard
    model: np.ndarray | Trees
    seen: np.ndarray
    facts: dict[str, Any]

    def predict(self, columns: np.ndarray) -> np.ndarray:
        """One score per row; batch-invariant."""
        if columns.shape[1] != len(self.standard.mean):
            raise MissingResource(
                f"this stack was fitted on {len(self.standard.mean)} columns, and its features give {columns.shape[1]}",
                "dialometer train stack FILE… fits it anew",
            )
        ready = self.standard.apply(columns)
        if isinstance(self.model, Trees):
            return self.model.predict(ready)
        return np.asarray(self.model[0] + row_dots(ready, self.model[1:]))

    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers, by name."""
        standard = {"mean": self.standard.mean, "scale": self.standard.scale, "marked": self.standard.marked}
        if isinstance(self.model, Trees):
            trees = {name: getattr(self.model, name) for name in ("feature", "threshold", "leaf")}
            return {**standard, **trees, "start": np.array([self.model.start]), "seen": self.seen}
        return {**standard, "weights": self.model, "seen": self.seen}

    @classmethod
    def of(cls, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> _Learnt:
        """From arrays."""
        standard = Standard.read(arrays)
        check_arrays(arrays, seen="whole n")
        if "weights" in arrays:
            check_arrays(arrays, weights=f"float {standard.width + 1}")
            return cls(standard, arrays["weights"], arrays["seen"], facts)
        check_arrays(arrays, start="float 1", feature="whole trees splits", threshold="float trees splits")
        check_arrays(arrays, leaf=f"float {len(arrays['feature'])} {arrays['feature'].shape[1] + 1}")
        feature, splits = arrays["feature"], arrays["feature"].shape[1]
        if splits & (splits + 1) or ((feature < 0) | (feature >= standard.width)).any():
            raise ValueError("its trees split columns that it has not")
        trees = Trees(float(arrays["start"][0]), *(arrays[name] for name in ("feature", "threshold", "leaf")))
        return cls(standard, trees, arrays["seen"], facts)


@dataclass(frozen=True)
class Stack(Learnt):
    """``features`` are metric specs with semicolons between them; ``model`` is ridge or trees. It is fitted on rated responses.

    >>> corpus = Corpus.of(["no", "i like tea", "tea ?", "i do like a cup of tea"])
    >>> judge = Stack(features="length").fit(corpus, np.array([1.0, 3.0, 1.0, 5.0]))
    >>> judge.finish(judge.measure(corpus), level="item").argsort(axis=0).T.tolist()
    [[0, 2, 1, 3]]
    """

    features: str = "length;bleu(order=2);rouge;meteor;embedding;sentence"
    model: str = "ridge"
    learnt: _Learnt | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "stack"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    columns: ClassVar[tuple[str, ...]] = ("stack",)
    floor: ClassVar[float] = float("nan")  # a rating has no value that means "nothing found"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise SpecError(f"stack(model=…) is one of {', '.join(MODELS)}, not {self.model!r}", "stack(model=ridge)")

    @property
    def needs(self) -> frozenset[str]:
        """What any of the features needs."""
        return feature_needs(feature_metrics(self.features))

    @property
    def uses(self) -> frozenset[str]:
        """What any of the features looks at."""
        metrics = feature_metrics(self.features)
        return frozenset[str]().union(*(getattr(metric, "uses", metric.needs) for metric in metrics))

    def recipe_facts(self) -> dict[str, object]:
        """The features by their own recipes, and a hash of what was learnt."""
        spelt = ";".join(recipe(metric).replace("|", "/") for metric in feature_metrics(self.features))
        return {"features": spelt, "fitted": digest(*self.learnt.arrays().values()) if self.learnt else "no"}

    def fit(self, corpus: Corpus, target: np.ndarray, *, seed: int = 0, progress: Progress | None = None) -> Self:
        """Weights or trees from the rated examples that have all that the features need."""
        rows, left_out = usable_rows(self, corpus, target)
        kept = corpus.take(rows)
        y = np.asarray(target, np.float64)[rows]
        columns, names = feature_columns(kept, self.features)
        standard = Standard.fit(columns)
        ready, groups = standard.apply(columns), list(kept.documents)
        model, chosen = (_fit_trees if self.model == "trees" else _fit_ridge)(ready, y, groups, seed)
        share = model.shares(ready.shape[1]) if isinstance(model, Trees) else model[1:]
        facts = {
            "rows": len(rows),
            "without what is needed": left_out,
            "contexts": len(set(groups)),
            **chosen,
            "columns": dict(zip(standard.labels(names), share.tolist(), strict=True)),
        }
        if progress:
            progress("fitting stack", 1, 1)
        seen = texts_seen(kept)
        return replace(self, learnt=_Learnt(standard, model, seen, facts))

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        learnt = self._learnt()
        save_artifact(folder, "metric", self, learnt.arrays(), facts=learnt.facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The judge of a folder."""
        card, arrays = open_artifact(folder, cls)
        return cls(**card["options"], learnt=_Learnt.of(arrays, card["facts"]))

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, score] per response; unscored where a feature lacks what it needs."""
        learnt = self._learnt()
        has = complete(corpus, self.needs)
        rows = np.zeros((len(corpus), 2))
        if has.any():
            rows[has, 1] = learnt.predict(feature_columns(corpus.take(np.flatnonzero(has)), self.features)[0])
            rows[has, 0] = 1
        return rows

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """Each column's value, and what it adds to the score where that can be told."""
        learnt, one = self._learnt(), corpus.take(np.array([row]))
        if not complete(one, self.needs)[0]:
            return [f"stack needs a {' and a '.join(sorted(self.needs))} for this response"]
        columns, names = feature_columns(one, self.features)
        if isinstance(learnt.model, Trees):
            lines = [f"{name} = {value:.4f}" for name, value in zip(names, columns[0], strict=True)]
            start = f"{len(learnt.model.leaf)} trees, starting from the mean rating {learnt.model.start:.4f}"
        else:
            added = learnt.standard.apply(columns)[0] * learnt.model[1:]
            values = [f"{value:.4f}" for value in columns[0]] + ["marked"] * (len(added) - len(names))
            lines = [
                f"{name} = {value} adds {step:+.4f}"
                for name, value, step in zip(learnt.standard.labels(names), values, added, strict=True)
            ]
            start = f"starting from {learnt.model[0]:.4f}"
        return [start, *lines, f"stack = {learnt.predict(columns)[0]:.4f}"]

    def build(self, progress: Progress) -> None:
        """Make what the features keep in the cache."""
        for metric in self._parts():
            if hasattr(metric, "build"):
                metric.build(progress)

    def _parts(self) -> list[Any]:
        return feature_metrics(self.features)

    def _learnt(self) -> _Learnt:
        if self.learnt is None:
            raise NeedsError(
                "stack has not been fitted on ratings",
                "dialometer train stack FILE… -q QUALITY and -m with the folder it prints",
            )
        return self.learnt


def _fit_ridge(ready: np.ndarray, y: np.ndarray, groups: Sequence[str], seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    """Intercept and weights under the penalty with the least error when whole documents are left out; nothing is drawn."""
    codes = np.unique(np.asarray(groups), return_inverse=True)[1]
    made = ridge(np.ones((len(y), 1)), ready, y, codes, PENALTIES)
    best = int(made.errors.argmin())
    chosen = {
        "penalty": float(PENALTIES[best]),
        "error left out": float(made.errors[best]),
        "error of the mean": float(np.var(y)),
    }
    return np.concatenate([made.free[best], made.theta[best]]), chosen


def _fit_trees(ready: np.ndarray, y: np.ndarray, groups: Sequence[str], seed: int) -> tuple[Trees, dict[str, Any]]:
    """Trees of as many rounds as have the least error on folds of whole documents."""
    errors = np.zeros(ROUNDS + 1)
    for learn, test in train_test_splits(inner_folds(groups, seed=seed)):
        trees = boost(ready[learn], y[learn], ROUNDS)
        steps = np.concatenate([np.zeros((len(test), 1)), trees.steps(ready[test]).cumsum(1)], axis=1)
        errors += ((trees.start + steps - y[test, None]) ** 2).sum(0) / len(y)
    rounds = int(errors.argmin())
    chosen = {"rounds": rounds, "error left out": float(errors[rounds]), "error of the mean": float(np.var(y))}
    return boost(ready, y, rounds), chosen
