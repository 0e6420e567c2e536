"""``deepmoji``: the published DeepMoji model (Felbo et al. 2017), from the weights of its PyTorch port, torchMoji.

The folder holds ``pytorch_model.bin`` and ``vocabulary.json`` as torchMoji publishes them; they are not part of Dialometer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, ClassVar

import numpy as np
import orjson

from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource
from dialometer.core.files import LARGE, check_regular, read_limited
from dialometer.core.ranges import Size, check_fields
from dialometer.core.recipes import short
from dialometer.encoders._deepmoji.tokens import MASK, UNKNOWN, moji_words
from dialometer.nets.requirements import check_shapes, needs_torch, shapes_of
from dialometer.text.vectors.emojis import neutral, sentiment

WEIGHTS, WORDS = "pytorch_model.bin", "vocabulary.json"
ROWS = 256  # texts read at once
_WAY_OUT = f"deepmoji(model=FOLDER) with {WEIGHTS} and {WORDS} of torchMoji (github.com/huggingface/torchMoji)"


@dataclass(frozen=True)
class Deepmoji:
    """``model`` is the folder; ``longest`` is how many words are read of a text (30 in the published examples)."""

    model: str = field(default="", metadata={"recipe": False})
    longest: Size = 30

    name: ClassVar[str] = "deepmoji"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def recipe(self) -> str:
        """Options and a hash of weights and vocabulary; where the folder is does not matter."""
        return short(self, digest(*(read_limited(self._file(name), LARGE) for name in (WEIGHTS, WORDS))))

    def distribution(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 64) float32, rows that sum to 1; ``neutral`` for a text without a token."""
        net, made = self._net, np.tile(neutral().astype(np.float32), (len(texts), 1))
        ids = [self._ids(text) for text in texts]
        lengths = np.array([len(row) for row in ids], np.int64)
        for length in np.unique(lengths[lengths > 0]):  # texts of one length need no padding
            rows = np.flatnonzero(lengths == length)
            for part in np.split(rows, range(ROWS, len(rows), ROWS)):
                made[part] = net.read(np.array([ids[row] for row in part]))
        return made

    def sentiment(self, texts: Sequence[str]) -> np.ndarray:
        """Σ weight · p of each text, float64 in −1 … 1; 0 for a text without a token."""
        return sentiment(self.distribution(texts))

    def _ids(self, text: str) -> list[int]:
        words = self._vocabulary
        return [words.get(word, words[UNKNOWN]) for word in moji_words(text)[: self.longest]]

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        from dialometer.nets.encoders.deepmoji import DeepMojiSizes

        path = self._file(WORDS)
        try:
            words = orjson.loads(read_limited(path))
        except ValueError as error:
            raise MissingResource(f"{path} cannot be read ({error})", _WAY_OUT) from None
        top = DeepMojiSizes().words
        words = words if isinstance(words, dict) else {}
        if not all(type(number) is int and 0 <= number < top for number in words.values()) or not {MASK, UNKNOWN} <= set(
            words
        ):
            raise MissingResource(f"{path} is no vocabulary of DeepMoji: words with numbers below {top}", _WAY_OUT)
        return words

    @cached_property
    def _net(self) -> Any:
        needs_torch(self.name)
        import torch

        from dialometer.nets.encoders.deepmoji import DeepMojiNet, DeepMojiSizes

        path = self._file(WEIGHTS)
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, ValueError, EOFError, UnpicklingError) as error:
            raise MissingResource(f"{path} cannot be read as weights ({str(error).splitlines()[0]})", _WAY_OUT) from None
        check_shapes(shapes_of(state), DeepMojiSizes().shapes(), str(path), hint=_WAY_OUT, exact=True)
        net = DeepMojiNet(DeepMojiSizes())
        net.load_state_dict(state)
        return net.eval()

    def _file(self, name: str) -> Path:
        if not self.model:
            raise MissingResource("deepmoji has no weights of its own: it needs the published ones", _WAY_OUT)
        path = Path(self.model).expanduser() / name
        if not path.is_file():
            what = f"holds no {name}" if path.parent.is_dir() else "is not a folder"
            raise MissingResource(f"deepmoji cannot use {self.model}: it {what}", _WAY_OUT)
        check_regular(path)
        return path
