"""Nyström features: a ridge regression on them approximates kernel ridge regression with a Gaussian kernel.

``k(x, z) = exp(−γ |x − z|² / 2p)`` over p columns; with landmarks L, some of the training rows, the features are
``k(x, L) k(L, L)^(−1/2)``, less their training mean (Williams & Seeger 2001). As γ goes to 0, the regression becomes linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from dialometer.core.rowwise import row_dots, row_products

LANDMARKS = 100


@dataclass(frozen=True, eq=False)
class NystroemFeatures:
    """``gamma`` 0 has no features: the form is linear."""

    gamma: float
    landmarks: np.ndarray  # (m, p)
    root: np.ndarray  # (m, m)
    mean: np.ndarray  # (m,)

    @classmethod
    def fit(cls, scaled: np.ndarray, gamma: float) -> Self:
        """Landmarks evenly spaced along the main axis of the training rows."""
        p = scaled.shape[1]
        if not gamma:
            return cls(0.0, np.zeros((0, p)), np.zeros((0, 0)), np.zeros(0))
        along = np.argsort(scaled @ np.linalg.eigh(scaled.T @ scaled)[1][:, -1], kind="stable")
        chosen = np.unique(along[np.linspace(0, len(along) - 1, min(LANDMARKS, len(along))).round().astype(int)])
        landmarks = scaled[chosen]
        values, vectors = np.linalg.eigh(_kernel(landmarks, landmarks, gamma))
        nonzero = values > 1e-10 * values[-1]
        root = (vectors[:, nonzero] / np.sqrt(values[nonzero])) @ vectors[:, nonzero].T
        uncentred = cls(gamma, landmarks, root, np.zeros(len(landmarks)))
        return cls(gamma, landmarks, root, uncentred.columns(scaled).mean(0))

    def columns(self, scaled: np.ndarray) -> np.ndarray:
        """(rows, landmarks)."""
        if not self.gamma:
            return np.zeros((len(scaled), 0))
        return np.asarray(_kernel(scaled, self.landmarks, self.gamma) @ self.root - self.mean)

    def weighted_sum(self, scaled: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """``columns · weights``; batch-invariant."""
        if not self.gamma:
            return np.zeros(len(scaled))
        kernel = _kernel(scaled, self.landmarks, self.gamma)
        return np.asarray(row_dots(kernel, self.root @ weights) - self.mean @ weights)

    def slopes(self, scaled: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Per scaled column the mean derivative of ``columns · weights`` over these rows."""
        if not self.gamma:
            return np.zeros(scaled.shape[1])
        by_landmark = self.root @ weights
        kernel = _kernel(scaled, self.landmarks, self.gamma)
        pulls = (scaled * (kernel @ by_landmark)[:, None]).mean(0) - self.landmarks.T @ (kernel.mean(0) * by_landmark)
        return np.asarray(-self.gamma / scaled.shape[1] * pulls)


def _kernel(x: np.ndarray, z: np.ndarray, gamma: float) -> np.ndarray:
    """k(x, z) of all pairs of rows; batch-invariant."""
    gaps = row_dots(x, x)[:, None] + row_dots(z, z)[None] - 2 * row_products(x, z.T)
    return np.asarray(np.exp(-gamma * np.maximum(gaps, 0) / (2 * x.shape[1])))
