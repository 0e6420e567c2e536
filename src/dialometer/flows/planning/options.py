"""What ``power`` is asked for: effects and lists of numbers."""

from __future__ import annotations

import math

from dialometer.errors import UsageError


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
        raise UsageError(f"an effect is a number of points, or of standard deviations, not {text!r}", "--effect 0.3sd")
    return value


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers of an option."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise UsageError(f"{option} wants whole numbers with commas between, not {text!r}", f"{option} 1,2,5")
    return found
