"""A study: items (or systems) with what people said of them and what metrics say of them, in one order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dialometer.data.scores import KEYS, read_scores
from dialometer.data.tables import columns_of
from dialometer.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.flows.rating.agreement import filter_raters, kept
from dialometer.flows.rating.source import Rated, read_rated
from dialometer.flows.validating.columns import Columns, gather
from dialometer.protocols import Progress
from dialometer.stats.aggregate import aggregate

if TYPE_CHECKING:
    from dialometer.flows.meta import MetaRequest

LEVELS = ("item", "context", "system")


@dataclass(frozen=True)
class Study:
    """What people said (a target per quality) and what metrics say, row by row; ``rated`` is None for a table of means."""

    unit: str  # turn, dialogue or system: what a row is
    ids: tuple[str, ...]
    systems: tuple[str, ...]
    system: np.ndarray
    cluster: np.ndarray
    human: dict[str, np.ndarray]
    columns: Columns
    rated: Rated | None = None
    left_out: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)


def open_study(request: MetaRequest, folder: Path, progress: Progress) -> Study:
    """Read people and metrics of a request; every refusal comes before the long work."""
    if len(request.inputs) == 1 and not request.ratings and not request.format and _holds_means(request.inputs[0]):
        return _table_study(request)
    progress("reading", 0, 0)
    rated = read_rated(
        request.inputs, ratings=request.ratings, qualities=request.quality, where=request.where, scale=request.scale,
        format=request.format, max_line=request.max_line,
    )  # fmt: skip
    if not rated.items:
        raise UsageError("a table of judgements names no responses to score", "dialometer meta ITEMS --ratings TABLE")
    if not request.metrics and not request.scores:
        raise UsageError("no metric was named", "-m bleu, or --scores FILE")
    refuse_few_systems(request, len(rated.systems))
    left_out = dict(rated.left_out)
    if request.filter_raters:
        found = filter_raters(rated.ratings, min_kappa=request.min_kappa, weights=request.weights)
        if found.why:
            raise NeedsError(f"raters cannot be filtered: {found.why}", "leave --filter-raters out")
        left_out["raters, by the filter"] = len(found.dropped)
        rated = kept(rated, found)
    human = {}
    for quality in rated.ratings.qualities:
        human[quality] = aggregate(rated.ratings.of(quality), request.aggregate)[: len(rated.items)]
        if np.isnan(human[quality]).all():
            raise NeedsError(f"no item has a rating of {quality}", "another -q, or fewer --where")
    columns = gather(
        rated.items, request.metrics, request.scores, folder / "scoring", tok=request.tok, engine=request.engine,
        progress=progress,
    )  # fmt: skip
    ids = tuple(item.id for item in rated.items)
    return Study(rated.unit, ids, rated.systems, rated.system, rated.cluster, human, columns, rated, left_out)


def refuse_few_systems(request: MetaRequest, systems: int) -> None:
    """A system level that was asked for by name, where there are too few to say anything."""
    if "system" in request.level and systems < 4:
        raise NeedsError(
            f"there are {systems} systems: a correlation over fewer than 4 says nothing (r = .7 at n = 4 has an interval of "
            "[−.80, .99])",
            "--level item",
        )


def _holds_means(path: str) -> bool:
    """Whether a file is a table of numbers by system or id rather than of items or judgements."""
    try:
        names = set(columns_of(path))
    except DataError:
        return False
    return bool(names & set(KEYS)) and not names & {"response", "turns", "value", "messages", "ratings"}


def _table_study(request: MetaRequest) -> Study:
    """Human means and scores out of one table, or out of two that share their names."""
    key, names, found = read_scores(request.inputs[0])
    if not request.quality:
        raise UsageError(
            f"{request.inputs[0]} is a table of numbers: which column is people's?", f"-q one of: {', '.join(found)}"
        )
    for name in request.quality:
        if name not in found:
            raise UnknownName("quality", name, found, hint=f"-q one of: {', '.join(found)}")
    if key == "system":
        refuse_few_systems(replace(request, level=("system",)), len(names))
    columns = Columns()
    for name, values in found.items():
        if name not in request.quality:
            columns.add(name, values, f"{Path(request.inputs[0]).name}:{name}")
    for file in request.scores:
        other, rows, more = read_scores(file)
        if other != key:
            raise DataError(f"is named by {other}, and {request.inputs[0]} by {key}", file=file, hint=f"a column '{key}'")
        place = {name: number for number, name in enumerate(rows)}
        if not place.keys() & set(names):
            raise DataError(
                f"has none of the {len(names)} {key}s of {request.inputs[0]}", file=file, hint=f"use its {key}s"
            )
        for name, values in more.items():
            taken = np.array([values[place[row]] if row in place else np.nan for row in names])
            columns.add(name, taken, f"{Path(file).name}:{name}")
    if not columns.items:
        raise UsageError(f"{request.inputs[0]} has no column besides the human ones", "--scores FILE")
    own = np.arange(len(names))
    human = {name: found[name] for name in request.quality}
    unit = "system" if key == "system" else "turn"
    return Study(unit, names, names, own, own, human, columns)
