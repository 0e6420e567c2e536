"""What judges have to say of items that are unlike those they were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dialometer.flows.score.shards import Shards

LOOKED_AT = 2_000  # items of the first shard: enough to tell one domain from another


def find_cautions(metrics: Sequence[Any], specs: Sequence[str], shards: Shards) -> list[str]:
    """A sentence of each metric that is wary of these items, with the name it was asked for by."""
    wary = [(metric, spec) for metric, spec in zip(metrics, specs, strict=True) if hasattr(metric, "caution")]
    if not wary:
        return []
    first = shards.corpus(0)
    some = first.take(np.arange(min(len(first), LOOKED_AT)))
    said = ((spec, metric.caution(some)) for metric, spec in wary)
    return [f"{spec}: {words}" for spec, words in said if words]
