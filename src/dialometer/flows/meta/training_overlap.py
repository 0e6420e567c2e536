"""What a metric saw of these items when it was fitted: its correlation with people is then no news."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from dialometer.core.files import LARGE, read_limited
from dialometer.flows.score.training_overlap import Share

LEAST = 0.01  # of the responses or references: short ones such as "yes" are in every text


def seen_notes(overlap: Mapping[str, Share]) -> list[str]:
    """A sentence for each metric (by spec) that was fitted on a part of these responses or references.

    >>> seen_notes({"hybrid": {"responses": 1.0, "references": 0.0}, "adem": {"responses": 0.0, "references": 0.0}})
    ['hybrid was fitted on text that holds 100.0% of these responses: it may look better here than elsewhere.']
    """
    said = []
    for spec, shares in overlap.items():
        held = " and ".join(f"{share:.1%} of these {what}" for what, share in shares.items() if share >= LEAST)
        if held:
            said.append(f"{spec} was fitted on text that holds {held}: it may look better here than elsewhere.")
    return said


def overlap_of(path: str) -> dict[str, Share]:
    """What a finished run of ``score`` found by spec; nothing for a file, or where the run does not say."""
    try:
        found = orjson.loads(read_limited(Path(path) / "summary.json", LARGE))["overlap"]
        specs = orjson.loads(read_limited(Path(path) / "run.json", LARGE))["request"]["metrics"]
        return {
            str(spec): {str(what): float(share) for what, share in shares.items()}
            for spec, shares in zip(specs, found, strict=True)
            if shares
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
