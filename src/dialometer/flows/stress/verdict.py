"""What a reaction says of a metric, given what a careful human would do."""

from __future__ import annotations

import math

from dialometer.text.perturb.kinds import Expected

SMALL = 0.2  # standard deviations; a small effect by the convention of Cohen (1988, ch. 2)
NOISE = 1e-6  # standard deviations; sums of floats in another order differ by less
MARKS = {"as a human": "✓", "faint": "~", "blind": "○", "fooled": "✗", "touchy": "!", "": ""}
MEANING = {
    "as a human": "reacts, or keeps still, as a careful human would",
    "faint": f"the right way, by less than {SMALL} sd",
    "blind": "no significant reaction where there should be one",
    "fooled": "moves significantly the wrong way",
    "touchy": f"moves by {SMALL} sd or more where nothing should change",
}


def verdict(expected: Expected, low: float, high: float, effect: float, noise: float) -> str:
    """The word for a reaction; empty where no interval is known.

    >>> verdict("drop", -0.3, -0.1, -0.8, 0), verdict("drop", -0.1, 0.1, 0.0, 0), verdict("no better", 0.1, 0.2, 0.5, 0)
    ('as a human', 'blind', 'fooled')
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    way = (low > noise) - (high < -noise)
    if expected == "no better":
        return "fooled" if way > 0 else "as a human"
    if expected == "same":
        return "touchy" if way and not abs(effect) < SMALL else "as a human"
    wanted = 1 if expected == "rise" else -1
    if way != wanted:
        return "fooled" if way else "blind"
    return "faint" if abs(effect) < SMALL else "as a human"
