"""What a metric leans on: length, and the length difference to the reference; and how steady its correlation is."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.meta_audits import BiasTables, LengthBiasRow, LengthDifferenceRow, SubsetsRow
from dialometer.contracts.meta_tables import SampleCoefficient
from dialometer.core.protocols import Progress
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.records import to_record
from dialometer.stats.correlation.subsets import over_subsets
from dialometer.stats.validation.length_bias import LENGTH_ONLY, LengthBias, length_bias
from dialometer.stats.validation.length_effect import length_effect

CORRELATIONS = ("metric_length", "human_length", "plain", "partial", "matched")


def bias(study: Study, quality: str, *, resamples: int, permutations: int, seed: int, progress: Progress) -> BiasTables:
    """Tables of one quality: length bias, Δw ≤ 6 against > 6, and correlation over subsets of 100."""
    human, columns = study.human[quality], study.columns.items
    length, difference, subsets = list[LengthBiasRow](), list[LengthDifferenceRow](), list[SubsetsRow]()
    for done, (name, values) in enumerate(columns.items(), 1):
        if LENGTH_ONLY in columns and name != LENGTH_ONLY:
            lengths = columns[LENGTH_ONLY]
            row = length_bias(values, human, lengths, study.cluster, kind="spearman", resamples=resamples, seed=seed)
            length.append(_length(name, row))
        stability = over_subsets(values, human, kind="spearman", seed=seed)
        if stability.defined:
            subsets.append(to_record(SubsetsRow, stability, metric=name))
        progress("bias", done, len(columns))
    gaps = study.columns.gaps
    if len(gaps) and (~np.isnan(gaps)).any():
        for name, values in {study.reference: human, **columns}.items():
            effect = length_effect(values, gaps, study.cluster, permutations=permutations, seed=seed)
            difference.append(to_record(LengthDifferenceRow, effect, metric=name))
    return BiasTables(quality=quality, length=length, difference=difference, subsets=subsets)


def _length(metric: str, row: LengthBias) -> LengthBiasRow:
    sides = {name: to_record(SampleCoefficient, getattr(row, name)) for name in CORRELATIONS}
    return LengthBiasRow(metric=metric, bins=row.bins, **sides)
