"""All perturbations by name, in the order they are shown."""

from __future__ import annotations

from dialometer.text.perturb.additions import PADDED, TWICE
from dialometer.text.perturb.copies import COPY_CONTEXT, COPY_REFERENCE, GENERIC_REPLY, OTHER_RESPONSE
from dialometer.text.perturb.drops import EMPTY, NO_PUNCTUATION, NO_STOP_WORDS, TRUNCATED
from dialometer.text.perturb.entity import ENTITY
from dialometer.text.perturb.kinds import Perturbation
from dialometer.text.perturb.negation import NEGATED
from dialometer.text.perturb.order import REVERSED, SHUFFLED
from dialometer.text.perturb.surface import LOWER_CASE, TYPOS

PERTURBATIONS: dict[str, Perturbation] = {
    perturbation.name: perturbation
    for perturbation in (
        COPY_REFERENCE, NO_PUNCTUATION, LOWER_CASE, TYPOS, PADDED, GENERIC_REPLY, TWICE, NO_STOP_WORDS, REVERSED, SHUFFLED,
        TRUNCATED, NEGATED, ENTITY, COPY_CONTEXT, OTHER_RESPONSE, EMPTY,
    )
}  # fmt: skip
