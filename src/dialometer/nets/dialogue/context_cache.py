"""Listening without hearing everything again: what was made of a conversation so far is remembered, and only new turns are read.

Rows go through the layers in multiples of 32, so that other rows do not move a state beyond the tolerance for networks
(docs/design/batch-invariance.md): it is the same whether it was remembered or made anew, and a conversation that is taken up again
after a kill goes on as it would have.
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
    from dialometer.nets.dialogue.hred import Hred

MOST = 1 << 26  # bytes of states that are remembered


class Memory:
    """States by what was said; those that were not asked for longest are forgotten first."""

    def __init__(self) -> None:
        self._states: OrderedDict[bytes, torch.Tensor] = OrderedDict()
        self._size = 0

    def find(self, key: bytes) -> torch.Tensor | None:
        """A state, or nothing."""
        state = self._states.get(key)
        if state is not None:
            self._states.move_to_end(key)
        return state

    def keep(self, key: bytes, state: torch.Tensor) -> None:
        """Remember a state, and forget old ones where there is no room."""
        if key in self._states:
            return
        self._states[key] = state.clone()
        self._size += state.nbytes
        while self._size > MOST:
            self._size -= self._states.popitem(last=False)[1].nbytes


def contexts(net: Hred, batch: Batch, memory: Memory) -> torch.Tensor:
    """(conversations, context): the context's state after each conversation; the same conversation is heard once."""
    numbers, copies = np.unique(batch.numbers, return_inverse=True)
    alone = Batch(batch.data, numbers)
    keys = [list(_keys(alone, talk)) for talk in range(len(numbers))]
    known = [_recalled(mine, memory) for mine in keys]
    first = np.cumsum(alone.turns) - alone.turns
    new = np.array([first[t] + at for t, mine in enumerate(keys) for at in range(known[t][0], len(mine))], np.int64)
    states = torch.stack([net.follower.start.detach() if state is None else state for _, state in known])
    if len(new):
        heard = net.heard(alone, read_alike(net, alone, new), new)
        _follow(net, memory, states, heard, [mine[at:] for mine, (at, _) in zip(keys, known, strict=True)])
    return states[torch.as_tensor(copies)]


def _recalled(keys: list[bytes], memory: Memory) -> tuple[int, torch.Tensor | None]:
    """How many turns are remembered, and the state after them."""
    for turns in range(len(keys), 0, -1):
        state = memory.find(keys[turns - 1])
        if state is not None:
            return turns, state
    return 0, None


def _follow(net: Hred, memory: Memory, states: torch.Tensor, heard: torch.Tensor, left: list[list[bytes]]) -> None:
    """Take every conversation through the turns that are left, in place; ``heard`` has them conversation by conversation."""
    first = np.cumsum([0, *map(len, left)])
    for step in range(max(map(len, left))):
        talks = np.array([talk for talk, mine in enumerate(left) if step < len(mine)])
        filled = torch.as_tensor(np.resize(talks, -(-len(talks) // ROWS) * ROWS))
        rows = torch.as_tensor(first)[filled] + step
        after = net.follower.gru(heard[rows], [len(filled)], (states[filled],))[0]
        for row, talk in enumerate(talks.tolist()):
            states[talk] = after[row]
            memory.keep(left[talk][step], after[row])


def _keys(batch: Batch, talk: int) -> Iterator[bytes]:
    """A name for everything said up to each turn of a conversation."""
    data, number = batch.data, batch.numbers[talk]
    made = blake2b(digest_size=16)
    for row in range(int(data.talks[number]), int(data.talks[number + 1])):
        made.update(np.ascontiguousarray(data.flat[data.starts[row] : data.starts[row + 1]]).tobytes())
        if data.facts is not None:
            made.update(np.ascontiguousarray(data.facts[row]).tobytes())
        yield made.copy().digest()


def read_alike(net: Hred, batch: Batch, utterances: np.ndarray) -> torch.Tensor:
    """(utterances, hidden): the reader's last states, in blocks of 32 of similar length that run to their longest."""
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
