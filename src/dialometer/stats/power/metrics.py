"""How many items separate two metrics? Items, or whole contexts, are drawn with replacement and Williams' test is applied.

Both metrics share the human scores, so their correlations hang together (Williams 1959; Steiger 1980, eq. 7):
``t = (r₁ − r₂) √((n − 1)(1 + r₁₂) / (2 (n − 1)/(n − 3) |R| + (r₁ + r₂)²/4 · (1 − r₁₂)³))`` on n − 3 degrees of freedom, where
``|R| = 1 − r₁² − r₂² − r₁₂² + 2 r₁ r₂ r₁₂``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.stats.power.systems import PowerCell, check_plan, smallest, wilson
from dialometer.stats.resample import seed_for

PIECE = 1 << 22  # numbers drawn at once
_MOMENTS = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3)]  # of the columns 1, x, y, human


@dataclass(frozen=True)
class MetricPower:
    """The correlations that the data have, and how often a sample of so many items finds them different."""

    r_a: float
    r_b: float
    r_ab: float
    n: int
    cells: tuple[PowerCell, ...]
    needed: PowerCell | None


def metric_power(
    a: np.ndarray,
    b: np.ndarray,
    human: np.ndarray,
    items: Sequence[int],
    clusters: np.ndarray | None = None,
    *,
    kind: str = "pearson",
    level: float = 0.05,
    goal: float = 0.8,
    simulations: int = 2000,
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> MetricPower:
    """Simulate every number of items; Spearman takes the ranks of the items there are, and draws those."""
    check_plan(items, level, goal, simulations)
    if kind not in ("pearson", "spearman"):
        raise UsageError(f"the correlation is pearson or spearman, not {kind!r}", "--kind pearson")
    columns = [np.asarray(column, float) for column in (a, b, human)]
    every = ~np.isnan(np.stack(columns)).any(axis=0)
    columns = [_standard(column[every], kind) for column in columns]
    own = np.arange(len(every))[every] if clusters is None else np.asarray(clusters)[every]
    codes = np.unique(own, return_inverse=True)[1]
    if len(codes) < 20 or codes.max() < 3:
        raise NeedsError(f"{len(codes)} items have all three numbers; 20 or more are needed", "more scored and rated items")
    moments = _moments([np.ones(len(codes)), *columns], codes)
    r_a, r_b, r_ab = map(float, _correlations(moments.sum(axis=0)[None])[0])
    if np.isnan([r_a, r_b, r_ab]).any():
        raise NeedsError("a metric, or the human score, does not vary", "columns with different numbers")

    def at(n: int) -> PowerCell:
        rng = np.random.default_rng(seed_for(seed, "metric power", n))
        found = int((williams_p(*_draw(moments, n, simulations, rng)) < level).sum())
        return PowerCell(n, 0, found / simulations, *wilson(found, simulations), "resampled")

    cells = []
    for n in sorted(set(items)):
        cells.append(at(n))
        progress("simulating", len(cells), len(set(items)))
    return MetricPower(r_a, r_b, r_ab, len(codes), tuple(cells), smallest(cells, at, goal))


def williams_p(r_a: np.ndarray, r_b: np.ndarray, r_ab: np.ndarray, n: np.ndarray) -> np.ndarray:
    """``stats.williams`` for many samples at once: two-sided p-values; NaN where a correlation is, and 1 where nothing differs."""
    from scipy.special import stdtr

    gap = r_a - r_b
    spread = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = 2 * (n - 1) / (n - 3) * np.maximum(spread, 0.0) + (r_a + r_b) ** 2 / 4 * (1 - r_ab) ** 3
        t = np.where(np.abs(gap) > 1e-12, np.abs(gap) * np.sqrt((n - 1) * (1 + r_ab) / noise), 0.0)
    return np.asarray(np.where(np.isnan(gap), np.nan, 2 * stdtr(np.maximum(n - 3, 1), -t)))


def _moments(columns: Sequence[np.ndarray], codes: np.ndarray) -> np.ndarray:
    """(clusters, 10): sums of products of columns within each cluster."""
    return np.stack([np.bincount(codes, columns[i] * columns[j]) for i, j in _MOMENTS], axis=1)


def _draw(
    moments: np.ndarray, n: int, simulations: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Samples of about n items: so many whole clusters as hold them on average."""
    clusters = len(moments)
    count = max(2, round(n / moments[:, 0].mean()))
    piece = max(1, PIECE // max(clusters, count))
    parts = []
    for start in range(0, simulations, piece):
        studies = min(piece, simulations - start)
        drawn = rng.integers(0, clusters, (studies, count)) + np.arange(studies)[:, None] * clusters
        weights = np.bincount(drawn.reshape(-1), minlength=studies * clusters).reshape(studies, clusters)
        sums = weights @ moments
        parts.append(np.column_stack([_correlations(sums), sums[:, 0]]))
    r_a, r_b, r_ab, sizes = np.concatenate(parts).T
    return r_a, r_b, r_ab, sizes


def _correlations(sums: np.ndarray) -> np.ndarray:
    """(samples, 3): a with ratings, b with ratings, a with b, from summed moments."""
    n, x, y, h, xx, yy, hh, xy, xh, yh = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        cov = {"xx": xx - x * x / n, "yy": yy - y * y / n, "hh": hh - h * h / n}
        flat = np.minimum.reduce(list(cov.values())) <= 1e-10 * n  # columns have variance 1: this one does not vary
        r_a = (xh - x * h / n) / np.sqrt(cov["xx"] * cov["hh"])
        r_b = (yh - y * h / n) / np.sqrt(cov["yy"] * cov["hh"])
        r_ab = (xy - x * y / n) / np.sqrt(cov["xx"] * cov["yy"])
    return np.where(flat[:, None], np.nan, np.clip(np.stack([r_a, r_b, r_ab], axis=1), -1, 1))


def _standard(column: np.ndarray, kind: str) -> np.ndarray:
    """Mean 0 and variance 1, for sums that lose no digits."""
    if kind == "spearman":
        from scipy.stats import rankdata

        column = rankdata(column)
    spread = column.std() if len(column) else 0.0
    return np.asarray((column - column.mean()) / spread if spread > 0 else column * 0)
