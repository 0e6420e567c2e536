"""How a talking network learns: −log p per symbol, the cost of its latents brought in step by step, and the heads' distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dialometer.cache import content_key
from dialometer.nets.batches import held_out
from dialometer.nets.checkpoints import weights_of
from dialometer.nets.talk.data import Batch, Talks
from dialometer.nets.talk.layers import Sizes, Told
from dialometer.nets.talk.likelihood import likelihoods
from dialometer.nets.talk.network import Network
from dialometer.nets.threads import one_thread
from dialometer.nets.training import own_chance, train
from dialometer.protocols import Progress


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
    """One batch of a plan: which step it is, and the conversations."""

    number: int
    talks: np.ndarray


def learn(
    make: Callable[[Sizes], Network],
    sizes: Sizes,
    full: Talks,
    course: Course,
    *,
    seed: int,
    work: Path | None,
    progress: Progress | None,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights of a trained network, and the facts of its training; a twentieth of the conversations says when to stop."""
    data = full.shortened(course.longest)
    held = held_out(np.arange(len(data)), seed)
    numbers, watch = np.flatnonzero(~held), np.flatnonzero(held)
    with one_thread():
        with own_chance(seed):
            model = make(sizes)
        at = train(
            model,
            lambda epoch: _plan(data, numbers, course, seed, epoch),
            lambda net, step: loss_of(net, data, step, course),
            validate=(lambda net: validated(net, data, watch, course)) if len(watch) else None,
            epochs=course.epochs, patience=course.patience, seed=seed, rate=course.rate, last=course.last, work=work,
            progress=progress, size_of=lambda step: int(data.sizes[step.talks].sum()),
            key=content_key(
                f"{getattr(make, '__name__', '')} {asdict(sizes)} {asdict(course)}",
                data.flat, data.starts, data.talks, *_more(data),
            ),
        )  # fmt: skip
        held_back = full.some(watch if len(watch) else numbers)
        measured = likelihoods(model, held_back, samples=course.samples, seed=seed).summary(held_back)
    facts = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "steps": at.step,
        "losses": at.losses,
        "validation": at.validation,
        "curve": at.curve,
        "tokens_per_second": round(at.elements / max(at.seconds, 1e-9)),
    }
    return weights_of(model), facts | measured


def _plan(data: Talks, numbers: np.ndarray, course: Course, seed: int, epoch: int) -> list[Step]:
    plan = data.plan(numbers, course.batch, seed=seed, epoch=epoch)
    return [Step(epoch * len(plan) + at, talks) for at, talks in enumerate(plan)]


def _more(data: Talks) -> list[np.ndarray]:
    facts = [] if data.facts is None else [data.facts]
    return facts if data.coarse is None else [*facts, data.coarse.flat, data.coarse.starts]


def loss_of(net: Network, data: Talks, step: Step, course: Course) -> torch.Tensor:
    """What is made small: (−log p + w KL) per symbol, and the heads' distances per utterance."""
    batch = Batch(data, step.talks)
    told: Told = net(batch)
    loss = told.loss / len(batch.words.index)
    if told.kl is not None:
        weight = min(1.0, (step.number + 1) / course.anneal) if course.anneal else 1.0
        cost = told.kl.clamp_min(course.free).sum()
        if told.talk_kl is not None:
            cost = cost + told.talk_kl.sum()
        loss = loss + weight * cost / len(batch.words.index)
    if told.emotion is not None:
        loss = loss + course.emotion * told.emotion / len(batch.rows)
    if told.vector is not None:
        loss = loss + course.vector * told.vector / len(batch.rows)
    return loss


def validated(net: Network, data: Talks, numbers: np.ndarray, course: Course) -> float:
    """The bound per symbol, in full, on conversations that were not learnt from; draws are the same each time."""
    nats, symbols = 0.0, 0
    for talks in data.parts(numbers):
        batch = Batch(data, talks, tuple(talks.tolist()))
        told: Told = net(batch)
        nats += float(told.nll.sum())
        if told.kl is not None:
            nats += float(told.kl.sum())
        if told.talk_kl is not None:
            nats += float(told.talk_kl.sum())
        symbols += len(batch.words.index)
    return nats / max(symbols, 1)
