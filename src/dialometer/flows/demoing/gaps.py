"""How much better a bot looks with itself than with a partner it did not choose: a score that can be gamed shows here."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.flows.score import ScoreReport
from dialometer.stats.contrasts import paired_contrast

COLUMNS = ("hybrid", "autojudge")


def gaps(own: ScoreReport, cross: ScoreReport, *, resamples: int, seed: int) -> dict[str, dict[str, dict[str, Any]]]:
    """By label and column: with itself less with the partner, paired by opener, with its 95% interval."""
    sides = [_by_talk(report) for report in (own, cross)]
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for column in (name for name in COLUMNS if name in own.recipes):
        for label in own.cells:
            numbers = [talk for system, talk in sides[0][column] if system == label]
            a, b = (np.array([side[column].get((label, talk), np.nan) for talk in numbers]) for side in sides)
            made = paired_contrast(a, b, resamples=resamples, seed=seed)
            keys = ("difference", "low", "high", "p")
            found.setdefault(label, {})[column] = {key: getattr(made, key) for key in keys} | {"n": made.n_a}
    return found


def _by_talk(report: ScoreReport) -> dict[str, dict[tuple[str, str], float]]:
    """Column → (label, number of the conversation) → mean over its scored replies."""
    scores = report.scores()
    talks = [tuple(name.rpartition("#")[0].rpartition("-")[::2]) for name in scores.items]
    found: dict[str, dict[tuple[str, str], float]] = {}
    for column in (name for name in COLUMNS if name in scores.columns):
        values: dict[tuple[str, str], list[float]] = {}
        for (label, number), value in zip(talks, scores.columns[column].tolist(), strict=True):
            own = values.setdefault((label, number), [])
            if value == value:
                own.append(value)
        found[column] = {key: float(np.mean(own)) if own else float("nan") for key, own in values.items()}
    return found
