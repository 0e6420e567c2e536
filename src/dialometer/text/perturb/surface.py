"""The same words in another dress: lower case, typing errors."""

from __future__ import annotations

import re
from random import Random

from dialometer.core.types import Example
from dialometer.text.perturb.kinds import Others, Perturbation

_LONG = re.compile(r"[^\W\d_]{4,}", re.UNICODE)
SHARE = 10  # one long word in so many is mistyped, and at least one


def _lower(item: Example, others: Others, seed: int) -> str | None:
    return item.response.lower()


def _mistype(item: Example, others: Others, seed: int) -> str | None:
    """Two neighbouring letters inside a word change places."""
    text, rng = item.response, Random(seed)
    places = [(word.start() + at) for word in _LONG.finditer(text) if (at := _twins(word[0], rng)) is not None]
    for at in rng.sample(places, min(len(places), max(1, len(places) // SHARE))):
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text


def _twins(word: str, rng: Random) -> int | None:
    """Where two different letters stand side by side, the first letter of the word aside."""
    fit = [at for at in range(1, len(word) - 1) if word[at] != word[at + 1]]
    return rng.choice(fit) if fit else None


LOWER_CASE = Perturbation(
    "lower-case", "same", "all letters small",
    "chats are often written so, and nothing else changes", _lower,
)  # fmt: skip
TYPOS = Perturbation(
    "typos", "no better", "two letters change places in one long word out of ten, at least one",
    "people read over a typing error, and like none (Sai et al. 2021, templates for fluency)", _mistype,
)  # fmt: skip
