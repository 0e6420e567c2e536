"""What ``power`` is asked for: effects and lists of numbers."""

from __future__ import annotations

import math

from dialometer.core import ranges
from dialometer.core.errors import UsageError
from dialometer.core.ranges import shown


def read_effect(text: str, sd: float) -> float:
    """An effect in points; ``sd`` is the standard deviation that one in deviations counts.

    >>> read_effect("0.3", 2.0), read_effect("0.3sd", 2.0)
    (0.3, 0.6)
    """
    try:
        value = float(text.removesuffix("sd")) * (sd if text.endswith("sd") else 1.0)
    except ValueError:
        value = math.nan
    if not abs(value) < 1e9:  # nor is what is not a number
        raise UsageError(f"an effect is a number of points, or of standard deviations, not {shown(text)}", "--effect 0.3sd")
    return value


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers of an option, which the request checked."""
    if not text:
        raise UsageError(f"{option} wants whole numbers with commas between, and there are none", f"{option} 1,2,5")
    return tuple(number for number in ranges.whole_numbers(text) if number)
