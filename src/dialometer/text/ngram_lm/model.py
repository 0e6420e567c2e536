"""``ngram``: an n-gram language model, Katz back-off with Good–Turing discounts and entropy pruning (docs/design/ngram-lm.md).

``ln p(text) = Σ ln p(w_k | the order − 1 words before it)`` over its words and its end. Contexts are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import DataError, MissingResource, NeedsError, SpecError, UnknownName
from dialometer.core.protocols import Progress
from dialometer.core.ranges import BelowOne, Range, Size, check_fields
from dialometer.core.recipes import short
from dialometer.text.lines import file_digest, read_lines
from dialometer.text.ngram_lm.arpa_reader import read_arpa
from dialometer.text.ngram_lm.arpa_writer import write_arpa
from dialometer.text.ngram_lm.backoff import MARKS, Backoff, Order
from dialometer.text.ngram_lm.counts import count_ngrams, vocabulary
from dialometer.text.ngram_lm.katz import Discounting, estimate, prune, weigh
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import seen_texts

HIGHEST = 5
DISCOUNTS = {"good-turing": "Good–Turing for counts up to gtmax", "none": "relative frequencies"}


@dataclass(frozen=True, eq=False)
class _Fit:
    """A fitted model, and the hashes of the texts it was fitted on."""

    model: Backoff
    seen: np.ndarray


@dataclass(frozen=True)
class Ngram:
    """Order 1 to 5; ``text`` names a file to fit on, one utterance a line, ``arpa`` a model made elsewhere.

    >>> lm = Ngram(order=2).fit([["i like tea", "i like cake", "you like tea"]])
    >>> sums, events = lm.logprob([[], []], ["i like tea", "tea like"])
    >>> sums.round(2).tolist(), events.tolist()
    ([-2.2, -7.89], [4, 3])
    """

    order: Annotated[int, Range(1, HIGHEST)] = field(default=2, metadata={"recipe": "always"})
    prune: BelowOne = 1e-6
    tok: str = "words"
    discount: str = "good-turing"
    gtmax: Annotated[int, Range(1, 1000)] = 7
    gtmin: Size = 2
    text: str = field(default="", metadata={"recipe": False})
    arpa: str = field(default="", metadata={"recipe": False})
    learnt: _Fit | None = field(default=None, repr=False, compare=False)
    content: str = field(default="", repr=False)  # hash of what was fitted, so that models of other texts are not equal

    name: ClassVar[str] = "ngram"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_fields(self)
        if self.discount not in DISCOUNTS:
            raise UnknownName("discount of ngram", self.discount, DISCOUNTS, hint="ngram(discount=good-turing)")
        if self.arpa:
            self._check_arpa()

    def _check_arpa(self) -> None:
        """A ready model takes no options of fitting; a text that a metric offers to all its parts is not read."""
        used = ("arpa", "tok", "text")
        spare = [f.name for f in fields(self) if f.repr and f.name not in used and getattr(self, f.name) != f.default]
        if spare:
            raise SpecError(f"ngram(arpa=…) is fitted already; {', '.join(spare)} would change nothing", "ngram(arpa=FILE)")

    @property
    def recipe(self) -> str:
        """Options and a hash of the fitted model."""
        made = self._fit()
        return short(made, made.content)

    @property
    def fitted(self) -> bool:
        """Whether it holds a model, or names the file of one or of a text."""
        return self.learnt is not None or bool(self.text or self.arpa)

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Every utterance with words is a sentence; nothing is drawn, so the seed changes nothing."""
        if self.text or self.arpa:
            raise SpecError(
                f"ngram({'arpa' if self.arpa else 'text'}=…) names its own source", "leave it out to fit on other texts"
            )
        texts = [text for text in chain.from_iterable(talks) if text.strip()]
        table = build_table(Texts.of(texts), tokeniser(self.tok))
        if not len(table.ids):
            raise NeedsError("ngram cannot be fitted on a text without words", "give a file with one utterance a line")
        words, numbers = vocabulary(table)
        counted = count_ngrams(table, numbers, len(words), self.order)
        if progress:
            progress("counting n-grams", 1, 2)
        how = Discounting(self.gtmax if self.discount == "good-turing" else 0, self.gtmin)
        levels, lowers = weigh(estimate(counted, how))
        if self.prune:
            levels, _ = weigh(prune(levels, lowers, self.prune))
        if progress:
            progress("counting n-grams", 2, 2)
        return self._with(_Fit(Backoff(words, levels), seen_texts(texts)))

    def logprob(self, contexts: Sequence[Sequence[str]], responses: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Σ ln p over the words and the end of each response, and how many these are."""
        texts, rows = Texts.distinct(list(responses))
        table = build_table(texts, tokeniser(self.tok))
        return self._model().score(table)[rows], (table.lengths() + 1)[rows]

    def perplexity(self, texts: Sequence[str]) -> float:
        """exp(−Σ ln p / events) of all texts together."""
        sums, events = self.logprob((), texts)
        if not len(events):
            raise NeedsError("the perplexity of no text at all is not defined", "give at least one text")
        return float(np.exp(-sums.sum() / events.sum()))

    def size(self) -> int:
        """How many n-grams of all orders it keeps."""
        return sum(len(level.keys) for level in self._model().levels)

    def write_arpa(self, path: str | Path) -> None:
        """The model as an ARPA file, packed where the name ends in .gz."""
        write_arpa(self._model(), Path(path))

    def save(self, folder: Path) -> None:
        """Write the artifact."""
        made = self._fit()
        fit, model = _got(made), made._model()
        arrays = {"words": model.words.bytes, "word_starts": model.words.starts, "seen": fit.seen, **_arrays(model)}
        kept = replace(made, text="", arpa="", order=len(model.levels))
        save_artifact(
            folder, "likelihood", kept, arrays, levels=len(model.levels), words=len(model.words), texts=len(fit.seen)
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A saved model."""
        card, a = open_artifact(folder, cls)
        made = cls(**card["options"])
        grams = [f"{part}{n}" for n in range(1, made.order + 1) for part in ("keys", "logp", "bow")]
        if lost := [name for name in (*grams, "words", "word_starts", "seen") if name not in a]:
            raise MissingResource(
                f"the fitted ngram in {folder} lacks {lost[0]!r}", "dialometer train ngram FILE… makes it anew"
            )
        check_arrays(a, seen="whole n")
        words = Texts.checked(a["words"], a["word_starts"])
        levels = tuple(_level(a, n) for n in range(1, made.order + 1))
        if len(words) != len(levels[0].keys) or len(words) < len(MARKS):
            raise ValueError(f"it has {len(words)} words and numbers for {len(levels[0].keys)}")
        return made._with(_Fit(Backoff(words, levels), a["seen"]))

    def seen(self) -> np.ndarray:
        """Hashes of the texts it was fitted on; none are known for an ARPA file."""
        return _got(self._fit()).seen

    def _model(self) -> Backoff:
        return _got(self._fit()).model

    def _with(self, fit: _Fit) -> Self:
        """This object with a fitted model; its hash covers the words, every number and the tokeniser."""
        parts: Iterable[np.ndarray] = _arrays(fit.model).values()
        content = digest(tokeniser(self.tok).recipe.encode(), fit.model.words.bytes, fit.model.words.starts, *parts)
        return replace(self, learnt=fit, content=content)

    def _fit(self) -> Ngram:
        """Itself once fitted, else what the file that the options name gives, made once per content."""
        if self.learnt is not None:
            return self
        if not self.text and not self.arpa:
            raise NeedsError(
                "ngram has not been fitted on a text",
                "ngram(text=FILE), ngram(arpa=FILE), or dialometer train ngram FILE… and the folder it prints as the spec",
            )
        return _of_file(self, file_digest(self.arpa or self.text))


def _got(lm: Ngram) -> _Fit:
    assert lm.learnt is not None
    return lm.learnt


def _arrays(model: Backoff) -> dict[str, np.ndarray]:
    """The numbers of every level, by name."""
    parts = ("keys", "logp", "bow")
    return {f"{part}{n}": getattr(level, part) for n, level in enumerate(model.levels, 1) for part in parts}


def _level(arrays: dict[str, np.ndarray], n: int) -> Order:
    """The n-grams of one order from a file."""
    check_arrays(arrays, **{f"keys{n}": "whole n", f"logp{n}": "float n", f"bow{n}": "float n"})
    keys, logp, bow = (arrays[f"{part}{n}"] for part in ("keys", "logp", "bow"))
    if (keys[1:] <= keys[:-1]).any():
        raise ValueError(f"its keys of order {n} are not in order")
    return Order(keys, logp, bow)


@lru_cache(maxsize=4)
def _of_file(lm: Ngram, content: str) -> Ngram:
    """Fitted on a text file, or read from an ARPA file; ``content`` is the file's digest."""
    if lm.arpa:
        model = read_arpa(Path(lm.arpa))
        if len(model.levels) > HIGHEST:
            raise DataError(
                f"has order {len(model.levels)}; ngram takes 1 to {HIGHEST}", file=lm.arpa, hint="a lower order"
            )
        return replace(lm, arpa="", text="", order=len(model.levels))._with(_Fit(model, np.zeros(0, np.uint64)))
    try:
        return replace(lm, text="").fit([read_lines(lm.text)])
    except NeedsError:
        raise DataError("holds no text to fit ngram on", file=lm.text, hint="one utterance a line") from None
