"""Metrics of replies whose means a metric of conversations has as well: to test both is to test everything twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from dialometer.core.registry import create


def in_another(specs: Sequence[str], tok: str = "") -> dict[str, str]:
    """The spec of each such metric, and the one that has its columns and the same options.

    >>> in_another(["turns", "length", "conversation"]), in_another(["turns", "conversation(tok=whitespace)"])
    ({'turns': 'conversation'}, {})
    """
    made = {spec: create("metric", spec, **({"tok": tok} if tok else {})) for spec in specs}
    wholes = {spec: metric for spec, metric in made.items() if metric.unit == "dialogue"}
    return {
        spec: whole
        for spec, metric in made.items()
        if metric.unit == "response"
        for whole, other in wholes.items()
        if _within(metric, other)
    }


def _within(metric: Any, other: Any) -> bool:
    """Whether the columns of one are among those of the other, by the same models and words."""
    plain = is_dataclass(metric) and is_dataclass(other)  # a guest may be of another kind, and stands for itself
    return set(metric.columns) <= set(other.columns) and plain and asdict(metric) == asdict(other)
