"""Principal components, fitted on training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from dialometer.core.rowwise import row_products


@dataclass(frozen=True, eq=False)
class Pca:
    """Mean and main axes (width, k)."""

    mean: np.ndarray
    basis: np.ndarray

    @classmethod
    def fit(cls, vectors: np.ndarray, k: int) -> Self:
        """The k axes along which the vectors vary most; each points to where its greatest entry is positive.

        >>> Pca.fit(np.array([[0.0, 0], [2, 2], [4, 4]]), 1).apply(np.array([[4.0, 4]])).round(6).tolist()
        [[2.828427]]
        """
        mean = vectors.mean(0)
        basis = np.linalg.eigh((vectors - mean).T @ (vectors - mean))[1][:, ::-1][:, : min(k, vectors.shape[1])]
        signs = np.sign(basis[np.abs(basis).argmax(0), np.arange(basis.shape[1])])
        return cls(mean, basis * signs)

    @property
    def width(self) -> int:
        """How many axes."""
        return int(self.basis.shape[1])

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Coordinates along the axes; batch-invariant."""
        return row_products(vectors - self.mean, self.basis)
