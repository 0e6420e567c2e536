"""Curved dependence on scaled columns, by few columns of its own: a Gaussian kernel seen from some of the training rows.

``k(x, z) = exp(−b |x − z|² / 2p)`` over p columns; with landmarks L the columns are ``k(x, L) k(L, L)^(−1/2)``, less their
training mean (Nyström's approximation; Williams & Seeger 2001). The smaller the bend b, the straighter a ridge regression on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from dialometer.core.rowwise import row_dots, row_products

LANDMARKS = 100


@dataclass(frozen=True, eq=False)
class Bent:
    """``bend`` 0 has no columns: the form is straight."""

    bend: float
    landmarks: np.ndarray  # (m, p)
    root: np.ndarray  # (m, m)
    mean: np.ndarray  # (m,)

    @classmethod
    def fit(cls, scaled: np.ndarray, bend: float) -> Self:
        """Landmarks evenly spaced along the main axis of the training rows."""
        p = scaled.shape[1]
        if not bend:
            return cls(0.0, np.zeros((0, p)), np.zeros((0, 0)), np.zeros(0))
        along = np.argsort(scaled @ np.linalg.eigh(scaled.T @ scaled)[1][:, -1], kind="stable")
        chosen = np.unique(along[np.linspace(0, len(along) - 1, min(LANDMARKS, len(along))).round().astype(int)])
        landmarks = scaled[chosen]
        values, vectors = np.linalg.eigh(_kernel(landmarks, landmarks, bend))
        kept = values > 1e-10 * values[-1]
        root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
        made = cls(bend, landmarks, root, np.zeros(len(landmarks)))
        return cls(bend, landmarks, root, made.columns(scaled).mean(0))

    def columns(self, scaled: np.ndarray) -> np.ndarray:
        """(rows, landmarks)."""
        if not self.bend:
            return np.zeros((len(scaled), 0))
        return np.asarray(_kernel(scaled, self.landmarks, self.bend) @ self.root - self.mean)

    def weighed(self, scaled: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """``columns · weights``; batch-invariant."""
        if not self.bend:
            return np.zeros(len(scaled))
        near = _kernel(scaled, self.landmarks, self.bend)
        return np.asarray(row_dots(near, self.root @ weights) - self.mean @ weights)

    def slopes(self, scaled: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Per scaled column the mean derivative of ``columns · weights`` over these rows."""
        if not self.bend:
            return np.zeros(scaled.shape[1])
        own = self.root @ weights
        near = _kernel(scaled, self.landmarks, self.bend)
        pulls = (scaled * (near @ own)[:, None]).mean(0) - self.landmarks.T @ (near.mean(0) * own)
        return np.asarray(-self.bend / scaled.shape[1] * pulls)


def _kernel(x: np.ndarray, z: np.ndarray, bend: float) -> np.ndarray:
    """k(x, z) of all pairs of rows; batch-invariant."""
    gaps = row_dots(x, x)[:, None] + row_dots(z, z)[None] - 2 * row_products(x, z.T)
    return np.asarray(np.exp(-bend * np.maximum(gaps, 0) / (2 * x.shape[1])))
