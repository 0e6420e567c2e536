"""The exact solver of ADEM's objective (Lowe et al. 2017, §4): with fixed vectors it is a Lasso in the entries of M and N.

Everywhere in the house the scale of γ is that of ``(1/n) Σ (y_i − x_i·θ − b)² + γ Σ_j |θ_j − θ⁰_j|``: the mean over rows where the
paper writes a sum, and a prior θ⁰ (zero in the paper, the identity in ours) that γ pulls towards. Coordinates that are ``free`` are
not penalised; the offset b is given (−α/β in the paper) or, where it is None, fitted.

The path is solved from its greatest γ down, each solution starting from the last. Coordinates that the sequential strong rule
(Tibshirani et al. 2012) expects to stay at the prior are left out until their slopes say otherwise. Coordinate descent finds which
coordinates move and which way, and is helped over its slow part: points on the way are mixed so that their steps cancel, and, given
the signs, the minimum solves a set of linear equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import DataError, UsageError
from dialometer.kernels import run
from dialometer.kernels.lasso import descend

COUNT, SHARE = 50, 1e-3  # how many γ a path has by default, and its last as a share of its first
TOLERANCE = 1e-10  # how far a slope may be off, as a share of the greatest slope that such rows could have
SWEEPS, MIXED, MOST = 2, 5, 20_000  # sweeps between two points of the trail, steps that are mixed, sweeps in all
PAUSE = 24  # sweeps at least before the equations are solved
TINY = 1e-300
STRIDE, NEAR = 0.6, 1e-4  # a γ far below the last is reached by steps of this ratio, down to this share of the first
RIDGE = 1e-12  # keeps the equations solvable where columns repeat each other; the next round mends what it bends


@dataclass(frozen=True)
class Path:
    """The minima over γ: ``thetas`` (γs, p), ``offsets`` and ``sweeps`` one per γ, in the order of ``gammas``."""

    gammas: np.ndarray
    thetas: np.ndarray
    offsets: np.ndarray
    sweeps: np.ndarray


def path(
    X: np.ndarray,
    y: np.ndarray,
    gammas: int | Sequence[float] | np.ndarray | None = None,
    *,
    prior: np.ndarray | None = None,
    free: np.ndarray | None = None,
    offset: float | None = None,
) -> Path:
    """The minimum at each γ; for a number of γs (50), at so many from ``largest_gamma`` down to a thousandth of it.

    Of one column of ±1 the mean square is least at 1, and γ takes γ/2 from that:

    >>> path(np.array([[1.0], [-1.0]]), np.array([3.0, 1.0]), [0.0, 1.0, 2.0]).thetas.round(9).ravel().tolist()
    [1.0, 0.5, 0.0]
    """
    task = _Task.of(X, y, prior, free, offset)
    state = task.start()
    values = _values(gammas, 2 * state.first)
    thetas, offsets, sweeps = np.empty((len(values), task.width)), np.empty(len(values)), np.empty(len(values), np.int64)
    for at in np.argsort(-values, kind="stable"):
        sweeps[at] = _walk(task, state, values[at] / 2)
        thetas[at] = task.prior + state.moved
        offsets[at] = task.offset_of(state.moved)
    return Path(values, thetas, offsets, sweeps)


def largest_gamma(
    X: np.ndarray,
    y: np.ndarray,
    *,
    prior: np.ndarray | None = None,
    free: np.ndarray | None = None,
    offset: float | None = None,
) -> float:
    """The γ from which on no penalised coordinate leaves the prior."""
    task = _Task.of(X, y, prior, free, offset, gram=False)
    return 2 * task.start().first


def kkt(
    X: np.ndarray,
    y: np.ndarray,
    theta: np.ndarray,
    offset: float,
    gamma: float,
    *,
    prior: np.ndarray | None = None,
    free: np.ndarray | None = None,
    fitted: bool = False,
) -> float:
    """The greatest violation of the conditions of a minimum, in units of γ; with ``fitted`` the offset must meet them too.

    With g the gradient of the mean square they are: g_j = −γ sign(θ_j − θ⁰_j) where a coordinate moved, |g_j| ≤ γ where it did not,
    g_j = 0 where it is free.
    """
    X, y, theta = np.asarray(X, float), np.asarray(y, float), np.asarray(theta, float)
    centre, mask = checked(X, y, prior, free)
    left = X @ theta + offset - y
    gradient, moved, weights = 2 * (left @ X) / len(y), theta - centre, np.where(mask, 0.0, gamma)
    off = np.where(moved != 0, np.abs(gradient + weights * np.sign(moved)), np.abs(gradient) - weights)
    return max(float(off.max(initial=0.0)), 2 * abs(float(left.mean())) if fitted else 0.0)


@dataclass
class _State:
    """Where the search stands: the move from the prior, half the negative gradient there, and half the γ it is the minimum at."""

    moved: np.ndarray
    slope: np.ndarray
    half: float
    before: tuple[np.ndarray, float] | None
    first: float  # half the γ at which the first penalised coordinate starts to move


@dataclass(frozen=True)
class _Task:
    """Rows and what the prior leaves of the ratings, both centred if the offset is fitted; of few columns the Gram matrix too."""

    rows: np.ndarray
    target: np.ndarray
    gram: np.ndarray | None
    moments: np.ndarray
    tolerance: float
    prior: np.ndarray
    free: np.ndarray
    means: np.ndarray | None
    offset: float

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        y: np.ndarray,
        prior: np.ndarray | None,
        free: np.ndarray | None,
        offset: float | None,
        *,
        gram: bool = True,
    ) -> _Task:
        rows, y = np.asarray(X, float), np.asarray(y, float)
        centre, mask = checked(rows, y, prior, free)
        n, target, means = len(y), y - rows @ centre, None
        if offset is None:
            means = rows.mean(axis=0)
            rows = rows - means
            rows[:, np.abs(rows).max(axis=0) <= 1e-12 * np.abs(means)] = 0.0  # constant columns, rounding apart
        base = float(target.mean()) if offset is None else float(offset)
        target = target - base
        inner = rows.T @ rows / n if gram and rows.shape[1] <= n else None
        squares = np.einsum("ij,ij->j", rows, rows) / n if inner is None else inner.diagonal()
        tolerance = TOLERANCE * float(np.sqrt(squares.max(initial=0.0) * (target @ target) / n))
        return cls(rows, target, inner, target @ rows / n, tolerance, centre, mask, means, base)

    @property
    def width(self) -> int:
        return int(self.rows.shape[1])

    def offset_of(self, moved: np.ndarray) -> float:
        """The offset that goes with a move: the given one, or the mean of what is left."""
        return self.offset if self.means is None else self.offset - float(self.means @ moved)

    def block(self, work: np.ndarray) -> np.ndarray:
        """The Gram matrix of some columns."""
        if self.gram is not None:
            return self.gram if len(work) == self.width else self.gram[np.ix_(work, work)]
        some = self.rows[:, work]
        return np.ascontiguousarray(some.T @ some / len(some))

    def slope(self, moved: np.ndarray) -> np.ndarray:
        """Half the negative gradient after a move."""
        work = np.flatnonzero(moved)
        if self.gram is None:
            return np.asarray((self.target - self.rows[:, work] @ moved[work]) @ self.rows / len(self.rows))
        if 2 * len(work) > self.width:
            return np.asarray(self.moments - self.gram @ moved)
        return np.asarray(self.moments - moved[work] @ self.gram[work])

    def start(self) -> _State:
        """At the prior, the free coordinates at their best."""
        moved, slope = np.zeros(self.width), self.moments
        if self.free.any():
            work = np.flatnonzero(self.free)
            moved[work] = np.linalg.lstsq(self.block(work), slope[work], rcond=None)[0]
            slope = self.slope(moved)
        first = float(np.abs(slope[~self.free]).max(initial=0.0))
        return _State(moved, slope, first, None, first)


def _walk(task: _Task, state: _State, half: float) -> int:
    """Move the state to the minimum at twice this half γ, in steps if it is far; returns the sweeps."""
    sweeps = 0
    if half == 0:  # least squares, of all solutions the one nearest to the prior
        state.moved, state.half = np.linalg.lstsq(task.rows, task.target, rcond=None)[0], half
        return sweeps
    while half < STRIDE * state.half and state.half > NEAR * state.first:
        sweeps += _solve(task, state, STRIDE * state.half)
    return sweeps + _solve(task, state, half)


def _solve(task: _Task, state: _State, half: float) -> int:
    """The same in one step."""
    weights = np.where(task.free, 0.0, half)
    expected = 2 * half - state.half
    _foresee(task, state, half, weights)
    inside = task.free | (state.moved != 0) | (np.abs(state.slope) >= expected)
    sweeps = 0
    while True:
        work = np.flatnonzero(inside)
        moved, slope = state.moved[work], state.slope[work]
        sweeps += _settle(task.block(work), weights[work], task.tolerance, moved, slope)
        state.moved[work] = moved
        state.slope = task.slope(state.moved)
        wrong = ~inside & (np.abs(state.slope) > weights + task.tolerance)
        if not wrong.any():
            return sweeps
        inside |= wrong


def _foresee(task: _Task, state: _State, half: float, weights: np.ndarray) -> None:
    """Start where the line through the last two minima leads, if that is lower: the path is made of straight pieces."""
    here, last = state.moved, state.half
    before, state.before, state.half = state.before, (here.copy(), last), half
    if before is None or before[1] <= last:
        return
    guess = here + (here - before[0]) * (last - half) / (before[1] - last)
    guess[guess * here <= 0] = 0.0
    slope = task.slope(guess)
    if _rise(weights, here, state.slope, guess, slope) < 0:
        state.moved, state.slope = guess, slope


def _rise(weights: np.ndarray, here: np.ndarray, slope: np.ndarray, there: np.ndarray, other: np.ndarray) -> float:
    """How much half the objective rises between two moves with their slopes; exact, as slopes change evenly on the way."""
    return float(weights @ (np.abs(there) - np.abs(here)) - (slope + other) @ (there - here) / 2)


def _settle(gram: np.ndarray, weights: np.ndarray, tolerance: float, moved: np.ndarray, slope: np.ndarray) -> int:
    """Descend in place, with shortcuts, until every slope is within the tolerance; returns the sweeps."""
    active, trail, sweeps, jumped = np.empty(len(weights), np.int64), [], 0, 0
    while sweeps < MOST:
        steps = SWEEPS * len(weights) * (len(weights) + 10)
        used = run(descend, gram, weights, tolerance, SWEEPS, moved, slope, active, steps=steps)
        sweeps += used
        if used < SWEEPS:
            break
        trail.append((moved.copy(), slope.copy()))
        if len(trail) > MIXED:
            _mix(trail, weights, moved, slope)
            trail.clear()
            if sweeps - jumped >= PAUSE + np.count_nonzero(moved) // 20:  # about what the equations cost
                _jump(gram, weights, moved, slope)
                jumped = sweeps
    return sweeps


def _mix(trail: list[tuple[np.ndarray, np.ndarray]], weights: np.ndarray, moved: np.ndarray, slope: np.ndarray) -> None:
    """Go to the mix of the last points whose steps cancel best, if that is lower (Anderson; Bertrand & Massias 2021)."""
    points, slopes = (np.array(side) for side in zip(*trail, strict=True))
    steps = np.diff(points, axis=0)
    inner = steps @ steps.T
    inner[np.diag_indices(MIXED)] += 1e-10 * inner.trace() + TINY
    shares = np.linalg.solve(inner, np.ones(MIXED))
    shares /= shares.sum()
    point, there = shares @ points[1:], shares @ slopes[1:]  # slopes mix as points do
    if _rise(weights, moved, slope, point, there) < 0:
        moved[:], slope[:] = point, there


def _jump(gram: np.ndarray, weights: np.ndarray, moved: np.ndarray, slope: np.ndarray) -> None:
    """Go to the minimum for these signs, or as far as the first coordinate whose sign would turn; that one stops at the prior."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    some = np.flatnonzero(((moved != 0) | (weights == 0)) & (gram.diagonal() > 0))
    before, block = moved[some], gram[np.ix_(some, some)]
    block[np.diag_indices(len(some))] *= 1 + RIDGE
    try:
        factor = cho_factor(block.T, overwrite_a=True, check_finite=False)
    except LinAlgError:  # columns that repeat each other to the last digit: descent goes on without
        return
    step = cho_solve(factor, slope[some] - weights[some] * np.sign(before), check_finite=False)
    turns = np.flatnonzero((weights[some] > 0) & (before * (before + step) < 0))
    shares = -before[turns] / step[turns]
    share = float(shares.min(initial=1.0))
    change = np.zeros_like(moved)
    change[some] = share * step
    change[some[turns[shares == share]]] = -before[turns[shares == share]]
    moved += change
    slope -= gram @ change


def _values(gammas: int | Sequence[float] | np.ndarray | None, largest: float) -> np.ndarray:
    """The γs asked for, as numbers."""
    if gammas is None or isinstance(gammas, int):
        count = COUNT if gammas is None else gammas
        if count < 1:
            raise UsageError(f"a path has at least one γ, not {count}", f"ask for {COUNT}")
        return np.asarray(largest * np.geomspace(1.0, SHARE, count))
    values = np.asarray(gammas, float).ravel()
    if not np.isfinite(values).all() or (values < 0).any():
        raise UsageError("a γ is a number that is not negative", "the paper's is 0.02")
    return values


def checked(
    X: np.ndarray, y: np.ndarray, prior: np.ndarray | None = None, free: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The prior and which coordinates are free; rows, ratings and these must fit together, and every number must be one."""
    if X.ndim != 2 or not len(X) or y.shape != X.shape[:1]:
        raise UsageError(f"there must be a row of features per rating, not {X.shape} for {y.shape}", "rate the items first")
    n, width = X.shape
    centre = np.zeros(width) if prior is None else np.asarray(prior, float)
    mask = np.zeros(width, bool) if free is None else np.asarray(free, bool)
    for name, array in (("prior", centre), ("mask of free coordinates", mask)):
        if array.shape != (width,):
            raise UsageError(f"the {name} has {array.size} entries for {width} features", "give one per feature")
    if np.isfinite(X.sum() + y.sum()):  # quick, and enough: what is missing or infinite stays so in a sum
        return centre, mask
    bad = int(np.count_nonzero(~(np.isfinite(X).all(axis=1) & np.isfinite(y))))
    if bad:
        raise DataError(f"{bad} of {n} rows have a number that is missing or infinite", hint="leave them out")
    return centre, mask
