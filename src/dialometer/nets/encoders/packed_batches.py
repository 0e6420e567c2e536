"""Packed batches: texts sorted by length, cut into chunks of about as many tokens, each chunk run by one thread.

Whole chunks go to threads, and inside a chunk torch has one. Chunks depend on the texts alone, so that any number of threads makes
the same calls of the matrix library, and the same bits. Other texts in a batch may move a vector within the tolerance for networks
(docs/design/batch-invariance.md); products of whole tiles of rows keep that from happening with all libraries that were tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np
import torch
from torch import Tensor

from dialometer.nets.encoders.bert import Bert
from dialometer.nets.threads import one_thread

TOKENS = 1024  # of a chunk: its widest layer (6 MB at width 1536) still lies in the cache
PARTS = 2  # at least as many chunks, for a second thread to have something to do
LEAST = 32  # below about 16 rows matrix products take other paths, with other last bits
STEP = 16  # and some libraries treat the rows after the last whole tile in another way
Take = Callable[[np.ndarray, Tensor], None]


def run_packed(net: Bert, ids: np.ndarray, starts: np.ndarray, rows: np.ndarray, threads: int, take: Take) -> None:
    """Hand ``take`` the hidden states (texts, tokens, width) of every group of equally long texts, with their rows."""
    lengths = np.diff(starts)

    def work(chunk: np.ndarray) -> None:
        runs = [(len(list(same)), int(length)) for length, same in groupby(lengths[chunk].tolist())]
        packed = np.concatenate([ids[starts[row] : starts[row + 1]] for row in chunk])
        spare = max(LEAST, -(-len(packed) // STEP) * STEP) - len(packed)
        with torch.inference_mode():
            hidden = net(torch.from_numpy(np.pad(packed, (0, spare)).astype(np.int64)), runs)
            at = text = 0
            for texts, tokens in runs:
                group = hidden[at : at + texts * tokens].view(texts, tokens, -1)
                take(chunk[text : text + texts], group)
                at, text = at + texts * tokens, text + texts

    _each(work, plan(lengths, rows), threads or torch.get_num_threads())


def plan(lengths: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """Rows by length, longest first, in chunks of at most ``TOKENS`` tokens (or one text), and two or more if that can be."""
    order = rows[np.argsort(-lengths[rows], kind="stable")]
    ends = np.cumsum(lengths[order])
    if not len(order):
        return []
    size = min(TOKENS, max(LEAST, -(-int(ends[-1]) // PARTS)))
    chunks, at = [], 0
    while at < len(order):
        before = int(ends[at - 1]) if at else 0
        end = max(at + 1, int(np.searchsorted(ends, before + size, "right")))
        chunks.append(order[at:end])
        at = end
    return chunks


def _each(work: Callable[[np.ndarray], None], chunks: Sequence[np.ndarray], threads: int) -> None:
    with one_thread():
        if min(threads, len(chunks)) < 2:
            for chunk in chunks:
                work(chunk)
            return
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            for _ in pool.map(work, chunks):
                pass
