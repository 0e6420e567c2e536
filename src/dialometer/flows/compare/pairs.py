"""Every two systems under every column: paired where they share openers or contexts, adjusted over the whole table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from dialometer.core.errors import UnknownName
from dialometer.flows.compare.columns import Columns
from dialometer.flows.compare.dependence import Marks
from dialometer.flows.compare.dialogues import Talks
from dialometer.flows.compare.set_metrics import SetValues
from dialometer.flows.shared.planned import Pair
from dialometer.stats.means import cluster_hash, means_table
from dialometer.stats.resample import seed_for
from dialometer.stats.testing.contrasts import Contrast, paired_contrast, unpaired_contrast
from dialometer.stats.testing.multiple import holm
from dialometer.text.corpus import Corpus

ENOUGH = 0.5  # the share of the smaller side's blocks that must be shared for a comparison in pairs
UNTESTED = "not tested"
PER_TEST, LIMIT = 40, 100_000  # sign flips for each test of the table, so that Holm's least p is 0.025; and for all of them


@dataclass(frozen=True)
class Row:
    """System a less system b under one column; ``depends`` says whether a re-ranker among them chose by it.

    ``same`` is a column without any difference between the two: it has no p, for there is nothing to test.
    """

    metric: str
    a: str
    b: str
    contrast: Contrast
    p_holm: float = float("nan")
    depends: str = ""
    same: bool = False
    planned: bool = True

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        head = {"metric": self.metric, "a": self.a, "b": self.b}
        return {
            **head,
            **asdict(self.contrast),
            "p_holm": self.p_holm,
            "depends": self.depends,
            "same": self.same,
            "planned": self.planned,
        }


def pairs_of(systems: Sequence[str], against: str) -> list[tuple[str, str]]:
    """Every two systems in order, or each against one."""
    if against and against not in systems:
        raise UnknownName("system", against, systems, hint=f"--against one of: {', '.join(systems)}")
    return [(one, against) for one in systems if one != against] if against else list(combinations(systems, 2))


def shared(talks: Talks, a: str, b: str) -> tuple[np.ndarray, np.ndarray, bool]:
    """The blocks in which each side talks, the common ones alone where these are enough to pair."""
    there = talks.spread(np.zeros(len(talks.pieces)))
    own = [np.flatnonzero(~np.isnan(there[talks.systems.index(name)])) for name in (a, b)]
    both = np.intersect1d(own[0], own[1])
    if len(both) >= max(2, ENOUGH * min(map(len, own))):
        return both, both, True
    return own[0], own[1], False


def compare_pairs(
    talks: Talks,
    columns: Columns,
    marks: Marks,
    *,
    against: str,
    planned: Collection[Pair] = (),
    test: str,
    resamples: int,
    permutations: int,
    seed: int,
) -> list[Row]:
    """The table, columns in their order and pairs within; p is adjusted over all of it (Holm), but for what never differs.

    Where pairs were ``planned``, it is adjusted over the tests of these; the others are exploratory.
    """
    pairs = {pair: shared(talks, *pair) for pair in pairs_of(talks.systems, against)}
    rows: list[Row] = []
    tests = len(pairs) * (len(columns.tables) + sum(len(own) for _, own in columns.sets))
    permutations = max(permutations, min(PER_TEST * tests, LIMIT)) if permutations else 0
    for name, table in columns.tables.items():
        for (a, b), (own_a, own_b, paired) in pairs.items():
            x, y = table[talks.systems.index(a), own_a], table[talks.systems.index(b), own_b]
            chance = seed_for(seed, "compare", name, a, b)
            if paired:
                found = paired_contrast(x, y, test=test, resamples=resamples, permutations=permutations, seed=chance)
            else:
                found = unpaired_contrast(x, y, test=test, resamples=resamples, seed=chance)
            rows.append(_row(name, a, b, found, marks, same_values(x, y, paired)))
    for values, names in set_values(talks, columns):
        by_pair = {
            (a, b): values.contrast(talks.systems.index(a), talks.systems.index(b), (own_a, own_b), paired)
            for (a, b), (own_a, own_b, paired) in pairs.items()
        }
        rows += [
            _row(name, a, b, found[place], marks, found[place].low == found[place].high == 0)
            for place, name in enumerate(names)
            for (a, b), found in by_pair.items()
        ]
    family = [not planned or frozenset((row.a, row.b)) in planned for row in rows]
    adjusted = holm(np.array([row.contrast.p if own else np.nan for row, own in zip(rows, family, strict=True)]))
    return [replace(row, p_holm=float(p), planned=own) for row, p, own in zip(rows, adjusted, family, strict=True)]


def same_values(x: np.ndarray, y: np.ndarray, paired: bool) -> bool:
    """Whether no unit differs: no pair, or no two values at all where there are none.

    >>> same_values(np.array([1.0, 2.0, np.nan]), np.array([1.0, 2.0, 3.0]), True)
    True
    """
    if paired:
        d = x - y
        return bool((~np.isnan(d)).any()) and not np.nan_to_num(d).any()
    every = np.concatenate([x, y])
    every = every[~np.isnan(every)]
    return bool(len(every)) and bool(every.min() == every.max())


def _row(name: str, a: str, b: str, found: Contrast, marks: Marks, same: bool) -> Row:
    tested = replace(found, p=float("nan"), test=UNTESTED) if same else found
    return Row(name, a, b, tested, depends=_depends(marks, name, a, b), same=same)


def system_means(talks: Talks, columns: Columns, *, resamples: int, seed: int) -> dict[str, dict[str, dict[str, float]]]:
    """system → column → mean over blocks with its 95% interval, by the method and the draws of ``score``.

    Of set metrics it is the value of all replies together.
    """
    made: dict[str, dict[str, dict[str, float]]] = {name: {} for name in talks.systems}
    there = ~np.isnan(talks.spread(np.zeros(len(talks.pieces))))
    for number, name in enumerate(talks.systems):
        own = np.flatnonzero(there[number])
        tables = {column: table[number, own] for column, table in columns.tables.items()}
        author, clusters = talks.authors[name], [talks.clusters[block] for block in own]
        found = means_table(tables, [author] * len(own), clusters, levels=(0.95,), resamples=resamples, seed=seed)
        for column, by_system in found.items():
            mean = by_system[author]
            low, high = mean.intervals[0.95]
            made[name][column] = {"mean": mean.mean, "low": low, "high": high, "n": mean.n}
    for values, names in set_values(talks, columns):
        for number, name in enumerate(talks.systems):
            blocks = np.unique(values.block[values.system == number])
            for column, (value, low, high) in zip(names, values.mean(number, blocks), strict=True):
                made[name][column] = {"mean": value, "low": low, "high": high, "n": len(blocks)}
    return made


def set_values(talks: Talks, columns: Columns) -> list[tuple[SetValues, tuple[str, ...]]]:
    """Set metrics over all replies, with the names of their columns."""
    if not columns.sets:
        return []
    replies = [example for piece in talks.pieces for example in piece.replies]
    counts = [len(piece.replies) for piece in talks.pieces]
    system, block = np.divmod(np.repeat(talks.cells, counts), len(talks.blocks))
    corpus = Corpus.build(replies, contexts=False)
    order = sorted(range(len(talks.clusters)), key=lambda place: cluster_hash(talks.clusters[place]))
    rank = np.argsort(order)
    return [(SetValues(metric, corpus, system, rank[block], rank), names) for metric, names in columns.sets]


def _depends(marks: Marks, column: str, *systems: str) -> str:
    found = [mark for name in systems if (mark := marks.get(name, {}).get(column))]
    return min(found, default="", key=lambda mark: mark != "used")


def by_pair(rows: Sequence[Row]) -> Mapping[tuple[str, str], list[Row]]:
    """The rows of each pair of systems."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.a, row.b), []).append(row)
    return found
