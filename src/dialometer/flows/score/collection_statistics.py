"""Statistics of the whole collection, for metrics that need them: prepared per system, along whole documents, then merged.

A document may be scattered over shards. Those that lie in one shard are prepared there; the others are gathered first, so that
no document is ever counted in two halves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.atomic import save_array
from dialometer.core.protocols import Facts, Prepares
from dialometer.flows.score.shards import Shards
from dialometer.store.parts import is_whole_folder, read_part, write_part_folder
from dialometer.text.corpus import Corpus, gather


def prepare_statistics(metric: Prepares, shards: Shards, folder: Path) -> dict[str, Path]:
    """Statistics of each system under ``folder``, computed unless they are there; returns where each system's lie."""
    places: dict[str, Path] = {}
    plan = _Plan(shards)
    for place, system in enumerate(plan.systems):
        places[system] = folder / f"system-{place:04d}"
        if not is_whole_folder(places[system]):
            # one part at a time, so that memory holds the sum and one part and no more
            merged = reduce(
                lambda total, part: metric.merge([total, part]),
                (metric.prepare(corpus, rows) for corpus, rows in plan.parts(system)),
            )
            write_part_folder(places[system], partial(_save, merged))
    return places


def _open_statistics(places: Mapping[str, Path]) -> dict[str, Facts]:
    """Statistics by system, memory-mapped."""
    return {
        system: {path.stem: read_part(path) for path in sorted(folder.glob("*.npy"))} for system, folder in places.items()
    }


def _save(statistics: Facts, folder: Path) -> None:
    for name, array in statistics.items():
        save_array(folder / f"{name}.npy", array)


class _Plan:
    """Which rows are prepared together."""

    def __init__(self, shards: Shards) -> None:
        self.shards = shards
        self.rows: dict[str, list[np.ndarray]] = {}
        self.keys: dict[str, list[np.ndarray]] = {}
        index: dict[str, int] = {}
        for shard, corpus in enumerate(shards.corpora()):
            documents = np.fromiter((index.setdefault(d, len(index)) for d in corpus.documents), np.int64, len(corpus))
            for system, rows in corpus.system_rows().items():
                blank = [np.zeros(0, np.int64)] * shard
                self.rows.setdefault(system, list(blank)).append(rows)
                self.keys.setdefault(system, list(blank)).append(documents[rows])
            for system in self.rows:
                while len(self.rows[system]) <= shard:
                    self.rows[system].append(np.zeros(0, np.int64))
                    self.keys[system].append(np.zeros(0, np.int64))
        self.systems = list(self.rows)

    def parts(self, system: str) -> Iterator[tuple[Corpus, np.ndarray]]:
        """Corpora and rows such that no document is cut."""
        keys, rows = self.keys[system], self.rows[system]
        kinds, times = np.unique(np.concatenate([np.unique(k) for k in keys]), return_counts=True)
        scattered = kinds[times > 1]
        for shard in range(len(rows)):
            whole = rows[shard][~np.isin(keys[shard], scattered)]
            if len(whole):
                yield self.shards.corpus(shard), whole
        if len(scattered):
            size = max(self.shards.sizes)
            for at in range(0, len(scattered), size):
                chosen = [r[np.isin(k, scattered[at : at + size])] for k, r in zip(keys, rows, strict=True)]
                corpus = gather([(self.shards.corpus(shard), some) for shard, some in enumerate(chosen) if len(some)])
                yield corpus, np.arange(len(corpus))


def bind_statistics(metric: Any, places: Mapping[str, Path]) -> Any:
    """The metric with its statistics, or itself where it needs none."""
    return metric.bind(_open_statistics(places)) if places else metric
