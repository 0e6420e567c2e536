"""Corpus: examples as integers. Distinct texts are kept once; rows of arrays point at them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.atomic import save_array
from dialometer.core.errors import DataError, RunError
from dialometer.core.types import Example, Turn
from dialometer.text.corpus_input import check_references, check_responses
from dialometer.text.table import TokenTable, build_table, kept_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import Tokeniser, tokeniser


@dataclass(frozen=True, eq=False)
class Rows:
    """A list of text rows per example: example i has ``rows[starts[i]:starts[i+1]]``."""

    starts: np.ndarray
    rows: np.ndarray

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> Rows:
        """Flatten lists."""
        starts = np.fromiter(accumulate(map(len, lists), initial=0), np.int64, len(lists) + 1)
        return cls(starts, np.fromiter((row for rows in lists for row in rows), np.int32, int(starts[-1])))

    @classmethod
    def none(cls, n: int) -> Rows:
        """n examples without any."""
        return cls(np.zeros(n + 1, np.int64), np.zeros(0, np.int32))

    def counts(self) -> np.ndarray:
        """How many rows each example has."""
        return np.diff(self.starts)

    def flat(self, examples: np.ndarray) -> np.ndarray:
        """Where in ``rows`` the rows of these examples lie, one example after the other."""
        counts = self.counts()[examples]
        ends = np.cumsum(counts)
        return np.repeat(self.starts[examples] - (ends - counts), counts) + np.arange(counts.sum())

    def take(self, examples: np.ndarray) -> Rows:
        """The rows of these examples alone.

        >>> Rows.of([[3], [4, 5]]).take(np.array([1, 1])).rows.tolist()
        [4, 5, 4, 5]
        """
        return Rows(np.concatenate([[0], np.cumsum(self.counts()[examples])]), self.rows[self.flat(examples)])

    def grouped(self, examples: np.ndarray, groups: np.ndarray) -> Rows:
        """The rows of these examples under their groups, numbered 0, 1 …; groups without rows are left out."""
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups, self.counts()[examples]).astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
        return Rows(starts, self.rows[self.flat(examples[order])])


@dataclass(frozen=True, eq=False)
class Corpus:
    """Examples of one shard, ready for kernels.

    >>> corpus = Corpus.of(["tea ?", "tea ?"], [["me too"], ["no", "tea ?"]])
    >>> list(corpus.texts), corpus.response.tolist(), corpus.references.rows.tolist()
    (['tea ?', 'me too', 'no'], [0, 0], [1, 2, 0])
    """

    texts: Texts
    response: np.ndarray
    references: Rows
    contexts: Rows
    after: Rows  # the turns that followed (``Example.after``), where contexts are known
    systems: Texts
    names: Texts | None = None  # none given: row numbers
    groups: Texts | None = None
    others: np.ndarray | None = None  # what ``nearest`` gives; if empty, the turns next to the reply are of another speaker
    keep: bool = False  # whether token tables are kept in the cache
    _tables: dict[str, TokenTable] = field(default_factory=dict)
    _vectors: dict[str, Any] = field(default_factory=dict)  # by encoder, see text.sentence_vectors

    @classmethod
    def build(cls, examples: Iterable[Example], *, contexts: bool = True) -> Corpus:
        """From examples, with or without the texts of their contexts and of what followed."""
        rows: dict[str, int] = {}
        response, references, turns, after, ids, systems, documents, others = [], [], [], [], [], [], [], []
        for e in examples:
            if isinstance(e.references, str):  # its characters would be references
                raise DataError("its references are one text, not several", item=e.id, hint="references=(text,)")
            response.append(rows.setdefault(e.response, len(rows)))
            references.append([rows.setdefault(text, len(rows)) for text in e.references])
            turns.append([rows.setdefault(turn.text, len(rows)) for turn in e.context] if contexts else ())
            after.append([rows.setdefault(turn.text, len(rows)) for turn in e.after] if contexts else ())
            ids.append(e.id)
            systems.append(e.system)
            documents.append(e.document)
            others.append((_first(reversed(e.context), e.own), _first(e.after, e.own)) if contexts else (0, 0))
        return cls(
            Texts.of(rows),
            np.asarray(response, np.int32),
            Rows.of(references),
            Rows.of(turns),
            Rows.of(after),
            Texts.of(systems),
            Texts.of(ids),
            Texts.of(documents),
            np.array(others, np.int32).reshape(-1, 2),
        )

    @classmethod
    def of(cls, responses: Sequence[str], references: Sequence[str | Sequence[str]] | None = None) -> Corpus:
        """From bare responses and, for each, its references: a list of texts, or one text; ids are row numbers."""
        replies = check_responses(responses)
        n = len(replies)
        lists = check_references(references, n)
        texts, rows = Texts.distinct([*replies, *chain.from_iterable(lists)])
        starts = np.zeros(n + 1, np.int64)
        np.cumsum(np.fromiter(map(len, lists), np.int64, n), out=starts[1:])
        unnamed = Texts(np.zeros(0, np.uint8), np.zeros(n + 1, np.int64))
        return cls(texts, rows[:n], Rows(starts, rows[n:]), Rows.none(n), Rows.none(n), systems=unnamed)

    def __len__(self) -> int:
        return len(self.response)

    @property
    def ids(self) -> Texts:
        """The name of each example."""
        return Texts.numbers(len(self)) if self.names is None else self.names

    @property
    def documents(self) -> Texts:
        """What each example shares with others (``Example.document``)."""
        return self.ids if self.groups is None else self.groups

    def nearest(self) -> np.ndarray:
        """(examples, 2): how many turns before and after a reply the nearest turn of another speaker is; 0 where there is none."""
        if self.others is not None:
            return self.others
        return np.stack([lists.counts() > 0 for lists in (self.contexts, self.after)], axis=1).astype(np.int32)

    def take(self, rows: np.ndarray) -> Corpus:
        """The examples of some rows over the same texts: what was tokenised or encoded for one is known to the other.

        >>> Corpus.of(["yes", "no"], [["a"], ["b", "c"]]).take(np.array([1])).references.rows.tolist()
        [3, 4]
        """
        groups = None if self.groups is None else self.groups.take(rows)
        return replace(
            self, response=self.response[rows], references=self.references.take(rows), contexts=self.contexts.take(rows),
            after=self.after.take(rows), systems=self.systems.take(rows), names=self.ids.take(rows), groups=groups,
            others=self.nearest()[rows],
        )  # fmt: skip

    def system_rows(self) -> dict[str, np.ndarray]:
        """The rows of each system, systems in order of appearance."""
        if len(self.systems.bytes) == 0:
            return {"": np.arange(len(self))} if len(self) else {}
        index: dict[str, int] = {}
        codes = np.fromiter((index.setdefault(system, len(index)) for system in self.systems), np.int32, len(self))
        return {system: np.flatnonzero(codes == code) for system, code in index.items()}

    def document_codes(self, rows: np.ndarray) -> np.ndarray:
        """A number for the document of each of the rows, in order of appearance."""
        if self.groups is None:
            return np.arange(len(rows))
        index: dict[str, int] = {}
        names = list(self.groups)
        return np.fromiter((index.setdefault(names[row], len(index)) for row in rows.tolist()), np.int64, len(rows))

    def table(self, tok: str | Tokeniser) -> TokenTable:
        """The token table of these texts under a tokeniser, built on first use."""
        made = tokeniser(tok)
        if made.recipe not in self._tables:
            self._tables[made.recipe] = kept_table(self.texts, made) if self.keep else build_table(self.texts, made)
        return self._tables[made.recipe]

    def save(self, folder: Path) -> None:
        """Write the arrays, each to a file that can be memory-mapped."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in self._arrays().items():
            save_array(folder / f"{name}.npy", array)

    @classmethod
    def open(cls, folder: Path, *, keep: bool = False) -> Corpus:
        """Read a saved corpus by memory map."""
        try:
            a = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
            texts, systems, names, groups = (
                Texts(a[f"{name}.bytes"], a[f"{name}.starts"]) for name in ("texts", "systems", "ids", "documents")
            )
            references, contexts, after = (
                Rows(a[f"{name}.starts"], a[f"{name}.rows"]) for name in ("references", "contexts", "after")
            )
            return cls(texts, a["response"], references, contexts, after, systems, names, groups, a.get("others"), keep)
        except (OSError, KeyError, ValueError, EOFError) as error:
            reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise RunError(
                f"{folder} was removed or damaged while the run was going on ({reason})", "the same command again"
            ) from None

    def _arrays(self) -> dict[str, np.ndarray]:
        arrays = {"response": self.response, "others": self.nearest()}
        for name in ("texts", "ids", "systems", "documents"):
            value = getattr(self, name)
            arrays |= {f"{name}.bytes": value.bytes, f"{name}.starts": value.starts}
        for name in ("references", "contexts", "after"):
            value = getattr(self, name)
            arrays |= {f"{name}.starts": value.starts, f"{name}.rows": value.rows}
        return arrays


def _first(turns: Iterable[Turn], own: Collection[str]) -> int:
    """Which turn, counted from 1, is the first of another speaker; 0 if none is."""
    return next((place for place, turn in enumerate(turns, 1) if turn.speaker not in own), 0)


def gather(parts: Iterable[tuple[Corpus, np.ndarray]]) -> Corpus:
    """A corpus of chosen rows of others, contexts left behind."""
    responses: list[str] = []
    references: list[list[str]] = []
    systems: list[str] = []
    names: list[str] = []
    groups: list[str] = []
    for corpus, rows in parts:
        texts, refs = list(corpus.texts), corpus.references
        every = [list(column) for column in (corpus.systems, corpus.ids, corpus.documents)]
        for row in rows.tolist():
            responses.append(texts[corpus.response[row]])
            references.append([texts[text] for text in refs.rows[refs.starts[row] : refs.starts[row + 1]]])
            for column, target in zip(every, (systems, names, groups), strict=True):
                target.append(column[row])
    made = Corpus.of(responses, references)
    return replace(made, systems=Texts.of(systems), names=Texts.of(names), groups=Texts.of(groups))
