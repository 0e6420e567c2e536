"""Examples on disk in shards of fixed size, each a memory-mapped Corpus; every later step works shard by shard."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import orjson

from dialometer.data.door import Door, Place
from dialometer.errors import DataError
from dialometer.protocols import Progress
from dialometer.store.atomic import write_folder, write_json
from dialometer.text.corpus import Corpus


@dataclass(frozen=True)
class Shards:
    """Where the shards lie, how many examples each has, and how many examples have no reference, and how many no context."""

    folder: Path
    sizes: tuple[int, ...]
    bare: int
    first_bare: str
    references: tuple[int, int]
    openers: int = 0
    first_opener: str = ""
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


def spool(door: Door, folder: Path, size: int, *, contexts: bool, keep: bool, progress: Progress) -> Shards:
    """Write examples to shards; reading goes on after the last shard that an interrupted run wrote."""
    index = folder / "shards.json"
    if not index.exists():
        done = 0
        while shard_folder(folder, done).exists():
            done += 1
        after = None
        if done:
            for shard in range(done):
                door.seen.update(map(hash, _item_names(Corpus.open(shard_folder(folder, shard)))))
            after = Place(*np.load(shard_folder(folder, done - 1) / "place.npy").tolist())
        stream = door.examples(after)
        with no_collection():
            while batch := list(islice(stream, size)):
                corpus = Corpus.build([example for _, example in batch], contexts=contexts)
                write_folder(shard_folder(folder, done), partial(_save, corpus, batch[-1][0]))
                done += 1
                progress("reading", done * size, 0)
        if not done:
            raise DataError(
                "holds no reply to score", file=str(door.sources[0][1]), hint="conversations need two turns or more"
            )
        write_json(index, _facts(folder, done))
    found = orjson.loads(index.read_bytes())
    found |= {"sizes": tuple(found["sizes"]), "references": tuple(found["references"])}
    return Shards(folder, **found, keep=keep)


@contextmanager
def no_collection() -> Iterator[None]:
    """Examples form no cycles, and looking for some in a shard of them takes two fifths of the reading time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _save(corpus: Corpus, last: Place, folder: Path) -> None:
    corpus.save(folder)
    np.save(folder / "place.npy", np.array([last.source, last.number, last.reply]))


def _item_names(corpus: Corpus) -> Iterator[str]:
    """Ids of examples, and of the conversations that they may come from."""
    for name in corpus.ids:
        yield name
        if "#" in name:
            yield name.rpartition("#")[0]


def _facts(folder: Path, shards: int) -> dict[str, object]:
    """Sizes, examples without a reference or a context, and the range of references."""
    sizes, bare, first_bare, openers, first_opener = [], 0, "", 0, ""
    least, most = 1 << 62, 0
    for shard in range(shards):
        corpus = Corpus.open(shard_folder(folder, shard))
        counts = corpus.references.counts()
        missing = np.flatnonzero(counts == 0)
        if len(missing):
            first_bare = first_bare or corpus.ids[int(missing[0])]
            bare += len(missing)
        alone = np.flatnonzero(corpus.contexts.counts() == 0)
        if len(alone):
            first_opener = first_opener or corpus.ids[int(alone[0])]
            openers += len(alone)
        sizes.append(len(corpus))
        least, most = min(least, int(counts.min())), max(most, int(counts.max()))
    return {
        "sizes": sizes, "bare": bare, "first_bare": first_bare, "references": [least, most],
        "openers": openers, "first_opener": first_opener,
    }  # fmt: skip
