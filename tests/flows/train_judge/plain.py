"""Judges small enough to be worked by hand, and the catalogue with them in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dialometer.core import registry
from dialometer.core.artifacts import open_artifact, save_artifact
from dialometer.core.catalog import CATALOG
from dialometer.text.corpus import Corpus
from dialometer.text.training_overlap import seen_texts

COUNT = {"fits": 0, "most": 10**9}  # how often something was fitted, and after how many the machine "dies"


class _Saved:
    """What all of these share: one column, and arrays in a folder."""

    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    floor: ClassVar[float] = float("nan")

    @property
    def fitted(self) -> bool:
        return self.learnt is not None

    @property
    def facts(self) -> dict[str, Any]:
        return {} if self.learnt is None else {"rows": int(self.learnt["rows"][0])}

    def save(self, folder: Path) -> None:
        save_artifact(folder, "metric", self, self.learnt)

    @classmethod
    def load(cls, folder: Path):
        card, arrays = open_artifact(folder, cls)
        return cls(**card["options"], learnt=arrays)

    def seen(self) -> np.ndarray:
        return self.learnt["seen"]

    def finish(self, totals: np.ndarray, *, level: str) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return totals[..., 1:] / totals[..., :1]

    def measure(self, corpus: Corpus) -> np.ndarray:
        return np.stack([np.ones(len(corpus)), self.predict(corpus)], axis=1)


def tick():
    if COUNT["fits"] >= COUNT["most"]:
        raise KeyboardInterrupt
    COUNT["fits"] += 1


@dataclass(frozen=True)
class Plain(_Saved):
    """Least squares on words, and words shared with the first reference and the last turn; ``ridge`` keeps it small."""

    ridge: float = 1.0
    learnt: dict[str, np.ndarray] | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "plain"
    columns: ClassVar[tuple[str, ...]] = ("plain",)
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    uses: ClassVar[frozenset[str]] = frozenset({"reference", "context"})
    beside: ClassVar[tuple[str, ...]] = ()

    def fit(self, corpus, target, *, seed=0, progress=None):
        tick()
        x = design(corpus)
        weights = np.linalg.solve(x.T @ x + self.ridge * np.eye(x.shape[1]), x.T @ target)
        seen = seen_texts(corpus.texts[row] for row in corpus.response.tolist())
        return replace(self, learnt={"weights": weights, "rows": np.array([len(target)]), "seen": seen})

    def predict(self, corpus):
        return (design(corpus) * self.learnt["weights"]).sum(1)  # row by row: a judge's score may not depend on the batch


def design(corpus: Corpus) -> np.ndarray:
    """1, words, and words shared with the first reference and with the last turn."""
    texts = [text.split() for text in corpus.texts]
    rows = []
    for row, response in enumerate(corpus.response.tolist()):
        others = []
        for lists, place in ((corpus.references, 0), (corpus.contexts, -1)):
            there = lists.rows[lists.starts[row] : lists.starts[row + 1]]
            others.append(len(set(texts[response]) & set(texts[there[place]])) if len(there) else 0)
        rows.append([1.0, len(texts[response]), *others])
    return np.array(rows, float).reshape(len(corpus), 4)


@dataclass(frozen=True)
class Cheat(_Saved):
    """The mean rating of the system in training: an oracle of who speaks, and nothing else."""

    learnt: dict[str, np.ndarray] | None = field(default=None, repr=False, compare=False)
    means: tuple[tuple[str, float], ...] = field(default=(), repr=False, compare=False)

    name: ClassVar[str] = "cheat"
    columns: ClassVar[tuple[str, ...]] = ("cheat",)
    needs: ClassVar[frozenset[str]] = frozenset()

    def fit(self, corpus, target, *, seed=0, progress=None):
        systems = np.array(list(corpus.systems))
        means = tuple((name, float(target[systems == name].mean())) for name in np.unique(systems).tolist())
        learnt = {"rows": np.array([len(target)]), "mean": np.array([target.mean()]), "seen": np.zeros(0, np.uint64)}
        return replace(self, learnt=learnt, means=means)

    def predict(self, corpus):
        known = dict(self.means)
        return np.array([known.get(system, float(self.learnt["mean"][0])) for system in corpus.systems])


def register(monkeypatch) -> None:
    """Put them on the menu for the length of a test."""
    ours = {name: f"{__name__}:{name.capitalize()}" for name in ("plain", "cheat")}
    monkeypatch.setitem(CATALOG, "judge", CATALOG["judge"] | ours)
    registry._menu.cache_clear()
    COUNT.update(fits=0, most=10**9)
