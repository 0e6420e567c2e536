"""``cider``: tf-idf weighted n-gram cosine, averaged over orders and references, times ten (Vedantam et al. 2015).

Documents are the groups of the system under evaluation: their references give the document frequencies, so another system's
rows change nothing. CIDEr-D clips counts and multiplies by ``exp(−Δ²/2σ²)`` of the length difference Δ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np

from dialometer.core.cache import content_key
from dialometer.core.errors import DataError, NeedsError, UnknownName
from dialometer.core.files import LARGE, read_limited
from dialometer.core.protocols import Facts, Level
from dialometer.core.ranges import Order, Positive, check_fields
from dialometer.metrics._cider.document_frequency import Tree, document_tree, merge_trees
from dialometer.metrics._cider.tfidf import pair_parts, similarities
from dialometer.text.corpus import Corpus, Rows
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser

VARIANTS = {
    "d": "CIDEr-D: clipped, Gaussian on the difference in words",
    "coco": "CIDEr-D as the COCO code has it: the Gaussian counts bigrams",
    "plain": "CIDEr: cosine, no clipping, no Gaussian",
}


@dataclass(frozen=True)
class Cider:
    """CIDEr from 0 to 10; ``idf`` names a text file with one document a line in place of the references' own frequencies.

    >>> corpus = Corpus.of(["i like tea", "go home"], [["i like tea"], ["stay here"]])
    >>> Cider(order=2).finish(Cider(order=2).measure(corpus), level="item").tolist()
    [[10.0], [0.0]]
    """

    variant: str = "d"
    order: Order = 4
    sigma: Positive = 6.0
    idf: str = ""
    tok: str = "words"
    facts: Mapping[str, Facts] = field(default_factory=dict, repr=False, compare=False)

    name: ClassVar[str] = "cider"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    variants: ClassVar[tuple[str, ...]] = tuple(VARIANTS)
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    columns: ClassVar[tuple[str, ...]] = ("cider",)

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownName("variant of cider", self.variant, VARIANTS, hint="dialometer list metrics cider")
        check_fields(self)

    def recipe_facts(self) -> dict[str, object]:
        """Tokeniser and source of the document frequencies."""
        return {"idf": f"file-{_digest(self.idf)}" if self.idf else "own-references", "tok": tokeniser(self.tok).recipe}

    def prepare(self, corpus: Corpus, rows: np.ndarray) -> Tree:
        """Document frequencies of the references of these rows, one document per group."""
        if self.idf:
            return _external(self.idf, _digest(self.idf), self.tok, self.order)
        documents = corpus.references.grouped(rows, corpus.document_codes(rows))
        return document_tree(corpus.table(self.tok), documents, self.order)

    def merge(self, parts: Sequence[Facts]) -> Tree:
        """The sum over parts; an outside file is the same in every part."""
        return parts[0] if self.idf else merge_trees(parts)

    def bind(self, facts: Mapping[str, Facts]) -> Cider:
        """This metric with its frequencies; systems with equal ones share them; too few documents are refused now."""
        for system, tree in facts.items():
            if int(tree["documents"][0]) < 2:
                raise NeedsError(
                    f"cider needs document frequencies from at least 2 groups of references; "
                    f"system {system!r} has {int(tree['documents'][0])}",
                    "give a text file with one document a line: cider(idf=FILE)",
                )
        if len(facts) < 2:
            return replace(self, facts=facts)
        one_of: dict[str, Facts] = {}
        keys = {system: content_key(*(tree[name] for name in sorted(tree))) for system, tree in facts.items()}
        return replace(self, facts={system: one_of.setdefault(keys[system], tree) for system, tree in facts.items()})

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, CIDEr] per response."""
        bound = self if self.facts else self._own(corpus)
        by_tree: dict[int, list[np.ndarray]] = {}
        for system, own in corpus.system_rows().items():
            by_tree.setdefault(id(bound.facts[system]), []).append(own)
        trees = {id(tree): tree for tree in bound.facts.values()}
        rows = np.zeros((len(corpus), 2))
        counts = corpus.references.counts()
        for tree, members in by_tree.items():
            items = np.sort(np.concatenate(members))
            items = items[counts[items] > 0]
            if len(items):
                rows[items, 0] = 1
                rows[items, 1] = 10 * similarities(corpus, items, trees[tree], self.tok, self.order, **self._form())
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """The mean over scored responses."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return totals[..., 1:] / totals[..., :1]

    def _own(self, corpus: Corpus) -> Cider:
        """Bound to the frequencies of this very corpus, taken as the whole collection."""
        return self.bind({system: self.prepare(corpus, rows) for system, rows in corpus.system_rows().items()})

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """Cosine by order and length factor for each reference, and the collection behind the weights."""
        bound = self if self.facts else self._own(corpus)
        tree = bound.facts[corpus.systems[row]]
        parts = pair_parts(corpus, np.array([row]), tree, self.tok, self.order, **self._form())
        lines = [
            VARIANTS[self.variant],
            f"weights: log({int(tree['documents'][0])} documents) − log(documents with the n-gram)",
        ]
        for number, (cosines, factor) in enumerate(zip(parts.cosines, parts.factors, strict=True), 1):
            spelt = "  ".join(f"order {n + 1}: {value:.4f}" for n, value in enumerate(cosines))
            lines.append(f"reference {number}: {spelt}  × length factor {factor:.4f} → mean {cosines.mean() * factor:.4f}")
        score = self.finish(bound.measure(corpus)[row], level="item")[0]
        return [*lines, f"cider = 10 × mean over references = {score:.6f}"]

    def _form(self) -> dict[str, Any]:
        """What the variant makes of a pair."""
        plain = self.variant == "plain"
        return {"clip": not plain, "sigma": 0.0 if plain else self.sigma, "bigram_length": self.variant == "coco"}


@cache
def _external(path: str, digest: str, tok: str, order: int) -> Tree:
    """Document frequencies of a text file, one document a line; ``digest`` is of its content."""
    try:
        lines = _bytes(path).decode().split("\n")
    except UnicodeDecodeError as error:
        raise DataError(
            f"cider(idf=…) is not UTF-8 text: {error}", file=path, hint="a text file, one document a line"
        ) from None
    documents = [line.rstrip("\r") for line in lines if line.strip()]
    table = build_table(Texts.of(documents), tokeniser(tok))
    return document_tree(table, Rows.of([[row] for row in range(len(documents))]), order)


def _digest(path: str) -> str:
    return blake2b(_bytes(path), digest_size=4).hexdigest()


def _bytes(path: str) -> bytes:
    try:
        return read_limited(path, LARGE)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot read the documents of cider(idf=…): {reason}", file=path, hint="check the path") from None
