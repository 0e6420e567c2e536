"""Where a conversation leads, as a vector: the last state of a hierarchical network's context (Lowe et al. 2017, §4).

Conversations of as many turns run together, in multiples of 32 rows and on one thread, so that a vector does not depend on
the other conversations (docs/design/batch-invariance.md).
"""

from __future__ import annotations

import numpy as np
import torch

from dialometer.nets.dialogue.context_cache import read_alike
from dialometer.nets.dialogue.data import Batch, Talks
from dialometer.nets.dialogue.hred import Hred
from dialometer.nets.encoders.sentence_rnn import ROWS
from dialometer.nets.threads import one_thread

BLOCK = 1024  # about as many utterances in one pass


def context_vectors(net: Hred, data: Talks) -> np.ndarray:
    """(conversations, context) float32; each conversation has a turn."""
    turns = np.diff(data.talks)
    vectors = np.zeros((len(data), net.sizes.context), np.float32)
    with one_thread(), torch.inference_mode():
        for count in np.unique(turns).tolist():
            group = np.flatnonzero(turns == count)
            group = group[np.argsort(data.sizes[group], kind="stable")]
            size = max(1, BLOCK // count // ROWS) * ROWS
            for at in range(0, len(group), size):
                rows = group[at : at + size]
                batch = Batch(data, np.resize(rows, -(-len(rows) // ROWS) * ROWS))  # copies fill up the last multiple
                states = net.after(batch, read_alike(net, batch, np.arange(len(batch.rows))))
                vectors[rows] = states[: len(rows)].numpy()
    return vectors
