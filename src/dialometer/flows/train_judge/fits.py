"""Fits on some items and their scores of others, each stored when it is done: a killed process loses the fit in flight.

A judge that ``Designs`` is fitted on columns of dialogues: they are measured once, and every fit is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.errors import DataError, NeedsError, UsageError
from dialometer.core.protocols import Designs, Progress
from dialometer.core.registry import spec_of
from dialometer.flows.train_judge.dataset import RatedDataset
from dialometer.store.parts import is_whole, read_part, write_part
from dialometer.text.dialogues import measure_replies

FitPredict = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass
class Fits:
    """A judge over a dataset; calling it trains on some items and scores others."""

    dataset: RatedDataset
    judge: Any
    folder: Path
    seed: int
    reasons: list[str] = field(default_factory=list)  # why fits of ``attempt`` failed
    last: tuple[bytes, Any] = field(default=(b"", None), repr=False)  # the training items of the last fit, and the fit

    def fit(self, items: np.ndarray) -> Any:
        """The judge, fitted on the replies of these items."""
        rows = self.dataset.replies(items)
        target = self.dataset.target[self.dataset.owner[rows]]
        return self.judge.fit(self.dataset.corpus.take(rows), target, seed=self.seed)

    def scores(self, fitted: Any, items: np.ndarray) -> np.ndarray:
        """Scores of these items by a fitted judge: its first column, the mean over an item's replies."""
        rows = self.dataset.replies(items)
        totals = measure_replies(fitted, self.dataset.corpus.take(rows))
        values = np.asarray(fitted.finish(totals, level="item"), float)[:, 0]
        return self.dataset.by_item(values, rows)[items]

    def __call__(self, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        """Scores of the test items by a judge that was fitted on the training items."""
        path = self.folder / f"{self._key(train, test)}.npy"
        if not is_whole(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_part(path, self.scores(self._fitted(train), test))
        return np.array(read_part(path))

    def start(self, train: np.ndarray) -> float:
        """The mean score that a judge fitted on these items gives them: where its scores of others start from."""
        path = self.folder / f"start-{self._key(train, np.zeros(0))}.npy"
        if not is_whole(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            values = self.scores(self._fitted(train), train)
            seen = values[~np.isnan(values)]
            write_part(path, np.array([seen.mean() if len(seen) else np.nan]))
        return float(read_part(path)[0])

    def _fitted(self, train: np.ndarray) -> Any:
        """The judge fitted on these items; the last one is kept, as its scores and its start are asked for in turn."""
        items = np.ascontiguousarray(train, np.int64).tobytes()
        if self.last[1] is None or self.last[0] != items:
            self.last = items, self.fit(train)
        return self.last[1]

    def attempt(self, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        """The same; NaN where there is too little to fit on, and the reason is added to ``reasons``."""
        try:
            return self(train, test)
        except (NeedsError, DataError, UsageError) as error:
            self.reasons.append(error.message)
            return np.full(len(test), np.nan)

    def _key(self, train: np.ndarray, test: np.ndarray) -> str:
        digest = blake2b(spec_of(self.judge, self.judge.name).encode(), digest_size=12)
        for items in (train, test):
            digest.update(b"\0" + np.ascontiguousarray(items, np.int64).tobytes())
        return digest.hexdigest()


class ColumnFits(Fits):
    """``Fits`` of a judge that ``Designs``."""

    judge: Designs

    @cached_property
    def columns(self) -> np.ndarray:
        """(items, columns); stored in the folder."""
        path = self.folder / f"features-{self._key(np.zeros(0), np.zeros(0))}.npy"
        if not is_whole(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_part(path, self.judge.look(self.dataset.corpus))
        return np.array(read_part(path))

    def __call__(self, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        """Scores of the test items by a form that was fitted to the training items, scaled by these alone."""
        design = self.judge.design(self.columns[train], self.dataset.system[train].tolist(), seed=self.seed)
        return np.asarray(design.solve(self.dataset.target[train]).predict(self.columns[test]))

    def start(self, train: np.ndarray) -> float:
        """The mean rating, which these forms start from."""
        return float(self.dataset.target[train].mean())


def fits_of(dataset: RatedDataset, judge: Any, folder: Path, seed: int) -> Fits:
    """The fits of a judge, by the quickest way that gives its scores."""
    return (ColumnFits if isinstance(judge, Designs) else Fits)(dataset, judge, folder, seed)


def report_progress(call: FitPredict, progress: Progress, stage: str, total: int) -> FitPredict:
    """The same call, each of its turns reported."""
    done = 0

    def counted(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        nonlocal done
        scores = call(train, test)
        done += 1
        progress(stage, done, total)
        return scores

    progress(stage, 0, total)
    return counted
