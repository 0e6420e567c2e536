"""Skip-Thought (Kiros et al. 2015): a GRU reads an utterance, two GRUs say what came before and after.

``Σ_t log p(w_t | w_<t, h)`` of both neighbours, h given to the decoders at each step; one softmax for both. Three things are ours,
with little text in mind: half of the decoders' input words are dropped, the softmax shares its word vectors with the
encoder, and the vectors are whitened after training (``Σ^-½ (h − μ)``, Su et al. 2021), as few directions hold most of a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from dialometer.core.cache import content_key
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.nets.encoders.sentence_rnn import ROWS, SentenceGru, encode_rows, unit
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import Neighbours, bucketed, held_out, padded, shortened
from dialometer.nets.training.checkpoints import rebuilt, weights_of
from dialometer.nets.training.loop import fork_rng_seeded, train
from dialometer.nets.training.vocabulary import END

LONGEST = 30  # words of an utterance that take part in training
BATCH, RATE, DROP = 64, 2e-3, 0.5
SAMPLE = 20_000  # utterances that whitening is fitted on
FLOOR = 1e-3  # directions weaker than this share of the strongest are not blown up to its strength
ALIKE = 1e-10  # variance below which states differ by rounding alone


@dataclass(frozen=True)
class SkipThoughtSizes:
    """Symbols, width of their vectors, width of the sentence vector, whether both directions share it, epochs."""

    symbols: int
    inner: int
    dim: int
    both: bool
    epochs: int

    def reader(self) -> SentenceGru:
        """A new GRU."""
        return SentenceGru(self.symbols, self.inner, self.dim // (2 if self.both else 1), self.both)

    def encoder(self) -> nn.Sequential:
        """The GRU, then whitening."""
        return nn.Sequential(self.reader(), nn.Linear(self.dim, self.dim))


@dataclass(frozen=True, eq=False)
class Utterances:
    """Utterances as word numbers, with the rows of their neighbours or −1."""

    flat: np.ndarray
    starts: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @classmethod
    def of(cls, near: Neighbours, flat: np.ndarray, starts: np.ndarray) -> Utterances:
        """Without pairs in which one side has no words."""
        spoken = np.append(np.diff(starts) > 0, False)  # row −1 is silent too
        sides = (np.where(spoken[side] & spoken[:-1], side, -1) for side in (near.before, near.after))
        return cls(*shortened(flat, starts, LONGEST), *sides)


class SkipThought(nn.Module):
    """Encoder, two decoders, softmax."""

    def __init__(self, sizes: SkipThoughtSizes) -> None:
        super().__init__()
        self.encoder = sizes.reader()
        self.before = nn.GRU(sizes.inner + sizes.dim, sizes.dim // 2, batch_first=True)
        self.after = nn.GRU(sizes.inner + sizes.dim, sizes.dim // 2, batch_first=True)
        self.dense = nn.Linear(sizes.dim // 2, sizes.inner)
        self.bias = nn.Parameter(torch.zeros(sizes.symbols))

    def forward(self, data: Utterances, rows: np.ndarray) -> tuple[torch.Tensor, int]:
        """−Σ log p of the neighbours of some rows, and the number of words summed, ends included."""
        vectors = self.encoder(*map(torch.from_numpy, padded(data.flat, data.starts, rows)))
        said = []
        for decoder, side in ((self.before, data.before[rows]), (self.after, data.after[rows])):
            there = np.flatnonzero(side >= 0)
            there = there[np.argsort((data.starts[side + 1] - data.starts[side])[there], kind="stable")]
            for part in np.array_split(there, max(1, len(there) // ROWS)):  # similar lengths together: little is padding
                if len(part):
                    said.append(self._say(decoder, vectors[torch.from_numpy(part)], data, side[part]))
        target = torch.cat([words for _, words in said])
        scores = self.dense(torch.cat([states for states, _ in said])) @ self.encoder.embedding.weight.T + self.bias
        return cross_entropy(scores, target, reduction="sum"), len(target)

    def _say(
        self, decoder: nn.GRU, vectors: torch.Tensor, data: Utterances, rows: np.ndarray
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The decoder's states before each word of the neighbours, and those words, padding left out."""
        ids, lengths = padded(data.flat, data.starts, rows)
        edge = np.full((len(ids), 1), END)  # opens and closes an utterance
        inputs = torch.from_numpy(np.concatenate([edge, ids], axis=1))
        outputs = torch.from_numpy(np.concatenate([ids, edge], axis=1))
        outputs[torch.arange(len(ids)), torch.from_numpy(lengths)] = END
        heard = self.encoder.embedding(inputs)
        if self.training:
            heard = heard * (torch.rand(inputs.shape) >= DROP)[..., None]
        given = vectors[:, None].expand(-1, inputs.shape[1], -1)
        real = torch.arange(inputs.shape[1]) <= torch.from_numpy(lengths)[:, None]
        return decoder(torch.cat([heard, given], dim=2))[0][real], outputs[real]


def learn(
    near: Neighbours,
    flat: np.ndarray,
    starts: np.ndarray,
    sizes: SkipThoughtSizes,
    *,
    seed: int,
    work: Path | None,
    progress: Progress | None,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights of a trained encoder, and the facts of its training."""
    data = Utterances.of(near, flat, starts)
    rows = np.flatnonzero((data.before >= 0) | (data.after >= 0))
    if not len(rows):
        raise NeedsError(
            "skipthought learns from neighbouring utterances, and no conversation here has two with words",
            "train on conversations: files whose items have turns, or a context",
        )
    held = held_out(near.talk[rows], seed)
    rows, watch = rows[~held], rows[held]
    lengths = np.diff(data.starts)
    with one_thread():
        with fork_rng_seeded(seed):
            model = SkipThought(sizes)
        at = train(
            model,
            lambda epoch: [rows[batch] for batch in bucketed(lengths[rows], BATCH, seed=seed, epoch=epoch)],
            lambda net, batch: torch.div(*net(data, batch)),
            validate=(lambda net: _validate(net, data, watch)) if len(watch) else None,
            epochs=sizes.epochs, seed=seed, rate=RATE, work=work, progress=progress,
            key=content_key(f"{asdict(sizes)} {BATCH} {RATE} {DROP}", flat, starts, data.after, near.talk),
        )  # fmt: skip
    encoder = nn.Sequential(model.encoder, _whitening(model.encoder, data, sizes.dim))
    size = sum(weights.numel() for weights in encoder.parameters())
    facts = {"parameters": size, "steps": at.step, "losses": at.losses, "validation": at.validation}
    return weights_of(encoder), facts


def _validate(model: SkipThought, data: Utterances, rows: np.ndarray) -> float:
    """Mean −log p per word."""
    parts = [model(data, rows[at : at + 256]) for at in range(0, len(rows), 256)]
    return float(sum(float(loss) for loss, _ in parts) / sum(words for _, words in parts))


def _whitening(reader: SentenceGru, data: Utterances, dim: int) -> nn.Linear:
    """The linear map after which the vectors of the (first) training utterances have mean 0 and covariance I."""
    some = data.starts[: SAMPLE + 1]
    states = encode_rows(data.flat, some, dim, lambda ids: reader(torch.from_numpy(ids)))[np.diff(some) > 0].astype(float)
    mean = states.mean(axis=0)
    values, axes = np.linalg.eigh((states - mean).T @ (states - mean) / len(states))
    if values[-1] < ALIKE:
        raise NeedsError("skipthought cannot learn from utterances that are all alike", "train on text with some variety")
    root = axes / np.sqrt(np.maximum(values, 0) + FLOOR * values[-1] + np.finfo(float).tiny) @ axes.T
    layer = nn.Linear(dim, dim, device="meta")
    tensors = {"weight": torch.tensor(root, dtype=torch.float32), "bias": torch.tensor(-mean @ root, dtype=torch.float32)}
    layer.load_state_dict(tensors, assign=True)
    return layer


def encoder_of(weights: Mapping[str, np.ndarray], sizes: SkipThoughtSizes, where: str = "skipthought") -> nn.Sequential:
    """A trained encoder."""
    return rebuilt(sizes.encoder, weights, where)


def vectors(encoder: nn.Sequential, width: int, flat: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Unit vectors of utterances given as numbers."""
    return unit(encode_rows(flat, starts, width, lambda ids: encoder(torch.from_numpy(ids))))
