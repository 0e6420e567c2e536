"""Measuring every shard under every metric: the work that engines share out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.flows.score.collection_statistics import bind_statistics
from dialometer.flows.score.shards import Shards
from dialometer.store.parts import is_whole, read_part, write_part
from dialometer.text.dialogues import measure_replies


@dataclass(frozen=True)
class Measure:
    """A task: shard number in, a file of statistics per metric out; finished files are left alone."""

    shards: Shards
    metrics: tuple[Any, ...]
    statistics: tuple[Mapping[str, Path], ...]

    def open(self) -> Callable[[int], int]:
        """Bind the statistics of the collection once per worker."""
        metrics = [bind_statistics(metric, places) for metric, places in zip(self.metrics, self.statistics, strict=True)]

        def measure(shard: int) -> int:
            corpus = None
            for number, metric in enumerate(metrics):
                part = part_path(self.shards.folder, number, shard)
                if not is_whole(part):
                    corpus = corpus or self.shards.corpus(shard)
                    part.parent.mkdir(exist_ok=True)
                    write_part(part, measure_replies(metric, corpus))
            return shard

        return measure

    def rows(self, metric: int, shard: int) -> np.ndarray:
        """The statistics of one shard under one metric."""
        return read_part(part_path(self.shards.folder, metric, shard))


def part_path(folder: Path, metric: int, shard: int) -> Path:
    """Where the statistics of a shard lie."""
    return folder / f"measure-{metric:03d}" / f"{shard:05d}.npy"
