"""``bertscore``: greedy matching of contextual token vectors (Zhang et al. 2020, eq. 1 to 4).

Precision is the mean over the response's tokens of the best cosine among the reference's tokens, recall the same the other way
round, F1 = 2PR / (P + R). With ``idf`` the means are weighted by ln((N + 1) / (n + 1)) for a token in n of N references.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np

from dialometer.core.errors import NeedsError, SpecError
from dialometer.core.protocols import Facts, Level, TokenEncoder
from dialometer.core.registry import create
from dialometer.metrics._bertscore.matching import best_reference, count_tokens, match_pairs
from dialometer.text.corpus import Corpus
from dialometer.text.lines import file_digest, read_lines
from dialometer.text.vectors.pooling import means_and_coverage, pool
from dialometer.text.vectors.sentences import text_coverage

POOLS = ("max", "mean")


@dataclass(frozen=True)
class Bertscore:
    """Precision, recall and F1 of the reference with the best F1, or their means; 0 for a response without a known token.

    ``idf`` is none, references (of the system's own collection), or a text file with one document a line.
    """

    encoder: str = "minilm"
    idf: str = "none"
    pool: str = "max"
    facts: Mapping[str, Facts] = field(default_factory=dict, repr=False, compare=False)

    name: ClassVar[str] = "bertscore"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    columns: ClassVar[tuple[str, ...]] = (
        "bertscore-precision",
        "bertscore-recall",
        "bertscore-f1",
        "bertscore-coverage",
    )

    def __post_init__(self) -> None:
        if self.pool not in POOLS:
            raise SpecError(
                f"bertscore(pool=…) is max or mean, not {self.pool!r}: tokens are matched, and they have no centroid",
                "bertscore(pool=max), or sentence(pool=centroid)",
            )

    def recipe_facts(self) -> dict[str, object]:
        """The encoder's own recipe and the source of the document frequencies."""
        named = {"none": "none", "references": "own-references"}
        source = named[self.idf] if self.idf in named else f"file-{file_digest(self.idf)}"
        return {"encoder": self._encoder().recipe, "idf": source}

    def prepare(self, corpus: Corpus, rows: np.ndarray) -> Facts:
        """In how many references of these rows each token is; every reference is a document, as in the paper."""
        if self.idf == "none":
            return {"documents": np.zeros(1, np.int64), "counts": np.zeros(0, np.int64)}
        if self.idf != "references":
            return _external(self.idf, file_digest(self.idf), self.encoder)
        refs = corpus.references
        texts, times = np.unique(refs.rows[refs.flat(rows)], return_counts=True)
        return count_tokens(self._encoder(), [corpus.texts[row] for row in texts.tolist()], times)

    def merge(self, parts: Sequence[Facts]) -> Facts:
        """The sum over parts; an outside file is the same in every part."""
        if self.idf != "references":
            return parts[0]
        counts = np.zeros(max(len(part["counts"]) for part in parts), np.int64)
        for part in parts:
            counts[: len(part["counts"])] += part["counts"]
        return {"documents": np.array([sum(int(part["documents"][0]) for part in parts)]), "counts": counts}

    def bind(self, facts: Mapping[str, Facts]) -> Bertscore:
        """This metric with its frequencies; too few documents are refused now."""
        for system, part in facts.items():
            if self.idf != "none" and int(part["documents"][0]) < 2:
                raise NeedsError(
                    f"bertscore(idf=…) needs 2 documents or more; system {system!r} has {int(part['documents'][0])}",
                    "bertscore(idf=FILE) with one document a line, or bertscore without idf",
                )
        return replace(self, facts=facts)

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, precision, recall, F1, known tokens, tokens] per response."""
        refs, encoder = corpus.references, self._encoder()
        has = refs.counts() > 0
        rows = np.zeros((len(corpus), 6))
        if not has.any():
            return rows
        for facts, items in self._parts(corpus):
            items = items[has[items]]
            if len(items):
                found = match_pairs(corpus, encoder, items, facts)
                starts = np.concatenate([[0], np.cumsum(refs.counts()[items])])
                rows[items, 1:4] = best_reference(found, starts) if self.pool == "max" else pool(found, starts, "mean")
        rows[:, 4:] = text_coverage(corpus, encoder)
        rows[:, 0] = has
        rows[~has] = 0
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over scored responses; known tokens / tokens, 0 where there is none."""
        return means_and_coverage(totals)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """Precision, recall and F1 with each reference."""
        facts, _ = next((facts, items) for facts, items in self._parts(corpus) if row in items)
        weights = {"none": "every token weighs the same"}.get(
            self.idf, f"weights: ln(({int(facts['documents'][0])} documents + 1) / (those with the token + 1))"
        )
        lines = [f"token vectors of {self._encoder().recipe}", weights]
        for number, (p, r, f) in enumerate(match_pairs(corpus, self._encoder(), np.array([row]), facts), 1):
            lines.append(f"reference {number}: precision {p:.4f}  recall {r:.4f}  F1 {f:.4f}")
        values = self.finish(self.measure(corpus)[row], level="item")
        how = "the reference with the best F1" if self.pool == "max" else "the mean over references"
        spelt = "  ".join(f"{name} = {value:.6f}" for name, value in zip(self.columns, values, strict=True))
        return [*lines, f"{how}: {spelt}"]

    def _parts(self, corpus: Corpus) -> Iterator[tuple[Facts, np.ndarray]]:
        """Document frequencies and the rows that they are for; without idf all rows go together."""
        systems = corpus.system_rows()
        bound = self if self.facts else self.bind({name: self.prepare(corpus, rows) for name, rows in systems.items()})
        if self.idf == "references":
            for system, rows in systems.items():
                yield bound.facts[system], rows
        elif systems:
            yield next(iter(bound.facts.values())), np.arange(len(corpus))

    def _encoder(self) -> Any:
        made = create("encoder", self.encoder)
        shape: Any = TokenEncoder
        if not isinstance(made, shape):
            raise SpecError(
                f"bertscore needs an encoder of tokens, and {self.encoder} has none", "bertscore(encoder=minilm)"
            )
        return made


@cache
def _external(path: str, digest: str, encoder: str) -> Facts:
    """Document frequencies of a text file, one document a line; ``digest`` is of its content."""
    lines = read_lines(path)
    return count_tokens(create("encoder", encoder), lines, np.ones(len(lines), np.int64))
