"""Which metric is better: every two of a table, by Williams' test and by permutation; clusters that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.contracts.meta_tables import ComparisonTable, Matrix, MetricComparison
from dialometer.core.protocols import Progress
from dialometer.flows.meta.columns import varies
from dialometer.flows.meta.correlations import of_systems, rated_systems, system_columns
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.planned import Pair
from dialometer.flows.shared.records import numbers, to_record
from dialometer.stats.correlation.correlate import COEFFICIENTS
from dialometer.stats.correlation.system_level import LEAST, by_system
from dialometer.stats.testing.perm_both import Level
from dialometer.stats.testing.significance import Comparison, Test, compare_all, matrix, significance_clusters

ENOUGH = 100  # permutations per pair: the least adjusted p is then 0.01
WORK = 15 * 10**9  # swaps of a pair at an item that this may cost: about a minute
# PERM-BOTH rejects too often where a metric favours single systems; over systems PERM-SYS stands beside it (stats.perm_both).
TESTS: dict[Level, tuple[tuple[str, Test], ...]] = {
    "item": (("pearson", "williams"), ("spearman", "perm-both")),
    "system": (("pearson", "williams"), ("spearman", "perm-both"), ("spearman", "perm-system")),
}


def better(
    study: Study,
    levels: tuple[str, ...],
    *,
    planned: Sequence[Pair] = (),
    permutations: int,
    seed: int,
    progress: Progress,
) -> tuple[list[MetricComparison], list[ComparisonTable]]:
    """A flat list of all comparisons, and a matrix with clusters per quality, level and test.

    p is adjusted over the ``planned`` comparisons, over all unless any is named; with such there are no clusters.
    """
    flat: list[MetricComparison] = []
    tables: list[ComparisonTable] = []
    names = np.array([study.systems[number] for number in study.system])
    wanted: list[Level] = [level for level in TESTS if level in levels]
    for level in wanted:
        every = study.columns.items if level == "item" else system_columns(study)
        columns = {name: values for name, values in every.items() if varies(values)}
        if len(columns) < 2:
            continue
        family = len(planned) or len(columns) * (len(columns) - 1) // 2
        enough = _enough(permutations, family, len(study), len(columns) * (len(columns) - 1) // 2)
        for quality, given in study.human.items():
            if level == "system" and rated_systems(study, quality) < LEAST:
                continue
            human = of_systems(study, given) if level == "system" else given
            for kind, test in TESTS[level]:
                rows = compare_all(
                    columns, human, kind=kind, test=test, level=level, systems=names, inputs=study.cluster,
                    permutations=enough, seed=seed, progress=progress, planned=planned,
                )  # fmt: skip
                label = study.unit if level == "item" else level
                where = {"quality": quality, "level": label, "kind": kind}
                flat += [to_record(MetricComparison, row, **where) for row in rows]
                r = _correlations(columns, human, names, kind, level)
                tables.append(_table(r, rows, bool(planned), **where, test=test))
    return flat, tables


def _enough(asked: int, family: int, items: int, pairs: int) -> int:
    """How many permutations: the least p of P is 1/(P + 1), and over a family of m Holm's correction makes m of it."""
    return max(asked, min(ENOUGH * family, WORK // (pairs * items))) if asked else 0


def _correlations(
    columns: dict[str, np.ndarray], human: np.ndarray, systems: np.ndarray, kind: str, level: str
) -> dict[str, float]:
    found = {}
    for name, values in columns.items():
        known = ~(np.isnan(values) | np.isnan(human))
        sides = [values[known], human[known]]
        if level == "system":
            sides = [np.array(list(by_system(side, systems[known]).values())) for side in sides]
        found[name] = COEFFICIENTS[kind](*sides)
    return found


def _table(r: dict[str, float], rows: list[Comparison], planned: bool, **where: str) -> ComparisonTable:
    """Metrics by falling correlation, differences and adjusted p-values between them, and the clusters."""
    clusters = significance_clusters(r, rows)
    names = [name for group in clusters for name in group]
    counts = [row.n for row in rows]
    return ComparisonTable(
        **where,
        n=[min(counts), max(counts)],
        metrics=names,
        difference=_matrix(matrix(names, rows, "difference")),
        holm=_matrix(matrix(names, rows, "p_holm")),
        clusters=[] if planned else clusters,
    )


def _matrix(values: np.ndarray) -> Matrix:
    return [numbers(row) for row in values.tolist()]
