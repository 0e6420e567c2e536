"""Which system and which cluster each example belongs to; clusters are documents, or at most ``BLOCKS`` blocks of them.

A system with more documents than that is resampled by blocks of documents: sums over blocks are as independent as documents
are, and memory stays bounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialometer.flows.score.shards import Shards
from dialometer.stats.means import CLUSTERS, cluster_codes, cluster_hash

BLOCKS = CLUSTERS


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
        numbers, count = cluster_codes(np.concatenate([h[m] for h, m in zip(hashes, members, strict=True)]), BLOCKS)
        ends = np.cumsum([int(member.sum()) for member in members])[:-1]
        for codes, member, part in zip(documents, members, np.split(numbers, ends), strict=True):
            codes[member] = part
        counts.append(count)
    return Clusters(tuple(index), tuple(systems), tuple(documents), tuple(counts))


def _hash(document: str, known: dict[str, int]) -> int:
    if document not in known:
        known[document] = cluster_hash(document)
    return known[document]
