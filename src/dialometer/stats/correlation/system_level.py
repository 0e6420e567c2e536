"""System level: correlation of a metric's means per system with the means of the ratings.

The systems are the sample, so the interval asks about new systems, with the items of each taken as they are. A bootstrap of few
systems is degenerate (too many repeats) and too narrow; below BOOTSTRAP systems it is Fisher's: ``tanh(artanh r ± 1.96 √v)``, with

- Pearson: ``v = 1/(n − 3)`` (Fisher 1921);
- Spearman: ``v = (1 + ρ²/2)/(n − 3)`` (Bonett & Wright 2000);
- Kendall: ``v = 0.437/(n − 4)`` (Fieller, Hartley & Pearson 1957), infinite for n = 4: [−1, 1].

Rank coefficients reach ±1 by chance with few systems, where artanh is infinite and the interval would be a point. There they stand
half a step below: the step is what one exchange of neighbours costs, ``12/(n³ − n)`` and ``4/(n² − n)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.stats.correlation.correlate import KINDS, NAN, Correlation, correlate_table
from dialometer.stats.correlation.weighted import both, level_out

LEAST = 4  # systems below which no correlation is given
BOOTSTRAP = 20  # systems from which the interval is a bootstrap over systems
Z = 1.959963984540054


def by_system(values: np.ndarray, systems: Sequence[str] | np.ndarray) -> dict[str, float]:
    """The mean of each system's items that have a number, by name; NaN for a system that has none.

    >>> by_system(np.array([1.0, 3.0, np.nan, 5.0]), ["b", "b", "a", "a"])
    {'a': 5.0, 'b': 2.0}
    """
    names, code = np.unique(np.asarray(systems), return_inverse=True)
    values = np.asarray(values, float)
    known = ~np.isnan(values)
    count = np.bincount(code[known], minlength=len(names))
    total = np.bincount(code[known], values[known], minlength=len(names))
    means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return dict(zip((str(name) for name in names), means.tolist(), strict=True))


def system_correlation(
    columns: Mapping[str, np.ndarray],
    y: np.ndarray,
    systems: Sequence[str] | np.ndarray,
    *,
    kinds: Sequence[str] = KINDS,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, dict[str, Correlation]]:
    """Means of metric and ratings per system, over the items that have both, correlated; n counts systems.

    Fewer than four rated systems are refused; a column with numbers for fewer has NaN.
    """
    y = np.asarray(y, float)
    rated = {name for name, mean in by_system(y, systems).items() if not np.isnan(mean)}
    if len(rated) < LEAST:
        raise NeedsError(
            f"a correlation over systems needs {LEAST} rated systems or more; there {_are(len(rated))}: {_some(rated)}",
            "rate more systems, or correlate over items (--level item)",
        )
    found = {}
    for name, column in columns.items():
        x = np.asarray(column, float)
        rows = both(x, y)
        names = np.asarray(systems)[rows]
        means = [np.array(list(by_system(side[rows], names).values())) for side in (x, y)] if len(rows) else [rows, rows]
        found[name] = _of_means(*means, kinds=kinds, resamples=resamples, seed=seed)
    return found


def _of_means(x: np.ndarray, y: np.ndarray, *, kinds: Sequence[str], resamples: int, seed: int) -> dict[str, Correlation]:
    """One column's correlations from the means of its systems."""
    if len(x) < LEAST:
        return {kind: Correlation(NAN, NAN, NAN, NAN, len(x)) for kind in kinds}
    x, y = level_out(x), level_out(y)
    drawn = resamples if len(x) >= BOOTSTRAP else 0
    table = correlate_table({"": x}, y, kinds=kinds, resamples=drawn, seed=seed)[""]
    if drawn:
        return table
    return {
        kind: Correlation(one.r, one.p, *fisher_interval(one.r, one.n, kind), one.n, one.test)
        for kind, one in table.items()
    }


def fisher_interval(r: float, n: int, kind: str = "pearson") -> tuple[float, float]:
    """The 95% interval of a coefficient from n pairs, by Fisher's transformation.

    >>> [round(end, 2) for end in fisher_interval(0.7, 4)]
    [-0.8, 0.99]
    """
    if np.isnan(r) or n < LEAST:
        return NAN, NAN
    if kind == "kendall" and n == LEAST:
        return -1.0, 1.0
    step = {"pearson": 0.0, "spearman": 12 / (n**3 - n), "kendall": 4 / (n * n - n)}[kind]
    inner = float(np.clip(r, step / 2 - 1, 1 - step / 2))
    variance = {"pearson": 1 / (n - 3), "spearman": (1 + r * r / 2) / (n - 3), "kendall": 0.437 / max(n - 4, 1)}[kind]
    with np.errstate(divide="ignore"):
        z = np.arctanh(inner)
    low, high = np.tanh([z - Z * np.sqrt(variance), z + Z * np.sqrt(variance)])
    return (float(low), 1.0) if inner < r else (-1.0, float(high)) if inner > r else (float(low), float(high))


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def _some(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
