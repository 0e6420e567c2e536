"""Replies whose quality is known because it was made: an answer to the question, or one that was spoilt on purpose.

Nobody rated them. The numbers are an order by construction, and the two in the middle might change places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialometer.core.seeds import derived
from dialometer.core.types import Example, Turn
from dialometer.flows.demo.corpus import Question
from dialometer.text.perturb import PERTURBATIONS, Others

QUALITY = "constructed"
ORIGINAL = "original"
# How a reply was made → its quality by construction, and the perturbation that made it.
WAYS = {
    ORIGINAL: (3, ""),
    "other-context": (2, "other-response"),
    "generic": (1, "generic"),
    "shuffled": (0, "shuffled-words"),
}
ABOUT = {
    ORIGINAL: "another answer that the corpus has for the same question",
    "other-context": "an answer to another question",
    "generic": "a phrase for all occasions",
    "shuffled": "the original with its words in a random order",
}


def constructed(questions: Sequence[Question], seed: int) -> Iterator[Example]:
    """Every question with a reply of each kind; the references are its other answers, so that no reply is its own reference."""
    originals = [
        Example(f"question-{number:02d}", (Turn("user", one.text),), one.answer, one.others)
        for number, one in enumerate(questions)
    ]
    others = Others.of(originals)
    for item in originals:
        for way, (quality, name) in WAYS.items():
            text = PERTURBATIONS[name].of(item, others, derived(seed, way, item.id)) if name else item.response
            if text is not None:
                yield Example(
                    f"{item.id}-{way}", item.context, text, item.references, way, item.id,
                    ratings={QUALITY: (quality,)}, extra={"quality_by_construction": ABOUT[way]},
                )  # fmt: skip
