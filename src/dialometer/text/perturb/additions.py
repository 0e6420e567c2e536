"""Additions without content: the response twice, or with an empty phrase at its end."""

from __future__ import annotations

from random import Random

from dialometer.core.types import Example
from dialometer.text.perturb.kinds import Others, Perturbation
from dialometer.text.perturb.units import join

FILLERS = (
    "you know , i mean .",
    "or something like that .",
    "if you know what i mean .",
    "and so on and so forth .",
    "that is what i think .",
)


def _twice(item: Example, others: Others, seed: int) -> str | None:
    text = item.response.strip()
    return join([text, text]) if text else None


def _pad(item: Example, others: Others, seed: int) -> str | None:
    text = item.response.strip()
    return f"{text} {Random(seed).choice(FILLERS)}" if text else None


TWICE = Perturbation(
    "said-twice", "drop", "the response, and the same response again",
    "repeating oneself is odd; people like conversations less for it (See et al. 2019, repetition)", _twice,
)  # fmt: skip
PADDED = Perturbation(
    "padding", "no better", "an empty phrase at the end, such as “you know , i mean .”",
    "longer is not better: what people think hardly depends on length (Lowe et al. 2017, table 8)", _pad,
)  # fmt: skip
