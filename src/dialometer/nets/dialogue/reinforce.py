"""The REINFORCE loop on a page: rollouts, rewards, early-stopping rule, step; with checkpoints.

Everything random in step k comes from (seed, k), so that a training that was killed resumes from its checkpoint and ends with the
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
StoppingRule = Callable[[Sequence[Record]], tuple[bool, list[str]]]  # whether the reward rose, and what fell


@dataclass
class PolicyTrainingState:
    """The position of a training, written into each checkpoint. ``level`` is the moving baseline of each turn."""

    key: str
    step: int = 0
    records: list[Record] = field(default_factory=list)
    level: list[float] = field(default_factory=list)
    sound: int = 0  # the last step at which no measure had fallen
    alarm: int = 0  # the first step at which the rule asked to stop, 0 if it never did
    reasons: list[str] = field(default_factory=list)
    stopped: bool = False

    def __post_init__(self) -> None:  # JSON knows no NaN
        self.records = [{k: math.nan if v is None else v for k, v in one.items()} for one in self.records]


def reinforce(
    net: Network,
    loss_of: Callable[[Network, PolicyTrainingState], tuple[torch.Tensor, Record]],
    *,
    steps: int,
    seed: int,
    rate: float,
    rule: StoppingRule,
    stop: bool = True,
    clip: float = 1.0,
    work: Path | None = None,
    save_seconds: float = 30.0,
    key: str = "",
    progress: Progress | None = None,
) -> PolicyTrainingState:
    """Adam until the steps are over, or, with ``stop``, until the rule asks to stop: then the last sound weights are restored.

    ``loss_of`` makes rollouts with the present weights, scores them, and returns the loss and a record.
    """
    adam = torch.optim.Adam(net.parameters(), lr=rate)
    best: Tensors = {}
    at = _resume(work, net, adam, best, f"{seed}:{steps}:{rate}:{clip}:{stop}:{key}")
    saved = time.monotonic()
    while at.step < steps and not at.stopped:
        with fork_rng_seeded(seed, at.step):
            loss, record = loss_of(net, at)
        at.records.append(record)
        _apply_rule(net, best, at, rule, stop=stop)
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


def _apply_rule(net: Network, best: Tensors, at: PolicyTrainingState, rule: StoppingRule, *, stop: bool) -> None:
    """Apply the rule to the weights that were just measured; those at which no measure fell are remembered."""
    risen, fallen = rule(at.records)
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


def _resume(work: Path | None, net: Network, adam: torch.optim.Adam, best: Tensors, key: str) -> PolicyTrainingState:
    """The state of the checkpoint in ``work``, with weights and moments restored; the beginning if there is none."""
    checkpoint = read_checkpoint(work / FILE) if work else None
    if checkpoint is None:
        return PolicyTrainingState(key)
    tensors, facts = checkpoint
    if facts.get("key") != key or set(facts) != {part.name for part in fields(PolicyTrainingState)}:
        raise RunError(
            f"{work} holds the checkpoint of another training (other bot, reward, options or seed)", "give another folder"
        )
    restore(tensors, net, adam, best)
    return PolicyTrainingState(**facts)
