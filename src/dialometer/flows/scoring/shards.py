"""Examples on disk in shards of fixed size, each a memory-mapped Corpus; every later step works shard by shard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import orjson

from dialometer.store.atomic import write_folder, write_json
from dialometer.text.corpus import Corpus
from dialometer.types import Example

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Shards:
    """Where the shards lie, how many examples each has, and how many examples have no reference."""

    folder: Path
    sizes: tuple[int, ...]
    bare: int
    first_bare: str
    references: tuple[int, int]
    keep: bool = True

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def n(self) -> int:
        """All examples."""
        return sum(self.sizes)

    def corpus(self, shard: int) -> Corpus:
        """One shard, by memory map."""
        return Corpus.open(shard_folder(self.folder, shard), keep=self.keep)

    def corpora(self) -> Iterator[Corpus]:
        """All shards in order."""
        return (self.corpus(shard) for shard in range(len(self)))


def shard_folder(folder: Path, shard: int) -> Path:
    """The place of a shard."""
    return folder / f"shard-{shard:05d}"


def spool(
    examples: Iterable[Example], folder: Path, size: int, *, contexts: bool, keep: bool, progress: Progress
) -> Shards:
    """Write examples to shards; shards that an earlier, interrupted run wrote are kept."""
    index = folder / "shards.json"
    if not index.exists():
        sizes: list[int] = []
        bare, first_bare, least, most = 0, "", 0, 0
        stream = iter(examples)
        while batch := list(islice(stream, size)):
            counts = [len(example.references) for example in batch]
            if 0 in counts:
                first_bare = first_bare or batch[counts.index(0)].id
                bare += counts.count(0)
            least, most = min([least or counts[0], *counts]), max(most, *counts)
            target = shard_folder(folder, len(sizes))
            if not target.exists():
                write_folder(target, Corpus.build(batch, contexts=contexts).save)
            sizes.append(len(batch))
            progress("reading", sum(sizes), 0)
        record = {"sizes": sizes, "bare": bare, "first_bare": first_bare, "references": [least, most]}
        write_json(index, record)
    found = orjson.loads(index.read_bytes())
    return Shards(folder, tuple(found["sizes"]), found["bare"], found["first_bare"], tuple(found["references"]), keep)
