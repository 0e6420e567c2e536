"""How stable the weights of a linear form are when one group after another is left out: signs, spread, the whole's own weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST = 1e-9  # a weight below this share of the largest is no sign


@dataclass(frozen=True)
class Sign:
    """One column: its weight in the fit on everything, over folds its mean and ends, and the shares of folds with each sign."""

    name: str
    weight: float
    mean: float
    low: float
    high: float
    up: float
    down: float

    @property
    def flips(self) -> float:
        """The share of folds on the side of the fewer."""
        return min(self.up, self.down)


def sign_table(names: Sequence[str], whole: np.ndarray, folds: np.ndarray) -> list[Sign]:
    """A row per column; ``whole`` has a weight per column, ``folds`` a row per fold.

    >>> row = sign_table(["tea"], np.array([0.5]), np.array([[1.0], [-1.0], [2.0], [1.0]]))[0]
    >>> row.up, row.down, row.flips, row.low, row.high
    (0.75, 0.25, 0.25, -1.0, 2.0)
    """
    edge = LEAST * float(np.abs(folds).max(initial=0.0))
    return [
        Sign(
            name, float(whole[place]), float(own.mean()), float(own.min()), float(own.max()),
            float((own > edge).mean()), float((own < -edge).mean()),
        )
        for place, (name, own) in enumerate(zip(names, folds.T, strict=True))
    ]  # fmt: skip


def flipped(rows: Sequence[Sign]) -> float:
    """The share of columns whose sign is not the same in all folds.

    >>> flipped(sign_table(["a", "b"], np.ones(2), np.array([[1.0, 1.0], [1.0, -1.0]])))
    0.5
    """
    return float(np.mean([row.flips > 0 for row in rows])) if rows else float("nan")
