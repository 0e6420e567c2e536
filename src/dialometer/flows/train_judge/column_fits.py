"""Fits of a judge that looks at columns of conversations: they are measured once, and every fit is arithmetic on them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.protocols import Designs
from dialometer.flows.train_judge.dataset import Bench
from dialometer.flows.train_judge.fits import Fits
from dialometer.store.parts import is_whole, read_part, write_part


class ColumnFits(Fits):
    """``Fits`` of a judge that ``Designs``."""

    judge: Designs

    @cached_property
    def columns(self) -> np.ndarray:
        """(items, columns); kept in the folder."""
        path = self.folder / f"features-{self._key(np.zeros(0), np.zeros(0))}.npy"
        if not is_whole(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_part(path, self.judge.look(self.bench.corpus))
        return np.array(read_part(path))

    def __call__(self, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        """Scores of the test items by a form that was fitted to the training items, scaled by these alone."""
        design = self.judge.design(self.columns[train], self.bench.system[train].tolist(), seed=self.seed)
        return np.asarray(design.solve(self.bench.target[train]).predict(self.columns[test]))

    def start(self, train: np.ndarray) -> float:
        """The mean rating, which these forms start from."""
        return float(self.bench.target[train].mean())


def fits_of(bench: Bench, judge: Any, folder: Path, seed: int) -> Fits:
    """The fits of a judge, by the quickest way that gives its scores."""
    return (ColumnFits if isinstance(judge, Designs) else Fits)(bench, judge, folder, seed)
