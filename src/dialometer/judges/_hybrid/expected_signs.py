"""What each feature of a conversation is expected to say of its quality by what papers found: a sign and a family, no size.

Weights of one size with the right signs are hard to beat when there are few cases to learn from (Dawes 1979, "The robust beauty of
improper linear models"; Wainer 1976). A family shares one weight, so that four spellings of coherence do not count four times.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FAMILIES = {
    "feeling": {  # people who enjoy a conversation sound like it (Ghandeharioun et al. 2019, section 3)
        "user-sentiment": 1,
        "bot-sentiment": 1,
        "sentiment-transition": 1,
        "sentiment-slope": 1,
        "laughter": 1,
    },
    "relatedness": {  # a reply has to do with what was said (the same, and Liu et al. 2016)
        "sentiment-coherence": 1,
        "similarity": 1,
        "average-coherence": 1,
        "extrema-coherence": 1,
        "greedy-coherence": 1,
        "topic": 1,
    },
    "interest": {"question": 1, "turn-words": 1, "user-words": 1, "balance": 1},  # both sides say something, and ask
    "variety": {"repeats-itself": -1, "repeats-before": -1, "own-distinct-1": 1, "own-distinct-2": 1},
}


def expected_weights(names: Sequence[str]) -> np.ndarray:
    """A weight per column, whose sizes sum to 1; 0 for columns of which nothing is expected, such as how long it went on.

    >>> expected_weights(["similarity", "topic", "repeats-before", "replies"]).tolist()
    [0.25, 0.25, -0.5, 0.0]
    """
    found = np.zeros(len(names))
    for signs in FAMILIES.values():
        known = [place for place, name in enumerate(names) if name in signs]
        for place in known:
            found[place] = signs[names[place]] / len(known)
    total = np.abs(found).sum()
    return found / total if total else found
