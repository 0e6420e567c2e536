"""The same words in another order."""

from __future__ import annotations

from random import Random

from dialometer.core.types import Example
from dialometer.text.perturb.kinds import Others, Perturbation
from dialometer.text.perturb.units import join, units

TRIES = 20


def _reverse(item: Example, others: Others, seed: int) -> str | None:
    words = units(item.response)
    return join(words[::-1]) if words != words[::-1] else None


def _shuffle(item: Example, others: Others, seed: int) -> str | None:
    """A random order other than the one at hand, where there is one."""
    words, rng = units(item.response), Random(seed)
    if len(set(words)) < 2:
        return None
    mixed = list(words)
    for _ in range(TRIES):  # two words come out as they were half the time
        rng.shuffle(mixed)
        if mixed != words:
            return join(mixed)
    return None


REVERSED = Perturbation(
    "reversed-words", "drop", "the words from last to first",
    "it is no sentence any more; ADEM hardly noticed (Sai et al. 2019, abstract)", _reverse,
)  # fmt: skip
SHUFFLED = Perturbation(
    "shuffled-words", "drop", "the words in a random order",
    "it is no sentence any more (Sai et al. 2021, templates for fluency)", _shuffle,
)  # fmt: skip
