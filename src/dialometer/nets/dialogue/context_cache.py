"""A cache of context states, so that only the new turns of a dialogue are encoded.

Rows go through the layers in multiples of 32, so that other rows do not move a state beyond the tolerance for networks
(docs/design/batch-invariance.md): it is the same whether it comes from the cache or not, and a dialogue that is resumed
after a kill continues as it would have.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch
from dialometer.nets.encoders.sentence_rnn import ROWS
from dialometer.nets.training.vocabulary import END

if TYPE_CHECKING:
    from dialometer.nets.dialogue.hred import HredNetwork

MOST = 1 << 26  # bytes of cached states


class ContextCache:
    """States by a hash of the turns so far; the least recently used are removed first."""

    def __init__(self) -> None:
        self._states: OrderedDict[bytes, torch.Tensor] = OrderedDict()
        self._size = 0

    def find(self, key: bytes) -> torch.Tensor | None:
        """A state, or ``None``."""
        state = self._states.get(key)
        if state is not None:
            self._states.move_to_end(key)
        return state

    def keep(self, key: bytes, state: torch.Tensor) -> None:
        """Add a state, and remove old ones where there is no room."""
        if key in self._states:
            return
        self._states[key] = state.clone()
        self._size += state.nbytes
        while self._size > MOST:
            self._size -= self._states.popitem(last=False)[1].nbytes


def cached_contexts(net: HredNetwork, batch: Batch, cache: ContextCache) -> torch.Tensor:
    """(dialogues, context): the context state after each dialogue; equal dialogues are encoded once."""
    numbers, copies = np.unique(batch.numbers, return_inverse=True)
    alone = Batch(batch.data, numbers)
    keys = [list(_keys(alone, talk)) for talk in range(len(numbers))]
    known = [_find_longest(mine, cache) for mine in keys]
    first = np.cumsum(alone.turns) - alone.turns
    new = np.array([first[t] + at for t, mine in enumerate(keys) for at in range(known[t][0], len(mine))], np.int64)
    states = torch.stack([net.follower.start.detach() if state is None else state for _, state in known])
    if len(new):
        inputs = net.context_inputs(alone, encode_blocks(net, alone, new), new)
        _run_turns(net, cache, states, inputs, [mine[at:] for mine, (at, _) in zip(keys, known, strict=True)])
    return states[torch.as_tensor(copies)]


def _find_longest(keys: list[bytes], cache: ContextCache) -> tuple[int, torch.Tensor | None]:
    """The number of turns with a cached state, and that state."""
    for turns in range(len(keys), 0, -1):
        state = cache.find(keys[turns - 1])
        if state is not None:
            return turns, state
    return 0, None


def _run_turns(
    net: HredNetwork, cache: ContextCache, states: torch.Tensor, inputs: torch.Tensor, left: list[list[bytes]]
) -> None:
    """Run every dialogue through the turns that are left, in place; ``inputs`` has them dialogue by dialogue."""
    first = np.cumsum([0, *map(len, left)])
    for step in range(max(map(len, left))):
        talks = np.array([talk for talk, mine in enumerate(left) if step < len(mine)])
        filled = torch.as_tensor(np.resize(talks, -(-len(talks) // ROWS) * ROWS))
        rows = torch.as_tensor(first)[filled] + step
        after = net.follower.gru(inputs[rows], [len(filled)], (states[filled],))[0]
        for row, talk in enumerate(talks.tolist()):
            states[talk] = after[row]
            cache.keep(left[talk][step], after[row])


def _keys(batch: Batch, talk: int) -> Iterator[bytes]:
    """A hash of all turns up to each turn of a dialogue."""
    data, number = batch.data, batch.numbers[talk]
    hasher = blake2b(digest_size=16)
    for row in range(int(data.talks[number]), int(data.talks[number + 1])):
        hasher.update(np.ascontiguousarray(data.flat[data.starts[row] : data.starts[row + 1]]).tobytes())
        if data.facts is not None:
            hasher.update(np.ascontiguousarray(data.facts[row]).tobytes())
        yield hasher.copy().digest()


def encode_blocks(net: HredNetwork, batch: Batch, utterances: np.ndarray) -> torch.Tensor:
    """(utterances, hidden): the encoder's last states, in blocks of 32 of similar length that run to their longest."""
    data, rows = batch.data, batch.rows[utterances]
    lengths = data.starts[rows + 1] - data.starts[rows]
    order = np.argsort(-lengths, kind="stable")
    out = torch.empty(len(rows), net.sizes.hidden, dtype=net.words.weight.dtype)
    for at in range(0, len(order), ROWS):
        block = np.resize(order[at : at + ROWS], ROWS)  # copies fill up the last block
        long = int(lengths[block].max())
        symbols = np.full((long, ROWS), END, np.int64)
        for column, row in enumerate(block.tolist()):
            symbols[: lengths[row], column] = data.flat[data.starts[rows[row]] : data.starts[rows[row] + 1]]
        vectors = net.words(torch.as_tensor(symbols.reshape(-1)))
        states = net.reader.gru(vectors, [ROWS] * long)[0].view(long, ROWS, -1)
        out[block] = states[lengths[block] - 1, np.arange(ROWS)]
    return out
