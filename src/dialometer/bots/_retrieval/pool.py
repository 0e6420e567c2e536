"""What a retrieval bot may say: the turns of conversations, each with what was said before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice

import numpy as np

from dialometer.bots._shared.ask import clean
from dialometer.bots.random import whole_texts
from dialometer.core.artifacts import check_arrays, digest
from dialometer.core.errors import NeedsError
from dialometer.core.types import Turn
from dialometer.text.corpus import Rows
from dialometer.text.texts import Texts
from dialometer.text.training_overlap import text_hashes


@dataclass(frozen=True, eq=False)
class ResponsePool:
    """Different utterances, and conversations as rows of them. Every turn but a conversation's first is an entry: a reply."""

    texts: Texts
    talks: Rows

    @classmethod
    def of(cls, talks: Sequence[Sequence[str]], name: str) -> ResponsePool:
        """Conversations without silent turns; at least one must have a reply.

        >>> pool = ResponsePool.of([["tea ?", "yes ."], ["yes .", "why ?", "so ."]], "tfidf")
        >>> [pool.texts[row] for row in pool.replies]
        ['yes .', 'why ?', 'so .']
        """
        spoken = [[text for text in talk if text.strip()] for talk in talks]
        texts, rows = Texts.distinct([text for talk in spoken for text in talk])
        starts = np.concatenate([[0], np.cumsum([len(talk) for talk in spoken if talk], dtype=np.int64)])
        if not (np.diff(starts) > 1).any():
            raise NeedsError(
                f"{name} learns from replies, and no conversation here has two turns with words",
                "train on conversations: files whose items have turns, or a context",
            )
        return cls(texts, Rows(starts, rows.astype(np.int32)))

    @cached_property
    def entries(self) -> np.ndarray:
        """Where in ``talks.rows`` the replies stand."""
        first = np.zeros(len(self.talks.rows), bool)
        first[self.talks.starts[:-1]] = True
        return np.flatnonzero(~first)

    @cached_property
    def replies(self) -> np.ndarray:
        """The text of each entry."""
        return self.talks.rows[self.entries]

    @cached_property
    def talk(self) -> np.ndarray:
        """The conversation of each entry."""
        return np.searchsorted(self.talks.starts, self.entries, "right") - 1

    @cached_property
    def openers(self) -> np.ndarray:
        """The texts that open conversations."""
        return np.unique(self.talks.rows[self.talks.starts[:-1]])

    @cached_property
    def hashes(self) -> np.ndarray:
        """Of each text, by letters and digits alone (``text.seen``)."""
        return text_hashes(self.texts)

    def contexts(self, turns: int) -> Rows:
        """The texts of the last turns before each entry."""
        begin = np.maximum(self.talks.starts[self.talk], self.entries - turns)
        lengths = self.entries - begin
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return Rows(starts, self.talks.rows[np.repeat(begin - starts[:-1], lengths) + np.arange(starts[-1])])

    def opened(self, draw: np.random.Generator, n: int) -> list[str]:
        """Openers in a drawn order; where there are fewer than n, again from the first."""
        rows = draw.permutation(self.openers)[:n].tolist()
        return list(islice(cycle(self.texts[row] for row in rows), n))

    @property
    def digest(self) -> str:
        """Of all that was said, in its order."""
        return digest(self.texts.bytes, self.texts.starts, self.talks.starts, self.talks.rows)

    def arrays(self) -> dict[str, np.ndarray]:
        """What is saved."""
        talks = {"talk_starts": self.talks.starts, "talk_rows": self.talks.rows}
        return {"texts": self.texts.bytes, "text_starts": self.texts.starts, **talks}

    @classmethod
    def from_arrays(cls, texts: np.ndarray, text_starts: np.ndarray, starts: np.ndarray, rows: np.ndarray) -> ResponsePool:
        """What was saved, if it fits together."""
        check_arrays({"talk_starts": starts, "talk_rows": rows}, talk_starts="whole talks", talk_rows="whole turns")
        made = whole_texts(texts, text_starts)
        if len(starts) < 2 or not len(rows):
            raise ValueError("it holds no conversations")
        wrong = (
            starts[0] != 0
            or starts[-1] != len(rows)
            or (starts[1:] <= starts[:-1]).any()
            or not (np.diff(starts) > 1).any()
        )
        if wrong or rows.min() < 0 or rows.max() >= len(made):
            raise ValueError("its turns and conversations do not fit together")
        return cls(made, Rows(starts.astype(np.int64), rows.astype(np.int32)))


def turns_of(contexts: Sequence[tuple[Turn, ...]], turns: int) -> tuple[Texts, Rows]:
    """The different texts of the last turns of some contexts, cleaned, and the rows of each; silent turns say nothing."""
    said = [[text for turn in context if (text := clean(turn.text))][-turns:] for context in contexts]
    texts, rows = Texts.distinct([text for context in said for text in context])
    starts = np.concatenate([[0], np.cumsum([len(context) for context in said], dtype=np.int64)])
    return texts, Rows(starts, rows.astype(np.int32))
