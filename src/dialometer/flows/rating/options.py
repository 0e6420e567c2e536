"""Options that verbs about ratings share, checked before a file is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from dialometer.errors import UsageError
from dialometer.flows.rating.conditions import condition
from dialometer.flows.rating.source import read_scale
from dialometer.stats.kappa import Weights


def check_rating_options(weights: str, scale: str, where: Sequence[str]) -> None:
    """Refuse what can be seen to be wrong."""
    if weights not in get_args(Weights):
        raise UsageError(f"--weights is quadratic, linear or none, not {weights!r}", "--weights quadratic")
    read_scale(scale)
    for text in where:
        condition(text)
