"""What a metric leans on: length, and the length difference to the reference; and how steady its correlation is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from dialometer.core.protocols import Progress
from dialometer.flows.meta.study import Study
from dialometer.stats.correlation.subsets import over_subsets
from dialometer.stats.validation.length_bias import LENGTH_ONLY, length_bias
from dialometer.stats.validation.length_effect import length_effect


def bias(study: Study, quality: str, *, resamples: int, permutations: int, seed: int, progress: Progress) -> dict[str, Any]:
    """Tables of one quality: length bias, Δw ≤ 6 against > 6, and correlation over subsets of 100."""
    human, columns = study.human[quality], study.columns.items
    found: dict[str, Any] = {"quality": quality, "length": [], "difference": [], "subsets": []}
    for done, (name, values) in enumerate(columns.items(), 1):
        if LENGTH_ONLY in columns and name != LENGTH_ONLY:
            lengths = columns[LENGTH_ONLY]
            row = length_bias(values, human, lengths, study.cluster, kind="spearman", resamples=resamples, seed=seed)
            found["length"].append({"metric": name, **asdict(row)})
        steady = over_subsets(values, human, kind="spearman", seed=seed)
        if steady.defined:
            found["subsets"].append({"metric": name, **asdict(steady)})
        progress("bias", done, len(columns))
    gaps = study.columns.gaps
    if len(gaps) and (~np.isnan(gaps)).any():
        for name, values in {study.reference: human, **columns}.items():
            effect = length_effect(values, gaps, study.cluster, permutations=permutations, seed=seed)
            found["difference"].append({"metric": name, **asdict(effect)})
    return found
