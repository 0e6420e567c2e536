"""How a ``dualencoder`` is trained, what it leaves, and how well it finds true replies beside tf-idf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.bots._retrieval.pool import ResponsePool
from dialometer.bots._retrieval.recall import CANDIDATES, candidates, chance, recall_at
from dialometer.core.artifacts import digest
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.nets.encoders.dual_encoder import (
    BATCH,
    HEARD,
    LONGEST,
    ContextResponsePairs,
    DualEncoder,
    DualEncoderSizes,
    contexts,
    learn,
    model_of,
    texts,
)  # fmt: skip
from dialometer.nets.training.batches import held_out
from dialometer.nets.training.memory_estimate import require_training
from dialometer.nets.training.vocabulary import FIRST, Symbols
from dialometer.text.corpus import Rows
from dialometer.text.retrieval.tfidf_index import TfidfSpace, cosines
from dialometer.text.table import TokenTable, build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import seen_texts

if TYPE_CHECKING:
    from dialometer.bots.dualencoder import Dualencoder

Watch = tuple[np.ndarray, np.ndarray]  # pairs, and the rows of their candidate replies among these pairs


@dataclass(frozen=True, eq=False)
class DualEncoderState:
    """What training left: words, weights, the replies with their vectors, openers, what it saw, facts."""

    symbols: Symbols
    sizes: DualEncoderSizes
    weights: dict[str, np.ndarray]
    replies: Texts
    vectors: np.ndarray
    openers: Texts
    seen: np.ndarray
    facts: dict[str, Any]

    @property
    def digest(self) -> str:
        """Of words, weights and replies."""
        weights = (self.weights[name] for name in sorted(self.weights))
        return digest(self.symbols.words.bytes, self.replies.bytes, self.replies.starts, *weights)


def trained(
    bot: Dualencoder, talks: Sequence[Sequence[str]], *, seed: int, work: Path | None, progress: Progress | None
) -> DualEncoderState:
    """Train on conversations; a twentieth of them decides when to stop, and tells recall among ten candidates."""
    said = ResponsePool.of(talks, bot.name)
    table = build_table(said.texts, tokeniser(bot.tok))
    if not len(table.ids):
        raise NeedsError(f"{bot.name} cannot be trained on a text without words", "give a file of conversations")
    symbols = Symbols.most_frequent(table, bot.vocabulary)
    sizes = DualEncoderSizes(len(symbols), bot.dim, bot.hidden, bot.negatives, bot.epochs)
    states = 4.0 * 2 * BATCH * (LONGEST * bot.dim * 3 + HEARD * bot.hidden * 8)
    require_training(bot, sizes.model, ("dim", "hidden", "vocabulary"), states=states)
    numbers = symbols.numbers(table.spellings())[table.ids]
    data = ContextResponsePairs.of(numbers, table.starts, said.contexts(bot.turns), said.replies)
    rows, watch = _parted(said, seed)
    idf = _idf(table, said.talks, symbols)
    weights, at = learn(data, rows, idf, sizes, watch=watch, seed=seed, work=work, progress=progress)
    model, pool = model_of(weights, sizes), _latest(said.replies, bot.pool)
    facts = {
        "talks": len(said.talks.starts) - 1, "pairs": len(said.replies), "words": len(symbols.words), "replies": len(pool),
        "parameters": sum(array.size for array in weights.values()), "steps": at.step,
        "losses": at.losses, "validation": at.validation, "curve": at.curve,
        "recall": _recall(model, data, said, table, watch) if len(watch[0]) else None,
    }  # fmt: skip
    return DualEncoderState(
        symbols, sizes, weights, _some(said.texts, pool), texts(model, *data.answered(pool)),
        _some(said.texts, said.openers), seen_texts(said.texts), facts,
    )  # fmt: skip


def _parted(said: ResponsePool, seed: int) -> tuple[np.ndarray, Watch]:
    """The pairs to learn from, and those of conversations held out, with candidates; none where too few differ."""
    held = held_out(said.talk, seed)
    watch = np.flatnonzero(held)
    if len(np.unique(said.replies[watch])) < 2:
        return np.arange(len(held)), (watch[:0], np.zeros((0, CANDIDATES), np.int64))
    return np.flatnonzero(~held), (watch, candidates(said.replies[watch], seed=seed))


def _idf(table: TokenTable, talks: Rows, symbols: Symbols) -> np.ndarray:
    """The weight of each symbol at the start: ln(N / N_w) over conversations, 0 for what is no word."""
    weights = np.zeros(len(symbols))
    try:
        space = TfidfSpace.of(table, talks)
        weights[symbols.numbers(space.words)] = space.idf
    except NeedsError:  # of one conversation all words weigh alike
        weights[:] = 1.0
    weights[:FIRST] = 0.0  # words beyond the vocabulary went there
    return weights


def _latest(replies: np.ndarray, limit: int) -> np.ndarray:
    """The different replies in the order in which they were last said, the last ``limit`` of them."""
    different, back = np.unique(replies[::-1], return_index=True)
    return different[np.argsort(-back)][-limit:]


def _some(said: Texts, rows: np.ndarray) -> Texts:
    return Texts.of(said[row] for row in rows.tolist())


def _recall(
    model: DualEncoder, data: ContextResponsePairs, said: ResponsePool, table: TokenTable, watch: Watch
) -> Mapping[str, Any]:
    """Recall@k on the pairs held out, beside tf-idf's (response mode, weights of the other conversations) and chance."""
    rows, which = watch
    replies = texts(model, *data.answered(said.replies[rows]))
    mine = (contexts(model, *data.asked(rows))[:, None] * replies[which]).sum(axis=2)
    others = np.setdiff1d(np.arange(len(said.talks.starts) - 1), said.talk[rows])
    space = TfidfSpace.of(table, said.talks.grouped(others, np.arange(len(others))))
    before = data.contexts.grouped(rows, np.arange(len(rows)))
    after = Rows(np.arange(len(rows) + 1), said.replies[rows])
    theirs = cosines(space.vectors(table, before), space.vectors(table, after), which)
    found = {"dualencoder": recall_at(mine, 0), "tfidf": recall_at(theirs, 0), "chance": chance()}
    named = {name: {f"@{k}": value for k, value in at.items()} for name, at in found.items()}
    return {"pairs": len(rows), "candidates": CANDIDATES, **named}
