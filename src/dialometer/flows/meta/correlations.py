"""The main table: every metric against every quality at every level that the data allow, p-values adjusted over each table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from dialometer.contracts.meta_tables import AdjustedCoefficient, CorrelationRow, PairwiseAccuracy, WithoutOneSystem
from dialometer.contracts.result import number
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.records import to_record
from dialometer.stats.correlation.correlate import KINDS, Correlation, correlate_table, pearson
from dialometer.stats.correlation.pairwise_accuracy import pairwise_accuracy
from dialometer.stats.correlation.system_level import LEAST, by_system, system_correlation
from dialometer.stats.correlation.within_context import within_table
from dialometer.stats.testing.multiple import benjamini_hochberg, holm
from dialometer.stats.validation.length_bias import LENGTH_ONLY

PAIRS = 1 << 18  # pairs of items behind an accuracy: its standard error is then below 0.001


def levels_of(study: Study, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The levels asked for, or all that the data allow."""
    if study.unit == "system":
        return ("system",)
    if asked:
        return asked
    several_replies = (np.bincount(study.cluster) >= 3).sum() > 1
    several = any(rated_systems(study, quality) >= LEAST for quality in study.human)
    return ("item", *(["context"] if several_replies else []), *(["system"] if several else []))


def rated_systems(study: Study, quality: str) -> int:
    """How many systems have a rating of a quality."""
    human = of_systems(study, study.human[quality])
    return len(np.unique(study.system[~np.isnan(human)]))


def of_systems(study: Study, human: np.ndarray) -> np.ndarray:
    """Targets for the system level: items that name no system are of none, where others name theirs."""
    nameless = np.array([name == "" for name in study.systems])
    return human if nameless.all() else np.where(nameless[study.system], np.nan, human)


def system_columns(study: Study) -> dict[str, np.ndarray]:
    """Columns at system level: those of items, and values that systems alone have, each on all items of its system."""
    alone = {
        name: np.array([values.get(study.systems[number], np.nan) for number in study.system], float)
        for name, values in study.columns.systems.items()
    }
    return {**study.columns.items, **alone}


def correlation_rows(
    study: Study, *, levels: tuple[str, ...], resamples: int, seed: int, progress: Progress
) -> list[CorrelationRow]:
    """All rows, p adjusted within each quality, level and coefficient."""
    table: list[CorrelationRow] = []
    tables = [
        (quality, level)
        for quality in study.human
        for level in levels
        # A quality that too few systems have is left out at their level, as long as another has enough.
        if level != "system" or len(levels) == 1 or rated_systems(study, quality) >= LEAST
    ]
    for done, (quality, level) in enumerate(tables, 1):
        table += _adjusted(list(LEVEL[level](study, quality, resamples, seed)))
        progress("correlating", done, len(tables))
    return table


def _adjusted(rows: list[CorrelationRow]) -> list[CorrelationRow]:
    """The rows of a table with p corrected over it, each coefficient by itself."""
    for kind in KINDS:
        ones: list[AdjustedCoefficient] = [getattr(row, kind) for row in rows]
        p = np.array([np.nan if one.p is None else one.p for one in ones], float)
        corrected = zip(rows, ones, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
        rows = [
            msgspec.structs.replace(row, **{kind: msgspec.structs.replace(one, holm=number(h), bh=number(bh))})
            for row, one, h, bh in corrected
        ]
    return rows


def _items(study: Study, quality: str, resamples: int, seed: int) -> Iterator[CorrelationRow]:
    human = study.human[quality]
    table = correlate_table(study.columns.items, human, study.cluster, resamples=resamples, seed=seed)
    for name, kinds in table.items():
        accuracy = pairwise_accuracy(study.columns.items[name], human, pairs=PAIRS, seed=seed)
        row = _row(name, quality, study.unit, kinds)
        yield msgspec.structs.replace(row, accuracy=to_record(PairwiseAccuracy, accuracy, ties=number(accuracy.human_ties)))


def _contexts(study: Study, quality: str, resamples: int, seed: int) -> Iterator[CorrelationRow]:
    human = study.human[quality]
    table = within_table(study.columns.items, human, study.cluster, resamples=resamples, seed=seed)
    for name, kinds in table.items():
        accuracy = pairwise_accuracy(study.columns.items[name], human, study.cluster, pairs=PAIRS, seed=seed)
        pearson_, spearman, kendall = (
            to_record(AdjustedCoefficient, kinds[kind], r=number(kinds[kind].mean), holm=None, bh=None) for kind in KINDS
        )
        yield CorrelationRow(
            metric=name, quality=quality, level="context", n=kinds["pearson"].n, pearson=pearson_, spearman=spearman,
            kendall=kendall, accuracy=to_record(PairwiseAccuracy, accuracy, ties=number(accuracy.human_ties)),
        )  # fmt: skip


def _systems(study: Study, quality: str, resamples: int, seed: int) -> Iterator[CorrelationRow]:
    names = [study.systems[place] for place in study.system]
    columns = system_columns(study)
    human = of_systems(study, study.human[quality])
    table = system_correlation(columns, human, names, resamples=resamples, seed=seed)
    length = columns.get(LENGTH_ONLY)
    for name, kinds in table.items():
        same = np.where(np.isnan(columns[name]), np.nan, human)  # length over the items that this metric scored
        beside = None if length is None else number(pearson(*_means(length, same, names)[1:]))
        without_one = _without_one(columns[name], human, names)
        yield msgspec.structs.replace(_row(name, quality, "system", kinds), without_one=without_one, length=beside)


def _means(values: np.ndarray, human: np.ndarray, names: list[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The systems, and both sides' means over the items that have both numbers."""
    known = ~(np.isnan(values) | np.isnan(human))
    labels = np.array(names)[known]
    x, y = (by_system(side[known], labels) for side in (values, human))
    return list(x), np.array(list(x.values())), np.array(list(y.values()))


def _without_one(values: np.ndarray, human: np.ndarray, names: list[str]) -> WithoutOneSystem | None:
    """Pearson when one system is left out: least, greatest, and the weakest with the system behind it; None below 5 systems."""
    systems, x, y = _means(values, human, names)
    if len(systems) < LEAST + 1:
        return None
    sign = np.sign(pearson(x, y))
    rest = np.array([pearson(np.delete(x, i), np.delete(y, i)) for i in range(len(systems))])
    if np.isnan(rest).any() or np.isnan(sign):
        return None
    weakest = int((sign * rest).argmin())
    return WithoutOneSystem(
        low=float(rest.min()), high=float(rest.max()), weakest=float(rest[weakest]), system=systems[weakest]
    )


LEVEL = {"item": _items, "context": _contexts, "system": _systems}


def _row(name: str, quality: str, level: str, kinds: Mapping[str, Correlation]) -> CorrelationRow:
    """A row whose p is not adjusted yet."""
    pearson_, spearman, kendall = (to_record(AdjustedCoefficient, kinds[kind], holm=None, bh=None) for kind in KINDS)
    return CorrelationRow(
        metric=name, quality=quality, level=level, n=kinds["pearson"].n, pearson=pearson_, spearman=spearman, kendall=kendall
    )  # fmt: skip


def refuse_no_numbers(study: Study) -> None:
    """A study in which no metric has a number at all; the length of replies is nobody's metric."""
    columns = {name: values for name, values in study.columns.items.items() if name != LENGTH_ONLY}
    if study.columns.systems or not all(np.isnan(values).all() for values in columns.values()):
        return
    if not columns and study.columns.drawn:
        return
    known = study.columns.reasons
    why = dict.fromkeys(f"{name} {known[name]}" for name in columns if name in known)
    raise NeedsError(
        f"no metric gave any item a number{': ' * bool(why)}{'; '.join(why)}",
        "metrics that need no reference: dialometer list metrics --without reference",
    )
