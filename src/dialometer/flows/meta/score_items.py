"""Items scored inside another run: written without their ratings, then given to ``score``, which resumes what a kill left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dialometer.contracts.score import ScoreRequest
from dialometer.core.protocols import Progress
from dialometer.core.registry import create
from dialometer.core.types import Dialogue
from dialometer.data import Item
from dialometer.flows.score.score import ScoreReport, score

ITEMS = "items.jsonl"


def write_bare(items: Sequence[Item], folder: Path) -> Path:
    """The items as a file in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ITEMS
    create("format", "jsonl").write(map(_bare, items), path)
    return path


def score_file(
    path: Path,
    metrics: Sequence[str],
    folder: Path,
    *,
    tok: str = "",
    engine: str = "serial",
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> ScoreReport:
    """Scores of a file's items; those that lack what a metric needs are NaN."""
    request = ScoreRequest(
        (str(path),), tuple(metrics), tok=tok, engine=engine, seed=seed, resamples=0, output=str(folder),
        skip_incomplete=True, allow_empty_references=True,
    )  # fmt: skip
    return score(request, progress=progress)


def _bare(item: Item) -> Item:
    """What scoring reads of an item: neither ratings, which it must not see, nor unknown fields; the document stays the same."""
    if isinstance(item, Dialogue):
        speaker = {key: value for key, value in item.extra.items() if key == "rated_speaker"}
        return Dialogue(item.id, item.system, item.turns, item.group, extra=speaker)
    return replace(item, group=item.document, ratings={}, raters=(), extra={})
