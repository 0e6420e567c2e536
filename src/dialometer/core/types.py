"""The data types: dialogues, examples, scores, ratings and preferences, all frozen.

Ids are the only join key. ``group`` names what shares a prompt or a dialogue; ``extra`` keeps every unknown
field, so that nothing is lost between reading and writing.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np

Rating = float | int | None
KappaWeights = Literal["quadratic", "linear", "none"]  # how Cohen's κ counts a disagreement
BOTS = frozenset({"bot", "assistant", "model", "system"})
USERS = frozenset({"user", "human"})
RatingLists = Mapping[str, tuple[Rating, ...]]


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of a dialogue."""

    speaker: str
    text: str
    vote: float | str | None = None
    time: float | str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """One response in its context, with its references and ratings.

    ``after`` are the turns that followed: up to the system's next reply, and at least to the next turn of another speaker.
    ``own`` are the speakers whose turns are the system's; empty where that is unknown, or in self-play: then each turn
    replies to the one before.
    """

    id: str
    context: tuple[Turn, ...]
    response: str
    references: tuple[str, ...] = ()
    system: str = ""
    group: str = ""
    ratings: RatingLists = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    after: tuple[Turn, ...] = ()
    own: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        """The key that this item shares with others: its group, else a hash of its context, else its own id."""
        if self.group:
            return self.group
        return f"context:{context_hash(self.context)}" if self.context else f"item:{self.id}"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue of one system."""

    id: str
    system: str
    turns: tuple[Turn, ...]
    group: str = ""
    ratings: RatingLists = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def examples(self) -> Iterator[Example]:
        """One example per reply of the system, id ``<dialogue>#<turn>``.

        >>> d = Dialogue("d1", "eliza", (Turn("user", "hi"), Turn("bot", "hello"), Turn("user", "bye")))
        >>> [(e.id, e.response, len(e.context), e.after[0].text) for e in d.examples()]
        [('d1#1', 'hello', 1, 'bye')]
        """
        group, turns, speakers = self.group or self.id, self.turns, self.speakers
        replies = [i for i in range(1, len(turns)) if turns[i].speaker in speakers]
        own = () if replies and self._mirrors(replies[0]) else tuple(sorted(speakers))
        others = [i for i, turn in enumerate(turns) if turn.speaker not in own]
        for i, following in pairwise([*replies, len(turns)]):
            place = bisect(others, i)
            answer = others[place] if place < len(others) else i + 1
            after = turns[i + 1 : max(following, answer + 1)]
            yield Example(f"{self.id}#{i}", turns[:i], turns[i].text, (), self.system, group, after=after, own=own)

    def _mirrors(self, first: int) -> bool:
        """Whether this is self-play: from its first reply on all speakers are the system's, and they are several or unnamed."""
        voices = {turn.speaker for turn in self.turns[first:]}
        return voices <= self.speakers and (len(voices) > 1 or voices == {""})

    @property
    def speakers(self) -> frozenset[str]:
        """The system's speakers: ``rated_speaker``, the system's name, bot or assistant, all but the user, or all."""
        found = {turn.speaker for turn in self.turns}
        rated = self.extra.get("rated_speaker")
        if rated in found:
            return frozenset([rated])
        if self.system and self.system in found:
            return frozenset([self.system])
        bots = frozenset(speaker for speaker in found if speaker.lower() in BOTS)
        return bots or frozenset(speaker for speaker in found if speaker.lower() not in USERS)


@dataclass(frozen=True, slots=True)
class Scores:
    """Columns of numbers, one row per item; NaN means not scored."""

    items: tuple[str, ...]
    columns: dict[str, np.ndarray]
    recipes: dict[str, str]

    def mean(self, column: str) -> tuple[float, int]:
        """The mean over the scored items, and how many they are."""
        values = self.columns[column]
        seen = values[values == values]
        return (float(seen.mean()) if seen.size else float("nan")), int(seen.size)


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings in long form, one row each; names are stored once, and rows hold indices.

    A declined rating has no row. ``rater`` is −1 where the rater is unknown. ``check`` is NaN for a
    rating, 1 for an attention check that was passed and 0 for one that was failed; ``seconds`` is NaN where it was not recorded.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    qualities: tuple[str, ...]
    item: np.ndarray
    rater: np.ndarray
    quality: np.ndarray
    value: np.ndarray
    seconds: np.ndarray
    check: np.ndarray

    def __len__(self) -> int:
        return len(self.value)

    @property
    def named(self) -> bool:
        """Whether every rating has a rater."""
        return bool((self.rater >= 0).all())

    def rows(self, chosen: np.ndarray) -> Ratings:
        """Only these rows (a mask or row numbers), with the same names and indices."""
        arrays = (self.item, self.rater, self.quality, self.value, self.seconds, self.check)
        return Ratings(self.items, self.raters, self.qualities, *(array[chosen] for array in arrays))

    def of(self, quality: str) -> Ratings:
        """The ratings of one quality; without attention checks, which are about raters."""
        number = self.qualities.index(quality)
        return self.rows((self.quality == number) & (self.check != self.check))


@dataclass(frozen=True, slots=True)
class Preferences:
    """Pairwise preferences in long form: which of systems a and b is better at an item; 1 = a, −1 = b, 0 = tie."""

    items: tuple[str, ...]
    systems: tuple[str, ...]
    raters: tuple[str, ...]
    qualities: tuple[str, ...]
    item: np.ndarray
    a: np.ndarray
    b: np.ndarray
    rater: np.ndarray
    quality: np.ndarray
    choice: np.ndarray

    def __len__(self) -> int:
        return len(self.choice)

    def of(self, quality: str) -> Preferences:
        """The ratings of one quality."""
        chosen = self.quality == self.qualities.index(quality)
        arrays = (self.item, self.a, self.b, self.rater, self.quality, self.choice)
        return Preferences(self.items, self.systems, self.raters, self.qualities, *(array[chosen] for array in arrays))


@dataclass(frozen=True, slots=True)
class Systems:
    """Factors of the systems for an analysis of variance: system → factor → level."""

    factors: Mapping[str, Mapping[str, str]]

    @property
    def names(self) -> tuple[str, ...]:
        """The factors that every system has a level of."""
        kinds = [set(levels) for levels in self.factors.values()]
        shared = set.intersection(*kinds) if kinds else set()
        return tuple(sorted(shared))


def context_hash(context: tuple[Turn, ...]) -> str:
    """A short stable key of a context: BLAKE2b over its texts in order."""
    digest = blake2b(digest_size=8)
    for turn in context:
        data = turn.text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
