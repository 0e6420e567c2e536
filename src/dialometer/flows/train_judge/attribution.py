"""What a judge's scores lean on: how much of them, and of people's ratings, the columns of untrained metrics account for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dialometer.report.blocks import Block, Cell, Section, Table
from dialometer.stats.validation.shapley import MOST, shapley_shares


def leaning(columns: Mapping[str, np.ndarray], predicted: np.ndarray, human: np.ndarray) -> dict[str, Any]:
    """Each column's correlation and Shapley share of R², with the judge and with people; of many those nearest to the judge."""
    rows = ~(np.isnan(predicted) | np.isnan(human))
    said, people = predicted[rows], human[rows]
    filled = {name: _filled(values[rows]) for name, values in columns.items()}
    known = {name: values for name, values in filled.items() if values.std() > 0}
    with_judge = {name: _pearson(values, said) for name, values in known.items()}
    chosen = sorted(known, key=lambda name: (-abs(with_judge[name]), name))[:MOST]
    if not chosen or said.std() == 0:
        return {"rows": [], "judge": 0.0, "people": 0.0, "left_out": sorted(columns)}
    table = np.stack([known[name] for name in chosen], axis=1)
    shares = {"judge": shapley_shares(table, said), "people": shapley_shares(table, people)}
    made: list[dict[str, Any]] = [
        {"column": name, "r_judge": with_judge[name], "r_people": _pearson(known[name], people)}
        | {f"share_{whose}": float(share[at]) for whose, share in shares.items()}
        for at, name in enumerate(chosen)
    ]
    made.sort(key=lambda row: -row["share_judge"])
    totals = {whose: float(share.sum()) for whose, share in shares.items()}
    return {"rows": made, **totals, "left_out": sorted(set(columns) - set(chosen))}


def leaning_section(found: dict[str, Any]) -> list[Section]:
    """The table of the report."""
    leans = found["leaning"]
    if not leans["rows"]:
        return []
    keys = ("share_judge", "share_people", "r_judge", "r_people")
    rows: list[list[Cell]] = [[row["column"], *(row[key] for key in keys)] for row in leans["rows"]]
    rows.append(["all together (R²)", leans["judge"], leans["people"], None, None])
    header = ["column", "share of the judge's scores", "of people's ratings", "r with the judge", "r with people"]
    notes = [
        "Shares of variance in a linear regression, by what a column adds averaged over all orders (Shapley); unseen contexts.",
        "A column that counts for much more with the judge than with people is what it mistakes for quality.",
        *([f"Not among the {MOST} nearest to the judge: {', '.join(leans['left_out'])}."] if leans["left_out"] else []),
    ]
    table: Block = Table("leaning", header, rows, "What scores and ratings go with", notes)
    return [Section("What it leans on", [table])]


def _filled(values: np.ndarray) -> np.ndarray:
    """Holes become the mean."""
    holes = np.isnan(values)
    return np.where(holes, values[~holes].mean() if not holes.all() else 0.0, values)


def _pearson(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size else float("nan")
