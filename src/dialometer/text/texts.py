"""Texts: many strings as one byte array with row starts, so that kernels and memory maps can read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

MANY = 10_000  # from here on Arrow's own table of strings is worth importing


@dataclass(frozen=True, eq=False)
class Texts:
    """UTF-8 bytes end to end; text i is ``bytes[starts[i]:starts[i+1]]``.

    >>> texts = Texts.of(["tea", "café"])
    >>> texts[1], len(texts)
    ('café', 2)
    """

    bytes: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, strings: Iterable[str]) -> Texts:
        """Join strings."""
        parts = list(map(str.encode, strings))
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        starts = np.zeros(len(parts) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        return cls(np.frombuffer(b"".join(parts), np.uint8), starts)

    @classmethod
    def checked(cls, letters: np.ndarray, starts: np.ndarray) -> Texts:
        """From arrays of a file; a ValueError where they are no texts.

        >>> Texts.checked(np.frombuffer(b"tea", np.uint8), np.array([0, 9]))
        Traceback (most recent call last):
        ValueError: its texts and where they start do not fit together
        """
        typed = letters.dtype == np.uint8 and starts.dtype.kind in "iu" and letters.ndim == starts.ndim == 1
        if not typed or not len(starts) or starts[0] != 0 or starts[-1] != len(letters) or (starts[1:] < starts[:-1]).any():
            raise ValueError("its texts and where they start do not fit together")
        made = cls(letters, starts.astype(np.int64, copy=False))
        for _ in made:  # each is UTF-8 by itself
            pass
        return made

    @classmethod
    def distinct(cls, strings: list[str]) -> tuple[Texts, np.ndarray]:
        """The different strings in order of appearance, and the number of each string among them.

        >>> texts, rows = Texts.distinct(["a", "b", "a"])
        >>> list(texts), rows.tolist()
        (['a', 'b'], [0, 1, 0])
        """
        if len(strings) < MANY:
            index = {string: number for number, string in enumerate(dict.fromkeys(strings))}
            return cls.of(index), np.fromiter(map(index.__getitem__, strings), np.int32, len(strings))
        import pyarrow as pa

        found = pa.array(strings, pa.large_string()).dictionary_encode()
        _, starts, data = found.dictionary.buffers()
        texts = cls(np.frombuffer(data, np.uint8), np.frombuffer(starts, np.int64, len(found.dictionary) + 1))
        return texts, found.indices.to_numpy()

    @classmethod
    def numbers(cls, n: int) -> Texts:
        """The texts "0", "1" … "n−1".

        >>> list(Texts.numbers(11))[8:]
        ['8', '9', '10']
        """
        digits = 1 + np.searchsorted(10 ** np.arange(1, 19), np.arange(n), "right")
        starts = np.concatenate([[0], np.cumsum(digits)])
        return cls(np.frombuffer("".join(map(str, range(n))).encode(), np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> str:
        return self.bytes[self.starts[row] : self.starts[row + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        joined, starts = self.bytes.tobytes(), self.starts.tolist()
        return (joined[a:b].decode() for a, b in zip(starts[:-1], starts[1:], strict=True))

    def take(self, rows: np.ndarray) -> Texts:
        """These texts alone, in this order.

        >>> list(Texts.of(["a", "", "bc"]).take(np.array([2, 0])))
        ['bc', 'a']
        """
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.starts[:-1][rows] - starts[:-1], lengths) + np.arange(starts[-1])
        return Texts(np.asarray(self.bytes)[places], starts)

    def characters(self) -> np.ndarray:
        """The number of code points of each text (continuation bytes do not count)."""
        heads = np.concatenate([[0], np.cumsum((self.bytes & 0xC0) != 0x80)])
        return np.asarray(heads[self.starts[1:]] - heads[self.starts[:-1]])
