"""Which texts something was fitted on, by hash: overlap with what is scored can be told without keeping the texts.

Two texts count as the same when they agree up to case and white space.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np


def text_hashes(texts: Iterable[str]) -> np.ndarray:
    """A 64-bit hash per text.

    >>> a, b = text_hashes(["I like  tea.", "i like tea. "])
    >>> bool(a == b)
    True
    """
    hashes = [
        int.from_bytes(blake2b(" ".join(text.casefold().split()).encode(), digest_size=8).digest(), "little") for text in texts
    ]
    return np.array(hashes, np.uint64)


def seen_texts(texts: Iterable[str]) -> np.ndarray:
    """The distinct hashes, sorted."""
    return np.unique(text_hashes(texts))


def overlap(texts: Iterable[str], seen: np.ndarray) -> np.ndarray:
    """Which of the texts were seen.

    >>> overlap(["Tea?", "no"], seen_texts(["tea?", "yes"])).tolist()
    [True, False]
    """
    hashes = text_hashes(texts)
    places = np.searchsorted(seen, hashes)
    return np.asarray(places < len(seen)) & (seen[np.minimum(places, len(seen) - 1)] == hashes if len(seen) else False)
