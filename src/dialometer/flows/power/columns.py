"""The scores of two metrics, joined to the items by id."""

from __future__ import annotations

import numpy as np

from dialometer.core.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.data.tables.scores import read_scores
from dialometer.flows.score.result_files import scores_of


def two_columns(path: str, metrics: tuple[str, ...], ids: tuple[str, ...]) -> tuple[tuple[str, ...], list[np.ndarray], int]:
    """The two columns in the order of the items, and how many scored ids are none of them."""
    key, rows, columns = read_scores(scores_of(path)[0])
    if key != "id":
        raise NeedsError(f"{path} has a row per system, and items are drawn here", "scores with an 'id' column")
    names = metrics or tuple(columns)
    for name in names:
        if name not in columns:
            raise UnknownName("column of scores", name, columns, hint=f"-m one of: {', '.join(columns)}")
    if len(names) != 2:
        raise UsageError(f"{path} has {len(names)} columns, and two are told apart", "-m ONE -m OTHER")
    place = {name: number for number, name in enumerate(ids)}
    at = np.array([place.get(name, -1) for name in rows])
    if (at < 0).all():
        raise DataError(
            f"scores none of these {len(ids)} items: its ids ({', '.join(rows[:3])}, …) are others",
            file=path, hint=f"use the items' own ids: {', '.join(ids[:3])}, …",
        )  # fmt: skip
    aligned = []
    for name in names:
        column = np.full(len(ids), np.nan)
        column[at[at >= 0]] = columns[name][at >= 0]
        aligned.append(column)
    return names, aligned, int((at < 0).sum())
