"""``human``: says what people said; for a context that occurs in recorded conversations, the turn that followed it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import cycle, islice
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from dialometer.bots._shared.ask import clean
from dialometer.bots._shared.outcome import Outcome, settled
from dialometer.bots.random import whole_texts
from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import DataError, NeedsError, SpecError
from dialometer.core.protocols import Progress
from dialometer.core.recipes import short
from dialometer.core.seeds import seeds_for, streams
from dialometer.core.types import Turn
from dialometer.text.lines import file_digest, read_paragraphs
from dialometer.text.texts import Texts
from dialometer.text.training_overlap import seen_texts, text_hashes

SHOWN = 60  # letters of a turn that a message quotes


@dataclass(frozen=True, eq=False)
class _Record:
    """Turns end to end; conversation i has those from ``starts[i]`` to ``starts[i+1]``."""

    texts: Texts
    starts: np.ndarray

    @classmethod
    def of(cls, talks: Sequence[Sequence[str]]) -> _Record:
        """Conversations that have a turn."""
        kept = [talk for talk in talks if len(talk)]
        starts = np.concatenate([[0], np.cumsum([len(talk) for talk in kept], dtype=np.int64)])
        return cls(Texts.of(text for talk in kept for text in talk), starts)

    @cached_property
    def hashes(self) -> np.ndarray:
        """Of each turn, by letters and digits alone (``text.seen``)."""
        return text_hashes(self.texts)

    @cached_property
    def order(self) -> np.ndarray:
        """Turns by hash, equal ones as they were recorded."""
        return np.argsort(self.hashes, kind="stable")

    def followers(self, context: tuple[Turn, ...]) -> np.ndarray:
        """The turns that came right after these turns, in any conversation; at the start of one if there are none."""
        if not context:
            return self.starts[:-1]
        *before, last = text_hashes(clean(turn.text) for turn in context)
        low, high = (np.searchsorted(self.hashes, last, side, sorter=self.order) for side in ("left", "right"))
        found = np.sort(self.order[low:high]) + 1
        turns_before = found - self.starts[np.searchsorted(self.starts, found, "right") - 1]  # in its own conversation
        found = found[turns_before > len(before)]
        for back, wanted in enumerate(reversed(before), 2):
            if not len(found):
                break
            found = found[self.hashes[found - back] == wanted]
        return found


@dataclass(frozen=True)
class Human:
    """One of the replies that people gave to the same turns, by chance; case and marks of texts do not matter.

    ``file`` names recorded conversations in plain text: a turn a line, an empty line between conversations.

    >>> bot = Human().fit([["Tea ?", "Yes please .", "Here you are ."]])
    >>> bot.reply([(Turn("a", "tea?"),), (Turn("a", "tea?"), Turn("b", "yes, please")), ()])
    [['Yes please .'], ['Here you are .'], ['Tea ?']]
    """

    file: str = field(default="", metadata={"recipe": False})  # the recipe has a hash of the conversations instead
    record: _Record | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "human"
    version: ClassVar[int] = 1

    @property
    def recipe(self) -> str:
        """A hash of the conversations."""
        record = self._record()
        return short(self, digest(record.texts.bytes, record.texts.starts, record.starts))

    @property
    def fitted(self) -> bool:
        """Whether it holds conversations, or names the file that they come from."""
        return self.record is not None or bool(self.file)

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Keep the conversations."""
        if self.file:
            raise SpecError("human(file=…) names its own source", "leave it out to fit on other conversations")
        if not any(_has_reply(talk) for talk in talks):
            raise NeedsError(
                "human cannot replay conversations in which nobody replies",
                "give a file with conversations of two turns or more",
            )
        if progress:
            progress("fitting human", 1, 1)
        return replace(self, record=_Record.of(talks))

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """Recorded replies in a drawn order, different ones first; a context that nobody had is a failure of its own."""
        record, outcomes = self._record(), list[Outcome]()
        draws = streams(seeds_for(seed, contexts))
        for context, draw in zip(contexts, draws, strict=True):
            rows = draw.permutation(record.followers(context)).tolist()
            outcomes.append(_some(record.texts, rows, n) if rows else _unknown(context))
        return settled(outcomes, "dialometer train human FILE… with the conversations of these contexts")

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        record = self._record()
        arrays = {"texts": record.texts.bytes, "text_starts": record.texts.starts, "talk_starts": record.starts}
        facts = {"talks": len(record.starts) - 1, "utterances": len(record.texts)}
        save_artifact(folder, "bot", replace(self, file=""), arrays, **facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Saved conversations."""
        card, arrays = open_artifact(folder, cls)
        check_arrays(arrays, talk_starts="whole n")
        texts, starts = whole_texts(arrays["texts"], arrays["text_starts"]), arrays["talk_starts"]
        if not len(starts) or starts[0] != 0 or starts[-1] != len(texts) or (starts[1:] <= starts[:-1]).any():
            raise ValueError("its turns and conversations do not fit together")
        return cls(**card["options"], record=_Record(texts, starts))

    def seen(self) -> np.ndarray:
        """Hashes of the turns."""
        return seen_texts(self._record().texts)

    def _record(self) -> _Record:
        if self.record is not None:
            return self.record
        if not self.file:
            raise NeedsError(
                "human has no recorded conversations to replay",
                "human(file=FILE.txt), or dialometer train human FILE… and the folder it prints as the spec",
            )
        return _read(self.file, file_digest(self.file))


def _has_reply(talk: Sequence[str]) -> bool:
    return sum(bool(text.strip()) for text in talk) > 1


def _some(texts: Texts, rows: list[int], n: int) -> list[str]:
    """The first n different texts; where there are fewer, again from the first."""
    found: dict[str, None] = {}
    for row in rows:
        if len(found) == n:
            break
        found.setdefault(texts[row])
    return list(islice(cycle(found), n))


def _unknown(context: tuple[Turn, ...]) -> str:
    last = clean(context[-1].text)
    shown = last if len(last) <= SHOWN else f"{last[:SHOWN].rstrip()}…"
    turns = f"these {len(context)} turns, the last of them" if len(context) > 1 else "this turn:"
    return f"human has no recorded reply to {turns} {shown!r}"


@lru_cache(maxsize=4)
def _read(path: str, content: str) -> _Record:
    """The conversations of a file; ``content`` is its digest."""
    talks = read_paragraphs(path)
    if not any(_has_reply(talk) for talk in talks):
        raise DataError(
            "holds no conversation of two turns", file=path, hint="a turn a line, an empty line between conversations"
        )
    return _Record.of(talks)
