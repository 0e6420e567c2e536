"""Whether measured columns are like those of the training rows: their distance from the middle of these, by axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from dialometer.core.artifacts import check_arrays

AXES = 24  # main axes of the training rows
INSIDE = 0.95  # share of the training rows that count as inside


@dataclass(frozen=True, eq=False)
class Region:
    """Mahalanobis distance along the main axes, with what is left over as one more; ``edge`` holds most training rows."""

    mean: np.ndarray
    axes: np.ndarray  # (width, k)
    spread: np.ndarray  # k + 1 standard deviations, the last of what the axes do not reach
    edge: float

    @classmethod
    def fit(cls, vectors: np.ndarray) -> Self:
        """From the training rows."""
        mean = vectors.mean(0)
        centred = vectors - mean
        values, directions = np.linalg.eigh(centred.T @ centred / max(1, len(vectors)))
        kept = min(AXES, max(1, len(vectors) // 10), vectors.shape[1])
        axes = directions[:, ::-1][:, :kept]
        rest = max(float(values.sum() - values[::-1][:kept].sum()), 0.0)
        spread = np.sqrt(np.maximum([*values[::-1][:kept], rest], 1e-12))
        made = cls(mean, axes, spread, 0.0)
        return cls(mean, axes, spread, float(np.quantile(made.distances(vectors), INSIDE)))

    def distances(self, vectors: np.ndarray) -> np.ndarray:
        """How far out each vector lies."""
        centred = vectors - self.mean
        along = centred @ self.axes
        rest = np.sqrt(np.maximum((centred**2).sum(1) - (along**2).sum(1), 0))
        return np.asarray(np.sqrt(((along / self.spread[:-1]) ** 2).sum(1) + (rest / self.spread[-1]) ** 2))

    def outside(self, vectors: np.ndarray) -> float:
        """The share of vectors beyond the edge."""
        return float((self.distances(vectors) > self.edge).mean())

    def arrays(self) -> dict[str, np.ndarray]:
        """As a head keeps them."""
        return {
            "domain.mean": self.mean,
            "domain.axes": self.axes,
            "domain.spread": self.spread,
            "domain.edge": np.array([self.edge]),
        }

    @classmethod
    def of(cls, arrays: dict[str, np.ndarray]) -> Self:
        """From what a head kept."""
        check_arrays(arrays, domain__mean="float width", domain__axes="float width k", domain__edge="float 1")
        check_arrays(arrays, domain__spread=f"float {arrays['domain.axes'].shape[1] + 1}")
        mean, axes, spread = (arrays[f"domain.{name}"] for name in ("mean", "axes", "spread"))
        return cls(mean, axes, spread, arrays["domain.edge"].item())
