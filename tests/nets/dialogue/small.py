"""Networks and conversations of a few numbers, for the tests of talking networks."""

from dataclasses import replace

import numpy as np
import torch

from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.hred import HredNetwork
from dialometer.nets.dialogue.layers import NetworkSizes
from dialometer.nets.dialogue.lstmlm import LstmlmNetwork
from dialometer.nets.dialogue.mrrnn import MrrnnNetwork
from dialometer.nets.dialogue.seq2seq import Seq2seqNetwork
from dialometer.nets.dialogue.vhcr import VhcrNetwork
from dialometer.nets.dialogue.vhred import VhredNetwork
from dialometer.nets.training.loop import fork_rng_seeded
from dialometer.nets.training.vocabulary import END

SYMBOLS, COARSE = 9, 6
SIZES = NetworkSizes(SYMBOLS, embedding=5, hidden=6, context=7, turns=2, coarse=COARSE)
NETWORKS = {
    "hred": HredNetwork,
    "lstmlm": LstmlmNetwork,
    "mrrnn": MrrnnNetwork,
    "seq2seq": Seq2seqNetwork,
    "vhcr": VhcrNetwork,
    "vhred": VhredNetwork,
}
LATENT = ("vhcr", "vhred")


def network(name, *, seed=0, loud=4.0, double=True, **sizes):
    """A network at rest with weights from a seed, large enough that what is heard makes a difference."""
    wanted = replace(SIZES, **({"latent": 3} if name in LATENT else {}) | sizes)
    with fork_rng_seeded(seed), torch.no_grad():
        net = NETWORKS[name](wanted)
        for weight in net.parameters():
            weight.copy_(loud * weight if weight.any() else loud * 0.3 * torch.randn_like(weight))  # some begin at zero
    net.eval()
    return net.double() if double else net


def talks_of(conversations, coarse=None, facts=None):
    """Conversations from symbols without their END: lists of utterances, which are lists of numbers."""
    said = [[*utterance, END] for talk in conversations for utterance in talk]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in said])]).astype(np.int64)
    talks = np.concatenate([[0], np.cumsum([len(talk) for talk in conversations])]).astype(np.int64)
    flat = np.array([number for one in said for number in one], np.int64)
    return EncodedDialogues(flat, starts, talks, np.diff(starts), facts, None if coarse is None else talks_of(coarse))


def random_talks(count, *, seed=0, turns=5, longest=6, facts=0):
    """As symbols, with a coarse form; some utterances are empty, some conversations have one turn."""
    rng = np.random.default_rng(seed)

    def utterance(symbols, most):
        return rng.integers(2, symbols, rng.integers(0, most + 1)).tolist()

    shapes = [int(rng.integers(1, turns + 1)) for _ in range(count)]
    fine = [[utterance(SYMBOLS, longest) for _ in range(shape)] for shape in shapes]
    coarse = [[utterance(COARSE, 3) for _ in range(shape)] for shape in shapes]
    numbers = rng.normal(size=(sum(shapes), facts)).astype(np.float32) if facts else None
    return talks_of(fine, coarse, numbers)


def whole(data, seeds=()):
    """All conversations as one batch."""
    return Batch(data, np.arange(len(data)), tuple(seeds))
