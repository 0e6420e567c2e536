"""``wordllama``: 256 numbers per word from the wheel of that name, offline and without torch.

The wheel holds a vector per subword piece. A word's vector is the mean of those of its pieces. Pieces that stand for single bytes
and the bare mark of a word's beginning say nothing and are left out; a word of which nothing is left is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource
from dialometer.core.recipes import short

WEIGHTS = "weights/l2_supercat_256.safetensors"
PIECES = "tokenizers/l2_supercat_tokenizer_config.json"
INSTALL = 'pip install "dialometer[vectors]"'


class _Model(NamedTuple):
    """The vector of each piece, which pieces say something, how words are cut, and a hash of it all."""

    vectors: np.ndarray
    speaks: np.ndarray
    cutter: Any
    content: str


@dataclass(frozen=True)
class Wordllama:
    """Static vectors of Llama-2 pieces, trained for sentence similarity by the wordllama project."""

    name: ClassVar[str] = "wordllama"
    version: ClassVar[int] = 1

    @property
    def width(self) -> int:
        """256."""
        return int(_model().vectors.shape[1])

    @property
    def recipe(self) -> str:
        """Name and hash of weights and pieces."""
        return short(self, _model().content)

    @property
    def centre(self) -> np.ndarray:
        """The mean over the pieces that say something."""
        model = _model()
        return np.asarray(model.vectors[model.speaks].mean(axis=0, dtype=np.float64), np.float32)

    def look_up(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The mean vector of each word's pieces, and which words have any."""
        model = _model()
        ids = [encoding.ids for encoding in model.cutter.encode_batch_fast(list(words), add_special_tokens=False)]
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        pieces = np.fromiter((piece for word in ids for piece in word), np.int64, int(lengths.sum()))
        owner = np.repeat(np.arange(len(ids)), lengths)
        keep = model.speaks[pieces]
        pieces, owner = pieces[keep], owner[keep]
        counts = np.bincount(owner, minlength=len(ids))
        known = counts > 0
        vectors = np.zeros((len(ids), model.vectors.shape[1]), np.float32)
        first = np.cumsum(counts) - counts
        for place in range(int(counts.max(initial=0))):  # piece by piece, so that sums do not depend on the company
            rows = np.flatnonzero(counts > place)
            vectors[rows] += model.vectors[pieces[first[rows] + place]]
        vectors[known] /= counts[known, None].astype(np.float32)
        return vectors, known


@cache
def _model() -> _Model:
    """Weights and pieces, read from the installed wheel without importing it."""
    folder = _folder()
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        raw = (folder / PIECES).read_bytes()
        vectors = load_file(folder / WEIGHTS)["embedding.weight"].astype(np.float32)
        cutter = Tokenizer.from_buffer(raw)
    except ImportError as error:
        raise MissingResource(f"vectors 'wordllama' need a package that is not installed ({error})", INSTALL) from None
    except Exception as error:  # each of the two libraries has errors of its own
        raise MissingResource(f"the files of wordllama in {folder} cannot be read ({error})", INSTALL) from None
    names = [cutter.id_to_token(piece) or "<unk>" for piece in range(len(vectors))]
    silent = [
        name == "▁" or (name.startswith("<0x") and name.endswith(">")) or name in ("<unk>", "<s>", "</s>") for name in names
    ]
    return _Model(vectors, ~np.array(silent), cutter, digest(vectors, raw))


def _folder() -> Path:
    try:
        found = find_spec("wordllama")
    except (ImportError, ValueError):
        found = None
    for place in (found.submodule_search_locations or ()) if found else ():
        if (Path(place) / WEIGHTS).exists() and (Path(place) / PIECES).exists():
            return Path(place)
    raise MissingResource("the default word vectors need the package wordllama 0.4, which is not installed", INSTALL)
