"""ADEM's training by small steps (Lowe et al. 2017, appendix): rate 0.01, batches of 16, γ 0.02, stopped early.

The objective is that of ``lasso``; the steps begin at the prior unless a start (the paper's: the identity) is given. The paper does
not name the optimiser of this stage; ours is Adam (Kingma & Ba 2015), with the penalty as a proximal step in Adam's own metric:
after the step on the mean square, each coordinate is drawn towards the prior by γ times its step size, and stops there. A
subgradient would instead shake every coordinate that belongs at the prior around it by the rate, for ever; the proximal step keeps
it there exactly, and rests where ``lasso`` ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.judges._solvers.lasso import checked

GAMMA, RATE, BATCH = 0.02, 0.01, 16  # the paper's, for VHRED vectors
KEEP, KEEP_SQUARES, TINY = 0.9, 0.999, 1e-8  # Adam's, as its authors set them
SPELL, FASTER, SLOWER = 100, 2.0, 0.3  # whole-batch steps between two looks at the objective, and what they do to the rate
ENOUGH, FAILED = 1e-9, 5  # a spell that gains less than this share has failed; so many in a row, and it rests


@dataclass(frozen=True)
class Curve:
    """What each epoch left, from the start (epoch 0) on; NaN without a validation part."""

    training: np.ndarray  # the objective, penalty included
    validation: np.ndarray  # the mean square alone
    pearson: np.ndarray


@dataclass(frozen=True)
class Trained:
    """The parameters of the best epoch, which epoch that was, and the learning curve."""

    theta: np.ndarray
    offset: float
    best: int
    curve: Curve


def train(
    X: np.ndarray,
    y: np.ndarray,
    *,
    gamma: float = GAMMA,
    prior: np.ndarray | None = None,
    start: np.ndarray | None = None,
    free: np.ndarray | None = None,
    offset: float | None = None,
    validation: tuple[np.ndarray, np.ndarray] | None = None,
    rate: float = RATE,
    batch: int = BATCH,
    epochs: int = 200,
    patience: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
) -> Trained:
    """Epochs over mixed rows until the validation error has not fallen for ``patience`` of them; its best epoch is kept.

    Without a validation part all epochs are done and the last is kept.
    """
    rows = _Rows.of(X, y, prior, free, offset, gamma)
    _check(rate, batch, epochs, patience)
    other = None if validation is None else (np.asarray(validation[0], float), np.asarray(validation[1], float))
    if other:
        checked(*other, prior)
    adam, rng = _Adam.at(rows.first(start)), np.random.default_rng(seed)
    curve, best, kept = [_look(rows, adam.theta, other)], 0, adam.theta
    for epoch in range(1, epochs + 1):
        for some in _batches(rng, len(rows.target), batch):
            adam.step(rows.gradient(adam.theta, some), rate, rows)
        curve.append(_look(rows, adam.theta, other))
        if other is None or curve[epoch][1] < curve[best][1]:
            best, kept = epoch, adam.theta
        if progress:
            progress("training", epoch, epochs)
        if epoch - best >= patience:
            break
    return Trained(*rows.parts(kept), best, Curve(*np.array(curve).T))


def converge(
    X: np.ndarray,
    y: np.ndarray,
    *,
    gamma: float = GAMMA,
    prior: np.ndarray | None = None,
    start: np.ndarray | None = None,
    free: np.ndarray | None = None,
    offset: float | None = None,
    rate: float = RATE,
    batch: int = BATCH,
    epochs: int = 5,
    spells: int = 1000,
    seed: int = 0,
) -> Trained:
    """The same steps to the end: some epochs in batches, then spells over all rows at once, until the objective rests.

    Batches alone never rest, since their noise does not fade. Over all rows the rate follows the objective ("bold driver", Battiti
    1989): doubled after a spell that lowered it, cut to 0.3 after one that did not, which is taken back. A point of the curve is an
    epoch or a spell.
    """
    rows = _Rows.of(X, y, prior, free, offset, gamma)
    _check(rate, batch, epochs, spells)
    adam, rng = _Adam.at(rows.first(start)), np.random.default_rng(seed)
    curve = [_look(rows, adam.theta, None)]
    for _ in range(epochs):
        for some in _batches(rng, len(rows.target), batch):
            adam.step(rows.gradient(adam.theta, some), rate, rows)
        curve.append(_look(rows, adam.theta, None))
    best, kept, failed = curve[-1][0], adam.theta, 0
    while failed < FAILED and len(curve) <= spells:
        for _ in range(SPELL):
            adam.step(rows.gradient(adam.theta, None), rate, rows)
        now = rows.objective(adam.theta)
        failed = failed + 1 if best - now <= ENOUGH * best else 0
        if now < best:
            best, kept, rate = now, adam.theta, rate * FASTER
        else:
            adam, rate = _Adam.at(kept), rate * SLOWER
        curve.append((best, np.nan, np.nan))
    return Trained(*rows.parts(kept), len(curve) - 1, Curve(*np.array(curve).T))


@dataclass(frozen=True)
class _Rows:
    """Rows and ratings with the offset taken care of: subtracted, or a last column of ones that is not penalised."""

    features: np.ndarray
    target: np.ndarray
    start: np.ndarray
    weights: np.ndarray
    offset: float | None

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        y: np.ndarray,
        prior: np.ndarray | None,
        free: np.ndarray | None,
        offset: float | None,
        gamma: float,
    ) -> _Rows:
        X, y = np.asarray(X, float), np.asarray(y, float)
        centre, mask = checked(X, y, prior, free)
        if not 0 <= gamma < np.inf:
            raise UsageError(f"a γ is a number that is not negative, not {gamma:g}", f"gamma={GAMMA}")
        weights = np.where(mask, 0.0, gamma)
        if offset is not None:
            return cls(X, y - offset, centre, weights, offset)
        features = np.concatenate([X, np.ones((len(X), 1))], axis=1)
        return cls(features, y, np.append(centre, np.mean(y - X @ centre)), np.append(weights, 0.0), None)

    def gradient(self, theta: np.ndarray, some: np.ndarray | None) -> np.ndarray:
        """Of the mean square over some rows, or all."""
        features, target = (self.features, self.target) if some is None else (self.features[some], self.target[some])
        return np.asarray((2 / len(target)) * ((features @ theta - target) @ features))

    def first(self, start: np.ndarray | None) -> np.ndarray:
        """Where the steps begin: at the prior, or at a start of its own."""
        if start is None:
            return self.start
        return np.asarray(start, float) if self.offset is not None else np.append(start, self.start[-1])

    def objective(self, theta: np.ndarray) -> float:
        left = self.features @ theta - self.target
        return float(left @ left / len(left) + self.weights @ np.abs(theta - self.start))

    def parts(self, theta: np.ndarray) -> tuple[np.ndarray, float]:
        """Parameters and offset."""
        return (theta, self.offset) if self.offset is not None else (theta[:-1], float(theta[-1]))


@dataclass
class _Adam:
    """Running means of the gradient and of its square, and the step that they make."""

    theta: np.ndarray
    mean: np.ndarray
    square: np.ndarray
    steps: int = field(default=0)

    @classmethod
    def at(cls, theta: np.ndarray) -> _Adam:
        return cls(theta, np.zeros_like(theta), np.zeros_like(theta))

    def step(self, gradient: np.ndarray, rate: float, rows: _Rows) -> None:
        """Adam's step on the mean square, then the penalty's: towards the prior, and no further."""
        self.steps += 1
        self.mean += (1 - KEEP) * (gradient - self.mean)
        self.square += (1 - KEEP_SQUARES) * (gradient * gradient - self.square)
        size = rate / (np.sqrt(self.square / (1 - KEEP_SQUARES**self.steps)) + TINY)
        moved = self.theta - rows.start - size * self.mean / (1 - KEEP**self.steps)
        self.theta = rows.start + np.sign(moved) * np.maximum(np.abs(moved) - size * rows.weights, 0.0)


def _batches(rng: np.random.Generator, n: int, batch: int) -> Iterator[np.ndarray]:
    """All rows once, mixed."""
    order = rng.permutation(n)
    for at in range(0, n, batch):
        yield order[at : at + batch]


def _look(rows: _Rows, theta: np.ndarray, other: tuple[np.ndarray, np.ndarray] | None) -> tuple[float, float, float]:
    """A point of the learning curve: the objective, and the mean square and Pearson's r on the validation part."""
    if other is None:
        return rows.objective(theta), np.nan, np.nan
    X, y = other
    weights, offset = rows.parts(theta)
    said = X @ weights + offset
    a, b = said - said.mean(), y - y.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return rows.objective(theta), float(np.mean((said - y) ** 2)), float(a @ b) / spread if spread else np.nan


def _check(rate: float, batch: int, epochs: int, patience: int) -> None:
    if not 0 < rate < np.inf:
        raise UsageError(f"a learning rate is above 0, not {rate:g}", f"rate={RATE}")
    if min(batch, epochs, patience) < 1:
        raise UsageError("batches, epochs and patience are counted from 1", f"batch={BATCH}")
