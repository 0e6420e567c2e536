"""The training loop on a page: data, loss, step, stop.

Everything random in step k comes from (seed, k), and the order of the batches from (seed, epoch). So a training that was killed
at any moment goes on from its checkpoint and ends with the same weights, bit for bit. Several processes (``group``) take the same
steps, each with its share of every batch and draws of its own; the first one reads and writes the checkpoints.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import torch

from dialometer.core.errors import RunError
from dialometer.core.protocols import Progress
from dialometer.nets.distributed.process_group import SINGLE, ProcessGroup
from dialometer.nets.training.checkpoints import Tensors, read_checkpoint, restore, save_checkpoint, state_of

B = TypeVar("B")
M = TypeVar("M", bound=torch.nn.Module)
FILE = "checkpoint.safetensors"
POINTS = 200  # of a learning curve
_log = logging.getLogger(__name__)


@dataclass
class Position:
    """Where a training is; written into each checkpoint."""

    key: str
    step: int = 0
    epoch: int = 0
    batch: int = 0
    sum: float = 0.0  # of this epoch's losses so far
    seconds: float = 0.0  # of training, over all its parts
    elements: int = 0  # that were learnt from, as ``size_of`` counts them
    recent: list[float] = field(default_factory=list)  # losses since the last point of the curve
    curve: list[tuple[int, float]] = field(default_factory=list)  # (step, mean loss since the point before)
    losses: list[float] = field(default_factory=list)  # mean training loss of each epoch
    validation: list[float] = field(default_factory=list)
    done: bool = False

    def __post_init__(self) -> None:
        self.curve = [(step, loss) for step, loss in self.curve]  # JSON knows no tuples

    def note(self, loss: float, elements: int, seconds: float, every: int) -> None:
        """One more step; every so many of them make a point of the curve."""
        self.step, self.batch, self.sum = self.step + 1, self.batch + 1, self.sum + loss
        self.elements, self.seconds = self.elements + elements, self.seconds + seconds
        self.recent.append(loss)
        if len(self.recent) >= every:
            self.curve.append((self.step, sum(self.recent) / len(self.recent)))
            self.recent.clear()

    def told(self) -> str:
        """The stage of a progress bar, with what is known after the dot."""
        loss = self.curve[-1][1] if self.curve else self.sum / max(self.batch, 1)
        speed = f", perplexity {math.exp(min(loss, 50)):,.1f}, {self.elements / max(self.seconds, 1e-9):,.0f} symbols/s"
        return f"training · loss {loss:.3f}{speed if self.elements else ''}"

    @property
    def best(self) -> int:
        """The epoch that validated best."""
        return min(range(len(self.validation)), key=self.validation.__getitem__)


def train(
    model: M, batches: Callable[[int], Sequence[B]], loss_of: Callable[[M, B], torch.Tensor], *, epochs: int, seed: int,
    validate: Callable[[M], float] | None = None, patience: int = 1, rate: float = 1e-3, last: float = 1.0, clip: float = 1.0,
    work: Path | None = None, save_seconds: float = 30.0, key: str = "", size_of: Callable[[B], int] | None = None,
    progress: Progress | None = None, group: ProcessGroup = SINGLE,
) -> Position:  # fmt: skip
    """Adam until the epochs are over or ``validate`` has not been better for ``patience`` epochs; the best weights stay.

    The learning rate falls evenly from ``rate`` to its share ``last`` at the end of the last epoch.

    ``batches(epoch)`` gives the same list whenever it is asked: row numbers, for which ``loss_of`` gathers the data. ``key`` names
    data and options: a checkpoint of another training is refused. ``size_of`` counts what a batch holds, for the speed shown.
    With several ranks ``loss_of`` gives this process's part of the batch's loss, and ``validate`` the same number to all.
    """
    adam = torch.optim.Adam(model.parameters(), lr=rate)
    best: Tensors = {}
    at = _resume(work, model, adam, best, f"{seed}:{epochs}:{key}", group)
    loss_here = group.data_parallel(model, loss_of)
    total, saved = epochs * len(batches(0)), time.monotonic()
    while epochs and not at.done:
        plan = batches(at.epoch)
        for batch in plan[at.batch :]:
            started = time.monotonic()
            adam.param_groups[0]["lr"] = rate * (1 - (1 - last) * at.step / max(total, 1))
            loss = _step(model, adam, loss_here, batch, seed=seed, step=at.step, clip=clip, group=group)
            at.note(loss, size_of(batch) if size_of else 0, time.monotonic() - started, every=-(-total // POINTS))
            if progress:
                progress(at.told(), at.step, max(total, at.step))
            if time.monotonic() - saved >= save_seconds:
                saved = _save(work, model, adam, best, at)
        _close_epoch(model, best, at, len(plan), validate)
        at.done = at.epoch >= epochs or (validate is not None and at.epoch - 1 - at.best >= patience)
        saved = _save(work, model, adam, best, at)
    model.load_state_dict(best or model.state_dict())
    if progress and at.step < total:
        progress("training", total, total)
    return at


def _save(work: Path | None, model: torch.nn.Module, adam: torch.optim.Adam, best: Tensors, at: Position) -> float:
    """Write a checkpoint, where there is a place for it; gives the time."""
    if work:
        tensors = {name: tensor.cpu() for name, tensor in state_of(model, adam, best).items()}
        save_checkpoint(work / FILE, tensors, asdict(at))
    return time.monotonic()


def _resume(
    work: Path | None, model: torch.nn.Module, adam: torch.optim.Adam, best: Tensors, key: str, group: ProcessGroup
) -> Position:
    """The position of the checkpoint in ``work``, with weights and moments restored; the beginning if there is none."""
    found = group.broadcast(read_checkpoint(work / FILE) if work else None)
    if found is None:
        return Position(key)
    tensors, facts = found
    try:
        at = Position(**facts)
    except TypeError as error:
        _log.warning("the checkpoint in %s is of another version (%s); training starts anew", work, error)
        return Position(key)
    if at.key != key:
        raise RunError(
            f"{work} holds the checkpoint of another training (other data, options or seed)", "give another folder"
        )
    restore(tensors, model, adam, best)
    return at


def _step(
    model: torch.nn.Module,
    adam: torch.optim.Adam,
    loss_here: Callable[[B], torch.Tensor],
    batch: B,
    *,
    seed: int,
    step: int,
    clip: float,
    group: ProcessGroup,
) -> float:
    """One batch: loss, gradient, clipped, Adam."""
    model.train()
    with fork_rng_seeded(seed, step, *group.seed_key):
        loss = loss_here(batch)
    value = group.sum(float(loss.detach()))[0] / group.size
    if not math.isfinite(value):
        raise RunError(f"the training loss became {value} at step {step + 1}", "a lower learning rate")
    adam.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    adam.step()
    return value


def _close_epoch(model: M, best: Tensors, at: Position, size: int, validate: Callable[[M], float] | None) -> None:
    """Note the epoch's loss, validate, and remember the weights if they are the best so far."""
    at.losses.append(at.sum / max(size, 1))
    at.epoch, at.batch, at.sum = at.epoch + 1, 0, 0.0
    if validate is None:
        return
    model.eval()
    with torch.no_grad():
        at.validation.append(validate(model))
    if not math.isfinite(at.validation[-1]):
        raise RunError(f"the validation loss became {at.validation[-1]} in epoch {at.epoch}", "a lower learning rate")
    if at.best == at.epoch - 1:
        best.update({name: tensor.detach().clone() for name, tensor in model.state_dict().items()})


@contextmanager
def fork_rng_seeded(seed: int, *key: int) -> Iterator[None]:
    """Inside, torch's generator is seeded by (seed, key); its state is restored at the end."""
    words = blake2b(":".join(map(str, (seed, *key))).encode(), digest_size=7).digest()
    gpus = [torch.cuda.current_device()] if torch.cuda.is_initialized() else []  # type: ignore[no-untyped-call]
    with torch.random.fork_rng(devices=gpus):
        torch.manual_seed(int.from_bytes(words, "little"))
        yield
