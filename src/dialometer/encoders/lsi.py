"""``lsi``: latent semantic indexing, a bag of words projected on the first k singular vectors (D'Haro et al. 2019, eq. 1).

``X ≈ U S Vᵀ`` for the term × sentence matrix X of the fitted text; the vector of a text with counts r is ``rᵀ U``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import DataError, NeedsError, SpecError
from dialometer.core.memory import require_memory
from dialometer.core.protocols import Progress
from dialometer.core.ranges import Width, check_fields
from dialometer.core.recipes import short
from dialometer.text.lines import file_digest, read_lines
from dialometer.text.table import TokenTable, build_table, row_sums
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import seen_texts

WEIGHTS = {
    "counts": "how often a word occurs",
    "binary": "whether it occurs",
    "tfidf": "count × ln(sentences / those with it)",
}
NOTHING = 1e-12
DENSE = 3_000  # up to this many sentences or words all vectors at once are quicker than the strongest one by one


@dataclass(frozen=True, eq=False)
class _Space:
    """What was learnt: words with their weights, and the singular vectors, strongest first."""

    words: Texts
    scale: np.ndarray
    vectors: np.ndarray
    seen: np.ndarray
    source: str

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}


@dataclass(frozen=True)
class Lsi:
    """k dimensions; ``text`` names a file to fit on, one utterance a line.

    >>> tea = ["i like tea", "tea is nice", "i like cake", "cake is nice", "go home now"]
    >>> lsi = Lsi(k=2).fit([tea])
    >>> lsi.encode(["tea", "cake", ""]).round(3).shape
    (3, 2)
    """

    k: Width = field(default=10, metadata={"recipe": "always"})
    weights: str = "counts"
    tok: str = "words"
    text: str = field(default="", metadata={"recipe": False})
    space: _Space | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "lsi"
    version: ClassVar[int] = 1
    keeps: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.weights not in WEIGHTS:
            raise SpecError(f"lsi(weights=…) is one of {', '.join(WEIGHTS)}, not {self.weights!r}", "lsi(weights=counts)")

    @property
    def width(self) -> int:
        """k."""
        return self.k

    @property
    def recipe(self) -> str:
        """Options and a hash of text and tokeniser: the last digits of the vectors differ from machine to machine."""
        return short(self, digest(self._space().source.encode(), tokeniser(self.tok).recipe.encode()))

    @property
    def fitted(self) -> bool:
        """Whether it holds a space, or names the text to make one of."""
        return self.space is not None or bool(self.text)

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Singular vectors of the term × sentence matrix of all utterances; nothing is drawn, so the seed changes nothing."""
        if self.text:
            raise SpecError("lsi(text=…) names its own source", "leave it out to fit on other texts")
        texts = [text for text in chain.from_iterable(talks) if text.strip()]
        joined = Texts.of(texts)
        table = build_table(joined, tokeniser(self.tok))
        if not len(table.ids):
            raise NeedsError("lsi cannot be fitted on a text without words", "give a file with one utterance a line")
        matrix, scale = _matrix(table, self.weights)
        vectors = _singular(matrix, self.k)
        if progress:
            progress("fitting lsi", 1, 1)
        source = digest(joined.bytes, joined.starts)
        return replace(self, space=_Space(table.words, scale, vectors, seen_texts(texts), source))

    def truncated(self, k: int) -> Self:
        """The same space with fewer dimensions."""
        space = self._space()
        if not 1 <= k <= space.vectors.shape[1]:
            raise SpecError(
                f"this lsi space has {space.vectors.shape[1]} dimensions, and k={k} was asked for", "a smaller k"
            )
        return replace(self, k=k, space=replace(space, vectors=np.ascontiguousarray(space.vectors[:, :k])))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(n, k) float32: rᵀ U; zeros without a known word."""
        counts, space = self._known(texts)
        return np.asarray(counts @ space.vectors, np.float32)

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """Known words and words of each text."""
        table, numbers = self._numbers(texts)
        return np.stack([row_sums(numbers[table.ids] >= 0, table.starts), table.lengths()], axis=1)

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        space = self._space()
        arrays = {
            "words": space.words.bytes, "word_starts": space.words.starts, "scale": space.scale,
            "vectors": space.vectors, "seen": space.seen,
        }  # fmt: skip
        facts = {"words": len(space.words), "texts": len(space.seen), "source": space.source}
        save_artifact(folder, "encoder", replace(self, text=""), arrays, **facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved space."""
        card, a = open_artifact(folder, cls)
        check_arrays(a, scale="float words", vectors="float words k", seen="whole n")
        words, source = Texts.checked(a["words"], a["word_starts"]), card["source"]
        if not isinstance(source, str):
            raise ValueError(f"its source is {source!r}, and a text is expected")
        space = _Space(words, a["scale"], a["vectors"], a["seen"], source)
        lsi = cls(**card["options"], space=space)
        if space.vectors.shape != (len(space.words), lsi.k):
            raise ValueError(f"its vectors are {space.vectors.shape[0]} × {space.vectors.shape[1]}, and k is {lsi.k}")
        return lsi

    def seen(self) -> np.ndarray:
        """Hashes of the texts it was fitted on."""
        return self._space().seen

    def _space(self) -> _Space:
        if self.space is not None:
            return self.space
        if not self.text:
            raise NeedsError(
                "lsi has not been fitted on a text",
                "lsi(text=FILE), or dialometer train lsi FILE… and the folder it prints as the spec",
            )
        return _fitted(replace(self, text=""), self.text, file_digest(self.text))

    def _numbers(self, texts: Sequence[str]) -> tuple[TokenTable, np.ndarray]:
        """The texts as a table, and the number of each of its words in the fitted vocabulary, or −1."""
        index = self._space().index
        table = build_table(Texts.of(texts), tokeniser(self.tok))
        return table, np.fromiter((index.get(word, -1) for word in table.spellings()), np.int64, len(table.words))

    def _known(self, texts: Sequence[str]) -> tuple[Any, _Space]:
        """Weighted counts of known words, one row per text."""
        from scipy.sparse import csr_matrix

        space = self._space()
        table, numbers = self._numbers(texts)
        columns = numbers[table.ids]
        known = columns >= 0
        rows = np.repeat(np.arange(len(texts)), table.lengths())[known]
        counts = csr_matrix((np.ones(len(rows)), (rows, columns[known])), shape=(len(texts), len(space.words)))
        counts.sum_duplicates()
        if self.weights == "binary":
            counts.data[:] = 1
        counts.data *= space.scale[counts.indices]
        return counts, space


def _matrix(table: TokenTable, weights: str) -> tuple[Any, np.ndarray]:
    """Sentences × words with their weights, and the weight of each word."""
    from scipy.sparse import csr_matrix

    n, words = len(table.starts) - 1, len(table.words)
    rows = np.repeat(np.arange(n), table.lengths())
    matrix = csr_matrix((np.ones(len(table.ids)), (rows, table.ids)), shape=(n, words))
    matrix.sum_duplicates()
    scale = np.ones(words)
    if weights == "binary":
        matrix.data[:] = 1
    if weights == "tfidf":
        scale = np.log(n / np.bincount(matrix.indices, minlength=words))
        matrix.data *= scale[matrix.indices]
    return matrix, scale


def _singular(matrix: Any, k: int) -> np.ndarray:
    """The k strongest right singular vectors of sentences × words as columns; signs fixed."""
    size = min(matrix.shape)
    squares, vectors = _small(matrix) if size <= DENSE or k >= size - 1 else _strongest(matrix, k)
    rank = int((squares > squares[0] * max(matrix.shape) * np.finfo(float).eps).sum())
    if k > rank:
        raise NeedsError(
            f"lsi(k={k}) asks for more dimensions than the text has: its {matrix.shape[0]} sentences of "
            f"{matrix.shape[1]} words have rank {rank}",
            f"lsi(k={rank}), or fit on more text" if rank else "fit on text in which some word tells sentences apart",
        )
    # Words that share no sentence with the rest have no part in these vectors; what rounding leaves there is no direction.
    vectors = np.where(np.abs(vectors[:, :k]) < NOTHING, 0, vectors[:, :k])
    strongest = vectors[np.abs(vectors).argmax(axis=0), np.arange(k)]
    return np.ascontiguousarray(vectors * np.sign(strongest))


def _small(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """All squared singular values and right vectors, from the products of the shorter side: XᵀX = V S² Vᵀ, XXᵀ = U S² Uᵀ."""
    by_words, side = matrix.shape[1] <= matrix.shape[0], min(matrix.shape)
    require_memory(
        8 * (4.0 * side**2 + 2 * side * matrix.shape[1]), f"lsi of {side} dimensions", "a smaller k, or less text"
    )
    squares, vectors = np.linalg.eigh((matrix.T @ matrix if by_words else matrix @ matrix.T).toarray())
    squares, vectors = np.maximum(squares[::-1], 0), vectors[:, ::-1]
    if not by_words:
        norms = np.sqrt(squares)
        vectors = matrix.T @ (vectors / np.where(norms > norms[0] * NOTHING, norms, np.inf))  # V = Xᵀ U / S
    return squares, vectors


def _strongest(matrix: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest squared singular values and their right vectors, iteratively."""
    from scipy.sparse.linalg import svds

    require_memory(8 * 4.0 * k * sum(matrix.shape), f"lsi(k={k}) of this text", f"lsi(k={max(1, k // 4)})")
    start = np.ones(min(matrix.shape)) / np.sqrt(min(matrix.shape))
    _, values, rows = svds(matrix, k=k, v0=start, return_singular_vectors="vh")
    return values[::-1] ** 2, rows[::-1].T


@lru_cache(maxsize=4)
def _fitted(lsi: Lsi, path: str, content: str) -> _Space:
    """The space of a text file; ``content`` is its digest."""
    lines = read_lines(path)
    if not lines:
        raise DataError("holds no text to fit lsi on", file=path, hint="one utterance a line")
    return lsi.fit([lines])._space()
