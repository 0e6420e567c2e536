"""Which metric is better: every pair of metrics tested against the same ratings, adjusted for the number of pairs.

Williams' test for Pearson's r; a permutation test otherwise (PERM-BOTH). Correlations are signed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.stats.correlation.system_level import by_system
from dialometer.stats.testing.multiple import benjamini_hochberg, holm
from dialometer.stats.testing.perm_both import Labels, Level, Swap, perm_test
from dialometer.stats.testing.williams import williams

Test = Literal["auto", "williams", "perm-both", "perm-system", "perm-input"]
SWAPS: dict[str, Swap] = {"perm-both": "both", "perm-system": "system", "perm-input": "input"}


@dataclass(frozen=True)
class Comparison:
    """Metric a against metric b: the difference of their correlations, its two-sided p, and p adjusted over all pairs.

    Where comparisons were planned, p is adjusted over these; the others are exploratory, and have no adjusted p.
    """

    a: str
    b: str
    test: str
    difference: float
    p: float
    p_holm: float
    p_bh: float
    n: int
    planned: bool = True


def compare_all(
    columns: Mapping[str, np.ndarray],
    y: np.ndarray,
    *,
    kind: str = "pearson",
    test: Test = "auto",
    level: Level = "item",
    systems: Labels = None,
    inputs: Labels = None,
    permutations: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
    planned: Collection[frozenset[str]] = (),
) -> list[Comparison]:
    """Every pair of columns, in order. ``auto`` is Williams' test for Pearson's r and PERM-BOTH for the others.

    ``planned`` are the pairs over which p is adjusted, all unless named.
    """
    chosen = test if test != "auto" else "williams" if kind == "pearson" else "perm-both"
    if chosen == "williams":
        if kind != "pearson":
            raise UsageError(f"Williams' test is for pearson, not for {kind}", "test='perm-both'")
        rows = _williams(columns, y, level, systems)
    else:
        found = perm_test(
            columns,
            y,
            kind=kind,
            level=level,
            swap=SWAPS[chosen],
            systems=systems,
            inputs=inputs,
            permutations=permutations,
            seed=seed,
            progress=progress,
        )
        rows = [(one.a, one.b, one.difference, one.p, one.n) for one in found]
    family = [not planned or frozenset(row[:2]) in planned for row in rows]
    p = np.array([row[3] if own else np.nan for row, own in zip(rows, family, strict=True)])
    adjusted = zip(rows, holm(p).tolist(), benjamini_hochberg(p).tolist(), family, strict=True)
    return [Comparison(a, b, chosen, d, p, by_holm, by_bh, n, own) for (a, b, d, p, n), by_holm, by_bh, own in adjusted]


def _williams(
    columns: Mapping[str, np.ndarray], y: np.ndarray, level: Level, systems: Labels
) -> list[tuple[str, str, float, float, int]]:
    """Williams' test of every pair; over systems, of the means of the items that both metrics and the ratings have."""
    if level == "system" and systems is None:
        raise NeedsError("a comparison over systems needs each item's system", "name them, or compare over items")
    rows = []
    for a, b in combinations(columns, 2):
        three = [np.asarray(side, float) for side in (columns[a], columns[b], y)]
        if level == "system":
            known = ~np.isnan(three).any(axis=0)
            names = np.asarray(systems)[known]
            three = [np.array(list(by_system(side[known], names).values())) for side in three]
        one = williams(three[0], three[1], three[2])
        rows.append((a, b, one.difference, one.p, one.n))
    return rows


def significance_clusters(
    correlations: Mapping[str, float],
    comparisons: Sequence[Comparison],
    *,
    alpha: float = 0.05,
    adjusted: Literal["p", "p_holm", "p_bh"] = "p_holm",
) -> list[list[str]]:
    """Metrics by falling correlation, cut where everyone above is significantly better than everyone below.

    The rule of WMT's rankings, with these p-values; an undefined p is not significant, and an undefined correlation comes last.

    >>> pair = Comparison("a", "b", "williams", 0.2, 0.01, 0.01, 0.01, 50)
    >>> significance_clusters({"a": 0.5, "b": 0.3}, [pair])
    [['a'], ['b']]
    """
    order = sorted(correlations, key=lambda name: (np.isnan(correlations[name]), -correlations[name]))
    p = matrix(order, comparisons, adjusted)
    difference = matrix(order, comparisons, "difference")
    better = (p <= alpha) & (difference > 0)
    cuts = [cut for cut in range(1, len(order)) if better[:cut, cut:].all()]
    return [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)] if order else []


def matrix(
    names: Sequence[str],
    comparisons: Sequence[Comparison],
    field: Literal["p", "p_holm", "p_bh", "difference"] = "p_holm",
) -> np.ndarray:
    """(names, names) of a field of the comparisons; differences are row less column. NaN on the diagonal and where unknown."""
    place = {name: number for number, name in enumerate(names)}
    found = np.full((len(names), len(names)), np.nan)
    for one in comparisons:
        if one.a in place and one.b in place:
            value = getattr(one, field)
            found[place[one.a], place[one.b]] = value
            found[place[one.b], place[one.a]] = -value if field == "difference" else value
    return found
