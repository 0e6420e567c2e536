"""How the correlation with people grows with the number of references, human or retrieved (asked for by Liu et al. 2016).

Of each item k references are drawn; items of one document draw alike, as if the data had been collected with k references, and a
larger k contains the smaller ones. Coefficients are averaged over draws, never scores: a score averaged over several single
references has seen them all. The rows of a metric rest on the same items. Intervals tell of the items, not of the draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName, UsageError
from dialometer.core.protocols import Progress
from dialometer.core.types import Example
from dialometer.flows.meta.altered_items import rescore
from dialometer.stats.correlation.correlate import Correlation, draw_correlations, pearson, spearman
from dialometer.stats.resample import percentile_interval, seed_for
from dialometer.text.retrieval.pseudo_references import retrieve_references

FEW = 5  # up to here every number of references is tried, beyond it the doubles and the last
References = list[tuple[str, ...]]  # of each item


@dataclass(frozen=True)
class Row:
    """One metric under k references, over n items: ``human``, ``retrieved``, or ``human+retrieved`` (one human, the rest not)."""

    metric: str
    kind: str
    k: int
    n: int
    pearson: Correlation
    spearman: Correlation


def by_reference_count(
    items: Sequence[Example],
    metrics: Sequence[str],
    human: np.ndarray,
    clusters: np.ndarray | None,
    folder: Path,
    *,
    ks: Sequence[int] | None = None,
    kinds: Sequence[str] = ("pearson", "spearman"),
    draws: int = 5,
    pseudo: int = 0,
    pool: Sequence[Example] | None = None,
    tok: str = "",
    engine: str = "serial",
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> list[Row]:
    """The correlation of every metric under k = 1 … K references, K the median number unless ``ks`` says which.

    Left out of every row: items without a rating, with fewer references than the largest k, or with fewer retrieved ones than
    ``pseudo``. Resamples draw whole clusters (items, where none are given); a kind that is not asked for is NaN.
    """
    chosen = _checked(items, human, ks, kinds, draws)
    found: References = list(retrieve_references(items, pseudo, pool=pool).references) if pseudo else [()] * len(items)
    kept = _kept(items, human, found, chosen[-1], pseudo)
    used = [items[row] for row in kept]
    plan = list(_plan(used, [found[row] for row in kept], chosen, draws, pseudo, seed))
    scored: list[dict[str, np.ndarray]] = []
    for kind, k, draw, references in plan:
        altered = [replace(item, references=texts) for item, texts in zip(used, references, strict=True)]
        scored.append(rescore(altered, metrics, folder / f"{kind}-{k}-{draw}", tok=tok, engine=engine, seed=seed).columns)
        progress("references", len(scored), len(plan))
    own = np.array([item.id for item in used]) if clusters is None else np.asarray(clusters)[kept]
    keys = [(kind, k) for kind, k, _, _ in plan]
    return list(_rows(keys, scored, np.asarray(human, float)[kept], own, kinds, resamples, seed))


def reference_counts(most: int) -> tuple[int, ...]:
    """The numbers of references to try, up to the most there are.

    >>> reference_counts(4), reference_counts(11)
    ((1, 2, 3, 4), (1, 2, 4, 8, 11))
    """
    if most <= FEW:
        return tuple(range(1, most + 1))
    doubles = [1 << power for power in range(most.bit_length()) if 1 << power < most]
    return (*doubles, most)


def _checked(
    items: Sequence[Example], human: np.ndarray, ks: Sequence[int] | None, kinds: Sequence[str], draws: int
) -> tuple[int, ...]:
    """The numbers of references, ascending: those asked for, or those up to the median over the rated items."""
    if len(items) != len(human):
        raise UsageError(f"there are {len(items)} items and {len(human)} ratings", "one mean rating (or NaN) per item")
    for kind in set(kinds) - {"pearson", "spearman"}:
        raise UnknownName("correlation", kind, ("pearson", "spearman"), hint="pearson, spearman, or both")
    if draws < 1 or (ks is not None and (not ks or min(ks) < 1)):
        raise UsageError("numbers of references and of draws are 1 or more", "leave them out for 1, 2 … and 5 draws")
    if ks is not None:
        return tuple(sorted(set(ks)))
    counts = [len(item.references) for item, rating in zip(items, human, strict=True) if rating == rating]
    return reference_counts(max(1, int(np.median(counts)))) if counts else (1,)


def _kept(items: Sequence[Example], human: np.ndarray, found: References, most: int, pseudo: int) -> np.ndarray:
    """The rows of the items that can stand in every row of the table."""
    enough = [len(item.references) >= most and len(texts) >= pseudo for item, texts in zip(items, found, strict=True)]
    kept = np.flatnonzero(~np.isnan(np.asarray(human, float)) & np.array(enough, bool))
    if not len(kept):
        raise NeedsError(
            f"no item has a rating and {most} references{f', and finds {pseudo} more by its context' if pseudo else ''}",
            f"fewer references{', or none retrieved' if pseudo else ''}",
        )
    return kept


def _plan(
    items: Sequence[Example], found: References, ks: Sequence[int], draws: int, pseudo: int, seed: int
) -> Iterator[tuple[str, int, int, References]]:
    """Every scoring: kind, number of references, draw, and the references of each item."""
    whole = {len(item.references) for item in items}
    mixed = [_shuffled(items, draw, seed) for draw in range(draws)]
    for k in ks:
        for draw in range(1 if whole == {k} else draws):  # all references are one choice only
            yield "human", k, draw, [texts[:k] for texts in mixed[draw]]
    for j in reference_counts(pseudo):
        yield "retrieved", j, 0, [texts[:j] for texts in found]
    for j in reference_counts(pseudo):
        for draw in range(1 if whole == {1} else draws):
            yield "human+retrieved", 1 + j, draw, [(h[0], *r[:j]) for h, r in zip(mixed[draw], found, strict=True)]


def _shuffled(items: Sequence[Example], draw: int, seed: int) -> References:
    """The references of each item in random order, the same for all items of a document that have the same references."""
    orders = (np.random.default_rng(seed_for(seed, "references", draw, item.document)) for item in items)
    return [
        tuple(item.references[i] for i in rng.permutation(len(item.references)))
        for item, rng in zip(items, orders, strict=True)
    ]


def _rows(
    keys: Sequence[tuple[str, int]],
    scored: Sequence[Mapping[str, np.ndarray]],
    human: np.ndarray,
    clusters: np.ndarray,
    kinds: Sequence[str],
    resamples: int,
    seed: int,
) -> Iterator[Row]:
    """A row for each metric and key (kind, k), over the items for which every scoring of the metric has a number."""
    places = {key: [place for place, other in enumerate(keys) if other == key] for key in dict.fromkeys(keys)}
    for metric in scored[0]:
        table = np.stack([columns[metric] for columns in scored])
        both = ~np.isnan(table).any(axis=0)
        n, rest = int(both.sum()), (human[both], clusters[both])
        known = {name: _correlations(table[:, both], *rest, name, resamples, seed) for name in kinds}
        for (kind, k), rows in places.items():
            made = {
                name: _mean(*known[name], rows, n) if name in known else _nothing(n) for name in ("pearson", "spearman")
            }
            yield Row(metric, kind, k, n, **made)


def _correlations(
    table: np.ndarray, human: np.ndarray, clusters: np.ndarray, kind: str, resamples: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """(scorings,) and (resamples, scorings): the coefficients, and those of the same resamples for all; no resamples, no rows."""
    values = np.array([(pearson if kind == "pearson" else spearman)(column, human) for column in table])
    if not resamples or len(np.unique(clusters)) < 2:  # one cluster tells nothing of the spread
        return values, np.zeros((0, len(table)))
    return values, draw_correlations(list(table), human, clusters, kind=kind, resamples=resamples, seed=seed)


def _mean(values: np.ndarray, drawn: np.ndarray, rows: list[int], n: int) -> Correlation:
    """The mean over draws, with its interval and the p-value of a coefficient of that size."""
    from scipy import stats

    r = float(values[rows].mean())
    if n < 3 or np.isnan(r):
        return replace(_nothing(n), r=r)
    t = r * np.sqrt((n - 2) / max(1 - r * r, 1e-300))
    low, high = percentile_interval(drawn[:, rows].mean(axis=1))
    return Correlation(r, float(2 * stats.t.sf(abs(t), n - 2)), float(low), float(high), n)


def _nothing(n: int) -> Correlation:
    nan = float("nan")
    return Correlation(nan, nan, nan, nan, n)
