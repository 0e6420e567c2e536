"""Base class of bots with a dialogue network: options, training, folders, replies and likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from dialometer.bots._generative.trained import TrainedBot
from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
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
    from dialometer.nets.dialogue.data import EncodedDialogues
    from dialometer.nets.dialogue.decoding import DecodingOptions
    from dialometer.nets.dialogue.layers import NetworkSizes
    from dialometer.nets.dialogue.protocol import Network
    from dialometer.nets.dialogue.subwords import Vocabulary
    from dialometer.nets.dialogue.training import TrainingOptions

WINDOW = 20  # latest turns of a context that are used
TOGETHER = 128  # contexts per batch
STATES = 8  # numbers kept for the gradient, for each symbol and unit of a layer
SIZES = ("hidden", "context", "embedding", "vocabulary", "content", "latent", "emotion_head", "vector_head", "batch")
DECODING = ("decode", "beam", "top_k", "top_p", "temperature", "limit")


@dataclass(frozen=True, eq=False)
class GenerativeState:
    """Vocabulary, widths, weights, hashes of the training texts, facts; and the coarse vocabulary, where there is one."""

    vocabulary: Vocabulary
    sizes: NetworkSizes
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
class Generative(TrainedBot[GenerativeState]):
    """Widths, vocabulary, options of training and decoding; subclasses name their network and add their options."""

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
    learnt: GenerativeState | None = field(default=None, repr=False, compare=False)

    version: ClassVar[int] = 1
    contextual: ClassVar[bool] = True
    parallel: ClassVar[bool] = True
    adjustable: ClassVar[tuple[str, ...]] = DECODING
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
        from dialometer.nets.dialogue.data import EncodedDialogues
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
        data, coarse = self._training_data(EncodedDialogues.of(talks, vocabulary), talks, progress)
        sizes = self._sizes(len(vocabulary), len(coarse) if coarse else 0, data)
        largest = int(np.sort(data.shortened(self.longest).sizes)[-self.batch :].sum())
        states = 4.0 * largest * (STATES * (sizes.hidden + sizes.embedding) + sizes.context) / processes
        options = [option for option in SIZES if hasattr(self, option)]
        require_training(self, lambda: self.network_class()(sizes), options, states=states, processes=processes)
        weights, facts = learn(
            self.network_class(),
            sizes,
            data,
            self._training_options(),
            seed=seed,
            work=work,
            progress=progress,
            processes=processes,
        )
        facts = {"talks": len(talks), "utterances": len(texts), "symbols": len(data.flat), **facts}
        return replace(self, learnt=GenerativeState(vocabulary, sizes, weights, seen_texts(texts), facts, coarse))

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """n replies per context: those of the beam, or (when drawn, or where there are latents) n draws, best or first first."""
        from dialometer.bots._generative.generation import replies

        seeds = seeds_for(seed, contexts)
        answers: list[list[str]] = [[] for _ in contexts]
        for rows in _batches(contexts):
            self._check_memory(len(rows), n)
            data = self._encoded([[turn.text for turn in contexts[row][-WINDOW:]] for row in rows]).shortened(self.longest)
            texts_of_rows = replies(
                self.net(), self.fitted_state().vocabulary, data, self._decoding_options(), n, [seeds[row] for row in rows]
            )
            for row, texts in zip(rows, texts_of_rows, strict=True):
                answers[row] = texts
        return answers

    def logprob(self, contexts: Sequence[Sequence[str]], responses: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Σ ln p of each response in its context, and its words and end; with latents, by importance weights."""
        from dialometer.bots._generative.generation import log_probabilities

        talks = [[*list(context)[-WINDOW:], response] for context, response in zip(contexts, responses, strict=True)]
        sums, counts = np.zeros(len(talks)), np.zeros(len(talks), np.int64)
        for at in range(0, len(talks), 8 * TOGETHER):
            some = slice(at, at + 8 * TOGETHER)
            sums[some], counts[some] = log_probabilities(
                self.net(), self._encoded(talks[some]), self._training_options().samples
            )
        return sums, counts

    def net(self) -> Network:
        """The trained network, made once."""
        return _net(self.fitted_state(), self.network)

    def data(self, talks: Sequence[Sequence[str]]) -> EncodedDialogues:
        """Conversations as this bot sees them, to measure likelihoods on."""
        return self._encoded([list(talk) for talk in talks])

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        learnt = self.fitted_state()
        arrays = {f"weights.{name}": array for name, array in learnt.weights.items()}
        arrays |= learnt.vocabulary.arrays() | {"seen": learnt.seen}
        if learnt.coarse:
            arrays |= {f"coarse.{name}": array for name, array in learnt.coarse.arrays().items()}
        save_artifact(folder, "bot", self, arrays, facts=learnt.facts, sizes=vars(learnt.sizes))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved bot; weights of another shape are refused now, not at the first reply."""
        needs_torch(cls.name)
        from dialometer.nets.dialogue.layers import NetworkSizes
        from dialometer.nets.dialogue.subwords import Vocabulary
        from dialometer.nets.training.checkpoints import rebuilt

        card, arrays = open_artifact(folder, cls)
        check_arrays(arrays, seen="whole n")
        sizes = NetworkSizes.read(card["sizes"])
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
        rebuilt(lambda: made.network_class()(sizes), weights, str(folder))
        return replace(made, learnt=GenerativeState(vocabulary, sizes, weights, seen, card["facts"], known))

    def network_class(self) -> Any:
        """The class of the network, a function of its sizes."""
        module, name = self.network.split(":")
        return getattr(import_module(module), name)

    def _check_memory(self, rows: int, n: int) -> None:
        """Refuse replies whose scores of all symbols do not fit: float32 three times, and float64 four times more for draws."""
        drawn, beam = self.decode == "sample", self.beam if self.decode == "beam" else 1
        beside = n * beam if self.fitted_state().sizes.latent else max(n, beam)
        needed = float(rows) * beside * self.fitted_state().sizes.symbols * (44 if drawn else 12)
        require_memory(
            needed, f"{self.name} with {beside} replies to each of {rows} contexts at once", f"{self.name}(beam=5)"
        )

    def _decoding_options(self) -> DecodingOptions:
        from dialometer.nets.dialogue.decoding import DecodingOptions

        return DecodingOptions(*(getattr(self, option) for option in DECODING))

    def _sizes(self, symbols: int, coarse: int, data: EncodedDialogues) -> NetworkSizes:
        """Widths of the network."""
        from dialometer.nets.dialogue.layers import NetworkSizes

        return NetworkSizes(
            symbols,
            self.embedding,
            self.hidden,
            self.hidden,
            dropout=self.dropout,
            word_drop=self.word_drop,
            norm=self.norm,
        )

    def _training_options(self) -> TrainingOptions:
        from dialometer.nets.dialogue.training import TrainingOptions

        return TrainingOptions(self.batch, self.rate, epochs=self.epochs, patience=self.patience, longest=self.longest)

    def _training_data(
        self, data: EncodedDialogues, talks: Sequence[Sequence[str]], progress: Progress | None
    ) -> tuple[EncodedDialogues, Vocabulary | None]:
        """The dialogues with further inputs and targets of the network, and the coarse vocabulary."""
        return data, None

    def _encoded(self, talks: Sequence[Sequence[str]]) -> EncodedDialogues:
        """Dialogues as symbols, with further inputs of the network."""
        from dialometer.nets.dialogue.data import EncodedDialogues

        return EncodedDialogues.of(talks, self.fitted_state().vocabulary)


def _batches(contexts: Sequence[Sequence[Turn]]) -> list[list[int]]:
    """Numbers of the contexts of each batch: those with turns, then the empty ones."""
    groups = [[row for row, context in enumerate(contexts) if bool(context) is heard] for heard in (True, False)]
    return [group[at : at + TOGETHER] for group in groups for at in range(0, len(group), TOGETHER)]


@lru_cache(maxsize=8)
def _net(learnt: GenerativeState, network: str) -> Network:
    from dialometer.nets.training.checkpoints import rebuilt

    module, name = network.split(":")
    made: Any = getattr(import_module(module), name)
    net: Network = rebuilt(lambda: made(learnt.sizes), learnt.weights, "this bot")
    return net
