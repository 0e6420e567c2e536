"""``logprob``: how probable a reply is, per event (word or piece, and the end): ``(1/N) Σ ln p(w|h)``; and what the context adds.

Any likelihood can be used: an n-gram model, or a trained bot, which depends on the context. ``logprob-gain`` is then the mean of
``ln p(w|h, context) − ln p(w|h)``: how much more probable the response is given its context than without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dialometer.core.capabilities import Contextual
from dialometer.core.protocols import Fits, Level, Likelihood
from dialometer.core.registry import create
from dialometer.metrics._amfm.parts import mean_logs
from dialometer.text.corpus import Corpus


@dataclass(frozen=True)
class Logprob:
    """``model`` is a likelihood; ``text`` names a file that an unfitted one is fitted on. An empty reply is as probable as its
    end.

    >>> corpus = Corpus.of(["tea please", "please tea"])
    >>> from dialometer.text.ngram_lm.model import Ngram
    >>> metric = Logprob(fitted_model=Ngram(order=2).fit([["tea please", "tea", "tea please"]]))
    >>> first, second = metric.finish(metric.measure(corpus), level="item")[:, 0]
    >>> bool(first > second)
    True
    """

    model: str = "ngram(order=2)"
    text: str = field(default="", metadata={"recipe": False})  # the model's recipe says what it was fitted on
    fitted_model: Any = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "logprob"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    floor: ClassVar[float] = float("nan")  # probabilities have no value that means "nothing found"

    @property
    def needs(self) -> frozenset[str]:
        """A text, for a model that is not fitted yet."""
        unfitted = isinstance(self._model, Fits) and not self._model.fitted
        return frozenset({"text"}) if unfitted else frozenset()

    @property
    def uses(self) -> frozenset[str]:
        """The context, if the model depends on it."""
        return self.needs | ({"context"} if self._hears else set())

    @property
    def columns(self) -> tuple[str, ...]:
        """The mean, and the gain by the context if the model depends on it."""
        return ("logprob", "logprob-gain") if self._hears else ("logprob",)

    def recipe_facts(self) -> dict[str, object]:
        """The model's own recipe."""
        return {"model": self._model.recipe}

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, mean, (gain)] per response."""
        rows = np.ones((len(corpus), 1 + len(self.columns)))
        if not len(corpus):
            return rows
        every = np.arange(len(corpus))
        rows[:, 1] = mean_logs(corpus, self._model, every, corpus.response)
        if self._hears:
            rows[:, 2] = rows[:, 1] - mean_logs(corpus, self._model, every, corpus.response, contexts=False)
        return rows

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over replies."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(totals[..., 1:] / totals[..., :1])

    def seen(self) -> np.ndarray:
        """Hashes of the texts that the model was fitted on."""
        return self._model.seen() if isinstance(self._model, Fits) else np.zeros(0, np.uint64)

    @property
    def _hears(self) -> bool:
        return isinstance(self._model, Contextual) and self._model.contextual

    @cached_property
    def _model(self) -> Likelihood:
        made: Likelihood = self.fitted_model or create(
            "likelihood", self.model, **({"text": self.text} if self.text else {})
        )
        return made
