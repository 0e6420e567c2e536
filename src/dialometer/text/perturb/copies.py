"""Replacements of the response: by a generic phrase, the context, the reference, or the response of another item."""

from __future__ import annotations

from random import Random

from dialometer.core.types import Example
from dialometer.text.perturb.kinds import Others, Perturbation

GENERIC = (
    "i don't know .",
    "i'm not sure .",
    "that's great .",
    "i see .",
    "i think so too .",
    "what do you mean ?",
)


def _generic(item: Example, others: Others, seed: int) -> str | None:
    return Random(seed).choice(GENERIC)


def _context(item: Example, others: Others, seed: int) -> str | None:
    text = item.context[-1].text if item.context else ""
    return text if text.strip() else None


def _reference(item: Example, others: Others, seed: int) -> str | None:
    """The first reference; a response that equals any of them has nowhere to rise."""
    known = [text for text in item.references if text.strip()]
    return known[0] if known and item.response not in known else None


def _other(item: Example, others: Others, seed: int) -> str | None:
    """A response of another document, and not one that this item's references hold."""
    start, taken = Random(seed).randrange(len(others.responses) or 1), {item.response, *item.references}
    for document, text in others.responses[start:] + others.responses[:start]:
        if document != item.document and text not in taken:
            return text
    return None


GENERIC_REPLY = Perturbation(
    "generic", "no better", f"a phrase for all occasions: {' / '.join(GENERIC)}",
    "it is safe and says nothing (Sai et al. 2021, templates for interest; static replies of Vasselli et al. 2025)", _generic,
)  # fmt: skip
COPY_CONTEXT = Perturbation(
    "copy-context", "drop", "the last turn of the context, word for word",
    "a parrot is on topic and answers nothing (Sai et al. 2021, templates for repetition; Vasselli et al. 2025)", _context,
)  # fmt: skip
COPY_REFERENCE = Perturbation(
    "copy-reference", "rise", "the first reference, where the response is not one of them already",
    "a human wrote it for this very context: nothing should score higher", _reference,
)  # fmt: skip
OTHER_RESPONSE = Perturbation(
    "other-response", "drop", "the response to another context",
    "it does not answer what was said: a random negative (Sai et al. 2020)", _other,
)  # fmt: skip
