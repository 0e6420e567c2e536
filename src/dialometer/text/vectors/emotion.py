"""Emotion distributions of the texts of a corpus, computed once per distinct text and cached on disk where possible."""

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

    Of an emotion that asks a sentence encoder (``HearingEmotion``) vectors in the corpus or on disk are not computed again.
    """
    felt = sentence_vectors(corpus, _Felt(emotion, corpus), rows)
    empty = replace(Corpus.of([""]), keep=corpus.keep)  # cached too, so that the emotion model need not be loaded
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
        """Unused: the distribution shows what is known of a text."""
        return np.zeros((len(texts), 2), np.int64)

    def _vectors(self, encoder: Encoder, texts: Sequence[str]) -> np.ndarray:
        """Vectors of texts after the emotion's preprocessing: most are equal to texts of the corpus."""
        rows = np.array([self._places.get(text, -1) for text in texts], np.int64)
        vectors = np.zeros((len(texts), encoder.width), np.float32)
        vectors[rows >= 0] = sentence_vectors(self.corpus, encoder, rows[rows >= 0])
        if (rows < 0).any():
            vectors[rows < 0] = encoder.encode([texts[place] for place in np.flatnonzero(rows < 0).tolist()])
        return vectors

    @cached_property
    def _places(self) -> dict[str, int]:
        return {text: row for row, text in enumerate(self.corpus.texts)}
