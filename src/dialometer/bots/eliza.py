"""``eliza``: the psychotherapist by rules (Weizenbaum 1966), with the rules of NLTK's ``nltk.chat.eliza``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import cycle, islice
from typing import ClassVar

import numpy as np

from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource
from dialometer.core.recipes import short
from dialometer.core.seeds import seeds_for, streams
from dialometer.core.types import Turn

OPENER = "Hello. How are you feeling today?"  # where nobody has said anything yet
WORDS = 100  # of the turn that is replied to: the rules look at its beginning, and the reply repeats the rest


@dataclass(frozen=True)
class _Rules:
    """Patterns with their replies, first match first, and words that change sides (I → you)."""

    pairs: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    mirror: dict[str, str]
    sides: re.Pattern[str]
    digest: str

    def reflected(self, text: str) -> str:
        """What was said, from the other side.

        >>> _rules().reflected("my tea is for me")
        'your tea is for you'
        """
        return self.sides.sub(lambda found: self.mirror[found[0]], text.lower())

    def filled(self, reply: str, match: re.Match[str]) -> str:
        """A rule's reply with what was said in its places %1, %2 …; doubled marks at the end mended."""
        said = re.sub(r"%(\d)", lambda place: self.reflected(match[int(place[1])]), reply)
        return said[:-2] + said[-1] if said.endswith("?.") else said[:-1] if said.endswith("??") else said


@dataclass(frozen=True)
class Eliza:
    """The first rule that fits what was said last gives the reply, one of its several by chance.

    Of n replies the further ones come from the same rule, then from the next rule that fits.

    >>> Eliza().reply([(Turn("a", "I need tea ."),)], n=3, seed=[5])
    [['Would it really help you to get tea?', 'Are you sure you need tea?', 'Why do you need tea?']]
    """

    name: ClassVar[str] = "eliza"
    version: ClassVar[int] = 1

    @property
    def recipe(self) -> str:
        """A hash of the rules."""
        return short(self, _rules().digest)

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """n replies to the last turn of each context."""
        draws = streams(seeds_for(seed, contexts))
        return [
            list(islice(cycle(islice(_replies(context[-1].text, draw), n)), n)) if context else [OPENER] * n
            for context, draw in zip(contexts, draws, strict=True)
        ]


def _replies(text: str, draw: np.random.Generator) -> Iterator[str]:
    """What the rules say, most fitting rule first, the replies of a rule in a drawn order."""
    rules = _rules()
    said = " ".join(text.split()[:WORDS]).rstrip("!. ")
    for pattern, replies in rules.pairs:
        if match := pattern.match(said):
            for number in draw.permutation(len(replies)).tolist():
                yield rules.filled(replies[number], match)


@lru_cache(maxsize=1)
def _rules() -> _Rules:
    try:
        from nltk.chat.eliza import pairs
        from nltk.chat.util import reflections
    except ImportError:
        raise MissingResource("eliza needs the package nltk for its rules", 'pip install "dialometer[bots]"') from None
    longest = sorted(reflections, key=len, reverse=True)
    return _Rules(
        tuple((re.compile(pattern, re.IGNORECASE), tuple(replies)) for pattern, replies in pairs),
        dict(reflections),
        re.compile(rf"\b({'|'.join(map(re.escape, longest))})\b"),
        digest(repr((pairs, reflections)).encode()),
    )
