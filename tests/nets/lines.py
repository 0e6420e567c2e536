"""A training of seconds for the tests: a small net with dropout learns straight lines. Run as a module, it is a process to kill."""

import sys
from pathlib import Path

import numpy as np
import torch

from dialometer.nets.training.batches import bucketed
from dialometer.nets.training.loop import fork_rng_seeded, train

ROWS, SIZE = 160, 16
BATCHES = ROWS // SIZE
SLOW = 30  # epochs of the process to kill
_X = torch.from_numpy(np.random.default_rng(2).normal(size=(ROWS, 3)).astype(np.float32))
_Y = _X @ torch.tensor([[1.0], [-2.0], [0.5]])


def net():
    with fork_rng_seeded(9):
        return torch.nn.Sequential(torch.nn.Linear(3, 24), torch.nn.Dropout(0.1), torch.nn.ReLU(), torch.nn.Linear(24, 1))


def batches(epoch):
    return bucketed(np.zeros(ROWS), SIZE, seed=5, epoch=epoch)


def loss_of(model, rows):
    return ((model(_X[rows]) - _Y[rows]) ** 2).mean() * 10


def validate(model):
    return float(loss_of(model, np.arange(ROWS)))


if __name__ == "__main__":
    train(net(), batches, loss_of, epochs=SLOW, seed=5, work=Path(sys.argv[1]), save_seconds=0.0)
