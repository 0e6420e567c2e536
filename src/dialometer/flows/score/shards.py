"""Examples on disk in shards of fixed size, each a memory-mapped Corpus; every later step works shard by shard."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from dialometer.contracts.result import Annotated, Record, decode, doc
from dialometer.core.atomic import save_array, write_json
from dialometer.core.errors import DataError
from dialometer.core.protocols import Progress
from dialometer.core.types import Dialogue, Example
from dialometer.data.formats.protocol import Item
from dialometer.data.reader import ItemReader, ReadPosition
from dialometer.data.row_errors import flat
from dialometer.store.parts import is_whole_folder, read_part, write_part_folder
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import conversation_keys, conversation_of

Placed = tuple[ReadPosition, Example]
LOOKED_AT, SPEAKERS = 1000, 5  # conversations behind a refusal, and names in it


class ShardIndex(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of all shards together."""

    sizes: Annotated[tuple[int, ...], doc("examples of each shard")]
    bare: Annotated[int, doc("examples without a reference")]
    first_bare: Annotated[str, doc("the id of the first of them")]
    references: Annotated[tuple[int, int], doc("least and most references of an example")]
    openers: Annotated[int, doc("examples without a context")]
    first_opener: Annotated[str, doc("the id of the first of them")]


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


def spool(
    reader: ItemReader, folder: Path, size: int, *, contexts: bool, keep: bool, progress: Progress, whole: bool = False
) -> Shards:
    """Write examples to shards; reading goes on after the last shard that an interrupted run wrote.

    ``whole`` cuts no conversation: a shard goes on until the one that is in hand has ended.
    """
    index = folder / "shards.json"
    done = 0
    while is_whole_folder(shard_folder(folder, done)):
        done += 1
    contents = _read_index(index)
    if contents is None or len(contents.sizes) != done:
        index.unlink(missing_ok=True)
        after = None
        if done:
            for shard in range(done):
                reader.seen.update(map(hash, _item_names(Corpus.open(shard_folder(folder, shard)))))
            after = ReadPosition(*read_part(shard_folder(folder, done - 1) / "place.npy").tolist())
        with no_collection():
            for batch in _batches(reader.examples(after), size, whole):
                corpus = Corpus.build([example for _, example in batch], contexts=contexts)
                write_part_folder(shard_folder(folder, done), partial(_save, corpus, batch[-1][0]))
                done += 1
                progress("reading", done * size, 0)
        if not done:
            raise no_reply(ItemReader(reader.sources, reader.limits).items(), str(reader.sources[0][1]))
        if whole:
            _refuse_scattered(folder, done, reader)
        contents = _index_shards(folder, done)
        write_json(index, contents.to_json())
    return Shards(folder, **msgspec.structs.asdict(contents), keep=keep)


def _read_index(path: Path) -> ShardIndex | None:
    """What an interrupted run knew of its shards; nothing where that is not there or not whole."""
    try:
        return decode(path.read_bytes(), ShardIndex)
    except (OSError, ValueError):
        return None


def no_reply(items: Iterable[Item], file: str) -> DataError:
    """The error for dialogues without a response: they are too short, or all turns are another speaker's."""
    dialogues = [item for item in islice(items, LOOKED_AT) if isinstance(item, Dialogue)]
    if max((len(dialogue.turns) for dialogue in dialogues), default=0) < 2:
        return DataError("holds no reply to score", file=file, hint="conversations need two turns or more")
    names = list(dict.fromkeys(flat(turn.speaker) for dialogue in dialogues for turn in dialogue.turns))
    some = f"{', '.join(names[:SPEAKERS])}{', …' * (len(names) > SPEAKERS)}"
    return DataError(
        f"holds no reply to score: after the first turn no turn is the system's (speakers: {some})",
        file=file,
        hint='say whose turns are replies, as in "rated_speaker": "NAME" in each conversation (docs/guide/data.md)',
    )


def _batches(stream: Iterator[Placed], size: int, whole: bool) -> Iterator[list[Placed]]:
    """Examples by the shard."""
    ahead: list[Placed] = []
    while batch := [*ahead, *islice(stream, size - len(ahead))]:
        ahead = []
        if whole:
            last = conversation_of(batch[-1][1])
            for placed in stream:
                if conversation_of(placed[1]) != last:
                    ahead = [placed]
                    break
                batch.append(placed)
        yield batch


def _refuse_scattered(folder: Path, shards: int, reader: ItemReader) -> None:
    """A conversation that lies in two shards would be scored twice, by halves."""
    seen: set[int] = set()
    for shard in range(shards):
        corpus = Corpus.open(shard_folder(folder, shard))
        here = {hash(key): name for name, key in zip(corpus.ids, conversation_keys(corpus), strict=True)}
        if twice := sorted(here[key] for key in seen & here.keys()):
            raise DataError(
                "its conversation began elsewhere in the file, and one is scored as a whole",
                file=str(reader.sources[0][1]), item=twice[0], count=len(twice),
                hint="put the replies of a conversation one after the other, or score the file at once with a larger --shard",
            )  # fmt: skip
        seen |= here.keys()


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


def _save(corpus: Corpus, last: ReadPosition, folder: Path) -> None:
    corpus.save(folder)
    save_array(folder / "place.npy", np.array([last.source, last.number, last.reply]))


def _item_names(corpus: Corpus) -> Iterator[str]:
    """Ids of examples, and of the conversations that they may come from."""
    for name in corpus.ids:
        yield name
        if "#" in name:
            yield name.rpartition("#")[0]


def _index_shards(folder: Path, shards: int) -> ShardIndex:
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
    return ShardIndex(
        sizes=tuple(sizes), bare=bare, first_bare=first_bare, references=(least, most), openers=openers,
        first_opener=first_opener,
    )  # fmt: skip
