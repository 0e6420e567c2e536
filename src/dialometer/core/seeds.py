"""Random seeds: each context has a generator of its own, so that replies are batch-invariant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from dialometer.core.types import Turn, context_hash


def derived(seed: int, *place: object) -> int:
    """A seed of 63 bits derived from another one and any key values; the same arguments give the same seed.

    >>> derived(0, "opener", 3) == derived(0, "opener", 3) != derived(0, "opener", 4)
    True
    """
    words = blake2b("\x1f".join(map(str, (seed, *place))).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(words, "little") >> 1


def seeds_for(seed: int | Sequence[int], contexts: Sequence[tuple[Turn, ...]]) -> list[int]:
    """A seed per context: those that were given, or one derived from the context and the number of equal contexts before it.

    >>> hi = (Turn("a", "hi"),)
    >>> one, two = seeds_for(0, [hi, hi])
    >>> one != two and seeds_for(0, [hi]) == [one]
    True
    """
    if not isinstance(seed, int | np.integer):
        if len(seed) != len(contexts):
            raise ValueError(f"{len(seed)} seeds for {len(contexts)} contexts")
        return [int(number) for number in seed]
    before: Counter[str] = Counter()
    seeds = []
    for context in contexts:
        name = context_hash(context)
        seeds.append(derived(int(seed), name, before[name]))
        before[name] += 1
    return seeds


def streams(seeds: Sequence[int]) -> list[np.random.Generator]:
    """A random generator per seed; negative seeds are allowed."""
    return [np.random.default_rng(seed % 2**64) for seed in seeds]
