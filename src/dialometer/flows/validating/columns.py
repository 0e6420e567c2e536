"""Where the scores of a study come from: metrics of the catalogue, finished runs, or a file of the user's own; joined by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.data import Item
from dialometer.data.scores import read_scores
from dialometer.errors import DataError, UsageError
from dialometer.flows.scoring.finished import scores_of
from dialometer.flows.trajectories.replies import Replies, replies_of
from dialometer.flows.validating.scored import score_file, write_bare
from dialometer.flows.validating.seen import overlap_of, seen_notes
from dialometer.flows.validating.twins import in_another
from dialometer.protocols import Progress
from dialometer.stats.length_bias import LENGTH_ONLY
from dialometer.types import Dialogue

Part = tuple[Sequence[str], dict[str, np.ndarray]]  # ids of what was scored, and its columns


@dataclass
class Columns:
    """Columns of item scores, columns that systems alone have, the recipe of each; ``gaps`` is Δw to the closest reference.

    ``replies`` are the scored replies of conversations, each by itself; ``drawn`` are specs of which these alone are shown,
    with the spec that has the same as means of conversations.
    """

    items: dict[str, np.ndarray] = field(default_factory=dict)
    systems: dict[str, dict[str, float]] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=dict)
    gaps: np.ndarray = field(default_factory=lambda: np.zeros(0))
    notes: list[str] = field(default_factory=list)
    replies: Replies | None = None
    drawn: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, values: np.ndarray, recipe: str) -> None:
        """One more column; a name that is taken is refused."""
        self._refuse_twin(name)
        self.items[name] = values
        self.recipes[name] = recipe

    def add_of_systems(self, name: str, values: dict[str, float], recipe: str) -> None:
        """One more column that systems alone have."""
        self._refuse_twin(name)
        self.systems[name] = values
        self.recipes[name] = recipe

    def _refuse_twin(self, name: str) -> None:
        if name in self.items or name in self.systems:
            raise UsageError(f"two columns are named {name!r}", "rename one of them in its file, or leave one -m out")


def varies(values: np.ndarray) -> bool:
    """Whether a column has numbers that differ."""
    seen = values[~np.isnan(values)]
    return bool(len(seen)) and bool(seen.min() < seen.max())


def gather(
    items: Sequence[Item],
    metrics: Sequence[str],
    files: Sequence[str],
    folder: Path,
    *,
    tok: str = "",
    engine: str = "serial",
    progress: Progress,
) -> Columns:
    """All columns of a study, the length-only baseline among them."""
    found = Columns()
    parts: list[Part] = []
    if items:
        parts += _measured(found, items, metrics, folder, {"tok": tok, "engine": engine, "progress": progress})
    for file in files:
        parts += _read(found, items, file)
    found.replies = _joined(items, parts)
    return found


def _measured(
    found: Columns, items: Sequence[Item], metrics: Sequence[str], folder: Path, options: dict[str, Any]
) -> list[Part]:
    """Scores of the items that take part, and of no others: document frequencies and set metrics see what is judged."""
    path = write_bare(items, folder)
    lengths = score_file(path, ("length",), folder / "length", progress=options["progress"]).scores()
    rows = _places(items, lengths.items)
    found.add(LENGTH_ONLY, _by_item(lengths.columns["words"], rows, len(items)), lengths.recipes["words"])
    found.gaps = np.abs(_by_item(lengths.columns["words-difference"], rows, len(items)))
    if not metrics:
        return []
    talks = all(isinstance(item, Dialogue) for item in items)
    found.drawn = in_another(metrics, options["tok"]) if talks else {}
    report = score_file(path, [name for name in metrics if name not in found.drawn], folder / "score", **options)
    found.notes += seen_notes(report.overlap)
    scores = report.scores()
    # A coverage says how much a score rests on, not how good a response is.
    columns = {name: values for name, values in scores.columns.items() if not name.endswith("coverage")}
    rows = _places(items, scores.items)
    for name, values in columns.items():
        found.add(name, _by_item(values, rows, len(items)), scores.recipes[name])
    for name in (name for name in report.recipes if name not in scores.columns):  # metrics of whole sets
        values_of = {system: row[name].corpus for system, row in report.cells.items()}
        found.add_of_systems(name, values_of, report.recipes[name])
    parts: list[Part] = [(scores.items, columns)]
    if found.drawn:
        drawn = score_file(path, tuple(found.drawn), folder / "drawn", **options).scores()
        parts.append((drawn.items, drawn.columns))
    return parts


def _joined(items: Sequence[Item], parts: Sequence[Part]) -> Replies | None:
    """The replies of all sources with the columns of each; of two columns of one name the later is by reply."""
    if not parts:
        return None
    place = {name: row for row, name in enumerate(dict.fromkeys(name for names, _ in parts for name in names))}
    columns: dict[str, np.ndarray] = {}
    for names, own in parts:
        rows = np.array([place[name] for name in names], np.int64)
        for name, values in own.items():
            columns[name] = np.full(len(place), np.nan)
            columns[name][rows] = values
    return replies_of(items, list(place), columns)


def _places(items: Sequence[Item], scored: Sequence[str]) -> np.ndarray:
    """The item that each scored response belongs to: itself, or its conversation; −1 for none."""
    place = {item.id: number for number, item in enumerate(items)}
    talks = {item.id: number for number, item in enumerate(items) if isinstance(item, Dialogue)}
    return np.array([place.get(name, talks.get(name.rpartition("#")[0], -1)) for name in scored], np.int64)


def _by_item(values: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
    """The mean over an item's scored responses; NaN where there is none."""
    scored = ~np.isnan(values)
    counts = np.bincount(rows[scored], minlength=n)
    sums = np.bincount(rows[scored], values[scored], minlength=n)
    return np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)


def _read(found: Columns, items: Sequence[Item], file: str) -> list[Part]:
    """Columns of a file, or of a finished run."""
    path, recipes = scores_of(file)
    key, names, columns = read_scores(path)
    if key == "system":
        wanted = {item.system for item in items} or set(names)
        found.notes += _check_names(names, wanted, file, key)
        for name, values in columns.items():
            found.add_of_systems(name, dict(zip(names, values.tolist(), strict=True)), f"{Path(file).name}:{name}")
        return []
    rows = _places(items, names)
    owners = [items[row].id if row >= 0 else name for row, name in zip(rows.tolist(), names, strict=True)]
    found.notes += [*_check_names(owners, {item.id for item in items}, file, key), *seen_notes(overlap_of(file))]
    here = rows >= 0
    for name, values in columns.items():
        column = _by_item(values[here], rows[here], len(items))
        found.add(name, column, recipes.get(name, f"{Path(file).name}:{name}"))
    return [(names, columns)]


def _check_names(names: Sequence[str], wanted: set[str], file: str, key: str) -> list[str]:
    """Scores that belong to nobody, and those who have none: refused where nothing fits, else a sentence."""
    strangers = [name for name in names if name not in wanted]
    lacking = sorted(wanted - set(names))
    if len(strangers) == len(names):
        raise DataError(
            f"its {len(names)} rows match none of the {len(wanted)} {key}s (there: {', '.join(names[:3])}, …; "
            f"wanted: {', '.join(lacking[:3])}, …)",
            file=file, hint=f"the column '{key}' must hold the {key}s of the rated file",
        )  # fmt: skip
    if not strangers and not lacking:
        return []
    match = f"{Path(file).name}: {len(names) - len(strangers)} of {len(names)} rows match"
    alone = f"{len(strangers)} belong to no rated {key}{_first(strangers)}"
    return [f"{match}; {alone}; {len(lacking)} rated {key}s have no score{_first(lacking)}."]


def _first(names: Sequence[str]) -> str:
    return f" (first: {names[0]})" if names else ""
