"""Which system and which cluster each example belongs to; clusters are documents, or at most ``BLOCKS`` blocks of them.

A system with more documents than that is resampled by blocks of documents: sums over blocks are as independent as documents
are, and memory stays bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from dialometer.flows.scoring.shards import Shards

BLOCKS = 4096


@dataclass(frozen=True)
class Clusters:
    """Per shard the number of each row's system and cluster; per system its name and how many clusters it has."""

    names: tuple[str, ...]
    systems: tuple[np.ndarray, ...]
    documents: tuple[np.ndarray, ...]
    counts: tuple[int, ...]

    def rows(self, system: int) -> list[np.ndarray]:
        """The rows of one system in each shard."""
        return [np.flatnonzero(codes == system) for codes in self.systems]


def find_clusters(shards: Shards) -> Clusters:
    """Read the systems and documents of all shards."""
    index: dict[str, int] = {}
    systems, hashes = [], []
    for corpus in shards.corpora():
        systems.append(np.fromiter((index.setdefault(s, len(index)) for s in corpus.systems), np.int32, len(corpus)))
        known: dict[str, int] = {}
        hashes.append(np.fromiter((_hash(d, known) for d in corpus.documents), np.uint64, len(corpus)))
    documents = [np.zeros(len(codes), np.int32) for codes in systems]
    counts = []
    for system in range(len(index)):
        members = [codes == system for codes in systems]
        kinds = np.unique(np.concatenate([h[m] for h, m in zip(hashes, members, strict=True)]))
        for codes, h, member in zip(documents, hashes, members, strict=True):
            codes[member] = np.searchsorted(kinds, h[member]) % BLOCKS  # dealt out evenly where there are more
        counts.append(min(len(kinds), BLOCKS))
    return Clusters(tuple(index), tuple(systems), tuple(documents), tuple(counts))


def _hash(document: str, known: dict[str, int]) -> int:
    if document not in known:
        known[document] = int.from_bytes(blake2b(document.encode(), digest_size=8).digest(), "little")
    return known[document]
