"""A training by two processes that can be killed: ``python -m tests.nets.pair FOLDER``."""

import sys
from dataclasses import replace
from pathlib import Path

from dialometer.nets.dialogue.training import TrainingOptions, learn
from dialometer.nets.dialogue.vhcr import VhcrNetwork
from dialometer.nets.training import loop as training
from tests.nets.dialogue.small import SIZES, random_talks

SHARED = replace(
    SIZES, latent=3, dropout=0.2, word_drop=0.1
)  # no utterance is dropped, so that one parameter is never used
TALKS = random_talks(40)
COURSE = TrainingOptions(batch=5, epochs=4, patience=9, rate=0.01, anneal=10)
STEPS = 4 * 8  # 38 of 40 conversations are learnt from, in eight batches, the last of three


def learnt(work, progress=None):
    """Weights and facts; a checkpoint after every step."""
    training.train.__kwdefaults__["save_seconds"] = 0.0
    return learn(VhcrNetwork, SHARED, TALKS, COURSE, seed=3, work=work, progress=progress, processes=2)


if __name__ == "__main__":
    learnt(Path(sys.argv[1]))
