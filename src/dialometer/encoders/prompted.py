"""``prompted``, the default emotion: how near a text is to phrases written for each of the 64 emojis, by a sentence encoder.

``p ∝ neutral · exp(sharpness · z)``, where z is the cosine of the text with the mean of an emoji's phrases, standardised over
all phrases. It is not DeepMoji: no emoji was ever predicted from text in the making of it (docs/guide/emotion.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, Any, ClassVar

import numpy as np

from dialometer.core.artifacts import digest
from dialometer.core.cache import cached, content_key
from dialometer.core.ranges import Range, check_fields
from dialometer.core.recipes import short
from dialometer.core.registry import create
from dialometer.core.rowwise import row_products
from dialometer.text.vectors.emojis import EMOJIS, NAMES, neutral, sentiment, spell_out


@dataclass(frozen=True)
class Prompted:
    """``encoder`` is a sentence encoder; ``sharpness`` is what fits best the labels of the development half of
    empathetic dialogues, in steps of a quarter (``benchmarks/emotion.py --fit``).
    """

    encoder: str = "minilm"
    sharpness: Annotated[float, Range(0, 100, above=True, below=True)] = 1.75

    name: ClassVar[str] = "prompted"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def recipe(self) -> str:
        """Options and a hash of the phrases and of the encoder's recipe."""
        return short(self, digest(_source(), self._encoder.recipe.encode()))

    @property
    def hears(self) -> Any:
        """The sentence encoder that it asks."""
        return self._encoder

    def distribution(
        self, texts: Sequence[str], *, encode: Callable[[Sequence[str]], np.ndarray] | None = None
    ) -> np.ndarray:
        """(n, 64) float32, rows that sum to 1; ``neutral`` for a text in which the encoder knows nothing.

        ``encode`` gives the vectors of ``hears`` to whoever has some of them already.
        """
        speech = [spell_out(text, _stand_ins()) for text in texts]
        distinct = {text: row for row, text in enumerate(dict.fromkeys(speech))}  # two texts may be spelt out alike
        vectors = (encode or self._encoder.encode)(list(distinct)).astype(np.float64)
        scores = np.log(neutral()) + self.sharpness * self._standard(vectors)
        made = np.exp(scores - scores.max(axis=1, keepdims=True))
        made /= made.sum(axis=1, keepdims=True)
        return made.astype(np.float32)[[distinct[text] for text in speech]]

    def sentiment(self, texts: Sequence[str]) -> np.ndarray:
        """Σ weight · p of each text, float64 in −1 … 1; 0 where the encoder knows nothing."""
        return sentiment(self.distribution(texts))

    def _standard(self, vectors: np.ndarray) -> np.ndarray:
        """Cosines with the emojis, less their mean over all phrases, in standard deviations; zeros for a zero vector."""
        mean, spread = self._phrases["mean"], self._phrases["spread"]
        return np.where(
            vectors.any(axis=1, keepdims=True), (_cosines(vectors, self._phrases["centres"]) - mean) / spread, 0.0
        )

    @cached_property
    def _encoder(self) -> Any:
        return create("encoder", self.encoder)

    @cached_property
    def _phrases(self) -> dict[str, np.ndarray]:
        """Centres of the emojis' phrases, with mean and spread of all phrases' cosines; encoded once, then kept on disk."""
        return cached("emotion", content_key("1", self._encoder.recipe, _source()), self._encode_phrases)

    def _encode_phrases(self) -> dict[str, np.ndarray]:
        every = [phrase for phrases in phrases_of().values() for phrase in phrases]
        vectors = _unit(self._encoder.encode(every).astype(np.float64))
        owner = np.repeat(np.arange(len(NAMES)), [len(phrases) for phrases in phrases_of().values()])
        centres = _unit(np.stack([vectors[owner == emoji].mean(axis=0) for emoji in range(len(NAMES))]))
        cosines = _cosines(vectors, centres)
        return {"centres": centres, "mean": cosines.mean(axis=0), "spread": np.maximum(cosines.std(axis=0), 1e-9)}


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1; zeros stay zeros."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return vectors / np.where(lengths > 0, lengths, 1.0)


def _cosines(vectors: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Products of all pairs; batch-invariant."""
    return row_products(_unit(vectors), centres.T)


@cache
def _source() -> bytes:
    return (files("dialometer.encoders") / "prompted_phrases.txt").read_bytes()


@cache
def phrases_of() -> dict[str, list[str]]:
    """Emoji name → phrases in our own words; the first of them stands for the emoji where a text holds its character."""
    lines = (line.split(": ", 1) for line in _source().decode().splitlines())
    return {name: phrases.split(" / ") for name, phrases in lines}


@cache
def _stand_ins() -> dict[str, str]:
    return {EMOJIS[name]: phrases[0] for name, phrases in phrases_of().items()}
