"""Options that verbs about ratings share, checked before a file is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from dialometer.core.errors import UsageError
from dialometer.core.types import KappaWeights
from dialometer.flows.shared.rated_items import read_scale
from dialometer.flows.shared.where import condition


def check_rating_options(weights: str, scale: str, where: Sequence[str]) -> None:
    """Refuse what can be seen to be wrong."""
    if weights not in get_args(KappaWeights):
        raise UsageError(f"--weights is quadratic, linear or none, not {weights!r}", "--weights quadratic")
    read_scale(scale)
    for text in where:
        condition(text)
