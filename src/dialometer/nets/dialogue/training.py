"""Training of dialogue networks: negative log-likelihood per symbol, KL of the latents with annealing, losses of the EI heads."""

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
from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.layers import NetworkOutput, NetworkSizes
from dialometer.nets.dialogue.likelihood import likelihoods
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.distributed.process_group import SINGLE, Payload, ProcessGroup, process_group
from dialometer.nets.threads import one_thread
from dialometer.nets.training.batches import held_out
from dialometer.nets.training.checkpoints import weights_of
from dialometer.nets.training.devices import device_for, mixed, on, working
from dialometer.nets.training.loop import Position, fork_rng_seeded, train


@dataclass(frozen=True)
class TrainingOptions:
    """Dialogues per batch, learning rate and the share of it at the end, epochs, patience.

    ``anneal`` is the number of steps over which the KL coefficient grows from 0 to 1 (Bowman et al. 2016), ``free`` the nats of
    each turn's KL that are not penalised; ``emotion`` and ``vector`` are the weights of the EI heads. Of an utterance the first
    ``longest`` symbols are used; ``samples`` draws estimate the likelihood of the held-out dialogues.
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
    """One batch of an epoch: number of the step, and dialogues; ``whole`` has those of all ranks, where several share the batch."""

    number: int
    talks: np.ndarray
    whole: np.ndarray | None = None


def learn(
    make: Callable[[NetworkSizes], Network],
    sizes: NetworkSizes,
    full: EncodedDialogues,
    options: TrainingOptions,
    *,
    seed: int,
    work: Path | None,
    progress: Progress | None,
    processes: int = 1,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights of a trained network, and facts of its training; a twentieth of the dialogues is held out for early stopping."""
    data = full.shortened(options.longest)
    with one_thread(), process_group(processes, run_worker, work) as group:
        if group.size > 1:
            group.broadcast(_job(make, sizes, data, options, seed))
        model, at = train_network(make, sizes, data, options, seed=seed, work=work, progress=progress, group=group)
    numbers, held = _split(data, seed)
    evaluated = full.some(held if len(held) else numbers)
    measured = likelihoods(model, evaluated, samples=options.samples, seed=seed).summary(evaluated)
    facts = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "steps": at.step,
        "losses": at.losses,
        "validation": at.validation,
        "curve": at.curve,
        "tokens_per_second": round(at.elements / max(at.seconds, 1e-9)),
        "held_out": len(held),
    }
    return weights_of(model), facts | measured


def train_network(
    make: Callable[[NetworkSizes], Network],
    sizes: NetworkSizes,
    data: EncodedDialogues,
    options: TrainingOptions,
    *,
    seed: int,
    work: Path | None = None,
    progress: Progress | None = None,
    group: ProcessGroup = SINGLE,
) -> tuple[Network, Position]:
    """A trained network and its final position; each rank of a group does the same and gets the same."""
    numbers, held = _split(data, seed)
    device = device_for(group.local_rank)
    with fork_rng_seeded(seed):
        model = make(sizes).to(device)

    def loss_here(net: Network, step: Step) -> torch.Tensor:
        with on(device), mixed(device):
            return _share_of_loss(net, data, step, options, group)

    def validate(net: Network) -> float:
        with on(device):
            return validation_loss(net, data, held, options, group)

    # Checkpoints of earlier versions have the class name without its suffix.
    name = getattr(make, "__name__", "").removesuffix("Network")
    with working(device):
        at = train(
            model, lambda epoch: _plan(data, numbers, options, seed, epoch), loss_here,
            validate=validate if len(held) else None, epochs=options.epochs, patience=options.patience, seed=seed,
            rate=options.rate, last=options.last, work=work, progress=progress, group=group,
            size_of=lambda step: int(data.sizes[step.talks].sum()),
            key=content_key(
                f"{name} {asdict(sizes)} {asdict(options)}",
                data.flat, data.starts, data.talks, *_extra_arrays(data), *([str(group.size)] if group.size > 1 else []),
            ),
        )  # fmt: skip
    return model.cpu(), at


def _job(make: Any, sizes: NetworkSizes, data: EncodedDialogues, options: TrainingOptions, seed: int) -> Payload:
    """What the other ranks of a group need."""
    network = f"{make.__module__}:{make.__qualname__}"
    return data.to_tensors(), {"network": network, "sizes": asdict(sizes), "options": asdict(options), "seed": seed}


def run_worker(group: ProcessGroup) -> None:
    """What every rank but 0 does: train what rank 0 trains, until it broadcasts that there is no more."""
    with one_thread():
        while (job := group.broadcast(None)) is not None:
            tensors, facts = job
            module, name = facts["network"].split(":")
            make, options = getattr(import_module(module), name), TrainingOptions(**facts["options"])
            train_network(
                make,
                NetworkSizes.read(facts["sizes"]),
                EncodedDialogues.from_tensors(tensors),
                options,
                seed=facts["seed"],
                group=group,
            )


def _split(data: EncodedDialogues, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The dialogues to train on, and those that are held out."""
    held = held_out(np.arange(len(data)), seed)
    return np.flatnonzero(~held), np.flatnonzero(held)


def _share_of_loss(
    net: Network, data: EncodedDialogues, step: Step, options: TrainingOptions, group: ProcessGroup
) -> torch.Tensor:
    """This rank's part of the batch, by stride; where it has no dialogue, the first one with weight 0."""
    if group.size == 1:
        return loss_of(net, data, step, options)
    share = step.talks[group.rank :: group.size]
    if len(share):
        return loss_of(net, data, Step(step.number, share, step.talks), options)
    return 0.0 * loss_of(net, data, Step(step.number, step.talks[:1], step.talks), options)


def _plan(data: EncodedDialogues, numbers: np.ndarray, options: TrainingOptions, seed: int, epoch: int) -> list[Step]:
    plan = data.plan(numbers, options.batch, seed=seed, epoch=epoch)
    return [Step(epoch * len(plan) + at, talks) for at, talks in enumerate(plan)]


def _extra_arrays(data: EncodedDialogues) -> list[np.ndarray]:
    facts = [] if data.facts is None else [data.facts]
    return facts if data.coarse is None else [*facts, data.coarse.flat, data.coarse.starts]


def loss_of(net: Network, data: EncodedDialogues, step: Step, options: TrainingOptions) -> torch.Tensor:
    """The objective: (negative log-likelihood + KL coefficient · KL) per symbol, and the losses of the heads per utterance."""
    output: NetworkOutput = net(Batch(data, step.talks))
    whole = step.talks if step.whole is None else step.whole
    symbols, utterances = int(data.sizes[whole].sum()), int((data.talks[whole + 1] - data.talks[whole]).sum())
    loss = output.loss / symbols
    if output.kl is not None:
        coefficient = min(1.0, (step.number + 1) / options.anneal) if options.anneal else 1.0
        penalty = output.kl.clamp_min(options.free).sum()
        if output.talk_kl is not None:
            penalty = penalty + output.talk_kl.sum()
        loss = loss + coefficient * penalty / symbols
    if output.emotion is not None:
        loss = loss + options.emotion * output.emotion / utterances
    if output.vector is not None:
        loss = loss + options.vector * output.vector / utterances
    return loss


def validation_loss(
    net: Network, data: EncodedDialogues, numbers: np.ndarray, options: TrainingOptions, group: ProcessGroup = SINGLE
) -> float:
    """The negative evidence lower bound per symbol on held-out dialogues; draws are the same each time."""
    nats, symbols = 0.0, 0
    for talks in data.parts(numbers)[group.rank :: group.size]:
        batch = Batch(data, talks, tuple(talks.tolist()))
        output: NetworkOutput = net(batch)
        nats += float(output.nll.sum())
        if output.kl is not None:
            nats += float(output.kl.sum())
        if output.talk_kl is not None:
            nats += float(output.talk_kl.sum())
        symbols += len(batch.words.index)
    nats, count = group.sum(nats, symbols)
    return nats / max(count, 1)
