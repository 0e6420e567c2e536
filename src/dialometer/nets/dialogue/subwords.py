"""Symbols of a talking network: pieces of words (byte-pair encoding, Sennrich et al. 2016) or whole words.

Texts are cut into words first, in lower case, and each distinct word is cut into pieces once. So a likelihood per word can be told
whatever the pieces are, and compared with any model of the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from dialometer.core.errors import MissingResource
from dialometer.nets.training.vocabulary import END, FIRST, UNKNOWN
from dialometer.text.table import TokenTable, build_table, row_sums
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.tokenisers.detokenise import spoken

UNITS = ("bpe", "words")
BEGIN = "▁"  # opens a word, so that pieces can be put together again
ALPHABET = 256  # characters that are symbols of their own; rarer ones are unknown


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Spellings in the order of their numbers, of which 0 is unknown and 1 the end; ``merges`` are pairs of pieces, by rank."""

    spellings: Texts
    merges: Texts | None = None

    @classmethod
    def learn(cls, texts: Iterable[str], size: int, units: str) -> Vocabulary:
        """Of at most ``size`` symbols, from words and how often they occur."""
        table = words_of(list(texts))
        counts = np.bincount(table.ids, minlength=len(table.words)).tolist()
        ranked = sorted(zip(counts, table.spellings(), strict=True), key=lambda entry: (-entry[0], entry[1]))
        if units == "words":
            return cls(Texts.of(word for _, word in ranked[: size - FIRST]))
        pieces, merges = _pieces(ranked, size - FIRST)
        return cls(Texts.of(pieces), Texts.of(merges))

    def __len__(self) -> int:
        """How many symbols there are."""
        return FIRST + len(self.spellings)

    def __contains__(self, spelling: str) -> bool:
        return spelling in self._numbers

    def encode(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Symbols of all texts, each with END after it; where each text starts (n + 1); and its events, words and the end."""
        table = words_of(texts)
        symbols, starts = self._cut(table.spellings())
        sizes = np.diff(starts)
        words = np.append(table.ids.astype(np.int64), len(sizes))  # one more word: the end
        order = np.insert(np.arange(len(table.ids)), table.starts[1:], len(table.ids))
        words = words[order]
        symbols, starts, sizes = np.append(symbols, END), np.append(starts, starts[-1] + 1), np.append(sizes, 1)
        long = sizes[words]
        ends = np.cumsum(long)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - long, long)
        flat = symbols[np.repeat(starts[words], long) + within]
        events = table.lengths() + 1
        bounds = np.concatenate([[0], ends])[np.concatenate([[0], np.cumsum(events)])]
        return flat, bounds, events

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 2) int64: words of which every piece is known, and words."""
        table = words_of(texts)
        symbols, starts = self._cut(table.spellings())
        known = (row_sums(symbols == UNKNOWN, starts) == 0)[table.ids]
        return np.stack([row_sums(known, table.starts), table.lengths()], axis=1)

    def decode(self, symbols: Sequence[int]) -> str:
        """The text that symbols spell, up to the first END."""
        spelt: list[str] = []
        for number in symbols:
            if number == END:
                break
            spelt.append(self._spelt[number])
        if self.merges is None:
            return spoken([word for word in spelt if word])
        return spoken("".join(spelt).replace(BEGIN, " ").split())

    def arrays(self) -> dict[str, np.ndarray]:
        """For a file."""
        kept = {"vocabulary": self.spellings.bytes, "vocabulary_starts": self.spellings.starts}
        if self.merges is not None:
            kept |= {"merges": self.merges.bytes, "merges_starts": self.merges.starts}
        return kept

    @classmethod
    def of(cls, arrays: dict[str, np.ndarray]) -> Vocabulary:
        """From a file; what is missing is a KeyError, and what is no vocabulary some other error now, not at the first word."""
        texts = Texts.checked(arrays.pop("vocabulary"), arrays.pop("vocabulary_starts"))
        merges = Texts.checked(arrays.pop("merges"), arrays.pop("merges_starts")) if "merges" in arrays else None
        made = cls(texts, merges)
        if merges is not None:
            _ = made._cutter
        return made

    @cached_property
    def _spelt(self) -> list[str]:
        return ["", "", *self.spellings]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.spellings, FIRST)}

    def _cut(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Symbols of each word, end to end, and where each starts."""
        if self.merges is None:
            return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int64), np.arange(len(words) + 1)
        found = [[self._numbers.get(piece, UNKNOWN) for piece in one] for one in self._split(words)]
        lengths = np.fromiter(map(len, found), np.int64, len(found))
        flat = np.fromiter((number for one in found for number in one), np.int64, int(lengths.sum()))
        return flat, np.concatenate([[0], np.cumsum(lengths)])

    def _split(self, words: Sequence[str]) -> list[list[str]]:
        known = self._cutter
        return [piece.tokens for piece in known.encode_batch([BEGIN + word for word in words])]

    @cached_property
    def _cutter(self) -> Any:
        models = _tokenizers().models
        vocabulary = {"<unk>": UNKNOWN, "<end>": END, **self._numbers}
        merges = [tuple(merge.split(" ")) for merge in self.merges or ()]
        return _tokenizers().Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>"))


def words_of(texts: Sequence[str]) -> TokenTable:
    """The words of texts, in lower case, as every talking network and the n-gram model see them."""
    return build_table(Texts.of(text.encode("utf-8", "replace").decode() for text in texts), tokeniser("words"))


def _pieces(ranked: Sequence[tuple[int, str]], size: int) -> tuple[list[str], list[str]]:
    """Spellings of the pieces and merges in order of rank, learnt from words with their counts."""
    import json

    library, alphabet = _tokenizers(), _alphabet(ranked, min(ALPHABET, size))
    tokenizer = library.Tokenizer(library.models.BPE(unk_token="<unk>"))
    trainer = library.trainers.BpeTrainer(
        vocab_size=size + FIRST, special_tokens=["<unk>", "<end>"], initial_alphabet=alphabet, limit_alphabet=len(alphabet),
        show_progress=False, min_frequency=2,
    )  # fmt: skip
    tokenizer.train_from_iterator((word for count, spelling in ranked for word in [BEGIN + spelling] * count), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    pieces = [piece for piece, _ in sorted(model["vocab"].items(), key=lambda entry: entry[1])]
    return pieces[FIRST:], [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]


def _alphabet(ranked: Sequence[tuple[int, str]], size: int) -> list[str]:
    """The opening mark and the commonest characters, ties by code point: left to itself, the trainer breaks ties by chance."""
    counts: Counter[str] = Counter()
    for count, spelling in ranked:
        for character in spelling:
            counts[character] += count
    counts.pop(BEGIN, None)
    common = sorted(counts, key=lambda character: (-counts[character], character))[: size - 1]
    return [BEGIN, *common] if common else []


def _tokenizers() -> Any:
    if find_spec("tokenizers") is None:
        raise MissingResource("pieces of words need tokenizers, which is not installed", 'pip install "dialometer[bots]"')
    import tokenizers
    import tokenizers.models
    import tokenizers.trainers

    return tokenizers
