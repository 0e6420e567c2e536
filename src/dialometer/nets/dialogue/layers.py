"""The layers that dialogue networks share: embedding, utterance encoder, context RNN, decoder with a fused softmax and loss.

Attribute names of modules are keys of saved weights; a renamed one would make older files unreadable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import dropout

from dialometer.nets.dialogue.data import Batch, Packed
from dialometer.nets.dialogue.packed_rnn import Gru, Lstm
from dialometer.nets.training.batches import WORD
from dialometer.nets.training.devices import unmixed

State = tuple[torch.Tensor, ...]  # of a recurrent layer: (hidden,) or (hidden, cell), each (rows, width)


ROWS = 256  # scored at once by the fused softmax
WIDEST = 1 << 24  # width that a file may have


@dataclass(frozen=True)
class NetworkSizes:
    """Widths of the layers and dropout rates; 0 for a layer that a network does not have."""

    symbols: int
    embedding: int
    hidden: int
    context: int
    latent: int = 0
    dropout: float = 0.0
    word_drop: float = 0.0  # of the decoder's inputs
    utterance_drop: float = 0.0  # of the context RNN's inputs
    norm: bool = True  # layer normalisation (Ba et al. 2016) before the softmax
    turns: int = 1  # last utterances that are encoded as one sequence
    coarse: int = 0  # symbols of the coarse sequence
    facts: tuple[int, int] = (0, 0)  # widths of emotion and sentence vector
    heads: tuple[int, int] = (0, 0)  # widths of the heads that predict them
    facts_heard: bool = False  # whether they are inputs of the context RNN

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> NetworkSizes:
        """From JSON, which knows no tuples."""
        options: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        sizes = cls(**options)
        for field in fields(cls):
            value, kind = getattr(sizes, field.name), str(field.type)
            several = value if "tuple" in kind and isinstance(value, tuple) and len(value) == 2 else (value,)
            whole = all(type(width) is int and 0 <= width <= WIDEST for width in several)
            share = kind == "float" and isinstance(value, float | int) and 0 <= value < 1
            fits = isinstance(value, bool) if kind == "bool" else share if kind == "float" else whole
            if not fits or ("tuple" in kind and len(several) != 2):
                raise ValueError(f"its size {field.name!r} is {value!r}, and {kind} is expected")
        return sizes


class SymbolEmbedding(nn.Module):
    """A vector per symbol, shared by encoder, decoder and softmax."""

    def __init__(self, symbols: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(symbols, width) * 0.1)

    def forward(self, symbols: torch.Tensor) -> torch.Tensor:
        """(n,) → (n, width)."""
        return nn.functional.embedding(symbols, self.weight)


class UtteranceEncoder(nn.Module):
    """An utterance → the last state of a GRU over its symbols."""

    def __init__(self, words: SymbolEmbedding, hidden: int, sizes: NetworkSizes) -> None:
        super().__init__()
        self.gru = Gru(words.weight.shape[1], hidden)
        self.dropout = sizes.dropout

    def forward(self, words: SymbolEmbedding, symbols: torch.Tensor, packed: Packed) -> torch.Tensor:
        """(sequences, hidden), in the order of the sequences."""
        vectors = dropout(words(symbols), self.dropout, self.training)
        (last,) = self.gru(vectors, packed.sizes)[1]
        return last[packed.place]


class ContextRNN(nn.Module):
    """Utterance vectors → the state of a GRU after each utterance of its dialogue, and before it."""

    def __init__(self, inputs: int, context: int, conditioning: int = 0) -> None:
        super().__init__()
        self.gru = Gru(inputs, context)
        self.start = nn.Parameter(torch.zeros(context))
        self.given = nn.Linear(conditioning, context) if conditioning else None

    def forward(
        self, inputs: torch.Tensor, batch: Batch, conditioning: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(utterances, context) twice: after each, and before each; ``conditioning`` (dialogues, …) shifts the first state."""
        first, packed = self.initial_state(len(batch.numbers), conditioning), batch.talk
        states = self.gru(inputs[packed.index], packed.sizes, (first[packed.order],))[0]
        after = torch.empty_like(states).index_copy(0, torch.as_tensor(packed.index), states)
        opens = torch.as_tensor(batch.opens)[:, None]
        return after, torch.where(opens, first[torch.as_tensor(batch.owner)], after.roll(1, 0))

    def initial_state(self, dialogues: int, conditioning: torch.Tensor | None = None) -> torch.Tensor:
        """(dialogues, context): the state before the first utterance."""
        first = self.start.expand(dialogues, -1)
        if self.given is None or conditioning is None:
            return first
        return first + torch.tanh(self.given(conditioning))


class Decoder(nn.Module):
    """An RNN that generates an utterance symbol by symbol; its conditioning sets the first state and is added to every input.

    The softmax shares the vectors of the symbols (Press & Wolf 2017).
    """

    def __init__(
        self, words: SymbolEmbedding, conditioning: int, hidden: int, sizes: NetworkSizes, lstm: bool = False
    ) -> None:
        super().__init__()
        symbols, width = words.weight.shape
        self.rnn = (Lstm if lstm else Gru)(width, hidden)
        self.first = nn.Linear(conditioning, hidden) if conditioning else None
        self.always = nn.Linear(conditioning, width) if conditioning else None
        if self.always is not None:  # at first the inputs are the symbols alone, without noise of untrained weights
            nn.init.zeros_(self.always.weight)
            nn.init.zeros_(self.always.bias)
        self.dense = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width) if sizes.norm else nn.Identity()
        self.bias = nn.Parameter(torch.zeros(symbols))
        self.hidden, self.dropout, self.word_drop = hidden, sizes.dropout, sizes.word_drop

    def initial_state(self, conditioning: torch.Tensor) -> tuple[State, torch.Tensor]:
        """The first state of each row, and the vector that is added to all of its inputs."""
        if self.first is None or self.always is None:
            raise ValueError("this decoder has no conditioning")
        return (torch.tanh(self.first(conditioning)),), self.always(conditioning)

    def forward(
        self, words: SymbolEmbedding, batch: Batch, conditioning: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Negative log-likelihood of every utterance of a batch: the sum, which has a gradient, and each, which has none."""
        packed = batch.words
        state, added = self.initial_state(conditioning)
        vectors = self.inputs(words, batch.decoder_inputs()) + added[packed.order][packed.owner]
        states = self.rnn(vectors, packed.sizes, tuple(part[packed.order] for part in state))[0]
        total, each = self.nll(words, states, batch.symbols())
        return total, torch.zeros(len(packed.order), dtype=each.dtype).index_add(0, packed.order[packed.owner], each)

    def nll(self, words: SymbolEmbedding, states: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Negative log-likelihood of target symbols: the sum, which has a gradient, and each, which has none."""
        return fused_nll(self._dense(states), words.weight, self.bias, target)

    def step(
        self, words: SymbolEmbedding, symbols: torch.Tensor, state: State, added: torch.Tensor
    ) -> tuple[torch.Tensor, State]:
        """Logits (rows, symbols) of the symbol after ``symbols``, and the state then."""
        out, after = self.rnn(words(symbols) + added, [len(symbols)], state)
        return torch.addmm(self.bias, self._dense(out), words.weight.T), after

    def _dense(self, states: torch.Tensor) -> torch.Tensor:
        return self.norm(self.dense(dropout(states, self.dropout, self.training)))

    def inputs(self, words: SymbolEmbedding, symbols: torch.Tensor) -> torch.Tensor:
        """Vectors of symbols; while training, whole vectors are dropped at random (word dropout)."""
        vectors = dropout(words(symbols), self.dropout, self.training)
        if self.training and self.word_drop:
            vectors = vectors * (torch.rand(len(symbols)) >= self.word_drop)[:, None].to(vectors.dtype)
        return vectors


@dataclass(frozen=True, eq=False)
class NetworkOutput:
    """Negative log-likelihood of the utterances of a batch (``loss`` is the sum, with a gradient), and the KL of the latents.

    ``kl`` is analytic, per utterance; ``excess`` is log q(z) − log p(z) of the draws themselves, as importance weights need it.
    ``talk_kl`` and ``talk_excess`` are those of latents that a whole dialogue shares.
    """

    loss: torch.Tensor
    nll: torch.Tensor
    kl: torch.Tensor | None = None
    excess: torch.Tensor | None = None
    talk_kl: torch.Tensor | None = None
    talk_excess: torch.Tensor | None = None
    emotion: torch.Tensor | None = None  # losses of the EI heads, summed over the utterances
    vector: torch.Tensor | None = None


def seeded_noise(batch: Batch, counts: np.ndarray, width: int, kind: int) -> torch.Tensor | None:
    """Standard normal numbers, ``counts`` rows for each dialogue, from its own seed; ``None`` without seeds: torch draws."""
    if not batch.seeds:
        return None
    parts = [
        np.random.default_rng([seed % WORD, kind]).standard_normal((count, width))
        for seed, count in zip(batch.seeds, counts.tolist(), strict=True)
    ]
    return torch.as_tensor(np.concatenate(parts))


class _FusedNll(torch.autograd.Function):
    """−Σ log softmax(x Wᵀ + b) of targets with its gradient made on the way: the matrix of all logits is never stored.

    A block of rows is scored, turned into probabilities in place, and used at once for the gradients, while it is in the cache.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, target: torch.Tensor) -> Any:
        needs_grad = any(ctx.needs_input_grad)
        each = x.new_empty(len(x))
        dx, dw, db = torch.empty_like(x), torch.zeros_like(w), torch.zeros_like(b)
        buffer = x.new_empty(min(ROWS, len(x)), len(w))
        for at in range(0, len(x), ROWS):
            block, right = x[at : at + ROWS], target[at : at + ROWS, None]
            scores = torch.addmm(b, block, w.T, out=buffer[: len(block)])
            top = scores.amax(1, keepdim=True)
            target_score = scores.gather(1, right)
            total = scores.sub_(top).exp_().sum(1, keepdim=True)
            each[at : at + ROWS] = (total.log() + top - target_score)[:, 0]
            if needs_grad:
                scores.div_(total).scatter_add_(1, right, torch.full_like(target_score, -1.0))
                torch.mm(scores, w, out=dx[at : at + ROWS])
                dw.addmm_(scores.T, block)
                db += scores.sum(0)
        ctx.save_for_backward(dx, dw, db)
        ctx.mark_non_differentiable(each)
        return each.sum(), each

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: torch.Tensor, _: torch.Tensor) -> Any:
        dx, dw, db = ctx.saved_tensors
        return dx.mul_(scale), dw.mul_(scale), db.mul_(scale), None


def fused_nll(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The sum, which has a gradient, and the value of each row, which has none."""
    with unmixed(w):
        return _FusedNll.apply(x.to(w.dtype), w, b, target)  # type: ignore[no-untyped-call]
