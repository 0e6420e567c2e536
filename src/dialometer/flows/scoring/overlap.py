"""How much of what is scored was in the text that a metric was fitted on: such numbers flatter it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.flows.scoring.shards import Shards
from dialometer.text.seen import overlap

Shares = dict[str, dict[str, float]]


def find_overlap(metrics: list[Any], labels: list[str], shards: Shards) -> Shares:
    """By metric, the share of responses and of references that its text held; metrics fitted on nothing are left out."""
    seen = {label: metric.seen() for metric, label in zip(metrics, labels, strict=True) if hasattr(metric, "seen")}
    seen = {label: hashes for label, hashes in seen.items() if len(hashes)}
    if not seen:
        return {}
    counts = {label: np.zeros(4) for label in seen}
    for corpus in shards.corpora():
        texts = list(corpus.texts)
        for label, hashes in seen.items():
            known = overlap(texts, hashes)
            responses, references = known[corpus.response], known[corpus.references.rows]
            counts[label] += (responses.sum(), len(responses), references.sum(), len(references))
    return {
        label: {"responses": float(a / b), "references": float(c / d) if d else 0.0}
        for label, (a, b, c, d) in counts.items()
    }
