"""Altered items, scored again: without stop words and punctuation, or without speaker tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.core.protocols import Progress
from dialometer.core.types import Example, Scores
from dialometer.flows.meta.columns import without_coverage
from dialometer.flows.meta.score_items import score_file, write_bare
from dialometer.text.strip import stripped, without_stopwords, without_tokens

VARIANTS: dict[str, Callable[[str], str] | None] = {
    "plain": None,
    "no-stopwords": without_stopwords,  # Liu et al. 2016, table 4
    "no-speaker-tokens": without_tokens,  # Lowe et al. 2017, table 10
}


def variant_items(items: Sequence[Example], name: str) -> list[Example]:
    """The items under a variant; each distinct text is stripped once."""
    if name not in VARIANTS:
        raise UnknownName("variant", name, VARIANTS, hint=f"one of {', '.join(VARIANTS)}")
    strip = VARIANTS[name]
    if strip is None:
        return list(items)
    once = cache(strip)
    return [stripped(item, once) for item in items]


def rescore(
    items: Sequence[Example],
    metrics: Sequence[str],
    folder: Path,
    *,
    tok: str = "",
    engine: str = "serial",
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> Scores:
    """The scores of the items in their order, coverages left out; what a folder holds of the same scoring is not made again."""
    if not items:
        raise NeedsError("there is no item to score", "items with a response, and references where a metric needs them")
    path = write_bare(items, folder)
    scores = score_file(path, metrics, folder / "score", tok=tok, engine=engine, seed=seed, progress=progress).scores()
    place = {name: row for row, name in enumerate(scores.items)}
    rows = np.array([place[item.id] for item in items], np.int64)
    columns = {name: values[rows] for name, values in without_coverage(scores.columns).items()}
    return Scores(tuple(item.id for item in items), columns, scores.recipes)
