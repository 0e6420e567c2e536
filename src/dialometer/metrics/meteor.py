"""``meteor``: words aligned exactly, by stem, by synonym, by paraphrase; F-mean with a penalty for scattered matches.

``score = F (1 − γ (chunks / matches)^β)``. Variant ``1.5`` is METEOR 1.5 for English (Denkowski & Lavie 2014), with
``F = 1 / ((1 − α) / P + α / R)``, stages weighted and function words discounted by δ; a corpus scores by its summed statistics.
Variant ``nltk`` is what NLTK computes (Lavie & Agarwal 2007); a corpus scores by the mean. Both take the best reference.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from multiprocessing import parent_process
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from dialometer.core.errors import SpecError, UnknownName
from dialometer.core.protocols import Level, Progress
from dialometer.core.ranges import Range, check_fields, shown
from dialometer.metrics._meteor.explain import explain_aligned, explain_greedy
from dialometer.text.corpus import Corpus
from dialometer.text.meteor.alignment import STAGES, STATS, aligned_rows, greedy_rows
from dialometer.text.meteor.paraphrases import build_paraphrases
from dialometer.text.meteor.resources import (
    INSTALL,
    content_hash,
    meteor_member,
    meteor_name,
    paraphrase_file,
    wordnet_folder,
)
from dialometer.text.meteor.wordnet import open_wordnet
from dialometer.text.meteor.words import synset_source
from dialometer.text.tokenisers.base import tokeniser

OWN = -1.0  # a parameter left to the variant
_log = logging.getLogger(__name__)


class MeteorVariant(NamedTuple):
    """A variant's own settings."""

    tok: str
    stages: tuple[str, ...]
    params: tuple[float, float, float, float]  # α, β, γ, δ
    weights: tuple[float, ...]


VARIANTS = {
    "1.5": MeteorVariant("meteor", STAGES, (0.85, 0.2, 0.6, 0.75), (1.0, 0.6, 0.8, 0.6)),
    "nltk": MeteorVariant("words", STAGES[:3], (0.9, 3.0, 0.5, 0.5), (1.0, 1.0, 1.0, 1.0)),
}


@dataclass(frozen=True)
class Meteor:
    """METEOR between 0 and 1.

    >>> corpus = Corpus.of(["the cat sat on the mat"], [["on the mat sat the cat"]])
    >>> metric = Meteor("nltk")
    >>> round(float(metric.finish(metric.measure(corpus), level="item")[0, 0]), 4)
    0.5
    """

    variant: str = "1.5"
    tok: str = ""
    stages: str = "all"
    alpha: Annotated[float, Range(0, 1, above=True, below=True, unset=OWN)] = OWN
    beta: Annotated[float, Range(1e-12, 1e12, unset=OWN)] = OWN
    gamma: Annotated[float, Range(0, 1, unset=OWN)] = OWN
    delta: Annotated[float, Range(0, 1, above=True, below=True, unset=OWN)] = OWN
    weights: str = ""

    name: ClassVar[str] = "meteor"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    variants: ClassVar[tuple[str, ...]] = tuple(VARIANTS)
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    columns: ClassVar[tuple[str, ...]] = ("meteor",)

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownName("variant of meteor", self.variant, VARIANTS, hint="dialometer list metrics meteor")
        known = VARIANTS[self.variant].stages
        for stage in self.stages.split("+") if self.stages != "all" else ():
            if stage not in known:
                raise UnknownName("stage of meteor", stage, known, hint=f"meteor(stages={'+'.join(known)})")
        try:
            weights = self._params()[4:]
        except ValueError:
            weights = []
        if len(weights) != 4 or not all(0 <= weight <= 1e12 for weight in weights):
            raise SpecError(
                f"meteor(weights=…) is four numbers from 0 to 1e12 joined by +, not {shown(self.weights)}",
                "meteor(weights=1+.6+.8+.6)",
            )
        if self.variant == "nltk" and (self.delta != OWN or self.weights):
            raise SpecError("delta and weights belong to METEOR 1.5", "meteor(variant=1.5,delta=…)")
        check_fields(self)

    def recipe_facts(self) -> dict[str, object]:
        """The tokeniser, the parameters, the stages that ran and those that could not, and the files behind them."""
        ran, params = self._stages(), self._params()
        wanted = VARIANTS[self.variant].stages if self.stages == "all" else tuple(self.stages.split("+"))
        facts: dict[str, object] = {"tok": tokeniser(self._tok).recipe, "stages": "+".join(ran)}
        if missing := tuple(stage for stage in wanted if stage not in ran):
            facts["missing"] = "+".join(missing)
        _warn_missing(self.variant, missing)
        facts |= {name: f"{value:g}" for name, value in zip(("alpha", "beta", "gamma", "delta"), params[:4], strict=True)}
        facts["weights"] = "+".join(f"{value:g}" for value in params[4:])
        return facts | _resources(self.variant, ran)

    def build(self, progress: Progress) -> None:
        """Convert the paraphrase table, if it is needed and the cache does not have it."""
        if self.variant == "1.5" and "paraphrase" in self._stages() and (source := paraphrase_file()):
            build_paraphrases(source, progress)

    def measure(self, corpus: Corpus) -> np.ndarray:
        """1.5: [scored, lengths, function words, matches by stage, chunks] of the best reference; nltk: [value, scored]."""
        if self.variant == "1.5":
            return aligned_rows(corpus, self._tok, self._stages(), self._params())[0]
        best, _ = greedy_rows(corpus, self._tok, self._stages(), self._params())
        scored = (corpus.references.counts() > 0).astype(float)
        return np.stack([best * scored, scored], axis=1)

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """The score of summed rows; of rows that hold no item, NaN."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.variant == "nltk":
                return totals[..., :1] / totals[..., 1:]
            return np.where(totals[..., :1] > 0, formula(totals, self._params())["score"][..., None], np.nan)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """The alignment with each reference and the arithmetic of its score; the best reference is named last."""
        if self.variant == "nltk":
            return explain_greedy(corpus, row, self._tok, self._stages(), self._params())
        return explain_aligned(corpus, row, self._tok, self._stages(), self._params(), formula)

    @property
    def _tok(self) -> str:
        return self.tok or VARIANTS[self.variant].tok

    def _stages(self) -> tuple[str, ...]:
        """The stages asked for whose resources are here."""
        own = VARIANTS[self.variant].stages
        wanted = own if self.stages == "all" else self.stages.split("+")
        return tuple(stage for stage in own if stage in wanted and _available(self.variant, stage))

    def _params(self) -> list[float]:
        """α, β, γ, δ and the stages' weights."""
        own = VARIANTS[self.variant]
        given = (self.alpha, self.beta, self.gamma, self.delta)
        params = [theirs if mine == OWN else mine for mine, theirs in zip(given, own.params, strict=True)]
        return params + ([float(text) for text in self.weights.split("+")] if self.weights else list(own.weights))


def formula(totals: np.ndarray, params: list[float]) -> dict[str, np.ndarray]:
    """METEOR 1.5 from summed statistics (…, STATS), in the jar's order of operations, with its parts by name."""
    alpha, beta, gamma, delta = params[:4]
    test_words, ref_words, test_function, ref_function = np.moveaxis(totals[..., 1:5], -1, 0)
    matched = np.moveaxis(totals[..., 5:21].reshape(*totals.shape[:-1], 4, 4), (-2, -1), (0, 1))
    sides = []
    for content, function in (matched[:2], matched[2:]):
        total = np.zeros(totals.shape[:-1])
        for found, weight in zip(content, params[4:], strict=True):
            total = total + found * weight * delta
        for found, weight in zip(function, params[4:], strict=True):
            total = total + found * weight * (1.0 - delta)
        sides.append(total)
    precision = sides[0] / (delta * (test_words - test_function) + (1.0 - delta) * test_function)
    recall = sides[1] / (delta * (ref_words - ref_function) + (1.0 - delta) * ref_function)
    f_mean = 1.0 / ((1.0 - alpha) / precision + alpha / recall)
    words = totals[..., 5:21].sum(-1)
    penalty = gamma * (totals[..., STATS - 1] / (words / 2.0)) ** beta
    score = np.maximum(np.nan_to_num(f_mean * (1.0 - penalty), nan=0.0), 0.0)
    return {"precision": precision, "recall": recall, "f_mean": f_mean, "words": words, "penalty": penalty, "score": score}


@cache
def _warn_missing(variant: str, missing: tuple[str, ...]) -> None:
    """Once in a process, and not in every worker: scores without some stages or word lists are lower than published ones."""
    lists = ["the list of function words"] if variant == "1.5" and not meteor_name() else []
    lacking = [*(f"the {stage} stage" for stage in missing), *lists]
    if lacking and parent_process() is None:
        _log.warning(
            "meteor(variant=%s) runs without %s: files are not installed, and the scores are not comparable with those of the "
            "full metric; to install them: %s",
            variant, " and ".join(lacking), INSTALL,
        )  # fmt: skip


def _available(variant: str, stage: str) -> bool:
    """Whether a stage's resources are installed."""
    if stage == "paraphrase":
        return paraphrase_file() is not None
    if stage == "synonym":
        return (synset_source() if variant == "1.5" else wordnet_folder()) is not None
    return stage == "exact" or variant == "nltk" or find_spec("Stemmer") is not None


def _resources(variant: str, stages: tuple[str, ...]) -> dict[str, object]:
    """Short hashes of the files that the stages read."""
    facts: dict[str, object] = {}
    source, wordnet = paraphrase_file(), wordnet_folder()
    if variant == "1.5":
        facts["lists"] = meteor_name() or "built-in"
    own = meteor_member("synonym/english.synsets") is not None
    if "synonym" in stages and wordnet and (variant == "nltk" or not own):
        facts["wordnet"] = open_wordnet(wordnet).name
    if "paraphrase" in stages and source:
        facts["paraphrases"] = content_hash(source)[:8]
    return facts
