"""Pairwise choices and factors of systems: wins, strengths, and an analysis of variance on the ratings."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.data.tables.preferences import read_preferences
from dialometer.data.tables.systems import read_systems
from dialometer.flows.meta.study import Study
from dialometer.stats.preferences.anova import anova, factors_of
from dialometer.stats.preferences.bradley_terry import bradley_terry
from dialometer.stats.preferences.judgements import judgement_sums
from dialometer.stats.preferences.wins import wins


def choices(path: str, *, resamples: int, seed: int) -> dict[str, Any]:
    """Win, loss and tie of every pair with 90% intervals, with and without ambiguous items; Bradley–Terry strengths."""
    preferences = read_preferences(path)
    strengths: dict[str, Any] = {}
    for quality in preferences.qualities:
        try:
            strengths[quality] = asdict(bradley_terry(preferences.of(quality), resamples=resamples, seed=seed))
        except NeedsError as error:
            strengths[quality] = {"why": error.message, "hint": error.hint}
    pairs = [
        asdict(row)
        for quality in preferences.qualities
        for row in wins(preferences.of(quality), resamples=resamples, seed=seed)
    ]
    return {"judgements": len(preferences), "items": len(preferences.items), "pairs": pairs, "strengths": strengths}


def factors(study: Study, path: str) -> dict[str, Any]:
    """Analysis of variance per quality and on the sum of all, with per-rater normalised scores beside where raters are known."""
    systems = read_systems(path)
    if study.rated is None:
        raise NeedsError("an analysis of variance needs ratings of items, and this is a table of means", "rated items")
    ratings = study.rated.ratings
    tables: dict[str, Any] = {}
    sums = [("all qualities", ratings.qualities)] if len(ratings.qualities) > 1 else []
    for name, chosen in [*((quality, (quality,)) for quality in ratings.qualities), *sums]:
        for normalised in (False, True) if ratings.named else (False,):
            label = f"{name}, on each rater's own scale" if normalised else name
            try:
                made = judgement_sums(ratings, chosen, normalise=normalised)
            except NeedsError as error:
                tables[label] = {"why": error.message}
                continue
            inside = made.item < len(study)  # attention checks are no items
            if not inside.any():
                tables[label] = {"why": "no rater judged ten items or more"}
                continue
            named = [study.systems[number] for number in study.system[made.item[inside]]]
            found = anova(np.asarray(made.value[inside]), factors_of(systems, named), interactions=True)
            tables[label] = {
                **asdict(found), "incomplete": made.incomplete, "left_out_raters": len(made.left_out_raters),
            }  # fmt: skip
    return {"factors": list(systems.names), "tables": tables}
