"""What every process of a training does but the first: take part in what the first begins, and say nothing.

``python -m dialometer.nets.distributed.worker RANK PROCESSES FILE`` is started by the first one, and ends with it.
"""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from threading import Thread

import torch
import torch.distributed as dist

from dialometer.core.errors import DialometerError
from dialometer.nets.dialogue.layers import Sizes
from dialometer.nets.dialogue.training import Course, trained
from dialometer.nets.distributed.ddp import Crew
from dialometer.nets.distributed.rendezvous import READY, meet, met, stopping
from dialometer.nets.distributed.serialise import talks_of
from dialometer.nets.distributed.torchrun_env import Place
from dialometer.nets.threads import one_thread

PAUSE = 2.0  # seconds for a parent that ends this process to do so


def follow(crew: Crew) -> None:
    """Train with the first process whatever it trains, until it says that there is no more."""
    while (job := crew.handed(None)) is not None:
        tensors, facts = job
        module, name = facts["network"].split(":")
        course = Course(**facts["course"])
        make = getattr(import_module(module), name)
        trained(make, Sizes.read(facts["sizes"]), talks_of(tensors), course, seed=facts["seed"], crew=crew)


def follow_launched(place: Place) -> None:
    """The same for a process of torchrun."""
    with stopping(place), one_thread():
        follow(met(place))
    dist.destroy_process_group()


def dismiss(place: Place) -> None:
    """As the first process of torchrun: let the others go."""
    with stopping(place):
        met(place).handed(None)
    dist.destroy_process_group()


def main() -> None:
    """As a process of our own."""
    Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    os.write(1, READY)
    try:
        follow(meet(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])))
    except DialometerError:
        pass  # the first process meets the same, and says so
    except RuntimeError:
        time.sleep(PAUSE)  # where others were lost the parent ends this process; else it is a failure of our own
        raise


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing is ever written there
    os._exit(1)


if __name__ == "__main__":
    main()
