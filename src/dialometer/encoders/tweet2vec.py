"""``tweet2vec``: a bidirectional GRU over characters (Dhingra et al. 2016), trained here on conversations.

The paper learns to predict hashtags. Conversations have none: ours learns response selection, that is, which utterance of a
batch follows which (nets/encoders/tweet2vec.py). The paper's sizes are ``tweet2vec(inner=150,hidden=500,dim=500)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.core.ranges import Epochs, Size, Width, check_fields
from dialometer.core.recipes import short
from dialometer.nets.requirements import needs_torch, take
from dialometer.nets.training.batches import Neighbours, shortened
from dialometer.text.table import row_sums
from dialometer.text.training_overlap import seen_texts

if TYPE_CHECKING:
    from dialometer.nets.encoders.tweet2vec import CharacterGru, Tweet2VecSizes

OBJECTIVE = "response selection: which utterance of a batch follows (in place of the paper's hashtags)"
UNKNOWN = 0  # the number of a character never seen in training, or only once


@dataclass(frozen=True, eq=False)
class _Tweet2VecState:
    """What training left: code points in order, weights of the encoder, what it saw, facts."""

    characters: np.ndarray
    sizes: Tweet2VecSizes
    weights: dict[str, np.ndarray]
    seen: np.ndarray
    facts: dict[str, Any]


@dataclass(frozen=True)
class Tweet2vec:
    """``dim`` numbers per text; only its first ``length`` characters, in lower case, are read."""

    inner: Width = 64
    hidden: Width = 128
    dim: Width = 256
    length: Size = 145
    epochs: Epochs = 5
    learnt: _Tweet2VecState | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "tweet2vec"
    version: ClassVar[int] = 1
    keeps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self.dim

    @property
    def recipe(self) -> str:
        """Options and a hash of the weights."""
        learnt = self._state()
        return short(self, digest(learnt.characters, *(learnt.weights[name] for name in sorted(learnt.weights))))

    @property
    def fitted(self) -> bool:
        """Whether it was trained."""
        return self.learnt is not None

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Train on conversations; a twentieth of them decides when to stop."""
        needs_torch(self.name)
        from dialometer.nets.encoders.tweet2vec import BATCH, Tweet2Vec, Tweet2VecSizes, learn
        from dialometer.nets.training.memory_estimate import require_training

        near = Neighbours.of(talks)
        points, starts = _code_points(near.texts)
        if not len(points):
            raise NeedsError("tweet2vec cannot be trained on a text without characters", "give a file of conversations")
        found, counts = np.unique(points, return_counts=True)
        characters = found[counts > 1] if (counts > 1).any() else found  # single ones teach what UNKNOWN is
        sizes = Tweet2VecSizes(len(characters) + 1, self.inner, self.hidden, self.dim, self.epochs)
        flat, starts = shortened(_numbers(characters, points), starts, self.length)
        states = 4.0 * 2 * BATCH * int(np.diff(starts).max(initial=0)) * (self.inner + 2 * 8 * self.hidden)
        require_training(self, lambda: Tweet2Vec(sizes), ("hidden", "inner", "dim"), states=states)
        weights, facts = learn(near, flat, starts, sizes, seed=seed, work=work, progress=progress)
        facts = {
            "objective": OBJECTIVE, "talks": len(talks), "utterances": len(near.texts), "characters": len(characters), **facts,
        }  # fmt: skip
        return replace(self, learnt=_Tweet2VecState(characters, sizes, weights, seen_texts(near.texts), facts))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(n, dim) float32; zeros without a known character."""
        needs_torch(self.name)
        from dialometer.nets.encoders.tweet2vec import vectors

        learnt = self._state()
        flat, starts, _ = self._read(texts)
        made = vectors(_net(learnt), self.dim, flat, starts)
        made[row_sums(flat != UNKNOWN, starts) == 0] = 0.0
        return made

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """Known characters that are read, and characters; those beyond ``length`` are not read."""
        flat, starts, lengths = self._read(texts)
        return np.stack([row_sums(flat != UNKNOWN, starts), lengths], axis=1)

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        learnt = self._state()
        arrays = {"characters": learnt.characters, "seen": learnt.seen, **learnt.weights}
        save_artifact(folder, "encoder", self, arrays, **learnt.facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved encoder."""
        needs_torch(cls.name)
        from dialometer.nets.encoders.tweet2vec import Tweet2VecSizes, encoder_of

        card, arrays = open_artifact(folder, cls)
        made = cls(**card["options"])
        check_arrays(arrays, characters="whole n", seen="whole m")
        characters, seen = take(arrays, str(folder), "characters", "seen")
        if not len(characters) or (characters[1:] <= characters[:-1]).any():
            raise ValueError("its characters are not in order")
        sizes = Tweet2VecSizes(len(characters) + 1, made.inner, made.hidden, made.dim, made.epochs)
        encoder_of(arrays, sizes, str(folder))  # shapes are checked now
        facts = {key: card[key] for key in card if key not in ("kind", "name", "version", "options")}
        return replace(made, learnt=_Tweet2VecState(characters, sizes, arrays, seen, facts))

    def seen(self) -> np.ndarray:
        """Hashes of the texts it was trained on."""
        return self._state().seen

    def _state(self) -> _Tweet2VecState:
        if self.learnt is None:
            raise NeedsError(
                "tweet2vec has not been trained on conversations",
                "dialometer train tweet2vec FILE… and the folder it prints as the spec",
            )
        return self.learnt

    def _read(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Character numbers as far as they are read, where each text starts, and whole lengths."""
        points, starts = _code_points(texts)
        return *shortened(_numbers(self._state().characters, points), starts, self.length), np.diff(starts)


def _code_points(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Lower case, one space for any white space; all code points end to end, and where each text starts."""
    plain = [" ".join(text.lower().split()) for text in texts]
    points = np.frombuffer("".join(plain).encode("utf-32-le", "surrogatepass"), np.uint32)
    return points, np.cumsum([0, *map(len, plain)], dtype=np.int64)


def _numbers(characters: np.ndarray, points: np.ndarray) -> np.ndarray:
    """1 + the place among the known characters, or UNKNOWN."""
    places = np.minimum(np.searchsorted(characters, points), len(characters) - 1)
    return np.where(characters[places] == points, places + 1, UNKNOWN).astype(np.int64)


@lru_cache(maxsize=4)
def _net(learnt: _Tweet2VecState) -> CharacterGru:
    from dialometer.nets.encoders.tweet2vec import encoder_of

    return encoder_of(learnt.weights, learnt.sizes)
