"""The numbers that systems are compared by: a table of systems × blocks per column, and what is scored as a whole set.

A metric of responses gives a conversation the mean of its bot's replies; one of dialogues scores it once, at its last reply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Progress, SetMetric
from dialometer.core.recipes import recipe
from dialometer.data.formats.jsonl import Jsonl
from dialometer.data.tables.scores import read_scores
from dialometer.flows.compare.dialogues import Piece, Talks
from dialometer.flows.compare.sources import Source
from dialometer.flows.score.result_files import scores_of
from dialometer.flows.score.score import column_names, score
from dialometer.flows.shared.trajectories.replies import Replies, replies_of

ANY_LINE = 1 << 40  # what was read once is written as it is
ITEMS = "items.jsonl"


@dataclass(frozen=True)
class Columns:
    """Tables of systems × blocks by name, set metrics with the names of their columns, the recipe of each, what has no value.

    ``replies`` are those of conversations one by one, for the pictures by turn.
    """

    tables: dict[str, np.ndarray]
    sets: list[tuple[Any, tuple[str, ...]]] = field(default_factory=list)
    recipes: dict[str, str] = field(default_factory=dict)
    unscored: tuple[str, ...] = ()
    replies: Replies | None = None


def check_needs(metrics: Sequence[Any], pieces: Sequence[Piece] | None) -> None:
    """Refuse metrics that need what is not there; before anybody has talked, references cannot be."""
    for metric in metrics:
        if not getattr(metric, "fitted", True):
            raise NeedsError(
                f"{metric.name} has not been trained yet", f"dialometer train {metric.name} FILE…, then its folder"
            )
        for need in sorted(metric.needs & {"reference", "context"}):
            bare = 0 if pieces is None else sum(_lacks(piece, need) for piece in pieces)
            if bare or (pieces is None and need == "reference"):
                count = "conversations have none" if pieces is None else f"{bare} of {len(pieces)} have none"
                raise NeedsError(
                    f"{metric.name} needs a {need} for every reply; {count}", f"dialometer list metrics --without {need}"
                )


def _lacks(piece: Piece, need: str) -> bool:
    there = "references" if need == "reference" else "context"
    return any(not getattr(example, there) for example in piece.replies)


def measured(
    talks: Talks, metrics: Mapping[str, Any], drawn: Mapping[str, Any], request: Any, work: Path, progress: Progress
) -> Columns:
    """Every metric (by spec) over every conversation, scored as ``score`` does it, engines and all.

    Those of ``drawn`` are for pictures by turn alone; where there are none, all metrics of replies are drawn.
    """
    labels = dict(zip(metrics, column_names(list(metrics.values()), tuple(metrics)), strict=True))
    plain = {spec: metric for spec, metric in {**metrics, **drawn}.items() if not isinstance(metric, SetMetric)}
    ids, scored = _scored(talks, plain, request, work, progress) if plain else ((), {})
    tables: dict[str, np.ndarray] = {}
    for spec in metrics.keys() & scored.keys():
        pieces = [by_piece(talks, ids, values) for values in scored[spec]]
        tables |= dict(zip(labels[spec], map(talks.spread, pieces), strict=True))
    tables = {name: tables[name] for own in labels.values() for name in own if name in tables}
    sets = [(metric, labels[spec]) for spec, metric in metrics.items() if isinstance(metric, SetMetric)]
    recipes = {name: recipe(metric) for spec, metric in metrics.items() for name in labels[spec]}
    shown = {spec: metric.columns for spec, metric in drawn.items()} or {spec: labels[spec] for spec in scored}
    by_reply = {name: values for spec, own in shown.items() for name, values in zip(own, scored[spec], strict=True)}
    return _with_values(Columns(tables, sets, recipes, replies=replies_of([p.item for p in talks.pieces], ids, by_reply)))


def _scored(
    talks: Talks, metrics: Mapping[str, Any], request: Any, work: Path, progress: Progress
) -> tuple[tuple[str, ...], dict[str, list[np.ndarray]]]:
    """The ids of all replies, and by spec the values of each column."""
    path = work / ITEMS
    if not path.exists():
        Jsonl().write((piece.item for piece in talks.pieces), path)
    found = score(
        ScoreRequest(
            (str(path),), tuple(metrics), tok=request.tok, format="jsonl", max_line=ANY_LINE, allow_empty_references=True,
            skip_incomplete=True, resamples=0, seed=request.seed, engine=request.engine, output=str(work / "score"),
            cache=request.cache,
        ),
        progress=progress,
    ).scores()  # fmt: skip
    labels = column_names(list(metrics.values()), tuple(metrics))
    return found.items, {spec: [found.columns[name] for name in own] for spec, own in zip(metrics, labels, strict=True)}


def by_piece(talks: Talks, ids: Sequence[str], values: np.ndarray) -> np.ndarray:
    """Values of replies as means of their conversations; NaN where none has one."""
    place = {name: number for number, piece in enumerate(talks.pieces) for name in reply_names(piece)}
    rows = np.array([place.get(name, -1) for name in ids], np.int64)
    kept = (rows >= 0) & ~np.isnan(values)
    n = np.bincount(rows[kept], minlength=len(talks.pieces))
    total = np.bincount(rows[kept], values[kept], len(talks.pieces))
    return np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)


def reply_names(piece: Piece) -> list[str]:
    """The ids of its replies."""
    return [example.id for example in piece.replies]


def from_runs(talks: Talks, sources: Sequence[Source]) -> Columns:
    """The columns that runs of ``score`` brought along; ids of theirs are those of the files."""
    folders = list(dict.fromkeys(source.scores for source in sources))
    values: dict[str, np.ndarray] = {}
    recipes: dict[str, str] = {}
    names: list[str] = []
    by_reply: dict[str, np.ndarray] = {}
    for folder in folders:
        path, known = scores_of(folder)
        _, ids, columns = read_scores(path)
        own = {
            (sources[piece.source].scores, _given(piece, name)): name
            for piece in talks.pieces
            for name in reply_names(piece)
        }
        renamed = [own.get((folder, name), "") for name in ids]
        for column, numbers in columns.items():
            if recipes.setdefault(column, known.get(column, "")) != known.get(column, ""):
                raise UsageError(
                    f"the runs scored {column} by two recipes: {recipes[column]} and {known[column]}",
                    "-m METRIC measures all of them anew",
                )
            found = by_piece(talks, renamed, numbers)
            before = values.get(column, np.full(len(found), np.nan))
            values[column] = np.where(np.isnan(found), before, found)
            held = by_reply.get(column, np.zeros(0))
            by_reply[column] = np.concatenate([held, np.full(len(names) - len(held), np.nan), numbers])
        names += renamed
    whole = {name: np.pad(own, (0, len(names) - len(own)), constant_values=np.nan) for name, own in by_reply.items()}
    replies = replies_of([piece.item for piece in talks.pieces], names, whole)
    return _with_values(
        Columns({name: talks.spread(column) for name, column in values.items()}, [], recipes, replies=replies)
    )


def _given(piece: Piece, name: str) -> str:
    """The id of a reply in its own file."""
    return piece.given + name[len(piece.item.id) :]


def _with_values(columns: Columns) -> Columns:
    """Without the columns that nobody has a value of; their names are kept."""
    empty = tuple(name for name, table in columns.tables.items() if np.isnan(table).all())
    tables = {name: table for name, table in columns.tables.items() if name not in empty}
    return replace(columns, tables=tables, unscored=empty)
