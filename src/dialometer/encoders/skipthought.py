"""``skipthought``: the state of a GRU that learnt to say the neighbouring utterances (Kiros et al. 2015).

Trained here on conversations, or read from the published Skip-Thoughts files. Vectors have length 1, as the published code's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import NeedsError, SpecError
from dialometer.core.protocols import Progress
from dialometer.core.ranges import Epochs, TwoWayWidth, VocabularySize, Width, check_fields
from dialometer.core.recipes import short
from dialometer.nets.requirements import needs_torch, take
from dialometer.nets.training.batches import Neighbours
from dialometer.nets.training.vocabulary import UNKNOWN, Symbols
from dialometer.text.table import TokenTable, build_table, row_sums
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import seen_texts

if TYPE_CHECKING:
    from torch import nn

    from dialometer.nets.encoders.skipthought import SkipThoughtSizes
    from dialometer.nets.encoders.skipthought_files import Release

KINDS = ("uni", "bi", "combine")
OBJECTIVE = "predict the words of the previous and of the next utterance"


@dataclass(frozen=True, eq=False)
class _SkipThoughtState:
    """What training left: words, weights of the encoder, what it saw, facts."""

    symbols: Symbols
    sizes: SkipThoughtSizes
    weights: dict[str, np.ndarray]
    seen: np.ndarray
    facts: dict[str, Any]
    unknown: ClassVar[int] = UNKNOWN

    @property
    def digest(self) -> str:
        """Of words and weights."""
        return digest(self.symbols.words.bytes, *(self.weights[name] for name in sorted(self.weights)))

    def numbers(self, words: Sequence[str]) -> np.ndarray:
        """The number of each word."""
        return self.symbols.numbers(words)

    def vectors(self, flat: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Unit vectors of texts given as numbers."""
        needs_torch("skipthought")
        from dialometer.nets.encoders.skipthought import vectors

        return vectors(_net(self), self.sizes.dim, flat, starts)


@dataclass(frozen=True)
class Skipthought:
    """``dim`` numbers per text; ``model`` names a folder of the published files, whose ``kind`` is uni, bi or combine.

    ``tok`` is words for an encoder trained here and ptb for a published one, unless it is named.
    """

    model: str = field(default="", metadata={"recipe": False})  # the recipe has a hash of its content instead
    kind: str = "bi"
    dim: TwoWayWidth = 256
    inner: Width = 128
    vocabulary: VocabularySize = 3000
    epochs: Epochs = 5
    tok: str = ""
    learnt: _SkipThoughtState | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "skipthought"
    version: ClassVar[int] = 1
    keeps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SpecError(f"skipthought(kind=…) is one of {', '.join(KINDS)}, not {self.kind!r}", "skipthought(kind=bi)")
        check_fields(self)
        if self.dim % 2:
            raise SpecError(f"skipthought(dim=…) is shared by two directions: even, not {self.dim}", "skipthought(dim=256)")

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self._release().width if self.model else self.dim

    @property
    def recipe(self) -> str:
        """Options and a hash of the weights."""
        return short(self, self._source().digest)

    @property
    def fitted(self) -> bool:
        """Whether it was trained, or names published weights."""
        return self.learnt is not None or bool(self.model)

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Train on conversations; a twentieth of them decides when to stop."""
        if self.model or self.kind == "combine":
            raise SpecError("a skipthought to train has kind uni or bi and no published weights", "skipthought(kind=bi)")
        needs_torch(self.name)
        from dialometer.nets.encoders.skipthought import BATCH, LONGEST, SkipThought, SkipThoughtSizes, learn
        from dialometer.nets.training.memory_estimate import require_training

        near = Neighbours.of(talks)
        table = self._table(near.texts)
        if not len(table.ids):
            raise NeedsError("skipthought cannot be trained on a text without words", "give a file of conversations")
        symbols = Symbols.most_frequent(table, self.vocabulary)
        sizes = SkipThoughtSizes(len(symbols), self.inner, self.dim, self.kind == "bi", self.epochs)
        states = 4.0 * BATCH * LONGEST * (3 * len(symbols) * 2 + 12 * (self.dim + self.inner))
        require_training(self, lambda: SkipThought(sizes), ("dim", "inner", "vocabulary"), states=states)
        numbers = symbols.numbers(table.spellings())[table.ids]
        weights, facts = learn(near, numbers, table.starts, sizes, seed=seed, work=work, progress=progress)
        facts = {
            "objective": OBJECTIVE,
            "talks": len(talks),
            "utterances": len(near.texts),
            "words": len(symbols.words),
            **facts,
        }
        return replace(self, learnt=_SkipThoughtState(symbols, sizes, weights, seen_texts(near.texts), facts))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(n, width) float32; zeros without a known word."""
        source, table = self._source(), self._table(texts)
        numbers = source.numbers(table.spellings())[table.ids]
        vectors = source.vectors(numbers, table.starts)
        vectors[_known(numbers != source.unknown, table)[:, 0] == 0] = 0.0
        return vectors

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """Known words and words of each text."""
        source, table = self._source(), self._table(texts)
        return _known(source.numbers(table.spellings())[table.ids] != source.unknown, table)

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        learnt = self._state()
        words = learnt.symbols.words
        arrays = {"words": words.bytes, "word_starts": words.starts, "seen": learnt.seen}
        save_artifact(folder, "encoder", self, {**arrays, **learnt.weights}, **learnt.facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved encoder."""
        needs_torch(cls.name)
        from dialometer.nets.encoders.skipthought import SkipThoughtSizes, encoder_of

        card, arrays = open_artifact(folder, cls)
        made = cls(**card["options"])
        check_arrays(arrays, seen="whole n")
        words, word_starts, seen = take(arrays, str(folder), "words", "word_starts", "seen")
        symbols = Symbols(Texts.checked(words, word_starts))
        sizes = SkipThoughtSizes(len(symbols), made.inner, made.dim, made.kind == "bi", made.epochs)
        facts = {key: card[key] for key in card if key not in ("kind", "name", "version", "options")}
        encoder_of(arrays, sizes, str(folder))  # shapes are checked now
        return replace(made, learnt=_SkipThoughtState(symbols, sizes, arrays, seen, facts))

    def seen(self) -> np.ndarray:
        """Hashes of the texts it was trained on; nobody knows those of the published weights."""
        return np.zeros(0, np.uint64) if self.model else self._state().seen

    def _source(self) -> _SkipThoughtState | Release:
        return self._release() if self.model else self._state()

    def _state(self) -> _SkipThoughtState:
        if self.learnt is None:
            raise NeedsError(
                "skipthought has not been trained on conversations",
                "skipthought(model=FOLDER) with the published weights, "
                "or dialometer train skipthought FILE… and the folder it prints as the spec",
            )
        return self.learnt

    def _release(self) -> Release:
        needs_torch(self.name)
        from dialometer.nets.encoders.skipthought_files import stamps

        return _opened(self.model, self.kind, stamps(Path(self.model)))

    def _table(self, texts: Sequence[str]) -> TokenTable:
        return build_table(Texts.of(texts), tokeniser(self.tok or ("ptb" if self.model else "words")))


def _known(known: np.ndarray, table: TokenTable) -> np.ndarray:
    """(texts, 2): known words, words."""
    return np.stack([row_sums(known, table.starts), table.lengths()], axis=1)


@lru_cache(maxsize=4)
def _net(learnt: _SkipThoughtState) -> nn.Sequential:
    from dialometer.nets.encoders.skipthought import encoder_of

    return encoder_of(learnt.weights, learnt.sizes)


@lru_cache(maxsize=2)
def _opened(folder: str, kind: str, stamps: tuple[tuple[int, int], ...]) -> Release:
    """Published weights, kept in memory; ``stamps`` tell when the files were replaced."""
    from dialometer.nets.encoders.skipthought_files import read_release

    return read_release(Path(folder), kind)
