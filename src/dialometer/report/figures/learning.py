"""A learning curve: loss of training and of validation against steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dialometer.report.figures.figure import BLUE, ORANGE, figure


def learning_curve(
    path: Path, training: Sequence[Sequence[float]], validation: Sequence[Sequence[float]], *, title: str
) -> None:
    """Training as a line, validation as points at the ends of the epochs; both are nats per symbol."""
    with figure(path, title=title) as (axis,):
        axis.plot([step for step, _ in training], [loss for _, loss in training], color=BLUE, linewidth=1, label="training")
        if validation:
            steps, losses = [step for step, _ in validation], [loss for _, loss in validation]
            axis.plot(steps, losses, color=ORANGE, marker="o", markersize=4, label="validation")
        low = min(loss for _, loss in (*training, *validation))
        top = sorted(loss for _, loss in (*training, *validation))[-max(1, len(training) // 20)]
        axis.set_ylim(low - 0.1 * (top - low) - 0.01, top + 0.05 * (top - low) + 0.01)
        axis.set_xlabel("step")
        axis.set_ylabel("loss (nats per symbol)")
        axis.legend(fontsize=8, frameon=False)
