"""Weights in files: checkpoints that appear whole or not at all, and networks made from arrays. Never a pickle."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import orjson
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from dialometer.core.atomic import write_bytes
from dialometer.core.errors import MissingResource
from dialometer.nets.requirements import check_shapes, shapes_of

M = TypeVar("M", bound=torch.nn.Module)
Tensors = dict[str, torch.Tensor]
_log = logging.getLogger(__name__)


def save_checkpoint(path: Path, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
    """One safetensors file with the facts as JSON in its header; a rename makes it whole at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {"facts": orjson.dumps(facts).decode(), "digest": _digest(tensors)}
    write_bytes(path, save(dict(tensors), metadata=known))


def read_checkpoint(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
    """Tensors and facts; nothing, with a warning, where the file is damaged."""
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
            if file.metadata()["digest"] != _digest(tensors):
                raise ValueError("its numbers are not what was written")
            return tensors, orjson.loads(file.metadata()["facts"])
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        _log.warning("the checkpoint %s is damaged (%s); training starts anew", path, error)
        return None


def _digest(tensors: Mapping[str, torch.Tensor]) -> str:
    made = blake2b(digest_size=16)
    for name in sorted(tensors):
        made.update(tensors[name].detach().contiguous().numpy().tobytes())
    return made.hexdigest()


def state_of(model: torch.nn.Module, adam: torch.optim.Adam, best: Tensors) -> Tensors:
    """Weights, best weights and Adam's moments under names of their own."""
    tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in best.items()}
    for number, moments in adam.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": tensor for name, tensor in moments.items()}
    return tensors


def restore(tensors: Tensors, model: torch.nn.Module, adam: torch.optim.Adam, best: Tensors) -> None:
    """Put back what ``state_of`` named."""
    weights: Tensors = {}
    moments: dict[int, Tensors] = {}
    for name, tensor in tensors.items():
        kind, rest = name.split(".", 1)
        if kind == "adam":
            number, moment = rest.split(".")
            moments.setdefault(int(number), {})[moment] = tensor
        else:
            (best if kind == "best" else weights)[rest] = tensor
    model.load_state_dict(weights)
    adam.load_state_dict({**adam.state_dict(), "state": moments})


def weights_of(model: torch.nn.Module) -> dict[str, np.ndarray]:
    """A model's parameters as arrays of their own."""
    return {name: tensor.detach().numpy().copy() for name, tensor in model.state_dict().items()}


def rebuilt(make: Callable[[], M], weights: Mapping[str, np.ndarray], where: str) -> M:
    """A model for use with given parameters, names and shapes checked; nothing is drawn at random."""
    with torch.device("meta"):
        model = make()
    wanted = model.state_dict()
    check_shapes(shapes_of(weights), shapes_of(wanted), where)
    if lost := [name for name in wanted if not np.isfinite(np.asarray(weights[name], np.float32)).all()]:
        raise MissingResource(f"{where}: parameter {lost[0]!r} holds values that are no numbers", "train it anew")
    own = {name: torch.tensor(np.asarray(weights[name], np.float32)) for name in wanted}
    model.load_state_dict(own, assign=True)
    return model.eval().requires_grad_(False)
