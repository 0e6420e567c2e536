"""Dual Encoder (Lowe et al. 2015; Liu et al. 2016, section 4.1): ``p(r follows c) = σ(cᵀ M r + b)``, one encoder for c and r.

The encoder is a GRU, as in the paper. Four things are ours, with little text in mind: its states are pooled by their maximum; a sum
of word vectors, weighted at first by idf, is added to it, so that words which occur on both sides tell at once; both
parts and the whole have length 1, with the scale of M learnt apart; and every other reply of a batch is a negative sample.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import logsigmoid, normalize

from dialometer.core.cache import content_key
from dialometer.core.protocols import Progress
from dialometer.nets.encoders.sentence_rnn import encode_rows
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import bucketed, padded
from dialometer.nets.training.checkpoints import rebuilt, weights_of
from dialometer.nets.training.loop import Position, fork_rng_seeded, train
from dialometer.nets.training.vocabulary import END
from dialometer.text.corpus import Rows

LONGEST = 100  # symbols of a context, its last ones, and of a reply, its first ones
HEARD = 40  # of them, as many last ones are read by the GRU
BATCH, RATE, LAST, DROP = 256, 1e-3, 0.2, 0.3
PART = 64  # rows of similar length that run together
SCALE = 3.0  # ln of the scale of M at the start: cosines from −1 to 1 become scores from −20 to 20


@dataclass(frozen=True)
class DualEncoderSizes:
    """Symbols, width of their vectors and of a text's, width of the GRU, negatives of each pair (0: the batch), epochs."""

    symbols: int
    dim: int
    hidden: int
    negatives: int
    epochs: int

    def model(self) -> DualEncoder:
        """A new one."""
        return DualEncoder(self)


@dataclass(frozen=True, eq=False)
class ContextResponsePairs:
    """Utterances as symbols, each closed by END; contexts are rows of them, and replies one each."""

    flat: np.ndarray
    starts: np.ndarray
    contexts: Rows
    replies: np.ndarray

    @classmethod
    def of(cls, flat: np.ndarray, starts: np.ndarray, contexts: Rows, replies: np.ndarray) -> ContextResponsePairs:
        """Close the utterances, given without END."""
        ends = starts[1:]
        return cls(np.insert(flat, ends, END), starts + np.arange(len(starts)), contexts, replies)

    def asked(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last symbols of some contexts, end to end, and where each starts."""
        said = self.contexts.rows[self.contexts.flat(rows)]
        lengths = (self.starts[1:] - self.starts[:-1])[said]
        ends = np.cumsum(lengths)
        symbols = self.flat[np.repeat(self.starts[said] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))]
        turns = np.concatenate([[0], np.cumsum(self.contexts.counts()[rows])])
        starts = np.concatenate([[0], ends])[turns]
        kept = np.repeat(starts[1:], np.diff(starts)) - np.arange(len(symbols)) <= LONGEST
        return symbols[kept], np.concatenate([[0], np.cumsum(np.minimum(np.diff(starts), LONGEST))])

    def answered(self, utterances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first symbols of some utterances, without END."""
        lengths = np.minimum(self.starts[utterances + 1] - self.starts[utterances] - 1, LONGEST)
        ends = np.cumsum(lengths)
        at = np.repeat(self.starts[utterances] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
        return self.flat[at], np.concatenate([[0], ends])


class DualEncoder(nn.Module):
    """Word vectors, their weights, GRU, M, b."""

    def __init__(self, sizes: DualEncoderSizes, idf: np.ndarray | None = None) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.symbols, sizes.dim)
        self.salience = nn.Parameter(torch.ones(sizes.symbols))
        self.narrow = nn.Linear(sizes.dim, sizes.hidden)
        self.gru = nn.GRU(sizes.hidden, sizes.hidden, batch_first=True)
        self.dense = nn.Linear(sizes.hidden, sizes.dim)
        self.match = nn.Linear(sizes.dim, sizes.dim, bias=False)
        self.scale = nn.Parameter(torch.tensor([SCALE]))
        self.bias = nn.Parameter(torch.tensor([-math.log(sizes.negatives or BATCH - 1)]))
        self.negatives = sizes.negatives
        with torch.no_grad():
            nn.init.eye_(self.match.weight)
            self.embedding.weight.mul_(sizes.dim**-0.5)
            self.embedding.weight[0] = 0.0  # the unknown symbol says nothing until it is trained
            if idf is not None:
                self.salience.copy_(torch.from_numpy(idf))

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """(rows, time) symbols → (rows, dim) of length 1."""
        real = torch.arange(ids.shape[1]) < lengths[:, None]
        if self.training:
            real = real & (torch.rand(ids.shape) >= DROP)
        heard = self.embedding(ids) * real[..., None]
        words = (self.salience[ids][..., None] * heard).sum(dim=1)
        last = max(min(HEARD, ids.shape[1]), 1)
        at = (lengths - last).clamp_min(0)[:, None] + torch.arange(last)
        states = self.gru(self.narrow(heard.gather(1, at[..., None].expand(-1, -1, heard.shape[2]))))[0]
        told = (at < lengths[:, None])[..., None]
        state = self.dense(torch.where(told, states, -1.0).amax(dim=1))  # states lie above −1
        return normalize(normalize(words, dim=1) + normalize(state, dim=1), dim=1)

    def loss(self, data: ContextResponsePairs, rows: np.ndarray) -> torch.Tensor:
        """−Σ ln σ(±score) per pair over the true replies (+) and the negatives (−); the same text is no negative."""
        asked, replies = self.match(self._encoded(*data.asked(rows))), data.replies[rows]
        scores = self.scale.exp() * asked @ self._encoded(*data.answered(replies)).T + self.bias
        others = torch.from_numpy(replies[:, None] != replies)
        if self.negatives:
            drawn = torch.rand(others.shape).masked_fill(~others, 2.0).argsort(dim=1)[:, : self.negatives]
            others = others & torch.zeros_like(others).scatter(1, drawn, True)
        true = torch.diagonal(logsigmoid(scores)).sum()
        return -(true + (logsigmoid(-scores) * others).sum()) / len(rows)

    def _encoded(self, flat: np.ndarray, starts: np.ndarray) -> torch.Tensor:
        """All rows, in parts of similar length."""
        order = np.argsort(np.diff(starts), kind="stable")
        parts = [padded(flat, starts, order[at : at + PART]) for at in range(0, len(order), PART)]
        return torch.cat([self(*map(torch.from_numpy, part)) for part in parts])[torch.from_numpy(np.argsort(order))]


def learn(
    data: ContextResponsePairs,
    rows: np.ndarray,
    idf: np.ndarray,
    sizes: DualEncoderSizes,
    *,
    watch: tuple[np.ndarray, np.ndarray],
    seed: int,
    work: Path | None,
    progress: Progress | None,
) -> tuple[dict[str, np.ndarray], Position]:
    """Train on some pairs; ``watch`` are pairs to validate on, with the rows of their candidate replies, the true one first.

    Validation is the share of pairs whose true reply is not the first of its candidates.
    """
    lengths = np.diff(data.asked(np.arange(len(data.replies)))[1])
    with one_thread():
        with fork_rng_seeded(seed):
            model = DualEncoder(sizes, idf.astype(np.float32))
        at = train(
            model,
            lambda epoch: [rows[batch] for batch in bucketed(lengths[rows], BATCH, seed=seed, epoch=epoch)],
            lambda net, batch: net.loss(data, batch),
            validate=(lambda net: _missed(net, data, *watch)) if len(watch[0]) else None,
            epochs=sizes.epochs, seed=seed, rate=RATE, last=LAST, work=work, progress=progress,
            key=content_key(
                f"{asdict(sizes)} {BATCH} {RATE} {LAST} {DROP}", data.flat, data.starts, data.contexts.rows, data.replies, rows
            ),
        )  # fmt: skip
    return weights_of(model), at


def _missed(model: DualEncoder, data: ContextResponsePairs, rows: np.ndarray, candidates: np.ndarray) -> float:
    """The share of rows whose true reply is not the best of its candidates."""
    asked, said = contexts(model, *data.asked(rows)), texts(model, *data.answered(data.replies[rows]))
    scores = (asked[:, None] * said[candidates]).sum(axis=2)
    return float(1 - (scores.argmax(axis=1) == 0).mean())


def texts(model: DualEncoder, flat: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(n, dim) float32: r of each row, which does not depend on the other rows."""
    return encode_rows(flat, starts, model.match.in_features, lambda ids: model(torch.from_numpy(ids), _full(ids)))


def contexts(model: DualEncoder, flat: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(n, dim) float32: Mᵀ c of each row, so that a product with r ranks replies."""
    return encode_rows(
        flat, starts, model.match.in_features, lambda ids: model.match(model(torch.from_numpy(ids), _full(ids)))
    )


def _full(ids: np.ndarray) -> torch.Tensor:
    return torch.full((len(ids),), ids.shape[1])


def model_of(weights: Mapping[str, np.ndarray], sizes: DualEncoderSizes, where: str = "dualencoder") -> DualEncoder:
    """A trained one."""
    return rebuilt(sizes.model, weights, where)


def probabilities(products: np.ndarray, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """σ(scale · product + b)."""
    scores = np.exp(weights["scale"].astype(float)) * products.astype(float) + weights["bias"].astype(float)
    return np.asarray(1 / (1 + np.exp(-scores)))
