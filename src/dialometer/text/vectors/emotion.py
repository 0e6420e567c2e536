"""What the texts of a corpus feel like: each distinct one once per corpus, and once per machine where the cache is in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from dialometer.core.protocols import Emotion, Encoder, HearingEmotion
from dialometer.text.corpus import Corpus
from dialometer.text.vectors.emojis import NAMES
from dialometer.text.vectors.sentences import sentence_vectors


def emotion_vectors(corpus: Corpus, emotion: Emotion, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows, 64) float32 distributions of these texts of the corpus, and which of them say more than an empty text does.

    Of an emotion that asks a sentence encoder (``HearingEmotion``) the vectors that the corpus or the disk has are not made anew.
    """
    felt = sentence_vectors(corpus, _Felt(emotion, corpus), rows)
    empty = replace(Corpus.of([""]), keep=corpus.keep)  # kept too: what was felt once is read without waking the emotion
    nothing = sentence_vectors(empty, _Felt(emotion, empty), np.zeros(1, np.int64))
    return felt, (felt != nothing).any(axis=1)


@dataclass
class _Felt:
    """An emotion in the shape of an encoder, so that its distributions are kept as vectors are; it counts no words."""

    emotion: Emotion
    corpus: Corpus

    name: str = "felt"
    version: int = 1
    width: int = len(NAMES)
    keeps: bool = True

    @cached_property
    def recipe(self) -> str:
        """The emotion's own."""
        return self.emotion.recipe

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """The distributions, from known vectors where there are some."""
        emotion = self.emotion
        if not isinstance(emotion, HearingEmotion):
            return emotion.distribution(texts)
        return emotion.distribution(texts, encode=partial(self._vectors, emotion.hears))

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """Nothing: what an emotion knows of a text is seen from its distribution."""
        return np.zeros((len(texts), 2), np.int64)

    def _vectors(self, encoder: Encoder, texts: Sequence[str]) -> np.ndarray:
        """Vectors of texts as the emotion spells them: most are texts of the corpus, letter by letter."""
        rows = np.array([self._places.get(text, -1) for text in texts], np.int64)
        vectors = np.zeros((len(texts), encoder.width), np.float32)
        vectors[rows >= 0] = sentence_vectors(self.corpus, encoder, rows[rows >= 0])
        if (rows < 0).any():
            vectors[rows < 0] = encoder.encode([texts[place] for place in np.flatnonzero(rows < 0).tolist()])
        return vectors

    @cached_property
    def _places(self) -> dict[str, int]:
        return {text: row for row, text in enumerate(self.corpus.texts)}
