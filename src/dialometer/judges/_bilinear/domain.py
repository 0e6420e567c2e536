"""Whether replies are like those that a judge was trained on: the cosine with the nearest of some prototypes of these.

Prototypes are the centres of spherical k-means (Dhillon & Modha 2001) over one half of the training replies; the other half says
how near a reply of the same kind comes. Unit vectors all lie at the same distance from the middle, so that a distance from it tells
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Self

import numpy as np

from dialometer.core.artifacts import check_arrays

PROTOTYPES, ROUNDS = 64, 10
INSIDE = 0.95  # share of replies of the same kind that count as inside
DOUBT, TWICE = 0.01, 2  # warn where so many outside would be this rare at home, and at least twice as many


@dataclass(frozen=True, eq=False)
class Domain:
    """Unit vectors; a reply is inside if its cosine with the nearest is ``edge`` or more."""

    prototypes: np.ndarray  # (k, width)
    edge: float

    @classmethod
    def fit(cls, vectors: np.ndarray, *, seed: int = 0) -> Self:
        """From the vectors of the training replies."""
        rng = np.random.default_rng(seed)
        unit = _unit(np.unique(vectors, axis=0))
        mixed = unit[rng.permutation(len(unit))]
        half = max(1, len(mixed) // 2)
        made = cls(_centres(mixed[:half], min(PROTOTYPES, max(1, half // 2)), rng), -1.0)
        others = mixed[half:] if len(mixed) > half else mixed
        return cls(made.prototypes, float(np.quantile(made.nearness(others), 1 - INSIDE)) - 1e-9)

    def nearness(self, vectors: np.ndarray) -> np.ndarray:
        """The cosine of each vector with its nearest prototype."""
        return np.asarray((_unit(vectors) @ self.prototypes.T).max(1))

    def outside(self, vectors: np.ndarray) -> float:
        """The share of vectors beyond the edge."""
        return float((self.nearness(vectors) < self.edge).mean())

    def strange(self, vectors: np.ndarray) -> float:
        """The share beyond the edge if it is more than chance would put there, else 0."""
        share, n = self.outside(vectors), len(vectors)
        rare = _tail(n, round(share * n), 1 - INSIDE) < DOUBT
        return share if rare and share >= TWICE * (1 - INSIDE) else 0.0

    def arrays(self) -> dict[str, np.ndarray]:
        """As a head keeps them."""
        return {"domain.prototypes": self.prototypes, "domain.edge": np.array([self.edge])}

    @classmethod
    def of(cls, arrays: dict[str, np.ndarray]) -> Self:
        """From what a head kept."""
        check_arrays(arrays, domain__prototypes="float k width", domain__edge="float 1")
        return cls(arrays["domain.prototypes"], arrays["domain.edge"].item())


def _centres(unit: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Centres of k clusters by cosine; one that loses all its members stays where it is."""
    centres = unit[rng.choice(len(unit), k, replace=False)]
    for _ in range(ROUNDS):
        nearest = (unit @ centres.T).argmax(1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, unit)
        kept = np.linalg.norm(sums, axis=1) > 0
        centres = np.where(kept[:, None], _unit(sums), centres)
    return centres


def _unit(vectors: np.ndarray) -> np.ndarray:
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(sizes > 0, sizes, 1.0))


def _tail(n: int, k: int, p: float) -> float:
    """The chance of k or more in n draws that each come with probability p.

    >>> round(_tail(4, 2, 0.5), 4)
    0.6875
    """
    logs = [lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) + (n - i) * log(1 - p) for i in range(k, n + 1)]
    return min(1.0, sum(map(exp, logs)))
