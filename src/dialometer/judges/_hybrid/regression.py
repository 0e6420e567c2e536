"""The form of M_H: ``M_H = M_0 + Σ λ_i M_i`` over scaled features, by least squares or by ridge (Ghandeharioun et al. 2019).

Ridge shrinks towards ``c·w``, a multiple of expected weights w that goes free: it minimises ``Σ (y − M_0 − c·Zw − Xδ)² + λ‖δ‖²``.
Linear, X is Z; under the greatest penalty only the expected weights are left, and with w = 0 it is plain ridge. Curved, X may also
be Nyström features of Z. γ and the penalty are those of the least error on dialogues of groups (systems) left out.

What distinguishes two dialogues of one system need not distinguish two systems, and of the former there are far more. So
a second, linear ridge is fitted to the means of the systems, and the two are mixed: the share of the second has the least
``left-out error of conversations / their variance + left-out error of systems' means / their variance``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dialometer.core.rowwise import row_dots
from dialometer.judges._hybrid.nystroem import NystroemFeatures
from dialometer.judges._shared.features import Standard

PENALTIES = 10.0 ** np.arange(-3, 4.5, 0.5)  # shares of the mean squared length of a row of X
MIXED = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the fit to systems' means
EDGE = 4.0  # features are clipped at ± this many standard deviations
GAMMAS = {"ols": (0.0,), "ridge": (0.0,), "curved": (0.0, 0.1, 0.3, 1.0)}


@dataclass(frozen=True, eq=False)
class Form:
    """Intercept, weights of the scaled columns and of the Nyström features; ``chosen`` has penalty, γ (``bend``) and errors."""

    standard: Standard
    edge: float
    nystroem: NystroemFeatures
    start: float
    weights: np.ndarray
    curve: np.ndarray
    chosen: dict[str, Any]

    def scaled(self, columns: np.ndarray) -> np.ndarray:
        """Columns and marks as they are weighted."""
        return np.clip(self.standard.apply(columns), -self.edge, self.edge)

    def predict(self, columns: np.ndarray) -> np.ndarray:
        """One score per row; batch-invariant."""
        scaled = self.scaled(columns)
        return np.asarray(self.start + row_dots(scaled, self.weights) + self.nystroem.weighted_sum(scaled, self.curve))

    def slopes(self, columns: np.ndarray) -> np.ndarray:
        """What a deviation more of each column adds, on the average over these rows; of a linear form, the weights themselves."""
        return np.asarray(self.weights + self.nystroem.slopes(self.scaled(columns), self.curve))


class Parts(NamedTuple):
    """A fit: intercept, weights of the scaled columns, of the Nyström features, and the multiple of the expected weights."""

    start: float
    weights: np.ndarray
    curve: np.ndarray
    pull: float

    def mixed(self, linear: Parts, share: float) -> Parts:
        """With a share of another, linear fit."""
        start, pull = (
            (1 - share) * one + share * two for one, two in ((self.start, linear.start), (self.pull, linear.pull))
        )
        weights = (1 - share) * self.weights + share * linear.weights
        return Parts(start, weights, (1 - share) * self.curve, pull)


@dataclass(frozen=True, eq=False)
class Solver:
    """Coefficients of several fits at once, from moments, under any penalty: a decomposition of each penalised part, the free
    part taken out.
    """

    free: np.ndarray  # (fits, f, f): what undoes the free part's square
    cross: np.ndarray  # (fits, p, f)
    values: np.ndarray  # (fits, p)
    vectors: np.ndarray  # (fits, p, p)

    @classmethod
    def of(cls, squares: np.ndarray, free: int) -> Solver:
        """From the square of all columns per fit, of which the first go free."""
        undo = np.linalg.pinv(squares[:, :free, :free], hermitian=True)
        cross = squares[:, free:, :free]
        inner = squares[:, free:, free:] - cross @ undo @ cross.swapaxes(1, 2)
        return cls(undo, cross, *np.linalg.eigh((inner + inner.swapaxes(1, 2)) / 2))

    def __call__(self, moments: np.ndarray, penalties: np.ndarray) -> np.ndarray:
        """(fits, penalties, f + p); without penalty, the least coefficients where columns say the same."""
        many = self.free.shape[1]
        free, rest = moments[:, None, :many], moments[:, None, many:]
        inside = (rest - free @ self.free @ self.cross.swapaxes(1, 2)) @ self.vectors
        scale = self.values[:, None] + penalties[:, None]
        least = 1e-9 * np.maximum(self.values.max(1, initial=0.0), 1e-300)[:, None, None]
        penalised = np.divide(inside, scale, out=np.zeros_like(scale), where=scale > least) @ self.vectors.swapaxes(1, 2)
        return np.concatenate([(free - penalised @ self.cross) @ self.free, penalised], axis=2)


@dataclass(frozen=True, eq=False)
class Trial:
    """One γ: columns of the training rows, squares of each group's, and solvers with all groups and without each."""

    nystroem: NystroemFeatures
    columns: np.ndarray  # (n, f + p): free ones first
    penalties: np.ndarray
    squares: np.ndarray
    together: Solver
    without: Solver | None

    @classmethod
    def of(
        cls,
        free: np.ndarray,
        penalised: np.ndarray,
        nystroem: NystroemFeatures,
        groups: list[np.ndarray],
        shares: np.ndarray,
    ) -> Trial:
        """``groups`` are lists of rows."""
        columns = np.concatenate([free, penalised], axis=1)
        squares = np.stack([columns[rows].T @ columns[rows] for rows in groups])
        total, many = squares.sum(0), free.shape[1]
        without = Solver.of(total - squares, many) if len(groups) > 1 else None
        counted = np.concatenate(groups)
        size = float((penalised[counted] ** 2).sum()) / max(1, len(counted)) or 1.0
        return cls(nystroem, columns, shares * size, squares, Solver.of(total[None], many), without)

    def errors(self, y: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """Sum of squared errors per penalty, each group predicted from the others; zeros where there is one group."""
        if self.without is None:
            return np.zeros(len(self.penalties))
        fits = self.without(moments.sum(0) - moments, self.penalties)
        return np.asarray(((fits @ self.squares - 2 * moments[:, None]) * fits).sum((0, 2)) + np.sum(y**2))

    def whole(self, moments: np.ndarray, best: int) -> np.ndarray:
        """The coefficients of the fit to all groups, under one of the penalties."""
        return np.asarray(self.together(moments.sum(0)[None], self.penalties[best : best + 1])[0, 0])

    def left_out(self, moments: np.ndarray, best: int, groups: list[np.ndarray]) -> np.ndarray:
        """Predictions of each row by the fit without its group; NaN where there is one group."""
        predicted = np.full(len(self.columns), np.nan)
        if self.without is not None:
            fits = self.without(moments.sum(0) - moments, self.penalties[best : best + 1])[:, 0]
            for rows, coefficients in zip(groups, fits, strict=True):
                predicted[rows] = self.columns[rows] @ coefficients
        return predicted


@dataclass(frozen=True, eq=False)
class Design:
    """Scaled features of training rows, ready for any ratings of them; all is linear in these, up to what is chosen.

    ``trials`` are fits to conversations, one per γ; ``means`` is the fit to systems' means, if there are systems.
    """

    standard: Standard
    edge: float
    expected: np.ndarray
    groups: list[np.ndarray]
    shares: np.ndarray
    trials: list[Trial]
    means: Trial | None
    nested: list[Trial]  # the fit to systems' means, without each of them

    @classmethod
    def of(
        cls, columns: np.ndarray, groups: np.ndarray, model: str, expected: np.ndarray, *, systems: bool = True
    ) -> Design:
        """``groups`` are numbers, of systems or else of folds; ``expected`` has a weight per column, all 0 for none."""
        standard = Standard.fit(columns)
        edge = float("inf") if model == "ols" else EDGE
        scaled = np.clip(standard.apply(columns), -edge, edge)
        expected = expected * np.isfinite(standard.scale)
        weights = np.concatenate([expected, np.zeros(scaled.shape[1] - len(expected))]) * (model != "ols")
        free = np.stack([np.ones(len(scaled)), *([scaled @ weights] if weights.any() else [])], axis=1)
        shares = np.zeros(1) if model == "ols" else PENALTIES
        rows = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        trials = []
        for gamma in GAMMAS[model]:
            nystroem = NystroemFeatures.fit(scaled, gamma)
            trials.append(Trial.of(free, nystroem.columns(scaled) if gamma else scaled, nystroem, rows, shares))
        means, nested = None, []
        if systems and model != "ols" and len(rows) > 2:
            level = _group_means(free, rows), _group_means(scaled, rows), trials[0].nystroem
            means = Trial.of(*level, rows, shares)
            nested = [Trial.of(*level, rows[:own] + rows[own + 1 :], shares) for own in range(len(rows))]
        return cls(standard, edge, weights, rows, shares, trials, means, nested)

    def solve(self, y: np.ndarray) -> Form:
        """The fit to these ratings, everything chosen by what is best for groups that were left out."""
        moments = [self._moments(trial, y) for trial in self.trials]
        errors = [trial.errors(y, each) for trial, each in zip(self.trials, moments, strict=True)]
        place = int(np.argmin([each.min() for each in errors]))
        trial, best = self.trials[place], int(errors[place].argmin())
        parts = self._parts(trial, moments[place], best)
        left = trial.left_out(moments[place], best, self.groups)
        share = 0.0
        if self.means is not None:
            own = self._moments(self.means, y)
            apart = self._apart(y, own)
            share = _best_share(left, apart, y, self.groups)
            parts = parts.mixed(self._parts(self.means, own, int(self.means.errors(y, own).argmin())), share)
            left = (1 - share) * left + share * apart
        chosen = {
            "penalty": float(self.shares[best]), "bend": trial.nystroem.gamma, "share of systems": share, "expected": parts.pull,
            "error left out": float(np.mean((y - left) ** 2)), "error of the mean": float(np.var(y)),
        }  # fmt: skip
        return Form(self.standard, self.edge, trial.nystroem, parts.start, parts.weights, parts.curve, chosen)

    def _moments(self, trial: Trial, y: np.ndarray) -> np.ndarray:
        return np.stack([trial.columns[rows].T @ y[rows] for rows in self.groups])

    def _apart(self, y: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """Predictions of each row by a fit to the means of the other systems; the penalty is chosen without its system too."""
        predicted = np.empty(len(y))
        for group, (rows, trial) in enumerate(zip(self.groups, self.nested, strict=True)):
            others = np.delete(moments, group, axis=0)
            best = int(trial.errors(np.delete(y, rows), others).argmin())
            predicted[rows] = self.trials[0].columns[rows] @ trial.whole(others, best)
        return predicted

    def _parts(self, trial: Trial, moments: np.ndarray, best: int) -> Parts:
        """The fit on all groups under a penalty."""
        coefficients = trial.whole(moments, best)
        many = 2 if self.expected.any() else 1
        pull, rest = float(coefficients[1]) if many > 1 else 0.0, coefficients[many:]
        weights = pull * self.expected
        if trial.nystroem.gamma:
            return Parts(float(coefficients[0]), weights, rest, pull)
        return Parts(float(coefficients[0]), weights + rest, np.zeros(0), pull)


def _group_means(columns: np.ndarray, groups: list[np.ndarray]) -> np.ndarray:
    """Every row as the mean of its group."""
    means = np.empty_like(columns)
    for rows in groups:
        means[rows] = columns[rows].mean(0)
    return means


def _best_share(left: np.ndarray, apart: np.ndarray, y: np.ndarray, groups: list[np.ndarray]) -> float:
    """The share of the second prediction that is best for conversations and for systems alike."""
    people = np.array([y[rows].mean() for rows in groups])
    errors = []
    for share in MIXED:
        mixed = (1 - share) * left + share * apart
        means = np.array([mixed[rows].mean() for rows in groups])
        errors.append(_relative(mixed, y) + _relative(means, people))
    return MIXED[int(np.argmin(errors))]


def _relative(predicted: np.ndarray, known: np.ndarray) -> float:
    return float(np.mean((predicted - known) ** 2) / max(float(np.var(known)), 1e-300))
