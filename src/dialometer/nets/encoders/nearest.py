"""The best columns of a matrix product, block by block: all products at once would not fit."""

from __future__ import annotations

import numpy as np
import torch

from dialometer.nets.encoders.sentence_rnn import ROWS
from dialometer.nets.threads import one_thread

BLOCK = 8 * ROWS


def best_columns(left: np.ndarray, right: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(n, k): for each row of ``left`` the rows of ``right`` with the highest products, ties in order, and the products.

    Rows run in multiples of 32 on one thread: their products do not depend on their company (``nets.recurrent``).

    >>> [array.tolist() for array in best_columns(np.eye(2)[:1], np.array([[0.0, 1.0], [2.0, 0.0], [2.0, 1.0]]), 2)]
    [[[1, 2]], [[2.0, 2.0]]]
    """
    columns, products = np.zeros((len(left), k), np.int64), np.zeros((len(left), k))
    across = torch.from_numpy(right).T
    with one_thread():
        for at in range(0, len(left), BLOCK):
            part = left[at : at + BLOCK]
            filled = np.zeros((-(-len(part) // ROWS) * ROWS, left.shape[1]), left.dtype)
            filled[: len(part)] = part
            scores = (torch.from_numpy(filled) @ across).numpy()[: len(part)]
            columns[at : at + BLOCK] = found = scores.argmax(axis=1)[:, None] if k == 1 else _highest(scores, k)
            products[at : at + BLOCK] = np.take_along_axis(scores, found, axis=1)
    return columns, products


def _highest(scores: np.ndarray, k: int) -> np.ndarray:
    """The k highest of each row; of equal ones the first."""
    found = np.zeros((len(scores), k), np.int64)
    for row, values in enumerate(scores):
        least = np.partition(values, -k)[-k]
        some = np.flatnonzero(values >= least)
        found[row] = some[np.argsort(-values[some], kind="stable")][:k]
    return found
