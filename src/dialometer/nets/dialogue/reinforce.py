"""The loop of learning by reward on a page: play, judge, look at it, step; checkpoints, and a watch that may end it.

Everything random in step k comes from (seed, k), so that a learning that was killed goes on from its checkpoint and ends with the
same weights, bit for bit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import torch

from dialometer.core.errors import RunError
from dialometer.core.protocols import Progress
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.training.checkpoints import Tensors, read_checkpoint, restore, save_checkpoint, state_of
from dialometer.nets.training.loop import FILE, fork_rng_seeded

Record = dict[str, float]
Watch = Callable[[Sequence[Record]], tuple[bool, list[str]]]  # whether the reward rose, and what fell


@dataclass
class Story:
    """Where a learning is; written into each checkpoint. ``level`` is the moving average of what each turn is credited with."""

    key: str
    step: int = 0
    records: list[Record] = field(default_factory=list)
    level: list[float] = field(default_factory=list)
    sound: int = 0  # the last step that was measured with nothing fallen
    alarm: int = 0  # the first step at which the watch rang, 0 if it never did
    reasons: list[str] = field(default_factory=list)
    stopped: bool = False

    def __post_init__(self) -> None:  # JSON knows no NaN
        self.records = [{k: math.nan if v is None else v for k, v in one.items()} for one in self.records]


def reinforce(
    net: Network,
    loss_of: Callable[[Network, Story], tuple[torch.Tensor, Record]],
    *,
    steps: int,
    seed: int,
    rate: float,
    watch: Watch,
    stop: bool = True,
    clip: float = 1.0,
    work: Path | None = None,
    save_seconds: float = 30.0,
    key: str = "",
    progress: Progress | None = None,
) -> Story:
    """Adam until the steps are over, or until the watch rings if it may ``stop``: then the last sound weights come back.

    ``loss_of`` plays and judges with the weights as they are, notes what it saw, and gives the loss.
    """
    adam = torch.optim.Adam(net.parameters(), lr=rate)
    best: Tensors = {}
    at = _resume(work, net, adam, best, f"{seed}:{steps}:{rate}:{clip}:{stop}:{key}")
    saved = time.monotonic()
    while at.step < steps and not at.stopped:
        with fork_rng_seeded(seed, at.step):
            loss, record = loss_of(net, at)
        at.records.append(record)
        _look(net, best, at, watch, stop=stop)
        if not at.stopped:
            _step(net, adam, loss, at.step, clip)
        at.step += 1
        if progress:
            progress(f"learning · return {record['return']:.2f}", at.step, steps)
        if work and (time.monotonic() - saved >= save_seconds or at.stopped or at.step == steps):
            save_checkpoint(work / FILE, state_of(net, adam, best), asdict(at))
            saved = time.monotonic()
    if at.stopped:
        net.load_state_dict(best)
    return at


def _look(net: Network, best: Tensors, at: Story, watch: Watch, *, stop: bool) -> None:
    """What the watch says of the weights that were just measured; those with nothing fallen are remembered."""
    risen, fallen = watch(at.records)
    if not fallen:
        at.sound = at.step + 1
        best.update({name: tensor.detach().clone() for name, tensor in net.state_dict().items()})
    elif risen and not at.alarm:
        at.alarm, at.reasons = at.step + 1, fallen
        at.stopped = stop


def _step(net: Network, adam: torch.optim.Adam, loss: torch.Tensor, step: int, clip: float) -> None:
    if not math.isfinite(float(loss.detach())):
        raise RunError(f"the loss became {float(loss.detach())} at step {step + 1}", "a lower learning rate")
    adam.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
    adam.step()


def _resume(work: Path | None, net: Network, adam: torch.optim.Adam, best: Tensors, key: str) -> Story:
    """The story of the checkpoint in ``work``, with weights and moments restored; the beginning if there is none."""
    found = read_checkpoint(work / FILE) if work else None
    if found is None:
        return Story(key)
    tensors, facts = found
    if facts.get("key") != key or set(facts) != {one.name for one in fields(Story)}:
        raise RunError(
            f"{work} holds the checkpoint of another training (other bot, reward, options or seed)", "give another folder"
        )
    restore(tensors, net, adam, best)
    return Story(**facts)
