"""demo: score a small sample written for it, with every kind of word-overlap metric."""

from __future__ import annotations

from pathlib import Path

import dialometer
from dialometer.flows.score import ScoreReport, ScoreRequest, score
from dialometer.flows.scoring.shards import Progress

METRICS = ("bleu", "rouge", "meteor", "cider", "distinct(sample=50)", "length")


def sample_path() -> Path:
    """Where the sample lies in the package."""
    return Path(dialometer.__file__).parent / "samples" / "smalltalk.jsonl"


def demo(*, output: str = "", progress: Progress = lambda stage, done, total: None) -> ScoreReport:
    """Score the sample: three invented bots, eight openings, two references each."""
    return score(ScoreRequest((str(sample_path()),), METRICS, output=output), progress=progress)
