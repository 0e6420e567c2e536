"""How a talking network learns: −log p per symbol, the cost of its latents brought in step by step, and the heads' distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dialometer.core.cache import content_key
from dialometer.core.protocols import Progress
from dialometer.nets.dialogue.data import Batch, Talks
from dialometer.nets.dialogue.layers import Sizes, Told
from dialometer.nets.dialogue.likelihood import likelihoods
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.distributed.process_group import SINGLE, Payload, ProcessGroup, process_group
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import held_out
from dialometer.nets.training.checkpoints import weights_of
from dialometer.nets.training.devices import device_for, mixed, on, working
from dialometer.nets.training.loop import Position, fork_rng_seeded, train


@dataclass(frozen=True)
class Course:
    """How to train: conversations in a batch, learning rate and what is left of it in the end, epochs, patience.

    ``anneal`` is the number of steps over which the weight of the KL grows from 0 to 1 (Bowman et al. 2016), ``free`` the nats of
    each turn's KL that cost nothing; ``emotion`` and ``vector`` weigh the heads. Of an utterance the first ``longest`` symbols are
    learnt; ``samples`` draws estimate the likelihood of what was held out.
    """

    batch: int = 32
    rate: float = 1e-3
    last: float = 0.1
    epochs: int = 10
    patience: int = 2
    anneal: int = 0
    free: float = 0.0
    emotion: float = 0.0
    vector: float = 0.0
    longest: int = 40
    samples: int = 1


@dataclass(frozen=True, eq=False)
class Step:
    """One batch of a plan: which step it is, and the conversations; ``whole`` has those of all processes, where some share it."""

    number: int
    talks: np.ndarray
    whole: np.ndarray | None = None


def learn(
    make: Callable[[Sizes], Network],
    sizes: Sizes,
    full: Talks,
    course: Course,
    *,
    seed: int,
    work: Path | None,
    progress: Progress | None,
    processes: int = 1,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights of a trained network, and the facts of its training; a twentieth of the conversations says when to stop."""
    data = full.shortened(course.longest)
    with one_thread(), process_group(processes, run_worker, work) as group:
        if group.size > 1:
            group.broadcast(_job(make, sizes, data, course, seed))
        model, at = trained(make, sizes, data, course, seed=seed, work=work, progress=progress, group=group)
    numbers, watch = _parted(data, seed)
    held_back = full.some(watch if len(watch) else numbers)
    measured = likelihoods(model, held_back, samples=course.samples, seed=seed).summary(held_back)
    facts = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "steps": at.step,
        "losses": at.losses,
        "validation": at.validation,
        "curve": at.curve,
        "tokens_per_second": round(at.elements / max(at.seconds, 1e-9)),
        "held_out": len(watch),
    }
    return weights_of(model), facts | measured


def trained(
    make: Callable[[Sizes], Network],
    sizes: Sizes,
    data: Talks,
    course: Course,
    *,
    seed: int,
    work: Path | None = None,
    progress: Progress | None = None,
    group: ProcessGroup = SINGLE,
) -> tuple[Network, Position]:
    """A trained network, and how it went; each rank of a group does the same and gets the same."""
    numbers, watch = _parted(data, seed)
    device = device_for(group.local_rank)
    with fork_rng_seeded(seed):
        model = make(sizes).to(device)

    def loss_here(net: Network, step: Step) -> torch.Tensor:
        with on(device), mixed(device):
            return _share_of_loss(net, data, step, course, group)

    def validate(net: Network) -> float:
        with on(device):
            return validated(net, data, watch, course, group)

    with working(device):
        at = train(
            model, lambda epoch: _plan(data, numbers, course, seed, epoch), loss_here,
            validate=validate if len(watch) else None, epochs=course.epochs, patience=course.patience, seed=seed,
            rate=course.rate, last=course.last, work=work, progress=progress, group=group,
            size_of=lambda step: int(data.sizes[step.talks].sum()),
            key=content_key(
                f"{getattr(make, '__name__', '')} {asdict(sizes)} {asdict(course)}",
                data.flat, data.starts, data.talks, *_more(data), *([str(group.size)] if group.size > 1 else []),
            ),
        )  # fmt: skip
    return model.cpu(), at


def _job(make: Any, sizes: Sizes, data: Talks, course: Course, seed: int) -> Payload:
    """What the other ranks of a group need."""
    network = f"{make.__module__}:{make.__qualname__}"
    return data.to_tensors(), {"network": network, "sizes": asdict(sizes), "course": asdict(course), "seed": seed}


def run_worker(group: ProcessGroup) -> None:
    """What every rank but 0 does: train what rank 0 trains, until it broadcasts that there is no more."""
    with one_thread():
        while (job := group.broadcast(None)) is not None:
            tensors, facts = job
            module, name = facts["network"].split(":")
            make, course = getattr(import_module(module), name), Course(**facts["course"])
            trained(make, Sizes.read(facts["sizes"]), Talks.from_tensors(tensors), course, seed=facts["seed"], group=group)


def _parted(data: Talks, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The conversations to learn from, and those that are held out."""
    held = held_out(np.arange(len(data)), seed)
    return np.flatnonzero(~held), np.flatnonzero(held)


def _share_of_loss(net: Network, data: Talks, step: Step, course: Course, group: ProcessGroup) -> torch.Tensor:
    """This process's part: every so many conversations; where there are too few, the first one again, for nothing."""
    if group.size == 1:
        return loss_of(net, data, step, course)
    own = step.talks[group.rank :: group.size]
    if len(own):
        return loss_of(net, data, Step(step.number, own, step.talks), course)
    return 0.0 * loss_of(net, data, Step(step.number, step.talks[:1], step.talks), course)


def _plan(data: Talks, numbers: np.ndarray, course: Course, seed: int, epoch: int) -> list[Step]:
    plan = data.plan(numbers, course.batch, seed=seed, epoch=epoch)
    return [Step(epoch * len(plan) + at, talks) for at, talks in enumerate(plan)]


def _more(data: Talks) -> list[np.ndarray]:
    facts = [] if data.facts is None else [data.facts]
    return facts if data.coarse is None else [*facts, data.coarse.flat, data.coarse.starts]


def loss_of(net: Network, data: Talks, step: Step, course: Course) -> torch.Tensor:
    """What is made small: (−log p + w KL) per symbol, and the heads' distances per utterance."""
    told: Told = net(Batch(data, step.talks))
    whole = step.talks if step.whole is None else step.whole
    symbols, utterances = int(data.sizes[whole].sum()), int((data.talks[whole + 1] - data.talks[whole]).sum())
    loss = told.loss / symbols
    if told.kl is not None:
        weight = min(1.0, (step.number + 1) / course.anneal) if course.anneal else 1.0
        cost = told.kl.clamp_min(course.free).sum()
        if told.talk_kl is not None:
            cost = cost + told.talk_kl.sum()
        loss = loss + weight * cost / symbols
    if told.emotion is not None:
        loss = loss + course.emotion * told.emotion / utterances
    if told.vector is not None:
        loss = loss + course.vector * told.vector / utterances
    return loss


def validated(net: Network, data: Talks, numbers: np.ndarray, course: Course, group: ProcessGroup = SINGLE) -> float:
    """The bound per symbol, in full, on conversations that were not learnt from; draws are the same each time."""
    nats, symbols = 0.0, 0
    for talks in data.parts(numbers)[group.rank :: group.size]:
        batch = Batch(data, talks, tuple(talks.tolist()))
        told: Told = net(batch)
        nats += float(told.nll.sum())
        if told.kl is not None:
            nats += float(told.kl.sum())
        if told.talk_kl is not None:
            nats += float(told.talk_kl.sum())
        symbols += len(batch.words.index)
    nats, count = group.sum(nats, symbols)
    return nats / max(count, 1)
