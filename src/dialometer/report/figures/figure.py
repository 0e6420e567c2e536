"""How every figure is opened, styled and kept: no screen, quiet axes, written whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dialometer.core.atomic import write_bytes
from dialometer.core.errors import MissingResource

BLUE, ORANGE, GREEN, GREY = "#2f6db5", "#d9731a", "#3a8f5c", "#8a8f98"


def can_draw() -> None:
    """Refuse where matplotlib is missing: before the work whose pictures it would draw."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingResource("pictures need matplotlib", 'pip install "dialometer[report]"') from None


@contextmanager
def figure(
    path: Path, *, columns: int = 1, width: float = 5.2, height: float = 3.4, title: str = ""
) -> Iterator[list[Any]]:
    """Axes to draw on; the picture is written when the block ends."""
    can_draw()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(width * columns, height), layout="constrained")
    axes = [drawn.add_subplot(1, columns, number + 1) for number in range(columns)]
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25, linewidth=0.6)
    if title:
        drawn.suptitle(title, fontsize=11)
    yield axes
    made = io.BytesIO()
    FigureCanvasAgg(drawn)
    drawn.savefig(made, format="png", metadata={"Software": None})
    write_bytes(path, made.getvalue())
