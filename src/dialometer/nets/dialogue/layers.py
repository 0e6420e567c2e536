"""The layers that talking networks share: one reads an utterance, one follows the conversation, one says the next utterance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import dropout

from dialometer.nets.dialogue.data import Batch, Packed
from dialometer.nets.dialogue.packed_rnn import Gru, Lstm
from dialometer.nets.dialogue.softmax_loss import surprise
from dialometer.nets.training.batches import WORD

State = tuple[torch.Tensor, ...]  # of a recurrent layer: (hidden,) or (hidden, cell), each (rows, width)


WIDEST = 1 << 24  # of anything that a file may say


@dataclass(frozen=True)
class Sizes:
    """Widths of the layers and shares of what is dropped; what a network does not have is 0."""

    symbols: int
    embedding: int
    hidden: int
    context: int
    latent: int = 0
    dropout: float = 0.0
    word_drop: float = 0.0  # of what the decoder hears
    utterance_drop: float = 0.0  # of what the context hears
    norm: bool = True  # layer normalisation (Ba et al. 2016) of what the softmax is given
    turns: int = 1  # utterances that are read as one
    coarse: int = 0  # symbols of the coarse sequence
    facts: tuple[int, int] = (0, 0)  # widths of emotion and sentence vector
    heads: tuple[int, int] = (0, 0)  # widths of the layers that predict them
    facts_heard: bool = False  # whether the context hears them

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Sizes:
        """From JSON, which knows no tuples."""
        options: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
        made = cls(**options)
        for field in fields(cls):
            value, kind = getattr(made, field.name), str(field.type)
            several = value if "tuple" in kind and isinstance(value, tuple) and len(value) == 2 else (value,)
            whole = all(type(width) is int and 0 <= width <= WIDEST for width in several)
            share = kind == "float" and isinstance(value, float | int) and 0 <= value < 1
            fits = isinstance(value, bool) if kind == "bool" else share if kind == "float" else whole
            if not fits or ("tuple" in kind and len(several) != 2):
                raise ValueError(f"its size {field.name!r} is {value!r}, and {kind} is expected")
        return made


class Words(nn.Module):
    """A vector per symbol, shared by all who read and speak."""

    def __init__(self, symbols: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(symbols, width) * 0.1)

    def forward(self, symbols: torch.Tensor) -> torch.Tensor:
        """(n,) → (n, width)."""
        return nn.functional.embedding(symbols, self.weight)


class Reader(nn.Module):
    """An utterance → the last state of a GRU over its symbols."""

    def __init__(self, words: Words, hidden: int, sizes: Sizes) -> None:
        super().__init__()
        self.gru = Gru(words.weight.shape[1], hidden)
        self.dropout = sizes.dropout

    def forward(self, words: Words, symbols: torch.Tensor, packed: Packed) -> torch.Tensor:
        """(sequences, hidden), in the order of the sequences."""
        vectors = dropout(words(symbols), self.dropout, self.training)
        (last,) = self.gru(vectors, packed.sizes)[1]
        return last[packed.place]


class Follower(nn.Module):
    """Utterance vectors → the state of a GRU after each utterance of its conversation, and before it."""

    def __init__(self, heard: int, context: int, given: int = 0) -> None:
        super().__init__()
        self.gru = Gru(heard, context)
        self.start = nn.Parameter(torch.zeros(context))
        self.given = nn.Linear(given, context) if given else None

    def forward(
        self, heard: torch.Tensor, batch: Batch, given: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(utterances, context) twice: after each, and before each; ``given`` (talks, …) makes the first state."""
        begin, packed = self.begin(len(batch.numbers), given), batch.talk
        states = self.gru(heard[packed.index], packed.sizes, (begin[packed.order],))[0]
        after = torch.empty_like(states).index_copy(0, torch.as_tensor(packed.index), states)
        opens = torch.as_tensor(batch.opens)[:, None]
        return after, torch.where(opens, begin[torch.as_tensor(batch.owner)], after.roll(1, 0))

    def begin(self, talks: int, given: torch.Tensor | None = None) -> torch.Tensor:
        """(talks, context): the state before anything was said."""
        begin = self.start.expand(talks, -1)
        return begin if self.given is None or given is None else begin + torch.tanh(self.given(given))


class Speaker(nn.Module):
    """Says an utterance symbol by symbol: what is given sets its first state and is added to all it hears.

    The softmax shares the vectors of the symbols (Press & Wolf 2017).
    """

    def __init__(self, words: Words, given: int, hidden: int, sizes: Sizes, lstm: bool = False) -> None:
        super().__init__()
        symbols, width = words.weight.shape
        self.rnn = (Lstm if lstm else Gru)(width, hidden)
        self.first = nn.Linear(given, hidden) if given else None
        self.always = nn.Linear(given, width) if given else None
        if self.always is not None:  # what is given must not drown the words before it is of use
            nn.init.zeros_(self.always.weight)
            nn.init.zeros_(self.always.bias)
        self.dense = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width) if sizes.norm else nn.Identity()
        self.bias = nn.Parameter(torch.zeros(symbols))
        self.hidden, self.dropout, self.word_drop = hidden, sizes.dropout, sizes.word_drop

    def begin(self, given: torch.Tensor) -> tuple[State, torch.Tensor]:
        """The first state of each row, and what is added to all that it hears."""
        if self.first is None or self.always is None:
            raise ValueError("this speaker is given nothing")
        return (torch.tanh(self.first(given)),), self.always(given)

    def forward(self, words: Words, batch: Batch, given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """−log p of every utterance of a batch: the sum, which has a gradient, and each, which has none."""
        packed = batch.words
        state, added = self.begin(given)
        vectors = self.heard(words, batch.heard()) + added[packed.order][packed.owner]
        states = self.rnn(vectors, packed.sizes, tuple(part[packed.order] for part in state))[0]
        total, each = self.surprise(words, states, batch.symbols())
        return total, torch.zeros(len(packed.order), dtype=each.dtype).index_add(0, packed.order[packed.owner], each)

    def surprise(self, words: Words, states: torch.Tensor, said: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """−log p of each symbol."""
        return surprise(self._dense(states), words.weight, self.bias, said)

    def step(self, words: Words, said: torch.Tensor, state: State, added: torch.Tensor) -> tuple[torch.Tensor, State]:
        """Scores (rows, symbols) of what comes after ``said``, and the state then."""
        out, after = self.rnn(words(said) + added, [len(said)], state)
        return torch.addmm(self.bias, self._dense(out), words.weight.T), after

    def _dense(self, states: torch.Tensor) -> torch.Tensor:
        return self.norm(self.dense(dropout(states, self.dropout, self.training)))

    def heard(self, words: Words, symbols: torch.Tensor) -> torch.Tensor:
        """Vectors of symbols, of which some are dropped whole while training."""
        vectors = dropout(words(symbols), self.dropout, self.training)
        if self.training and self.word_drop:
            vectors = vectors * (torch.rand(len(symbols)) >= self.word_drop)[:, None].to(vectors.dtype)
        return vectors


@dataclass(frozen=True, eq=False)
class Told:
    """What a network says of a batch: −log p (``loss`` is the sum, with a gradient), and what its latents cost.

    ``kl`` is analytic, per utterance; ``excess`` is log q(z) − log p(z) of the draws themselves, as importance weights need it.
    ``talk_kl`` and ``talk_excess`` are those of latents that a whole conversation shares.
    """

    loss: torch.Tensor
    nll: torch.Tensor
    kl: torch.Tensor | None = None
    excess: torch.Tensor | None = None
    talk_kl: torch.Tensor | None = None
    talk_excess: torch.Tensor | None = None
    emotion: torch.Tensor | None = None  # sums over the utterances of the distances to what was to be predicted
    vector: torch.Tensor | None = None


def drawn(batch: Batch, counts: np.ndarray, width: int, kind: int) -> torch.Tensor | None:
    """Standard normal draws, ``counts`` rows for each conversation, from its own seed; without seeds torch draws."""
    if not batch.seeds:
        return None
    parts = [
        np.random.default_rng([seed % WORD, kind]).standard_normal((count, width))
        for seed, count in zip(batch.seeds, counts.tolist(), strict=True)
    ]
    return torch.as_tensor(np.concatenate(parts))
