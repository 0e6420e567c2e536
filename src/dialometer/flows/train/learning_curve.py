"""What a training shows: its learning curve as numbers and as a picture, and the facts that its end is told by."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dialometer.core.atomic import write_bytes
from dialometer.report.figures.learning import learning_curve

KEPT = (
    "perplexity", "perplexity_estimate", "kl", "turns", "words", "held_out", "tokens_per_second", "steps", "parameters", "recall",
)  # fmt: skip


def write_learning(folder: Path, name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """``curve.csv`` (and ``curve.png``, where matplotlib is) of a training that kept its curve; gives the facts worth telling."""
    curve, validation = facts.get("curve", ()), facts.get("validation", ())
    if curve:
        ends = _ends(facts["steps"], len(validation))
        rows = [f"{step},training,{loss}" for step, loss in curve]
        rows += [f"{step},validation,{loss}" for step, loss in zip(ends, validation, strict=True)]
        write_bytes(folder / "curve.csv", ("step,part,loss\n" + "\n".join(rows) + "\n").encode())
        if find_spec("matplotlib"):
            learning_curve(folder / "curve.png", curve, list(zip(ends, validation, strict=True)), title=f"{name} learns")
    return {key: facts[key] for key in KEPT if key in facts}


def _ends(steps: int, epochs: int) -> list[int]:
    """The step at the end of each epoch; epochs are equally long."""
    return [steps * (epoch + 1) // epochs for epoch in range(epochs)]
