"""A dialogue as a vector: the last context state of a hierarchical network (Lowe et al. 2017, §4).

Dialogues of as many turns run together, in multiples of 32 rows and on one thread, so that a vector does not depend on
the other dialogues (docs/design/batch-invariance.md).
"""

from __future__ import annotations

import numpy as np
import torch

from dialometer.nets.dialogue.context_cache import encode_blocks
from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.hred import HredNetwork
from dialometer.nets.encoders.sentence_rnn import ROWS
from dialometer.nets.threads import one_thread

BLOCK = 1024  # about as many utterances in one pass


def context_vectors(net: HredNetwork, data: EncodedDialogues) -> np.ndarray:
    """(dialogues, context) float32; each dialogue has a turn."""
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
                states = net.after(batch, encode_blocks(net, batch, np.arange(len(batch.rows))))
                vectors[rows] = states[: len(rows)].numpy()
    return vectors
