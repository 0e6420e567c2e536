"""How much dialogues repeat each other, and the text a bot was trained on (Ghandeharioun et al. 2019, appendix A.13).

Tables A.6 and A.7 there: the share of pairs of dialogues that have ``width`` consecutive turns in common, wherever these stand,
and the share of dialogues that have ``width`` consecutive turns in common with the training set. Turns are compared by 64-bit
codes, and windows of turns by a mixture of theirs; dialogues too short for a window are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

_MIX = np.uint64(0x9E3779B97F4A7C15)
Codes = Sequence[np.ndarray]  # per dialogue a code (uint64) per turn


@dataclass(frozen=True)
class OverlapShare:
    """So many of so many; of none, the share is not a number."""

    found: int
    of: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.found / self.of if self.of else float("nan")


def text_codes(talks: Iterable[Sequence[str]]) -> list[np.ndarray]:
    """A code per turn: equal texts, and no others, have equal ones."""
    known: dict[str, int] = {}

    def code(text: str) -> int:
        if text not in known:
            data = text.encode("utf-8", "surrogatepass")
            known[text] = int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
        return known[text]

    return [np.array([code(text) for text in talk], np.uint64) for talk in talks]


def windows(talks: Codes, width: int) -> tuple[np.ndarray, np.ndarray]:
    """A key for every window of consecutive turns, and the number of the dialogue it lies in."""
    codes = np.concatenate([np.zeros(0, np.uint64), *talks])
    owners = np.repeat(np.arange(len(talks)), [len(talk) for talk in talks])
    n = max(0, len(codes) - width + 1)
    keys = codes[:n].copy()
    for step in range(1, width):
        keys = keys * _MIX + codes[step : n + step]
    inside = owners[:n] == owners[len(owners) - n :]
    return keys[inside], owners[:n][inside]


def shared_pairs(talks: Codes, width: int) -> OverlapShare:
    """Pairs of dialogues with a window in common (table A.6); each pair counts once, however much it shares.

    >>> talks = text_codes([["hi", "what?", "what?", "what?"], ["what?", "what?", "what?"], ["hi", "no", "bye"]])
    >>> shared_pairs(talks, 3)
    OverlapShare(found=1, of=3)
    """
    enough = sum(len(talk) >= width for talk in talks)
    keys, owners = _distinct(*windows(talks, width))
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    common = count[place] > 1
    return OverlapShare(_pairs(place[common], owners[common]), enough * (enough - 1) // 2)


def found_in(talks: Codes, others: np.ndarray, width: int) -> OverlapShare:
    """Dialogues with a window among the keys of others (table A.7), such as ``window_keys`` of the training set."""
    keys, owners = windows(talks, width)
    enough = sum(len(talk) >= width for talk in talks)
    return OverlapShare(len(np.unique(owners[np.isin(keys, others)])), enough)


def window_keys(talks: Codes, width: int) -> np.ndarray:
    """The distinct keys of all windows, sorted."""
    return np.unique(windows(talks, width)[0])


def _distinct(keys: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each (window, dialogue) once, by dialogue."""
    order = np.lexsort((keys, owners))
    keys, owners = keys[order], owners[order]
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (owners[1:] != owners[:-1])
    return keys[new], owners[new]


def _pairs(keys: np.ndarray, owners: np.ndarray) -> int:
    """Distinct pairs of owners that share a key.

    Dialogues with the same windows count as one kind: a bot that always says the same gives one kind of thousands, whose
    pairs need no looking at.
    """
    ends = np.flatnonzero(np.diff(owners, append=-1)) + 1
    kinds = Counter(tuple(own.tolist()) for own in np.split(keys, ends[:-1]) if len(own))
    weights = np.array(list(kinds.values()), np.int64)
    members: dict[int, list[int]] = {}
    for kind, own in enumerate(kinds):
        for key in own:
            members.setdefault(key, []).append(kind)
    arrays = {key: np.array(kinds_of) for key, kinds_of in members.items() if len(kinds_of) > 1}
    twice = 0
    for kind, own in enumerate(kinds):
        shared = [arrays[key] for key in own if key in arrays]
        if shared:
            met = np.zeros(len(kinds), bool)
            met[np.concatenate(shared)] = True
            met[kind] = False
            twice += int(weights[kind] * weights[met].sum())
    return twice // 2 + int((weights * (weights - 1) // 2).sum())
