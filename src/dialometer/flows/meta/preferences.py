"""Pairwise choices and factors of systems: wins, strengths, and an analysis of variance on the ratings."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.meta_audits import (
    AnovaEffect,
    AnovaLevel,
    AnovaTable,
    AnovaTables,
    PreferenceOutcome,
    PreferencePair,
    PreferenceShare,
    PreferenceTables,
    StrengthRow,
    StrengthTable,
)
from dialometer.core.errors import NeedsError
from dialometer.data.tables.preferences import read_preferences
from dialometer.data.tables.systems import read_systems
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.records import to_record
from dialometer.stats.preferences.anova import Anova, anova, factors_of
from dialometer.stats.preferences.bradley_terry import bradley_terry
from dialometer.stats.preferences.judgements import judgement_sums
from dialometer.stats.preferences.wins import Outcome, wins


def choices(path: str, *, resamples: int, seed: int) -> PreferenceTables:
    """Win, loss and tie of every pair with 90% intervals, with and without ambiguous items; Bradley–Terry strengths."""
    preferences = read_preferences(path)
    strengths: dict[str, StrengthTable] = {}
    for quality in preferences.qualities:
        try:
            fitted = bradley_terry(preferences.of(quality), resamples=resamples, seed=seed)
        except NeedsError as error:
            strengths[quality] = StrengthTable(why=error.message, hint=error.hint)
            continue
        systems = [to_record(StrengthRow, row) for row in fitted.systems]
        strengths[quality] = to_record(StrengthTable, fitted, systems=systems)
    pairs = [
        to_record(PreferencePair, row, every=_outcome(row.every), clear=_outcome(row.clear))
        for quality in preferences.qualities
        for row in wins(preferences.of(quality), resamples=resamples, seed=seed)
    ]
    return PreferenceTables(judgements=len(preferences), items=len(preferences.items), pairs=pairs, strengths=strengths)


def _outcome(outcome: Outcome) -> PreferenceOutcome:
    shares = {name: to_record(PreferenceShare, getattr(outcome, name)) for name in ("win", "loss", "tie")}
    return to_record(PreferenceOutcome, outcome, **shares)


def factors(study: Study, path: str) -> AnovaTables:
    """Analysis of variance per quality and on the sum of all, with per-rater normalised scores beside where raters are known."""
    systems = read_systems(path)
    if study.rated is None:
        raise NeedsError("an analysis of variance needs ratings of items, and this is a table of means", "rated items")
    ratings = study.rated.ratings
    tables: dict[str, AnovaTable] = {}
    sums = [("all qualities", ratings.qualities)] if len(ratings.qualities) > 1 else []
    for name, chosen in [*((quality, (quality,)) for quality in ratings.qualities), *sums]:
        for normalised in (False, True) if ratings.named else (False,):
            label = f"{name}, on each rater's own scale" if normalised else name
            try:
                judged = judgement_sums(ratings, chosen, normalise=normalised)
            except NeedsError as error:
                tables[label] = AnovaTable(why=error.message)
                continue
            inside = judged.item < len(study)  # attention checks are no items
            if not inside.any():
                tables[label] = AnovaTable(why="no rater judged ten items or more")
                continue
            named = [study.systems[place] for place in study.system[judged.item[inside]]]
            table = anova(np.asarray(judged.value[inside]), factors_of(systems, named), interactions=True)
            tables[label] = _anova(table, judged.incomplete, len(judged.left_out_raters))
    return AnovaTables(factors=list(systems.names), tables=tables)


def _anova(table: Anova, incomplete: int, left_out_raters: int) -> AnovaTable:
    return to_record(
        AnovaTable, table, effects=[to_record(AnovaEffect, row) for row in table.effects],
        levels=[to_record(AnovaLevel, row) for row in table.levels], notes=list(table.notes), incomplete=incomplete,
        left_out_raters=left_out_raters,
    )  # fmt: skip
