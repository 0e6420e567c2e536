"""How much better a bot looks with itself than with a partner it did not choose: a score that can be gamed shows here."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.flows.demo.pairing import ByOpener, paired
from dialometer.stats.testing.contrasts import paired_contrast
from dialometer.stats.testing.multiple import holm


def gaps(own: ByOpener, cross: ByOpener, *, resamples: int, seed: int) -> dict[str, dict[str, dict[str, Any]]]:
    """By bot and column: with itself less with the partner, paired by opener; p is adjusted over all of them (Holm)."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for column, bots in own.items():
        for bot, values in bots.items():
            made = paired_contrast(*paired(values, cross[column][bot]), resamples=resamples, seed=seed)
            keys = ("difference", "low", "high", "p")
            found.setdefault(bot, {})[column] = {key: getattr(made, key) for key in keys} | {"n": made.n_a}
    cells = [cell for columns in found.values() for cell in columns.values()]
    for cell, p in zip(cells, holm(np.array([cell["p"] for cell in cells])).tolist(), strict=True):
        cell["p_holm"] = p
    return found
