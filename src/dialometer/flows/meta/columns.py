"""Where the scores of a study come from: metrics of the catalogue, finished runs, or a file of the user's own; joined by id."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.core.registry import create
from dialometer.core.types import Dialogue
from dialometer.data import Item
from dialometer.flows.meta.redundant_metrics import in_another
from dialometer.flows.meta.score_files import COVERAGE, ScoreFile, match_rows, read_score_files
from dialometer.flows.meta.score_items import score_file, write_bare
from dialometer.flows.meta.training_overlap import overlap_of, seen_notes
from dialometer.flows.score.score import column_names
from dialometer.flows.shared.trajectories.replies import Replies, replies_of
from dialometer.stats.validation.length_bias import LENGTH_ONLY

Part = tuple[Sequence[str], dict[str, np.ndarray]]  # ids of what was scored, and its columns


@dataclass
class Columns:
    """Columns of item scores, columns that systems alone have, the recipe of each; ``gaps`` is Δw to the closest reference.

    ``replies`` are the scored replies of conversations, each by itself; ``drawn`` are specs of which these alone are shown,
    with the spec that has the same as means of conversations. ``reasons`` say why a column lacks numbers.
    """

    items: dict[str, np.ndarray] = field(default_factory=dict)
    systems: dict[str, dict[str, float]] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=dict)
    gaps: np.ndarray = field(default_factory=lambda: np.zeros(0))
    notes: list[str] = field(default_factory=list)
    replies: Replies | None = None
    drawn: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

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


def without_coverage(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns that judge responses: a coverage says how much a score rests on, not how good a response is.

    >>> list(without_coverage({"am-fm": np.zeros(2), "am-coverage": np.ones(2)}))
    ['am-fm']
    """
    return {name: values for name, values in columns.items() if not name.endswith(COVERAGE)}


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
    wanted: Sequence[str] = (),
    qualities: Collection[str] = (),
    excluded: Mapping[str, str] | None = None,
    tok: str = "",
    engine: str = "serial",
    progress: Progress,
) -> Columns:
    """All columns of a study, the length-only baseline among them; of files those ``wanted``, all but ratings unless named."""
    found = Columns()
    parts: list[Part] = []
    if items:
        parts += _measured(found, items, metrics, folder, {"tok": tok, "engine": engine, "progress": progress})
    taken = {*found.items, *found.systems}
    for file in read_score_files(files, wanted=wanted, qualities=qualities, taken=taken):
        parts += _join(found, items, excluded or {}, file)
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
    specs = tuple(name for name in metrics if name not in found.drawn)
    report = score_file(path, specs, folder / "score", **options)
    found.reasons = _reasons(items, specs, options["tok"])
    found.notes += seen_notes(report.overlap)
    scores = report.scores()
    columns = without_coverage(scores.columns)
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


def _reasons(items: Sequence[Item], specs: Sequence[str], tok: str) -> dict[str, str]:
    """What the responses lack that a metric needs, by column: such responses have no score."""
    made = [create("metric", spec, **({"tok": tok} if tok else {})) for spec in specs]
    responses = [one for item in items for one in (item.examples() if isinstance(item, Dialogue) else (item,))]
    lacking = {
        "reference": sum(not one.references for one in responses),
        "context": sum(not one.context for one in responses),
    }
    return {
        column: f"needs a {need}, and {_share_of(count, len(responses))}"
        for metric, own in zip(made, column_names(made, tuple(specs)), strict=True)
        for column in own
        for need, count in lacking.items()
        if need in metric.needs and count
    }


def _share_of(count: int, n: int) -> str:
    return f"none of {n} responses has one" if count == n else f"{count} of {n} responses have none"


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


def _join(found: Columns, items: Sequence[Item], excluded: Mapping[str, str], file: ScoreFile) -> list[Part]:
    """Columns of a file, or of a finished run; ``excluded`` are the ids that ``--where`` leaves out, with their systems."""
    found.notes += file.notes
    if file.key == "system":
        here = {item.system for item in items} or set(file.names)
        found.notes += match_rows(file.names, here, set(excluded.values()) - here, file.path, file.key)
        for name, values in file.columns.items():
            found.add_of_systems(name, dict(zip(file.names, values.tolist(), strict=True)), file.recipes[name])
        return []
    rows = _places(items, file.names)
    owners = [
        items[row].id if row >= 0 else name if name in excluded else _owner(name, excluded)
        for row, name in zip(rows.tolist(), file.names, strict=True)
    ]
    found.notes += match_rows(owners, {item.id for item in items}, excluded, file.path, file.key)
    found.notes += seen_notes(overlap_of(file.path))
    inside = rows >= 0
    for name, values in file.columns.items():
        found.add(name, _by_item(values[inside], rows[inside], len(items)), file.recipes[name])
    return [(file.names, file.columns)]


def _owner(name: str, excluded: Mapping[str, str]) -> str:
    """The conversation of a reply that is left out, else the name itself."""
    talk = name.rpartition("#")[0]
    return talk if talk in excluded else name
