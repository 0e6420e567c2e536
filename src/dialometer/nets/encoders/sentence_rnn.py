"""Recurrent sentence encoders: a GRU's last states, and encoding in which a text does not depend on the others.

Rows of one length run together without padding, on one thread, in multiples of 32 rows: a matrix product of few rows, or one
whose rows are shared out between threads, takes another path and rounds otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import padded

ROWS = 32  # the least number of rows that run together; all numbers of rows are multiples
BLOCK = 1 << 14  # about as many symbols in one pass


class SentenceGru(nn.Module):
    """Symbols → the last state of a GRU; with ``both``, also that of a second one which reads from the end."""

    def __init__(self, symbols: int, inner: int, dim: int, both: bool, scale: float = 0.1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, inner)
        self.forth = nn.GRU(inner, dim, batch_first=True)
        self.back = nn.GRU(inner, dim, batch_first=True) if both else None
        with torch.no_grad():
            self.embedding.weight.mul_(scale)
            self.embedding.weight[0] = 0.0  # the unknown symbol says nothing until it is trained

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """(rows, time) → (rows, directions × dim); without lengths all rows are full."""
        if lengths is None:
            lengths = torch.full((len(ids),), ids.shape[1])
        ends = (torch.arange(len(ids)), lengths - 1)
        states = [self.forth(self.embedding(ids))[0][ends]]
        if self.back is not None:
            turned = (lengths[:, None] - 1 - torch.arange(ids.shape[1])).clamp_min(0)
            states.append(self.back(self.embedding(ids.gather(1, turned)))[0][ends])
        return torch.cat(states, dim=1)


def in_order(
    flat: np.ndarray, starts: np.ndarray, rows: np.ndarray, run: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    """``run`` over some rows in parts of similar length, so that little is padding; results in the order of the rows."""
    order = np.argsort((starts[rows + 1] - starts[rows]), kind="stable")
    parts = []
    for at in range(0, len(order), ROWS):
        ids, lengths = padded(flat, starts, rows[order[at : at + ROWS]])
        parts.append(run(torch.from_numpy(ids), torch.from_numpy(lengths)))
    return torch.cat(parts)[torch.from_numpy(np.argsort(order))]


def encode_rows(flat: np.ndarray, starts: np.ndarray, width: int, run: Callable[[np.ndarray], torch.Tensor]) -> np.ndarray:
    """(n, width) float32: ``run`` over the rows of each length; zeros for an empty row."""
    lengths = np.diff(starts)
    vectors = np.zeros((len(lengths), width), np.float32)
    with one_thread(), torch.inference_mode():
        for length in np.unique(lengths[lengths > 0]).tolist():
            group = np.flatnonzero(lengths == length)
            size = max(ROWS, BLOCK // length // ROWS * ROWS)
            for at in range(0, len(group), size):
                rows = group[at : at + size]
                filled = np.resize(rows, -(-len(rows) // ROWS) * ROWS)  # copies fill up the last multiple
                ids = flat[starts[filled][:, None] + np.arange(length)]
                vectors[rows] = run(ids).numpy()[: len(rows)]
    return vectors


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1; rows of zeros stay."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return vectors / np.where(lengths > 0, lengths, 1.0)
