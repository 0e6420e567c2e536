"""Vectors from which no linear form can read the length of a text (Lowe et al. 2017, §6, leave length bias to future work).

``v ↦ v − BBᵀ(v − μ)`` with B an orthonormal basis of the covariance of vectors and ln(1 + length). Linear forms predict nothing
from vectors exactly when that covariance is zero (Belrose et al. 2023, theorem 3.1), so one projection does what repeated
regressions do in rounds (Ravfogel et al. 2020), and no linear adversary could do better than guess the mean. Lengths need no
raters: any texts will do to fit it, and the more the better it holds for texts to come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from dialometer.core.rowwise import row_products


@dataclass(frozen=True, eq=False)
class Censor:
    """The mean and the directions (width, k) that go."""

    mean: np.ndarray
    basis: np.ndarray

    @classmethod
    def fit(cls, vectors: np.ndarray, lengths: np.ndarray) -> Self:
        """From a vector and a length per text, or several lengths (n, k): words and characters, say.

        >>> vectors = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
        >>> Censor.fit(vectors, np.exp([0.0, 1.0, 2.0]) - 1).apply(vectors).round(9).tolist()
        [[1.0, 1.0], [1.0, 2.0], [1.0, 1.0]]
        """
        vectors = np.asarray(vectors, np.float64)
        logs = np.log1p(np.asarray(lengths, np.float64)).reshape(len(vectors), -1)
        mean = vectors.mean(0)
        spread = (vectors - mean).T @ (logs - logs.mean(0))
        basis, sizes, _ = np.linalg.svd(spread, full_matrices=False)
        return cls(mean, basis[:, sizes > 1e-9 * max(float(sizes.max(initial=0)), 1.0)])

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """The vectors without those directions; twice is the same as once."""
        return np.asarray(vectors - row_products(row_products(vectors - self.mean, self.basis), self.basis.T))
