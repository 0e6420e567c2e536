"""Retrieved pseudo-references: human responses to the contexts most similar to an item's (as in ΔBLEU, Galley et al. 2015).

Contexts are compared by the cosine of their tf-idf vectors, ``tf · (ln((1 + N) / (1 + df)) + 1)`` over the N contexts of the pool.
Each of the most similar contexts gives one text: the first of its references that is neither the item's response, nor one of its
own references, nor taken already. Contexts of the item's own document give nothing, nor do those without a word in common;
equally similar ones go by the ids of their items. (In ΔBLEU raters weight such references; here all count the same.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dialometer.core.types import Example
from dialometer.text.corpus import Rows
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser

PIECE = 1 << 23  # similarities held at once
NEAR = 16  # contexts looked at beyond the number asked for, before all are sorted
Place = tuple[str, tuple[str, ...]]  # a document and the texts of a context in it


@dataclass(frozen=True)
class Retrieved:
    """Per item, the most similar first: texts, the items they were taken from, and how similar their contexts are."""

    references: tuple[tuple[str, ...], ...]
    sources: tuple[tuple[str, ...], ...]
    similarities: tuple[tuple[float, ...], ...]
    no_context: int  # items that have no context to compare
    short: int  # items that have one and got fewer than asked for


class _Candidate(NamedTuple):
    """A context of the pool, the human responses to it, and the item that represents it."""

    id: str
    document: str
    context: tuple[str, ...]
    replies: tuple[str, ...]


def retrieve_references(
    items: Sequence[Example], k: int, *, pool: Sequence[Example] | None = None, tok: str = "words"
) -> Retrieved:
    """Up to k pseudo-references for each item, from the references of a pool (of the items themselves, where none is given)."""
    candidates = _candidates(items if pool is None else pool)
    askers: dict[Place, list[int]] = {}
    for row, item in enumerate(items):
        askers.setdefault(_place(item), []).append(row)
    found: list[list[tuple[str, str, float]]] = [[] for _ in items]
    places = [place for place in askers if any(place[1])]
    for place, similar in zip(places, _similarities(places, candidates, tok), strict=True):
        for row in askers[place]:
            found[row] = _choose(items[row], k, candidates, similar)
    no_context = sum(not any(_place(item)[1]) for item in items)
    return Retrieved(
        tuple(tuple(text for text, _, _ in row) for row in found),
        tuple(tuple(source for _, source, _ in row) for row in found),
        tuple(tuple(value for _, _, value in row) for row in found),
        no_context,
        sum(len(row) < k for row in found) - (no_context if k else 0),
    )


def _place(item: Example) -> Place:
    return item.document, tuple(turn.text for turn in item.context if turn.text.strip())


def _candidates(pool: Iterable[Example]) -> list[_Candidate]:
    """The contexts that have references, in the order of ids; items that share a document and a context are one."""
    replies: dict[Place, dict[str, None]] = {}
    names: dict[Place, str] = {}
    for item in sorted(pool, key=lambda item: item.id):
        place = _place(item)
        if any(place[1]) and any(map(str.strip, item.references)):
            names.setdefault(place, item.id)
            replies.setdefault(place, {}).update(dict.fromkeys(text for text in item.references if text.strip()))
    return [_Candidate(names[place], *place, tuple(said)) for place, said in replies.items()]


def _similarities(places: Sequence[Place], candidates: Sequence[_Candidate], tok: str) -> Iterator[np.ndarray]:
    """For each place the cosine with every candidate, 0 within its document."""
    if not candidates:
        yield from (np.zeros(0) for _ in places)
        return
    vectors = _vectors([candidate.context for candidate in candidates], [context for _, context in places], tok)
    theirs, mine = vectors[: len(candidates)].T.tocsr(), vectors[len(candidates) :]
    code = {document: number for number, document in enumerate({c.document: None for c in candidates})}
    documents = np.array([code[candidate.document] for candidate in candidates])
    piece = max(1, PIECE // len(candidates))
    for start in range(0, len(places), piece):
        block = np.round((mine[start : start + piece] @ theirs).toarray(), 9)  # what differs by rounding alone is a tie
        for (document, _), row in zip(places[start : start + piece], block, strict=True):
            row[documents == code.get(document, -1)] = 0
            yield row


def _vectors(pool: Sequence[Sequence[str]], asking: Sequence[Sequence[str]], tok: str) -> Any:
    """Unit tf-idf vectors of the pool and, below them, of those who ask; words sorted, so that the order of items adds nothing."""
    from scipy.sparse import csr_matrix, diags

    index: dict[str, int] = {}
    rows = Rows.of([[index.setdefault(text, len(index)) for text in context] for context in (*pool, *asking)])
    table = build_table(Texts.of(index), tokeniser(tok))
    words = table.spellings()
    rank = np.empty(len(words), np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    lengths = table.lengths()[rows.rows]
    ids = table.ids[Rows(table.starts, table.ids).flat(rows.rows)]
    owner = np.repeat(np.repeat(np.arange(len(rows.counts())), rows.counts()), lengths)
    counts = csr_matrix((np.ones(len(ids)), (owner, rank[ids])), (len(rows.counts()), len(words)))
    frequency = np.bincount(counts[: len(pool)].indices, minlength=len(words))
    weights = np.where(frequency > 0, np.log((1 + len(pool)) / (1 + frequency)) + 1, 0)
    weighted = counts @ diags(weights)
    norms = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).reshape(-1))
    made = csr_matrix(diags(1 / np.where(norms > 0, norms, 1)) @ weighted)
    made.sort_indices()
    return made


def _choose(item: Example, k: int, candidates: Sequence[_Candidate], similar: np.ndarray) -> list[tuple[str, str, float]]:
    """One text from each of the most similar contexts, until there are k."""
    taken = {_plain(text) for text in (item.response, *item.references)}
    chosen: list[tuple[str, str, float]] = []
    order = _order(similar, k + NEAR)
    while len(chosen) < k and (number := next(order, None)) is not None:
        text = next((text for text in candidates[number].replies if _plain(text) not in taken), None)
        if text is not None:
            taken.add(_plain(text))
            chosen.append((text, candidates[number].id, float(similar[number])))
    return chosen


def _order(similar: np.ndarray, near: int) -> Iterator[int]:
    """Candidates from the most similar down, equals by number; distant ones are sorted only on demand."""
    cut = np.partition(similar, -near)[-near] if len(similar) > near else 0.0
    for part in (np.flatnonzero((similar >= cut) & (similar > 0)), np.flatnonzero((similar < cut) & (similar > 0))):
        yield from part[np.argsort(-similar[part], kind="stable")].tolist()


def _plain(text: str) -> str:
    """A text for comparison: case and white space aside."""
    return " ".join(text.split()).casefold()
