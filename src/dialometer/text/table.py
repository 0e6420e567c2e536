"""TokenTable: each distinct text as word ids, each distinct word once (docs/design/token-table.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dialometer.core.cache import cached, content_key
from dialometer.kernels.jit import worth_compiling
from dialometer.kernels.split import split
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import Tokeniser
from dialometer.text.tokenisers.byte_split import split_bytes

FORMAT = 1


@dataclass(frozen=True, eq=False)
class TokenTable:
    """All tokens end to end: text i is ``ids[starts[i]:starts[i+1]]``; ``words`` maps an id to its spelling."""

    ids: np.ndarray
    starts: np.ndarray
    words: Texts
    _columns: dict[str, np.ndarray] = field(default_factory=dict)
    _spellings: list[str] = field(default_factory=list)

    def spellings(self) -> list[str]:
        """Every word, in the order of the ids."""
        if not self._spellings:
            self._spellings.extend(self.words)
        return self._spellings

    def column(self, name: str, make: Callable[[list[str]], np.ndarray]) -> np.ndarray:
        """A fact per word, made once per distinct word: a stem id, a weight, a vector."""
        if name not in self._columns:
            self._columns[name] = make(self.spellings())
        return self._columns[name]

    def lengths(self) -> np.ndarray:
        """Tokens per text."""
        return np.diff(self.starts)

    def tokens(self, row: int) -> list[str]:
        """The tokens of one text as strings."""
        return [self.spellings()[i] for i in self.ids[self.starts[row] : self.starts[row + 1]]]


def build_table(texts: Texts, tok: Tokeniser, *, small: int | None = None) -> TokenTable:
    """Tokenise and intern every text: by the definition when there is little (``small`` bytes), else by a byte kernel.

    >>> from dialometer.text.tokenisers.base import tokeniser
    >>> table = build_table(Texts.of(["i like tea .", "Tea ?"]), tokeniser("words"))
    >>> table.ids.tolist(), table.starts.tolist(), table.spellings()
    ([0, 1, 2, 3, 2, 4], [0, 4, 6], ['i', 'like', 'tea', '.', '?'])
    """
    if not (worth_compiling(split, len(texts.bytes)) if small is None else len(texts.bytes) > small):
        return _by_definition(texts, tok)
    ids, starts, words = split_bytes(texts, tok)
    return _drop(TokenTable(ids, starts, words), tok)


def kept_table(texts: Texts, tok: Tokeniser) -> TokenTable:
    """The same table from the cache, keyed by the texts themselves and the tokeniser's recipe."""

    def make() -> dict[str, np.ndarray]:
        table = build_table(texts, tok)
        return {"ids": table.ids, "starts": table.starts, "bytes": table.words.bytes, "word_starts": table.words.starts}

    arrays = cached("tables", content_key(f"table-{FORMAT}", tok.recipe, texts.bytes, texts.starts), make)
    return TokenTable(arrays["ids"], arrays["starts"], Texts(arrays["bytes"], arrays["word_starts"]))


def row_sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Whole numbers (or truths) of all tokens end to end → their sums per text, int64.

    >>> row_sums(np.array([True, False, True]), np.array([0, 2, 2, 3])).tolist()
    [1, 0, 1]
    """
    running = np.concatenate([np.zeros((1, *values.shape[1:]), np.int64), np.cumsum(values, axis=0, dtype=np.int64)])
    return np.asarray(running[starts[1:]] - running[starts[:-1]])


def _by_definition(texts: Texts, tok: Tokeniser) -> TokenTable:
    index: dict[str, int] = {}
    ids: list[int] = []
    starts = [0]
    for text in texts:
        for token in tok.tokens(text):
            ids.append(index.setdefault(token, len(index)))
        starts.append(len(ids))
    return TokenTable(np.asarray(ids, np.int32), np.asarray(starts, np.int64), Texts.of(index))


def _drop(table: TokenTable, tok: Tokeniser) -> TokenTable:
    """Take out the words that the tokeniser's options drop, and renumber the rest."""
    if tok.stopwords == tok.punctuation == "keep":
        return table
    kept = np.fromiter(map(tok.keeps, table.spellings()), bool, len(table.words))
    stays = kept[table.ids]
    starts = np.concatenate([[0], np.cumsum(stays)])[table.starts]
    numbers = np.cumsum(kept, dtype=np.int32) - 1
    words = Texts.of(word for word, keep in zip(table.spellings(), kept.tolist(), strict=True) if keep)
    return TokenTable(numbers[table.ids[stays]], starts, words)
