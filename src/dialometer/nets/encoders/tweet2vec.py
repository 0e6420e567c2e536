"""Tweet2Vec (Dhingra et al. 2016): characters → bidirectional GRU → ``e = W_f h_f + W_b h_b + b``.

The paper predicts a tweet's hashtags. Conversations have none, so the objective here is another one, response selection: among
the followers of a batch's utterances, which follows this one? ``softmax_j s · cos(e_i, e_j)``, with s learnt. No
projections stand between: with them the pairs were told apart as well, but by the projections, and the vectors learnt little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize

from dialometer.core.cache import content_key
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.nets.encoders.sentence_rnn import SentenceGru, encode_rows, in_order
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import Neighbours, held_out, pieces, whole_talks
from dialometer.nets.training.checkpoints import rebuilt, weights_of
from dialometer.nets.training.loop import fork_rng_seeded, train

BATCH, RATE = 128, 2e-3
SPAN = 64  # pairs of one conversation in a batch at most: rivals come from the others


@dataclass(frozen=True)
class Tweet2VecSizes:
    """Symbols, width of their vectors, of the GRU in each direction and of the result; epochs."""

    symbols: int
    inner: int
    hidden: int
    dim: int
    epochs: int

    def encoder(self) -> CharacterGru:
        """A new encoder."""
        return CharacterGru(self)


@dataclass(frozen=True, eq=False)
class UtterancePairs:
    """Utterances as character numbers, and the rows of pairs that follow each other."""

    flat: np.ndarray
    starts: np.ndarray
    first: np.ndarray
    second: np.ndarray
    talk: np.ndarray


class CharacterGru(nn.Module):
    """Both last states, each through a matrix of its own."""

    def __init__(self, sizes: Tweet2VecSizes) -> None:
        super().__init__()
        self.reader = SentenceGru(sizes.symbols, sizes.inner, sizes.hidden, both=True, scale=1.0)
        self.dense = nn.Linear(2 * sizes.hidden, sizes.dim)  # W_f and W_b side by side

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """(rows, time) → (rows, dim)."""
        vectors: torch.Tensor = self.dense(self.reader(ids, lengths))
        return vectors


class Tweet2Vec(nn.Module):
    """The encoder, which is kept, and the scale of the softmax."""

    def __init__(self, sizes: Tweet2VecSizes) -> None:
        super().__init__()
        self.encoder = sizes.encoder()
        self.scale = nn.Parameter(torch.tensor(math.log(10.0)))

    def forward(self, data: UtterancePairs, pairs: np.ndarray) -> torch.Tensor:
        """Mean −log p of the true follower among the followers in the batch that belong to other conversations."""
        rows = np.unique(np.concatenate([data.first[pairs], data.second[pairs]]))
        vectors = normalize(in_order(data.flat, data.starts, rows, self.encoder), dim=1)
        asked, answers = (vectors[np.searchsorted(rows, side[pairs])] for side in (data.first, data.second))
        talk = torch.from_numpy(data.talk[pairs])
        others = (talk[:, None] == talk) & ~torch.eye(len(pairs), dtype=torch.bool)
        scores = (self.scale.exp() * asked @ answers.T).masked_fill(others, -math.inf)
        return cross_entropy(scores, torch.arange(len(pairs)))


def learn(
    near: Neighbours,
    flat: np.ndarray,
    starts: np.ndarray,
    sizes: Tweet2VecSizes,
    *,
    seed: int,
    work: Path | None,
    progress: Progress | None,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights of a trained encoder, and the facts of its training."""
    lengths = np.diff(starts)
    first = np.flatnonzero((near.after >= 0) & (lengths > 0) & (lengths[near.after] > 0))
    if not len(first):
        raise NeedsError(
            "tweet2vec learns which utterance follows which, and no conversation here has two with characters",
            "train on conversations: files whose items have turns, or a context",
        )
    data = UtterancePairs(flat, starts, first, near.after[first], near.talk[first])
    held = held_out(data.talk, seed)
    pairs, watch = np.flatnonzero(~held), np.flatnonzero(held)
    if len(np.unique(data.talk[pairs])) < 2:
        raise NeedsError(
            "tweet2vec tells an utterance's follower from those of other conversations, and here is only one conversation",
            "train on a file with several conversations",
        )
    judged = len(np.unique(data.talk[watch])) > 1
    with one_thread():
        with fork_rng_seeded(seed):
            model = Tweet2Vec(sizes)
        at = train(
            model,
            lambda epoch: [pairs[b] for b in whole_talks(pieces(data.talk[pairs], SPAN), BATCH, seed=seed, epoch=epoch)],
            lambda net, batch: net(data, batch),
            validate=(lambda net: _validate(net, data, watch)) if judged else None,
            epochs=sizes.epochs, seed=seed, rate=RATE, work=work, progress=progress,
            key=content_key(f"{asdict(sizes)} {BATCH} {RATE} {SPAN}", flat, starts, near.after, near.talk),
        )  # fmt: skip
    size = sum(weights.numel() for weights in model.encoder.parameters())
    facts = {"parameters": size, "steps": at.step, "losses": at.losses, "validation": at.validation}
    return weights_of(model.encoder), facts


def _validate(model: Tweet2Vec, data: UtterancePairs, pairs: np.ndarray) -> float:
    """Mean −log p of the follower among those of a batch of several conversations; the same batches every time."""
    parts = [pairs[batch] for batch in whole_talks(pieces(data.talk[pairs], SPAN), BATCH, seed=0, epoch=0)]
    return float(sum(float(model(data, part)) * len(part) for part in parts) / len(pairs))


def encoder_of(weights: Mapping[str, np.ndarray], sizes: Tweet2VecSizes, where: str = "tweet2vec") -> CharacterGru:
    """A trained encoder."""
    return rebuilt(sizes.encoder, weights, where)


def vectors(encoder: CharacterGru, width: int, flat: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The vectors of utterances given as numbers."""
    return encode_rows(flat, starts, width, lambda ids: encoder(torch.from_numpy(ids)))
