"""Targets (or inputs) of EI regularisation: emotions and sentence vectors of utterances, from an emotion model and an encoder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.core.protocols import Progress
from dialometer.core.registry import create
from dialometer.text.vectors.emojis import NAMES
from dialometer.text.vectors.store import VectorStore, text_keys

BLOCK = 4096  # texts between two writes to disk: what a kill can cost
EMOTIONS = len(NAMES)


def ei_targets(texts: Sequence[str], emotion: str, encoder: str, progress: Progress | None = None) -> np.ndarray:
    """(texts, emotions + width) float32: the distribution of emotions, then the sentence vector; kept on disk."""
    emotions, sentences = create("emotion", emotion), create("encoder", encoder)
    distinct = list(dict.fromkeys(texts))
    numbers = np.zeros((len(distinct), EMOTIONS + sentences.width), np.float32)
    store, keys = VectorStore.of(f"{emotions.recipe}+{sentences.recipe}", numbers.shape[1]), text_keys(distinct)
    missing = np.flatnonzero(~store.find(keys, numbers))
    for at in range(0, len(missing), BLOCK):
        if progress:
            progress("emotions and sentence vectors", at, len(missing))
        block = missing[at : at + BLOCK]
        some = [distinct[i] for i in block.tolist()]
        numbers[block, :EMOTIONS] = emotions.distribution(some)
        numbers[block, EMOTIONS:] = sentences.encode(some)
        store.add(keys[block], numbers[block])
    if progress and len(missing):
        progress("emotions and sentence vectors", len(missing), len(missing))
    row = {text: place for place, text in enumerate(distinct)}
    return numbers[[row[text] for text in texts]]
