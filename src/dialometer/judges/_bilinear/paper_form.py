"""The papers' bilinear form: PCA, ``(cᵀMr̂ + rᵀNr̂ − α)/β`` with α and β fixed at the start, M and N by L1 towards zero.

Lowe et al. 2017, §4 (without N: Deriu and Cieliebak 2019). For fixed vectors it is linear in M and N, so the minimum can be found
exactly (``judges.lasso``) or, as the papers do, by minibatches (``judges.first_order``). γ is given, or chosen on folds of whole
contexts inside the training rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.core.artifacts import check_arrays
from dialometer.core.rowwise import row_dots
from dialometer.judges._bilinear.inputs import Views
from dialometer.judges._bilinear.oversampling import oversampled
from dialometer.judges._bilinear.pca import Pca
from dialometer.judges._bilinear.ridge_form import Fitted
from dialometer.judges._bilinear.scale import alpha_beta
from dialometer.judges._solvers import lasso
from dialometer.judges._solvers import proximal as first_order
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits

PCA = 7  # the paper's
GAMMAS = 20
FOLDS = 5


def fit(
    seen: Views,
    y: np.ndarray,
    groups: np.ndarray,
    *,
    pca: int,
    gamma: float,
    solver: str,
    oversample: bool,
    scale: tuple[float, float],
    seed: int,
) -> Fitted:
    """PCA, α and β from all training rows; then M and N."""
    parts = [part for part in (seen.context, seen.reference, seen.response) if part.shape[1]]
    axes = Pca.fit(np.concatenate(parts), pca)
    arrays: dict[str, np.ndarray] = {"pca.mean": axes.mean, "pca.basis": axes.basis}
    columns = _columns(axes, seen)
    start = _identity(axes.width, columns.shape[1])
    alpha, beta = alpha_beta(columns @ start, *scale)
    X, offset = columns / beta, -alpha / beta
    if solver == "first-order":
        gamma = gamma or first_order.GAMMA
    largest = lasso.largest_gamma(X, y, offset=offset)
    gammas = np.array([gamma]) if gamma or solver == "start" else largest * np.geomspace(0.9, 1e-3, GAMMAS)
    task = _Task(X, y, groups, start, offset, seen.lengths if oversample else None, solver, seed)
    left_out = np.empty((len(gammas), len(y)))
    for learn, test in train_test_splits(inner_folds(list(map(str, groups)), FOLDS, seed)):
        left_out[:, test] = y[test] - (task.solved(learn, gammas)[0] @ X[test].T + offset)
    best = int((left_out**2).mean(1).argmin())
    thetas, curve = task.solved(np.arange(len(y)), gammas[best : best + 1])
    arrays |= {"theta": thetas[0], "alpha-beta": np.array([alpha, beta])}
    facts: dict[str, Any] = {"gamma": float(gammas[best]), "gamma_max": largest, "variants": len(gammas)}
    facts |= {"alpha": alpha, "beta": beta, "pca": axes.width}
    facts |= {"entries that are not zero": int(np.count_nonzero(thetas[0]))}
    facts |= {"learning curve": curve} if curve else {}
    return Fitted(arrays, left_out[best], facts | {"error left out": float((left_out[best] ** 2).mean())})


def score(arrays: dict[str, np.ndarray], seen: Views) -> np.ndarray:
    """The form, on the raters' scale; batch-invariant."""
    alpha, beta = arrays["alpha-beta"]
    axes = Pca(arrays["pca.mean"], arrays["pca.basis"])
    return np.asarray((row_dots(_columns(axes, seen), arrays["theta"]) - alpha) / beta)


def check(arrays: dict[str, np.ndarray], seen: Views) -> None:
    """Refuse arrays that do not fit these vectors, by a ValueError that names the array."""
    width, many = seen.response.shape[1], sum(side.shape[1] > 0 for side in (seen.context, seen.reference))
    check_arrays(arrays, pca__mean=f"finite {width}", pca__basis=f"finite {width} k", **{"alpha-beta": "finite 2"})
    check_arrays(arrays, theta=f"finite {many * arrays['pca.basis'].shape[1] ** 2}")


def _columns(axes: Pca, seen: Views) -> np.ndarray:
    """The entries of c⊗r̂, then of r⊗r̂."""
    own = axes.apply(seen.response)
    others = [axes.apply(side) for side in (seen.context, seen.reference) if side.shape[1]]
    return np.concatenate([(other[:, :, None] * own[:, None, :]).reshape(len(own), -1) for other in others], axis=1)


def _identity(width: int, columns: int) -> np.ndarray:
    return np.tile(np.eye(width).ravel(), columns // width**2)


@dataclass(frozen=True, eq=False)
class _Task:
    """Rows over which M and N are found, from the identity on."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    start: np.ndarray
    offset: float
    lengths: np.ndarray | None  # where rare lengths and scores count more
    solver: str
    seed: int

    def solved(self, learn: np.ndarray, gammas: np.ndarray) -> tuple[np.ndarray, dict[str, list[float]]]:
        """The entries of M and N at each γ from these rows, and the learning curve of the last γ if there is one."""
        if self.solver == "start":
            return np.repeat(self.start[None], len(gammas), axis=0), {}
        if self.solver == "exact":
            rows = self._often(learn)
            return lasso.path(self.X[rows], self.y[rows], gammas, offset=self.offset).thetas, {}
        made = [self._stepped(learn, float(gamma)) for gamma in gammas]
        curve = {name: getattr(made[-1].curve, name).tolist() for name in ("training", "validation", "pearson")}
        return np.stack([one.theta for one in made]), curve

    def _stepped(self, learn: np.ndarray, gamma: float) -> first_order.Trained:
        """By minibatches; an eighth of the contexts says when to stop."""
        part = inner_folds(list(map(str, self.groups[learn])), 8, self.seed)
        rows, held = self._often(learn[part > 0]), learn[part == 0]
        return first_order.train(
            self.X[rows], self.y[rows], gamma=gamma, prior=np.zeros_like(self.start), start=self.start,
            offset=self.offset, validation=(self.X[held], self.y[held]), seed=self.seed,
        )  # fmt: skip

    def _often(self, rows: np.ndarray) -> np.ndarray:
        return rows if self.lengths is None else rows[oversampled(self.lengths[rows], self.y[rows])]
