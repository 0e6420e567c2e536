"""``dualencoder``: says the reply of its pool that most probably follows, ``σ(cᵀ M r + b)`` (Lowe et al. 2015).

A context is its last turns, each closed by an end symbol; all replies are encoded once, and a context is compared with all of them
by one matrix product. The network: ``nets.dual_encoder``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from dialometer.bots._generative.trained import TrainedBot
from dialometer.bots._retrieval.pool import turns_of
from dialometer.bots.random import whole_texts
from dialometer.bots.tfidf import Found
from dialometer.core.artifacts import check_arrays, open_artifact, save_artifact
from dialometer.core.protocols import Progress
from dialometer.core.ranges import Count, Epochs, Size, Turns, VocabularySize, Width, check_fields
from dialometer.core.seeds import seeds_for, streams
from dialometer.core.types import Turn
from dialometer.nets.requirements import needs_torch, take
from dialometer.nets.training.vocabulary import Symbols
from dialometer.text.corpus import Rows
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser

if TYPE_CHECKING:
    from dialometer.bots._retrieval.dualencoder_training import DualEncoderState
    from dialometer.nets.encoders.dual_encoder import ContextResponsePairs, DualEncoder


@dataclass(frozen=True)
class Dualencoder(TrainedBot["DualEncoderState"]):
    """Retrieval by a trained network; the pool holds up to ``pool`` different replies of the conversations, the latest said.

    ``negatives`` is how many wrong replies each true one is told from, drawn from its batch; 0 takes all of the batch. An empty
    context gets an opener, drawn from its seed.
    """

    dim: Width = 256
    hidden: Width = 128
    vocabulary: VocabularySize = 20_000
    turns: Turns = 10
    negatives: Count = 0
    epochs: Epochs = 3
    pool: Size = 100_000
    tok: str = "words"
    learnt: DualEncoderState | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "dualencoder"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Train on conversations; a twentieth of them decides when to stop, and tells recall among ten candidates."""
        needs_torch(self.name)
        from dialometer.bots._retrieval.dualencoder_training import trained

        return replace(self, learnt=trained(self, talks, seed=seed, work=work, progress=progress))

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """The n most probable replies, all different; where the pool has fewer, again from the first."""
        openers = self.fitted_state().openers
        made = []
        for context, found, seed_ in zip(contexts, self.best(contexts, n=n), seeds_for(seed, contexts), strict=True):
            some = [one.reply for one in found]
            if not context:
                (draw,) = streams([seed_])
                some = [openers[row] for row in draw.permutation(len(openers))[:n].tolist()]
            made.append(list(islice(cycle(some), n)))
        return made

    def best(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1) -> list[list[Found]]:
        """Up to n different replies with their probabilities; equal ones come in the order of the pool."""
        needs_torch(self.name)
        from dialometer.nets.encoders.dual_encoder import probabilities
        from dialometer.nets.encoders.nearest import best_columns

        learnt = self.fitted_state()
        columns, products = best_columns(self._asked(contexts), learnt.vectors, min(n, len(learnt.replies)))
        scores = probabilities(products, learnt.weights)
        return [
            [Found(learnt.replies[column], score) for column, score in zip(*pair, strict=True)]
            for pair in zip(columns.tolist(), scores.tolist(), strict=True)
        ]

    def scores(self, contexts: Sequence[tuple[Turn, ...]], candidates: Sequence[Sequence[str]]) -> np.ndarray:
        """(n, m): the probability that each of m candidates is the reply."""
        needs_torch(self.name)
        from dialometer.nets.encoders.dual_encoder import probabilities, texts

        distinct, which = Texts.distinct([text for some in candidates for text in some])
        data = self._pairs(distinct, Rows.of([]))
        vectors = texts(_net(self.fitted_state()), *data.answered(np.arange(len(distinct))))
        products = (self._asked(contexts)[:, None] * vectors[which.reshape(len(contexts), -1)]).sum(axis=2)
        return probabilities(products, self.fitted_state().weights)

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        learnt = self.fitted_state()
        arrays = {"vectors": learnt.vectors, "seen": learnt.seen, **learnt.weights}
        for name, texts in (("words", learnt.symbols.words), ("replies", learnt.replies), ("openers", learnt.openers)):
            arrays |= {name: texts.bytes, f"{name}_starts": texts.starts}
        save_artifact(folder, "bot", self, arrays, **learnt.facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved bot."""
        needs_torch(cls.name)
        from dialometer.bots._retrieval.dualencoder_training import DualEncoderState
        from dialometer.nets.encoders.dual_encoder import DualEncoderSizes, model_of

        card, arrays = open_artifact(folder, cls)
        made = cls(**card["options"])
        words, replies, openers = (
            whole_texts(*take(arrays, str(folder), name, f"{name}_starts")) for name in ("words", "replies", "openers")
        )
        check_arrays(arrays, vectors="float replies dim", seen="whole n")
        vectors, seen = take(arrays, str(folder), "vectors", "seen")
        if vectors.shape != (len(replies), made.dim):
            raise ValueError(f"its {len(replies)} replies have vectors of shape {vectors.shape}")
        vectors, symbols = vectors.astype(np.float32, copy=False), Symbols(words)
        sizes = DualEncoderSizes(len(symbols), made.dim, made.hidden, made.negatives, made.epochs)
        model_of(arrays, sizes, str(folder))  # shapes are checked now
        facts = {key: card[key] for key in card if key not in ("kind", "name", "version", "options")}
        return replace(made, learnt=DualEncoderState(symbols, sizes, arrays, replies, vectors, openers, seen, facts))

    def _asked(self, contexts: Sequence[tuple[Turn, ...]]) -> np.ndarray:
        """The vectors of contexts, ready for products with those of replies."""
        from dialometer.nets.encoders.dual_encoder import contexts as encoded

        data = self._pairs(*turns_of(contexts, self.turns))
        return encoded(_net(self.fitted_state()), *data.asked(np.arange(len(contexts))))

    def _pairs(self, texts: Texts, contexts: Rows) -> ContextResponsePairs:
        from dialometer.nets.encoders.dual_encoder import ContextResponsePairs

        table = build_table(texts, tokeniser(self.tok))
        numbers = self.fitted_state().symbols.numbers(table.spellings())[table.ids]
        return ContextResponsePairs.of(numbers, table.starts, contexts, np.zeros(0, np.int64))


@lru_cache(maxsize=4)
def _net(learnt: DualEncoderState) -> DualEncoder:
    from dialometer.nets.encoders.dual_encoder import model_of

    return model_of(learnt.weights, learnt.sizes)
