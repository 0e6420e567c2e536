"""Rated conversations as tables over bots need them: measured once, and a fold for each bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.flows.train_judge.column_fits import ColumnFits
from dialometer.stats.correlation.system_level import by_system
from dialometer.stats.validation.leave_bot_out import Fold, Solve, Weights, bot_folds


@dataclass(frozen=True, eq=False)
class Chats:
    """The rated conversations whose system has a name: columns, ratings, systems, clusters."""

    judge: Any
    columns: np.ndarray
    target: np.ndarray
    system: np.ndarray
    cluster: np.ndarray
    seed: int

    @classmethod
    def of(cls, fits: ColumnFits) -> Chats:
        """From what is measured."""
        bench = fits.bench
        own = np.flatnonzero(bench.system != "")
        columns = fits.columns[own] if len(own) else np.zeros((0, 0))
        return cls(fits.judge, columns, bench.target[own], bench.system[own], bench.cluster[own], fits.seed)

    def folds(self, judge: Any) -> list[Fold]:
        """A fold per system; scaling and all choices happen inside."""

        def prepare(train: np.ndarray, test: np.ndarray) -> Solve:
            design = judge.design(self.columns[train], self.system[train].tolist(), seed=self.seed)

            def solve(ratings: np.ndarray) -> tuple[np.ndarray, Weights]:
                form = design.solve(ratings)
                return form.predict(self.columns[test]), lambda: form.slopes(self.columns[train])[: self.columns.shape[1]]

            return solve

        return bot_folds(self.system, prepare)

    def means(self, values: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Of each system, over some rows."""
        return np.array(list(by_system(values[rows], self.system[rows]).values()))
