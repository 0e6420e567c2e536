"""How much of what is scored was in the text that a metric was fitted on; such scores are too high."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.flows.score.shards import Shards
from dialometer.text.training_overlap import overlap

Share = dict[str, float]


def find_overlap(metrics: list[Any], shards: Shards) -> list[Share | None]:
    """For each metric the share of responses and of references that its text held; none for one fitted on nothing."""
    seen = [metric.seen() if hasattr(metric, "seen") else np.zeros(0, np.uint64) for metric in metrics]
    counts = np.zeros((len(metrics), 4))
    for corpus in shards.corpora() if any(map(len, seen)) else ():
        texts = list(corpus.texts)
        for number, hashes in enumerate(seen):
            known = overlap(texts, hashes)
            responses, references = known[corpus.response], known[corpus.references.rows]
            counts[number] += (responses.sum(), len(responses), references.sum(), len(references))
    return [
        {"responses": float(a / b), "references": float(c / d) if d else 0.0} if len(hashes) else None
        for hashes, (a, b, c, d) in zip(seen, counts, strict=True)
    ]
