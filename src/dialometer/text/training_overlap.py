"""Hashes of the texts that a model was fitted on: overlap with scored items is found without keeping the texts.

Two texts count as the same when their letters and digits agree up to case: files of the same dialogues differ in tokenising.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np


def text_hashes(texts: Iterable[str]) -> np.ndarray:
    """A 64-bit hash per text.

    >>> a, b = text_hashes(["I don't  like tea.", "i do n't like tea ."])
    >>> bool(a == b)
    True
    """
    digests = [blake2b(_plain(text).encode(), digest_size=8).digest() for text in texts]
    return np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64)


def _plain(text: str) -> str:
    """Letters and digits in lower case; of a text without any, all that is not white space."""
    low = text.casefold()
    return "".join(filter(str.isalnum, low)) or "".join(low.split())


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
