"""Whether what a judge rests on, or is set beside, was fitted on the very texts that it is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dialometer.core.registry import create
from dialometer.flows.train_judge.dataset import Bench
from dialometer.judges._shared.features import split_specs
from dialometer.judges._shared.training_rows import texts_seen

SAID = 0.02  # share of texts above which it is worth a sentence; greetings are said everywhere


def trained_parts(judge: Any, metrics: Sequence[str]) -> dict[str, Any]:
    """The judge's encoder and features, and the metrics beside it, by the names they were asked for by."""
    named = {"encoder": [getattr(judge, "encoder", "")], "metric": [*split_specs(getattr(judge, "features", "")), *metrics]}
    return {spec: create(kind, spec) for kind, specs in named.items() for spec in specs if spec}


def overlaps(bench: Bench, parts: Mapping[str, Any]) -> dict[str, float]:
    """The share of replies and turns that each part was fitted on, where it is more than a little."""
    own = texts_seen(bench.corpus)
    found = {}
    for name, part in parts.items():
        if hasattr(part, "seen") and getattr(part, "fitted", True):
            share = float(np.isin(own, part.seen()).mean()) if len(own) else 0.0
            if share > SAID:
                found[name] = share
    return found
