"""``humanlike``: the probability that a human wrote the response, not a bot (a discriminator, as Lowe et al. 2017, §6, propose).

Logistic regression on [r̂, c ⊙ r̂, cos(c, r̂), ln(1 + words)] of an encoder's vectors, each column with mean 0 and deviation 1 in
training: ``Σ w ln(1 + exp(−y s)) / Σ w + λ‖θ‖²``. Humans and bots weigh the same in all, so ½ means that nobody can tell. The
penalty has the least loss on folds that keep contexts whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import MissingResource, NeedsError
from dialometer.core.protocols import Encoder, Progress
from dialometer.core.registry import create
from dialometer.core.rowwise import row_dots
from dialometer.judges._shared.base import Learnt
from dialometer.judges._shared.features import Standard
from dialometer.judges._shared.training_rows import complete, texts_seen, usable_rows
from dialometer.judges._shared.vectors import context_vectors, response_vectors
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits
from dialometer.judges._solvers.logistic import auc, log_loss, logistic_fit
from dialometer.text.corpus import Corpus
from dialometer.text.vectors.pooling import row_cosines

PENALTIES = 10.0 ** np.arange(-4, 1.5, 0.5)


@dataclass(frozen=True, eq=False)
class _Learnt:
    """Weights (intercept first), how columns are scaled, and whose vectors they are for."""

    standard: Standard
    weights: np.ndarray
    seen: np.ndarray
    facts: dict[str, Any]


@dataclass(frozen=True)
class Humanlike(Learnt):
    """One probability; ``encoder`` gives the vectors. It is fitted on responses marked 1 (a human wrote it) or 0 (a bot did)."""

    encoder: str = "minilm"
    learnt: _Learnt | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "humanlike"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset({"context"})
    columns: ClassVar[tuple[str, ...]] = ("humanlike",)
    floor: ClassVar[float] = float("nan")  # a probability of 0 is never reached

    def recipe_facts(self) -> dict[str, object]:
        """The encoder's own recipe, and a hash of what was learnt."""
        fitted = digest(self.learnt.weights, self.learnt.standard.mean) if self.learnt else "no"
        return {"encoder": self._encoder().recipe, "fitted": fitted}

    def fit(self, corpus: Corpus, target: np.ndarray, *, seed: int = 0, progress: Progress | None = None) -> Self:
        """Weights from examples marked 1 for a human and 0 for a bot."""
        marks = np.asarray(target, np.float64)
        odd = marks[np.isfinite(marks) & (marks != 0) & (marks != 1)]
        if len(odd):
            raise NeedsError(
                f"humanlike learns from 1 (a human wrote it) and 0 (a bot did), and {len(odd)} examples have other values "
                f"(the first: {odd[0]:g})",
                "ratings are for adem, autojudge or stack",
            )
        rows, left_out = usable_rows(self, corpus, marks)
        kept, human = corpus.take(rows), marks[rows] == 1
        columns, groups = self._columns(kept), list(kept.documents)
        said = _left_out(columns, human, inner_folds(groups, seed=seed))
        losses = np.array([log_loss(scores, human) for scores in said])
        best = int(losses.argmin())
        standard = Standard.fit(columns)
        weights = logistic_fit(standard.apply(columns), human, PENALTIES[best])
        facts = {
            "humans": int(human.sum()),
            "bots": int((~human).sum()),
            "without what is needed": left_out,
            "contexts": len(set(groups)),
            "penalty": float(PENALTIES[best]),
            "loss left out": float(losses[best]),
            "auc": auc(said[best], human),
            "encoder": self._encoder().recipe,
        }
        if progress:
            progress("fitting humanlike", 1, 1)
        seen = texts_seen(kept)
        return replace(self, learnt=_Learnt(standard, weights, seen, facts))

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        learnt = self._learnt()
        arrays = {
            "mean": learnt.standard.mean,
            "scale": learnt.standard.scale,
            "weights": learnt.weights,
            "seen": learnt.seen,
        }
        save_artifact(folder, "metric", self, arrays, facts=learnt.facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The judge of a folder."""
        card, arrays = open_artifact(folder, cls)
        standard = Standard.read(arrays | {"marked": np.zeros(0, np.int64)})
        check_arrays(arrays, weights=f"float {standard.width + 1}", seen="whole n")
        if not isinstance(card["facts"]["encoder"], str):
            raise ValueError("it does not say whose vectors it was fitted on")
        return cls(**card["options"], learnt=_Learnt(standard, arrays["weights"], arrays["seen"], card["facts"]))

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, probability] per response; unscored without a context."""
        learnt = self._learnt()
        has = complete(corpus, self.needs)
        rows = np.zeros((len(corpus), 2))
        if has.any():
            ready = learnt.standard.apply(self._columns(corpus.take(np.flatnonzero(has))))
            scores = learnt.weights[0] + row_dots(ready, learnt.weights[1:])
            rows[has, 1] = 1 / (1 + np.exp(np.clip(-scores, -700, 700)))
            rows[has, 0] = 1
        return rows

    def _columns(self, corpus: Corpus) -> np.ndarray:
        encoder = self._encoder()
        heard, said = context_vectors(corpus, encoder), response_vectors(corpus, encoder)
        words = corpus.table("words").lengths()[corpus.response]
        return np.column_stack([said, heard * said, row_cosines(heard, said), np.log1p(words)])

    def _parts(self) -> list[Any]:
        return [self._encoder()]

    def _encoder(self) -> Encoder:
        made: Encoder = create("encoder", self.encoder)
        return made

    def _learnt(self) -> _Learnt:
        if self.learnt is None:
            raise NeedsError(
                "humanlike has not been fitted on responses of humans and bots",
                "dialometer train humanlike FILE… and -m with the folder it prints",
            )
        if self.learnt.facts["encoder"] != (here := self._encoder().recipe):
            raise NeedsError(
                f"this humanlike was fitted on vectors of {self.learnt.facts['encoder']}, and {self.encoder} now is {here}",
                "dialometer train humanlike FILE… fits it anew",
            )
        if self.learnt.standard.width != (width := 2 * self._encoder().width + 2):
            raise MissingResource(
                f"this humanlike has weights for {self.learnt.standard.width} columns, and {self.encoder} gives {width}",
                "dialometer train humanlike FILE… fits it anew",
            )
        return self.learnt


def _left_out(columns: np.ndarray, human: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """(penalties, rows): scores of each row by fits without its fold."""
    said = np.zeros((len(PENALTIES), len(human)))
    for learn, test in train_test_splits(folds):
        if len(np.unique(human[learn])) < 2:
            continue  # nothing to tell apart: the row keeps 0, even odds
        standard = Standard.fit(columns[learn])
        inside, outside = standard.apply(columns[learn]), standard.apply(columns[test])
        weights = None
        for number in range(len(PENALTIES))[::-1]:  # from the strongest penalty on, each from where the last ended
            weights = logistic_fit(inside, human[learn], PENALTIES[number], start=weights)
            said[number, test] = weights[0] + outside @ weights[1:]
    return said
