"""``tfidf``: says what was said in the most similar place, by the cosine of tf-idf vectors (Liu et al. 2016, section 4.1).

C-TFIDF (``mode=context``) compares the context with those of the pool and gives the reply that followed there; R-TFIDF
(``mode=response``) compares it with the replies themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from dialometer.bots._retrieval.pool import ResponsePool, turns_of
from dialometer.bots._retrieval.target_exclusion import EXCLUSIONS, TargetExclusion
from dialometer.bots._shared.options import check_one_of
from dialometer.bots._shared.outcome import Outcome, settled
from dialometer.core.artifacts import open_artifact, save_artifact
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.core.ranges import Turns, check_fields
from dialometer.core.recipes import short
from dialometer.core.seeds import seeds_for, streams
from dialometer.core.types import Turn
from dialometer.text.corpus import Rows
from dialometer.text.retrieval.tfidf_index import IDF, TfidfIndex, TfidfSpace, cosines
from dialometer.text.table import TokenTable, build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import seen_texts

MODES = ("context", "response")


class Found(NamedTuple):
    """A reply, and the cosine that found it."""

    reply: str
    score: float


@dataclass(frozen=True)
class Tfidf:
    """The reply of the most similar context, or the most similar reply; the last ``turns`` turns count.

    ``own`` says what is excluded from the pool, so that no test item leaks into it (``target_exclusion``): with ``drop`` the
    entries with exactly this context, or, where ``best`` is told the truth, the one occurrence of it; with ``strict`` all that was
    said in reply to it, wherever it was said; with ``keep`` nothing, for talking rather than measuring. Equal cosines come in the
    order of the pool. A context without a word of the pool gets the pool's first replies; an empty one an opener, by its seed.

    >>> bot = Tfidf().fit([["do you like tea ?", "yes , with milk ."], ["how is the weather ?", "it rains ."]])
    >>> bot.reply([(Turn("a", "what is your tea like ?"),), (Turn("a", "is the weather fine ?"),)])
    [['yes , with milk .'], ['it rains .']]
    """

    mode: str = field(default="context", metadata={"recipe": "always"})
    turns: Turns = 10
    own: str = "drop"
    idf: str = "paper"
    tok: str = "words"
    pool: ResponsePool | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "tfidf"
    version: ClassVar[int] = 1
    adjustable: ClassVar[tuple[str, ...]] = ("own",)

    def __post_init__(self) -> None:
        check_one_of(self, "mode", MODES)
        check_one_of(self, "own", list(EXCLUSIONS))
        check_one_of(self, "idf", list(IDF))
        check_fields(self)

    @property
    def recipe(self) -> str:
        """Options and a hash of the conversations."""
        return short(self, self._pool().digest)

    @property
    def fitted(self) -> bool:
        """Whether it has a pool."""
        return self.pool is not None

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Keep the conversations; nothing is drawn, so the seed changes nothing."""
        made = replace(self, pool=ResponsePool.of(talks, self.name))
        _ = made._searcher().space  # refuses now what cannot be searched
        if progress:
            progress("fitting tfidf", 1, 1)
        return made

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """The n best replies, all different; where the pool has fewer, again from the first."""
        draws = streams(seeds_for(seed, contexts))
        outcomes: list[Outcome] = []
        for context, found, draw in zip(contexts, self.best(contexts, n=n), draws, strict=True):
            if not context:
                outcomes.append(self._pool().opened(draw, n))
            elif found:
                outcomes.append(list(islice(cycle(one.reply for one in found), n)))
            else:
                outcomes.append("tfidf has no reply left once this context's own are out of the pool")
        return settled(outcomes, "tfidf(own=keep), or train it on more conversations")

    def best(
        self, contexts: Sequence[tuple[Turn, ...]], *, truths: Sequence[str] | None = None, n: int = 1
    ) -> list[list[Found]]:
        """Up to n different replies with their cosines; ``truths`` are the true replies, where they are known."""
        texts, rows = turns_of(contexts, self.turns)
        searcher = self._searcher()
        docs, scores = searcher.index.search(
            searcher.vectors(texts, rows), n, searcher.excluded(self.own, texts, rows, truths)
        )
        replies = self._pool().texts
        return [
            [Found(replies[int(searcher.index.reply[doc])], score) for doc, score in zip(*pair, strict=True) if doc >= 0]
            for pair in zip(docs.tolist(), scores.tolist(), strict=True)
        ]

    def scores(self, contexts: Sequence[tuple[Turn, ...]], candidates: Sequence[Sequence[str]]) -> np.ndarray:
        """(n, m): the cosine of each context with its m candidate replies."""
        searcher = self._searcher()
        texts, which = Texts.distinct([text for some in candidates for text in some])
        replies = searcher.vectors(texts, Rows.of([[row] for row in range(len(texts))]))
        left = searcher.vectors(*turns_of(contexts, self.turns))
        return cosines(left, replies, which.reshape(len(contexts), -1))

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        pool = self._pool()
        facts = {"talks": len(pool.talks.starts) - 1, "utterances": len(pool.talks.rows), "replies": len(pool.replies)}
        save_artifact(folder, "bot", self, pool.arrays(), **facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved pool."""
        card, a = open_artifact(folder, cls)
        pool = ResponsePool.from_arrays(a["texts"], a["text_starts"], a["talk_starts"], a["talk_rows"])
        return cls(**card["options"], pool=pool)

    def seen(self) -> np.ndarray:
        """Hashes of the texts of the pool."""
        return seen_texts(self._pool().texts)

    def _pool(self) -> ResponsePool:
        if self.pool is None:
            raise NeedsError(
                "tfidf has no conversations to take replies from",
                "dialometer train tfidf FILE… and the folder it prints as the spec",
            )
        return self.pool

    def _searcher(self) -> _Searcher:
        return _searcher(self._pool(), self.mode, self.turns, self.idf, self.tok)


@dataclass(frozen=True, eq=False)
class _Searcher:
    """A pool made ready for searching; ``index`` has a document per entry, or per different reply."""

    pool: ResponsePool
    mode: str
    turns: int
    idf: str
    tok: str

    @cached_property
    def table(self) -> TokenTable:
        return build_table(self.pool.texts, tokeniser(self.tok))

    @cached_property
    def space(self) -> TfidfSpace:
        return TfidfSpace.of(self.table, self.pool.talks, self.idf)

    @cached_property
    def index(self) -> TfidfIndex:
        if self.mode == "context":
            return TfidfIndex.of(self.space, self.table, self.pool.contexts(self.turns), self.pool.replies)
        replies = self.texts
        return TfidfIndex.of(self.space, self.table, Rows(np.arange(len(replies) + 1), replies), replies)

    @cached_property
    def texts(self) -> np.ndarray:
        """The different replies, in the order in which they were first said."""
        texts, first = np.unique(self.pool.replies, return_index=True)
        return texts[np.argsort(first)]

    @cached_property
    def exclusion(self) -> TargetExclusion:
        return TargetExclusion(self.pool, self.turns)

    def vectors(self, texts: Texts, rows: Rows) -> Any:
        """Tf-idf of contexts or replies."""
        return self.space.vectors(build_table(texts, tokeniser(self.tok)), rows)

    def excluded(self, how: str, texts: Texts, rows: Rows, truths: Sequence[str] | None) -> Rows:
        """The documents that are excluded for each context: a text is excluded when all of its entries are."""
        entries = self.exclusion.excluded(how, texts, rows, truths)
        if self.mode == "context":
            return entries
        size = len(self.pool.texts)
        said = np.bincount(self.pool.replies, minlength=size)
        item = np.repeat(np.arange(len(rows.starts) - 1), entries.counts())
        pairs, counts = np.unique(item * size + self.pool.replies[entries.rows], return_counts=True)
        gone = pairs[counts == said[pairs % size]]
        place = np.zeros(size, np.int32)
        place[self.texts] = np.arange(len(self.texts))
        starts = np.searchsorted(gone, np.arange(len(rows.starts)) * size)
        return Rows(starts.astype(np.int64), place[gone % size])


@lru_cache(maxsize=4)
def _searcher(pool: ResponsePool, mode: str, turns: int, idf: str, tok: str) -> _Searcher:
    return _Searcher(pool, mode, turns, idf, tok)
