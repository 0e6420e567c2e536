"""Rated dialogues as tables over bots need them: measured once, and a fold for each bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.train_judge_bots import BotCorrelation, BotMean, Coefficients
from dialometer.flows.train_judge.fits import ColumnFits
from dialometer.stats.correlation.system_level import by_system
from dialometer.stats.means import Mean
from dialometer.stats.validation.bot_level import over_bots
from dialometer.stats.validation.leave_bot_out import Solve, SystemFold, Weights, bot_folds


@dataclass(frozen=True, eq=False)
class BotDialogues:
    """The rated dialogues whose system has a name: columns, ratings, systems, clusters."""

    judge: Any
    columns: np.ndarray
    target: np.ndarray
    system: np.ndarray
    cluster: np.ndarray
    seed: int

    @classmethod
    def of(cls, fits: ColumnFits) -> BotDialogues:
        """From the columns of a judge's fits."""
        dataset = fits.dataset
        named = np.flatnonzero(dataset.system != "")
        columns = fits.columns[named] if len(named) else np.zeros((0, 0))
        return cls(fits.judge, columns, dataset.target[named], dataset.system[named], dataset.cluster[named], fits.seed)

    def folds(self, judge: Any) -> list[SystemFold]:
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


def bot_correlations(
    score: np.ndarray, human: np.ndarray, *, seed: int, resamples: int = 1000
) -> Coefficients[BotCorrelation]:
    """Correlations of the means of bots."""
    return Coefficients(**{
        kind: BotCorrelation(
            r=number(one.r),
            p=number(one.p),
            low=number(one.low),
            high=number(one.high),
            n=one.n,
            test=one.test,
            drawn_low=number(one.drawn_low),
            drawn_high=number(one.drawn_high),
        )
        for kind, one in over_bots(score, human, seed=seed, resamples=resamples).items()
    })  # fmt: skip


def bot_mean(one: Mean) -> BotMean:
    """A mean with its 95% interval."""
    low, high = one.intervals[0.95]
    return BotMean(value=number(one.mean), low=number(low), high=number(high))
