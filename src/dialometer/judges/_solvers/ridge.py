"""Ridge regression with columns that go free, every penalty at once, and each group's error when it was left out.

Minimises ``Σ (y − Fφ − Xθ)² + λ‖θ‖²``. What the rows of a group would be predicted as by a fit without that group follows from
the fit with it: ``y − ŷ₋ = (I − H)⁻¹ (y − ŷ)`` over the rows of the group, with the matrix H of the fit, ``ŷ = Hy`` (the
identity of leave-one-out, Allen 1974, for blocks). So choosing a penalty by whole contexts costs one decomposition.

The solution is ``θ = Xᵀa`` with a number a per row: where X has more columns than could be written down, the matrix XXᵀ will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Ridge:
    """A path of fits: coefficients of the free columns and of the penalised ones, and errors by left-out group, per penalty."""

    penalties: np.ndarray
    free: np.ndarray  # (penalties, f)
    theta: np.ndarray  # (penalties, p)
    left_out: np.ndarray  # (penalties, n): y − ŷ of a fit without the row's group

    @property
    def errors(self) -> np.ndarray:
        """Mean squared error by left-out group, per penalty."""
        return np.asarray((self.left_out**2).mean(axis=1))


@dataclass(frozen=True, eq=False)
class Along:
    """The same path without X: ``rows`` holds the a of ``θ = Xᵀa``, and ``fitted`` what is said of the training rows."""

    penalties: np.ndarray
    rows: np.ndarray  # (penalties, n)
    fitted: np.ndarray  # (penalties, n)
    left_out: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        """Mean squared error by left-out group, per penalty."""
        return np.asarray((self.left_out**2).mean(axis=1))


@dataclass(frozen=True, eq=False)
class Axes:
    """The rows of X, once the free columns are taken out, along the axes on which they lie: ``left · values``, (n, rank)."""

    values: np.ndarray
    left: np.ndarray
    basis: np.ndarray  # of the free columns

    @property
    def size(self) -> float:
        """The mean squared length of a row: penalties are shares of it."""
        return float((self.values**2).sum()) / max(1, len(self.left)) or 1.0


def ridge(free: np.ndarray, columns: np.ndarray, target: np.ndarray, groups: np.ndarray, penalties: np.ndarray) -> Ridge:
    """Fit all penalties, given as shares of the mean squared length of a row of X; ``groups`` are numbers.

    >>> made = ridge(np.ones((4, 1)), np.array([[0.0], [1], [2], [3]]), np.array([1.0, 2, 3, 4]), np.arange(4), np.zeros(1))
    >>> made.free.round(9).tolist(), made.theta.round(9).tolist(), bool(made.errors[0] < 1e-12)
    ([[1.0]], [[1.0]], True)
    """
    made = along(axes_of_columns(free, columns), target, groups, penalties)
    theta = made.rows @ columns
    return Ridge(made.penalties, free_part(free, made.fitted - theta @ columns.T), theta, made.left_out)


def axes_of_columns(free: np.ndarray, columns: np.ndarray) -> Axes:
    """By the smaller of the two square matrices."""
    n, p = columns.shape
    return axes_of_kernel(free, columns @ columns.T) if n <= p else Tall.of(free, columns).axes(np.ones(p))


@dataclass(frozen=True, eq=False)
class Tall:
    """More rows than columns: what is the same however the columns are weighted."""

    basis: np.ndarray
    centred: np.ndarray
    square: np.ndarray

    @classmethod
    def of(cls, free: np.ndarray, columns: np.ndarray) -> Tall:
        """With the free columns taken out."""
        basis = _basis(free)
        centred = columns - basis @ (basis.T @ columns)
        return cls(basis, centred, centred.T @ centred)

    def axes(self, scales: np.ndarray) -> Axes:
        """Of the columns, each times its scale."""
        values, right = _roots(self.square * np.outer(scales, scales))
        return Axes(values, self.centred @ (scales[:, None] * right / values), self.basis)


def axes_of_kernel(free: np.ndarray, kernel: np.ndarray) -> Axes:
    """From XXᵀ alone."""
    basis = _basis(free)
    half = kernel - basis @ (basis.T @ kernel)
    centred = half - (half @ basis) @ basis.T
    return Axes(*_roots((centred + centred.T) / 2), basis)


def along(axes: Axes, target: np.ndarray, groups: np.ndarray, penalties: np.ndarray) -> Along:
    """Fit all penalties, given as shares of ``axes.size``."""
    values, left, basis = axes.values, axes.left, axes.basis
    absolute = penalties * axes.size
    inside = left.T @ target  # the axes are at right angles to the free columns
    rows = (inside / (values**2 + absolute[:, None])) @ left.T
    share = values**2 / (values**2 + absolute[:, None])
    fitted = (basis @ (basis.T @ target))[None] + (share * inside) @ left.T
    return Along(absolute, rows, fitted, _left_out(target - fitted, basis, left, share, groups))


def free_part(free: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Coefficients of the free columns for what X does not say of the training rows, one row of ``rest`` per penalty."""
    return np.asarray(np.linalg.lstsq(free, rest.T, rcond=None)[0].T)


def _basis(free: np.ndarray) -> np.ndarray:
    basis, triangle = np.linalg.qr(free)
    return np.asarray(basis[:, np.abs(np.diag(triangle)) > 1e-9 * np.abs(triangle).max(initial=1e-300)])


def _roots(square: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Square roots of the eigenvalues that are not nothing, and their vectors."""
    if not len(square):
        return np.zeros(0), np.zeros((0, 0))
    values, vectors = np.linalg.eigh(square)
    kept = values > max(1e-12 * values[-1], 1e-300)
    return np.sqrt(values[kept]), vectors[:, kept]


def _left_out(
    residual: np.ndarray, basis: np.ndarray, left: np.ndarray, share: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    """``(I − H)⁻¹ (y − ŷ)`` within each group, per penalty."""
    made = np.empty_like(residual)
    order = np.argsort(groups, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        flat, own = basis[rows] @ basis[rows].T, left[rows]
        hats = flat + (own * share[:, None, :]) @ own.T
        kept = (
            np.eye(len(rows)) - hats + 1e-10 * np.eye(len(rows))
        )  # a group that alone decides a column has no fit without it
        made[:, rows] = np.linalg.solve(kept, residual[:, rows, None])[..., 0]
    return made
