"""What a call came to, context by context: replies, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Sequence

from dialometer.core.errors import PartlyFailed

Outcome = list[str] | str  # replies, or a reason


def settled(outcomes: Sequence[Outcome], hint: str) -> list[list[str]]:
    """All replies; where some are missing, PartlyFailed carries those that came.

    >>> settled([["hi"], ["hello"]], "")
    [['hi'], ['hello']]
    """
    reasons = {i: outcome for i, outcome in enumerate(outcomes) if isinstance(outcome, str)}
    if reasons:
        raise PartlyFailed([None if isinstance(one, str) else one for one in outcomes], reasons, hint)
    return [one for one in outcomes if not isinstance(one, str)]
