"""What all bots with a talking network share: options, training, folders, replies and likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from dialometer.bots._generative.trained import Trained
from dialometer.core.artifacts import check_arrays, digest, open_thing, save_thing
from dialometer.core.errors import MissingResource, NeedsError
from dialometer.core.memory import require_memory
from dialometer.core.protocols import Progress
from dialometer.core.ranges import (
    Batch,
    BelowOne,
    Count,
    Epochs,
    Fraction,
    Positive,
    Range,
    TwoWayWidth,
    Width,
    check_fields,
)
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn
from dialometer.nets.requirements import needs_torch
from dialometer.text.training_overlap import seen_texts

if TYPE_CHECKING:
    from dialometer.nets.dialogue.data import Talks
    from dialometer.nets.dialogue.decoding import Way
    from dialometer.nets.dialogue.layers import Sizes
    from dialometer.nets.dialogue.protocol import Network
    from dialometer.nets.dialogue.subwords import Vocabulary
    from dialometer.nets.dialogue.training import Course

WINDOW = 20  # turns of a context that are heard; the oldest go first
TOGETHER = 128  # contexts that are answered at once
STATES = 8  # numbers kept for the gradient, for each symbol and unit of a layer
SIZES = ("hidden", "context", "embedding", "vocabulary", "content", "latent", "emotion_head", "vector_head", "batch")
SPEAKING = ("decode", "beam", "top_k", "top_p", "temperature", "limit")


@dataclass(frozen=True, eq=False)
class Learnt:
    """What training left: symbols, widths, weights, what was seen, facts; and the coarse symbols, where there are some."""

    vocabulary: Vocabulary
    sizes: Sizes
    weights: dict[str, np.ndarray]
    seen: np.ndarray
    facts: dict[str, Any]
    coarse: Vocabulary | None = None

    @cached_property
    def digest(self) -> str:
        """Of symbols and weights."""
        kept = [*self.vocabulary.arrays().values(), *(self.coarse.arrays().values() if self.coarse else ())]
        return digest(*kept, *(self.weights[name] for name in sorted(self.weights)))


@dataclass(frozen=True)
class Generative(Trained[Learnt]):
    """Widths, symbols, course of training, and how it speaks; heirs name their network and add what is theirs."""

    hidden: TwoWayWidth = 256
    embedding: Width = 128
    vocabulary: Annotated[int, Range(8, 10_000_000)] = 4000
    units: str = "bpe"
    dropout: BelowOne = 0.2
    word_drop: BelowOne = 0.0
    norm: bool = True
    batch: Batch = 16
    rate: Positive = 0.004
    epochs: Epochs = 8
    patience: Count = 2
    longest: Annotated[int, Range(2, 100_000)] = 40
    decode: str = "greedy"
    beam: Annotated[int, Range(1, 1024)] = 5
    top_k: Count = 0
    top_p: Fraction = 1.0
    temperature: Positive = 1.0
    limit: Annotated[int, Range(1, 10_000)] = 40
    learnt: Learnt | None = field(default=None, repr=False, compare=False)

    version: ClassVar[int] = 1
    contextual: ClassVar[bool] = True
    parallel: ClassVar[bool] = True
    adjustable: ClassVar[tuple[str, ...]] = SPEAKING
    network: ClassVar[str]

    def __post_init__(self) -> None:
        from dialometer.bots._shared.options import check_one_of

        check_fields(self)
        check_one_of(self, "units", ("bpe", "words"))
        check_one_of(self, "decode", ("greedy", "beam", "sample"))

    def fit(
        self,
        talks: Sequence[Sequence[str]],
        *,
        seed: int = 0,
        work: Path | None = None,
        progress: Progress | None = None,
        processes: int = 1,
    ) -> Self:
        """Train on conversations, in one process or several; a twentieth of them decides when to stop."""
        needs_torch(self.name)
        from dialometer.nets.dialogue.data import Talks
        from dialometer.nets.dialogue.subwords import Vocabulary
        from dialometer.nets.dialogue.training import learn
        from dialometer.nets.training.memory_estimate import require_training

        talks = [list(talk) for talk in talks if talk]
        if not any(len(talk) > 1 for talk in talks):
            raise NeedsError(
                f"{self.name} learns replies, and no conversation here has two turns", "give a file of conversations"
            )
        texts = [text for talk in talks for text in talk]
        vocabulary = Vocabulary.learn(texts, self.vocabulary, self.units)
        if len(vocabulary) < 3:
            raise NeedsError(f"{self.name} cannot be trained on a text without words", "give a file of conversations")
        data, coarse = self._prepared(Talks.of(talks, vocabulary), talks, progress)
        sizes = self._sizes(len(vocabulary), len(coarse) if coarse else 0, data)
        largest = int(np.sort(data.shortened(self.longest).sizes)[-self.batch :].sum())
        states = 4.0 * largest * (STATES * (sizes.hidden + sizes.embedding) + sizes.context) / processes
        options = [option for option in SIZES if hasattr(self, option)]
        require_training(self, lambda: self._class()(sizes), options, states=states, processes=processes)
        weights, facts = learn(
            self._class(), sizes, data, self._course(), seed=seed, work=work, progress=progress, processes=processes
        )
        facts = {"talks": len(talks), "utterances": len(texts), "symbols": len(data.flat), **facts}
        return replace(self, learnt=Learnt(vocabulary, sizes, weights, seen_texts(texts), facts, coarse))

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """n replies per context: those of the beam, or (when drawn, or where there are latents) n draws, best or first first."""
        from dialometer.bots._generative.generation import replies

        seeds = seeds_for(seed, contexts)
        found: list[list[str]] = [[] for _ in contexts]
        for rows in _together(contexts):
            self._check_room(len(rows), n)
            data = self._heard([[turn.text for turn in contexts[row][-WINDOW:]] for row in rows]).shortened(self.longest)
            said = replies(self.net(), self._learnt().vocabulary, data, self._way(), n, [seeds[row] for row in rows])
            for row, texts in zip(rows, said, strict=True):
                found[row] = texts
        return found

    def logprob(self, contexts: Sequence[Sequence[str]], responses: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Σ ln p of each response in its context, and its words and end; with latents, by importance weights."""
        from dialometer.bots._generative.generation import log_probabilities

        talks = [[*list(context)[-WINDOW:], response] for context, response in zip(contexts, responses, strict=True)]
        sums, counts = np.zeros(len(talks)), np.zeros(len(talks), np.int64)
        for at in range(0, len(talks), 8 * TOGETHER):
            some = slice(at, at + 8 * TOGETHER)
            sums[some], counts[some] = log_probabilities(self.net(), self._heard(talks[some]), self._course().samples)
        return sums, counts

    def net(self) -> Network:
        """The trained network, made once."""
        return _net(self._learnt(), self.network)

    def data(self, talks: Sequence[Sequence[str]]) -> Talks:
        """Conversations as this bot sees them, to measure likelihoods on."""
        return self._heard([list(talk) for talk in talks])

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        learnt = self._learnt()
        arrays = {f"weights.{name}": array for name, array in learnt.weights.items()}
        arrays |= learnt.vocabulary.arrays() | {"seen": learnt.seen}
        if learnt.coarse:
            arrays |= {f"coarse.{name}": array for name, array in learnt.coarse.arrays().items()}
        save_thing(folder, "bot", self, arrays, facts=learnt.facts, sizes=vars(learnt.sizes))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved bot; weights of another shape are refused now, not at the first reply."""
        needs_torch(cls.name)
        from dialometer.nets.dialogue.layers import Sizes
        from dialometer.nets.dialogue.subwords import Vocabulary
        from dialometer.nets.training.checkpoints import rebuilt

        card, arrays = open_thing(folder, cls)
        check_arrays(arrays, seen="whole n")
        sizes = Sizes.read(card["sizes"])
        coarse = {name.removeprefix("coarse."): arrays.pop(name) for name in list(arrays) if name.startswith("coarse.")}
        vocabulary, seen = Vocabulary.of(arrays), arrays.pop("seen")
        known = Vocabulary.of(coarse) if coarse else None
        for symbols, wanted in ((len(vocabulary), sizes.symbols), (len(known) if known else 0, sizes.coarse)):
            if symbols != wanted:
                raise MissingResource(
                    f"the {cls.name} in {folder} has {symbols} symbols and weights for {wanted}",
                    f"dialometer train {cls.name} FILE… makes it anew",
                )
        weights = {name.removeprefix("weights."): array for name, array in arrays.items()}
        made = cls(**card["options"])
        felt: Any = SimpleNamespace(facts=np.zeros((0, sum(sizes.facts))) if any(sizes.facts) else None)
        if sizes != made._sizes(sizes.symbols, sizes.coarse, felt):
            raise ValueError("its sizes are not those of its options")
        rebuilt(lambda: made._class()(sizes), weights, str(folder))
        return replace(made, learnt=Learnt(vocabulary, sizes, weights, seen, card["facts"], known))

    def _class(self) -> Any:
        module, name = self.network.split(":")
        return getattr(import_module(module), name)

    def _check_room(self, rows: int, n: int) -> None:
        """Refuse replies whose scores of all symbols do not fit: float32 three times, and float64 four times more for draws."""
        drawn, beam = self.decode == "sample", self.beam if self.decode == "beam" else 1
        beside = n * beam if self._learnt().sizes.latent else max(n, beam)
        needed = float(rows) * beside * self._learnt().sizes.symbols * (44 if drawn else 12)
        require_memory(
            needed, f"{self.name} with {beside} replies to each of {rows} contexts at once", f"{self.name}(beam=5)"
        )

    def _way(self) -> Way:
        from dialometer.nets.dialogue.decoding import Way

        return Way(*(getattr(self, option) for option in SPEAKING))

    def _sizes(self, symbols: int, coarse: int, data: Talks) -> Sizes:
        """Widths of the network."""
        from dialometer.nets.dialogue.layers import Sizes

        return Sizes(
            symbols,
            self.embedding,
            self.hidden,
            self.hidden,
            dropout=self.dropout,
            word_drop=self.word_drop,
            norm=self.norm,
        )

    def _course(self) -> Course:
        from dialometer.nets.dialogue.training import Course

        return Course(self.batch, self.rate, epochs=self.epochs, patience=self.patience, longest=self.longest)

    def _prepared(
        self, data: Talks, talks: Sequence[Sequence[str]], progress: Progress | None
    ) -> tuple[Talks, Vocabulary | None]:
        """The conversations with all that the network learns from beside words."""
        return data, None

    def _heard(self, talks: Sequence[Sequence[str]]) -> Talks:
        """Conversations as symbols, with all that the network hears beside words."""
        from dialometer.nets.dialogue.data import Talks

        return Talks.of(talks, self._learnt().vocabulary)


def _together(contexts: Sequence[Sequence[Turn]]) -> list[list[int]]:
    """Numbers of the contexts that are answered at once: those with turns, then those in which nothing was said yet."""
    groups = [[row for row, context in enumerate(contexts) if bool(context) is heard] for heard in (True, False)]
    return [group[at : at + TOGETHER] for group in groups for at in range(0, len(group), TOGETHER)]


@lru_cache(maxsize=8)
def _net(learnt: Learnt, network: str) -> Network:
    from dialometer.nets.training.checkpoints import rebuilt

    module, name = network.split(":")
    made: Any = getattr(import_module(module), name)
    net: Network = rebuilt(lambda: made(learnt.sizes), learnt.weights, "this bot")
    return net
