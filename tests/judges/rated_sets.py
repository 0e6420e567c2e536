"""Real rated responses as examples, with one target each: the mean of the raters."""

from pathlib import Path

import numpy as np

from dialometer.core.types import Example, Turn
from dialometer.text.corpus import Corpus
from tests import real

HUMAN = {"ground-truth", "human"}


def rated(path: Path, quality: str, *, humans: bool = False) -> tuple[Corpus, np.ndarray]:
    """The examples of a file and the mean rating of each; responses that humans wrote only if asked for."""
    rows = [row for row in real.lines(path) if humans or row["system"] not in HUMAN]
    examples = [
        Example(
            row["id"],
            tuple(Turn("", text) for text in row["context"]),
            row["response"],
            tuple(row["references"]),
            row["system"],
            str(row.get("group") or row.get("context_id") or ""),
        )
        for row in rows
    ]
    means = [np.mean([value for value in row["ratings"][quality] if value is not None]) for row in rows]
    return Corpus.build(examples), np.array(means)
