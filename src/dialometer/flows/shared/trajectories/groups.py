"""Dialogues grouped by a label, such as the system; as many groups as one picture can hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LINES = 6


def grouped(labels: Sequence[str], first: str = "") -> tuple[np.ndarray, list[str], str]:
    """The group of each dialogue (−1 for none), the names of the groups, and which labels found no room.

    >>> grouped(["a", "b", "a", ""])
    (array([ 0,  1,  0, -1]), ['a', 'b'], '')
    """
    every = sorted(dict.fromkeys(label for label in labels if label), key=lambda label: label != first)
    names, rest = every[:LINES], every[LINES:]
    number = {name: place for place, name in enumerate(names)}
    group = np.array([number.get(label, -1) for label in labels], np.int64)
    return group, names, f"{LINES} lines fill a picture; not drawn: {', '.join(rest)}." if rest else ""
