"""What ``adem`` and ``autojudge`` share: options, fitting, scoring, saving. The forms are ``dot_form`` and ``plain_form``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import MissingResource, NeedsError, SpecError
from dialometer.core.protocols import Encoder, Level, Progress
from dialometer.core.ranges import BelowOne, Nonnegative, Range, Rating, check_fields
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.judges._bilinear import paper_form as plain_form
from dialometer.judges._bilinear import ridge_form as dot_form
from dialometer.judges._bilinear.conformal import cross_coverage, half_width, interval
from dialometer.judges._bilinear.domain import Domain
from dialometer.judges._bilinear.inputs import Views, views
from dialometer.judges._bilinear.length_removal import Censor
from dialometer.judges._bilinear.negatives import check_kinds, with_negatives
from dialometer.judges._bilinear.rank_loss import same_spread
from dialometer.judges._shared.features import feature_metrics, feature_needs
from dialometer.judges._shared.training_rows import complete, parts_seen, texts_seen, usable_rows
from dialometer.judges.heads import shipped
from dialometer.text.corpus import Corpus
from dialometer.text.vectors.sentences import sentence_vectors

PRIORS = {
    "identity": "shrunk towards the dot product, by ridge",
    "zero": "the paper's form: PCA, L1 towards zero, fixed α and β",
}
SOLVERS = {"exact": "", "first-order": "the paper's minibatches", "start": "M = N = I, nothing learnt but the scale"}
LOSSES = ("squared", "rank")
WORDS = "average"  # the mean of word vectors
ALSO = "response+words+exchange+length"


@dataclass(frozen=True, eq=False)
class Head:
    """What was learnt: arrays of the form, the scale, left-out residuals with their contexts, the domain, texts seen, facts."""

    arrays: dict[str, np.ndarray]
    facts: dict[str, Any]
    encoder: str  # its recipe
    words: str = ""  # that of the word vectors, if the form has any


@dataclass(frozen=True)
class Bilinear(ABC):
    """Options of both judges; ``sides`` says what the reply is compared with.

    ``clip`` keeps scores on the rating scale, and gives a reply without words its low end.
    """

    encoder: str = "minilm"
    prior: str = "identity"
    also: str = ALSO
    pca: Annotated[int, Range(0, 16_384)] = 0
    gamma: Nonnegative = 0.0
    solver: str = "exact"
    loss: str = "squared"
    features: str = ""
    negatives: str = ""
    censor: bool = False
    spread: bool = False
    oversample: bool = False
    low: Rating = 0.0
    high: Rating = 0.0
    clip: bool = True
    interval: BelowOne = 0.0
    head: Head | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = ""
    version: ClassVar[int] = 2
    unit: ClassVar[str] = "response"
    adjustable: ClassVar[tuple[str, ...]] = ("clip", "interval")

    def __post_init__(self) -> None:
        self._one_of("prior", PRIORS)
        self._one_of("solver", SOLVERS)
        self._one_of("loss", LOSSES)
        for term in self.terms:
            if term not in dot_form.TERMS:
                self._refuse(f"also=… names {term!r}", f"also={'+'.join(dot_form.TERMS)}")
        check_fields(self)
        if self.low > self.high:
            self._refuse("low lies above high", "low=1,high=5")
        if self.prior == "zero" and self.loss == "rank":
            self._refuse("loss=rank goes with prior=identity", "loss=rank")
        if self.prior == "identity" and (self.solver != "exact" or self.oversample or self.gamma):
            self._refuse("solver, gamma and oversample belong to the paper's form", "prior=zero,solver=first-order")
        if self.prior == "zero" and (self.features or self.also != ALSO):
            self._refuse("the paper's form has no features and no terms of its own", "features=…")
        if self.solver == "start" and self.oversample:
            self._refuse("nothing is learnt at the start, so nothing can be oversampled", "prior=zero,solver=start")
        check_kinds([kind for kind in self.negatives.split("+") if kind])

    @property
    @abstractmethod
    def sides(self) -> frozenset[str]:
        """What the reply is compared with."""

    @property
    def terms(self) -> list[str]:
        """Terms beside the bilinear ones; a censored form has none of length, and one that learns from negatives hears echoes."""
        named = dict.fromkeys([*self.also.split("+"), *(["echo"] if self.negatives else [])])
        return [term for term in named if term and not (self.censor and term == "length")]

    @property
    def needs(self) -> frozenset[str]:
        """Context, reference or both, and what the features need."""
        known = self._known
        return known.sides | (feature_needs(feature_metrics(known.features)) if known.features else frozenset())

    @property
    def uses(self) -> frozenset[str]:
        """What it looks at where there is some: of a context too, to measure the overlap with it."""
        known = self._known
        metrics = feature_metrics(known.features) if known.features else []
        more = (getattr(metric, "uses", metric.needs) for metric in metrics)
        return known.needs.union(*more, {"context"} if "echo" in known.terms else ())

    @property
    def columns(self) -> tuple[str, ...]:
        """The score; with ``interval`` both its ends."""
        return (self.name, *((f"{self.name}-low", f"{self.name}-high") if self.interval else ()))

    @property
    def fitted(self) -> bool:
        """Whether it can score: it was trained, or it is the head that comes with the package."""
        return self.head is not None or shipped(self) is not None

    @property
    def facts(self) -> dict[str, Any]:
        """What was chosen and learnt; nothing before."""
        return self._learnt.facts if self.fitted else {}

    def recipe_facts(self) -> dict[str, object]:
        """The encoder's recipe, and the content of what was learnt; of a head that comes along its own options too."""
        if not self.fitted:
            return {"encoder": create("encoder", self.encoder).recipe} | self._features_recipe()
        known, learnt = self._known, self._learnt
        own = {f.name: getattr(known, f.name) for f in fields(known) if f.repr and f.name not in self.adjustable}
        content = digest(*(_lean(learnt.arrays[name]) for name in sorted(learnt.arrays)))
        return own | {"encoder": learnt.encoder} | self._features_recipe() | {"head": content}

    def fit(self, corpus: Corpus, target: np.ndarray, *, seed: int = 0, progress: Progress | None = None) -> Self:
        """On the rated examples that have what is needed; a context is never on both sides of a choice."""
        fresh = replace(self, head=None)
        rows, left_out = usable_rows(_Own(fresh), corpus, target)
        part, y = corpus.take(rows), np.asarray(target, np.float64)[rows]
        low, high = self._scale(y)
        whole, labels = part, y
        if self.negatives:
            whole, labels = with_negatives(part, y, self.negatives.split("+"), low=low, seed=seed)
        seen = fresh._views(whole)
        arrays: dict[str, np.ndarray] = {"scale": np.array([low, high])}
        if self.censor:
            arrays |= fresh._censored(whole, seen)
            seen = _apply_censor(arrays, seen)
        groups = np.unique(np.asarray(list(whole.documents)), return_inverse=True)[1]
        made = fresh._form(seen, labels, groups, low, high, seed)
        own = slice(0, len(part))  # negatives lie behind
        errors = made.left_out[own]
        if self.spread:
            arrays["stretch"] = np.array(same_spread(y - errors, y))
            errors = y - _stretched(arrays, y - errors)
        arrays |= made.arrays | {"left_out": errors, "left_out.groups": groups[own]}
        arrays |= Domain.fit(seen.take(np.arange(len(part))).response, seed=seed).arrays()
        arrays["seen"] = texts_seen(part)
        facts: dict[str, Any] = {
            "rows": len(part),
            "contexts": len(set(part.documents)),
            "without what is needed": left_out,
        }
        facts |= {"negatives": len(whole) - len(part)} if self.negatives else {}
        facts |= _intervals(errors, groups[own], seed)
        words = create("encoder", WORDS).recipe if seen.words.shape[1] else ""
        return replace(fresh, head=Head(arrays, facts | made.facts, create("encoder", self.encoder).recipe, words))

    def _scale(self, y: np.ndarray) -> tuple[float, float]:
        """The ends that were named, else those of the ratings."""
        if self.high <= self.low:
            return float(y.min()), float(y.max())
        beyond = y[(y < self.low) | (y > self.high)]
        if len(beyond):
            raise NeedsError(
                f"{self.name} was told a scale of {self.low:g} to {self.high:g}, and {len(beyond)} of {len(y)} ratings lie "
                f"outside (the first: {beyond[0]:g})",
                "--scale LOW,HIGH as the raters had it",
            )
        return self.low, self.high

    def _form(self, seen: Views, y: np.ndarray, groups: np.ndarray, low: float, high: float, seed: int) -> dot_form.Fitted:
        if self.prior == "identity":
            return dot_form.fit(seen, y, groups, terms=self.terms, pca=self.pca, loss=self.loss, seed=seed)
        return plain_form.fit(
            seen, y, groups, pca=self.pca or plain_form.PCA, gamma=self.gamma, solver=self.solver,
            oversample=self.oversample, scale=(low, high), seed=seed,
        )  # fmt: skip

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, score] per response."""
        known = self._known
        if known is not self:
            return replace(known, clip=self.clip, interval=self.interval).measure(corpus)
        arrays = self._learnt.arrays
        rows = np.flatnonzero(complete(corpus, self.needs))
        found = np.zeros((len(corpus), 2))
        if len(rows):
            form = dot_form if self.prior == "identity" else plain_form
            own = self._views(corpus.take(rows))
            self._check_fits(own, form.check)
            seen = _apply_censor(arrays, own)
            said = _stretched(arrays, form.score(arrays, seen))
            found[rows, 0] = 1
            if self.clip:  # a form of length and vectors knows nothing of silence, and raters would not like it
                low, high = arrays["scale"]
                said = np.where(seen.lengths > 0, np.clip(said, low, high), low)
            found[rows, 1] = said
        return found

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over scored responses; the interval is that of a single reply's rating."""
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = totals[..., 1] / totals[..., 0]
        if not self.interval:
            return np.asarray(scores[..., None])
        arrays = self._learnt.arrays
        half = half_width(arrays["left_out"], self.interval, arrays["left_out.groups"])
        return np.stack([scores, *interval(scores, half, *arrays["scale"])], axis=-1)

    def caution(self, corpus: Corpus) -> str:
        """A sentence if many replies are unlike those it was trained on, with what it reached elsewhere if that is known."""
        if not len(corpus):
            return ""
        encoder: Encoder = create("encoder", self._known.encoder)
        plain = views(corpus, encoder, frozenset())
        self._check_fits(plain)
        seen = _apply_censor(self._learnt.arrays, plain)
        share = Domain.of(self._learnt.arrays).strange(seen.response)
        if not share:
            return ""
        elsewhere = self.facts.get("elsewhere", "")
        return (
            f"{100 * share:.0f}% of the replies are unlike those that {self.name} was trained on (5% of its own kind are)"
            + (f"; {elsewhere}" if elsewhere else "; how far to trust it there is not known")
        )

    def seen(self) -> np.ndarray:
        """Hashes of the replies and turns it was trained on, and of what its encoder and its features were fitted on."""
        known = self._known
        own = [self._learnt.arrays["seen"]] if self.fitted else []
        parts = feature_metrics(known.features) if known.features else []
        return parts_seen([create("encoder", known.encoder), *parts], *own)

    def save(self, folder: Path) -> None:
        """Arrays of half the width: more digits than ratings have."""
        learnt = self._learnt
        arrays = {name: _lean(array) for name, array in learnt.arrays.items()}
        save_artifact(folder, "metric", self, arrays, facts=learnt.facts, encoder=learnt.encoder, words=learnt.words)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The judge of a folder; another encoder than the one it was trained with is refused when it scores."""
        card, arrays = open_artifact(folder, cls)
        check_arrays(arrays, scale="float 2", left_out="float n", left_out__groups="whole n", seen="whole m")
        if "stretch" in arrays:
            check_arrays(arrays, stretch="float 2")
        Domain.of(arrays)
        if not isinstance(card["encoder"], str) or not isinstance(card["words"], str):
            raise ValueError("it does not say whose vectors it was trained on")
        wide = {name: array.astype(np.float64) if array.dtype == np.float32 else array for name, array in arrays.items()}
        return cls(**card["options"], head=Head(wide, card["facts"], card["encoder"], card["words"]))

    def _views(self, corpus: Corpus) -> Views:
        terms = self.terms if self.prior == "identity" else []
        encoder: Encoder = create("encoder", self.encoder)
        words: Encoder | None = create("encoder", WORDS) if "words" in terms else None
        if self.head is not None:
            self._check_same(encoder, self.head.encoder)
            if words:
                self._check_same(words, self.head.words)
        return views(
            corpus, encoder, self.sides, words=words, exchange="exchange" in terms and "context" in self.sides,
            self_overlap="echo" in terms, features=self.features,
        )  # fmt: skip

    def _check_fits(self, seen: Views, *checks: Callable[[dict[str, np.ndarray], Views], None]) -> None:
        """Refuse a head whose arrays are of another width than these vectors."""
        arrays = self._learnt.arrays
        try:
            check_arrays(arrays, domain__prototypes=f"float k {seen.response.shape[1]}")
            for part in dot_form.VECTORS:
                width = getattr(seen, part).shape[1]
                if f"censor.{part}.mean" in arrays and width:
                    wanted = {f"censor__{part}__mean": f"float {width}", f"censor__{part}__basis": f"float {width} k"}
                    check_arrays(arrays, **wanted)
            for check in checks:
                check(arrays, seen)
        except ValueError as error:
            raise MissingResource(
                f"the trained {self.name} does not fit the vectors of {self._learnt.encoder} ({error})",
                f"dialometer train {self.name} RATED.jsonl -q QUALITY makes it anew",
            ) from None

    def _check_same(self, encoder: Encoder, before: str) -> None:
        if encoder.recipe != before:
            raise NeedsError(
                f"{self.name} was trained on vectors of {before}, and {encoder.name} is now {encoder.recipe}",
                f"dialometer train {self.name} with the encoder as it is now",
            )

    def _features_recipe(self) -> dict[str, object]:
        """Features by their own recipes, in the place of specs that may name folders."""
        named = self._known.features
        return {"features": ";".join(recipe(m).replace("|", "/") for m in feature_metrics(named))} if named else {}

    def _censored(self, corpus: Corpus, seen: Views) -> dict[str, np.ndarray]:
        """Directions of vectors that tell words or characters; lengths need no raters, so all texts of the training side count."""
        texts = np.unique(np.concatenate([corpus.response, corpus.references.rows, corpus.contexts.rows]))
        lengths = np.stack([corpus.table("words").lengths()[texts], corpus.texts.characters()[texts]], axis=1)
        own = np.searchsorted(texts, corpus.response)
        found: dict[str, np.ndarray] = {}
        for part, encoder in (("response", self.encoder), ("words", WORDS), ("exchange", "")):
            if getattr(seen, part).shape[1]:
                vectors = sentence_vectors(corpus, create("encoder", encoder), texts) if encoder else seen.exchange
                made = Censor.fit(vectors, lengths if encoder else lengths[own])
                found |= {f"censor.{part}.mean": made.mean, f"censor.{part}.basis": made.basis}
        return found

    @cached_property
    def _known(self) -> Self:
        """Itself, or the head that comes with the package in its place."""
        if self.head is not None or (found := shipped(self)) is None:
            return self
        made: Self = found
        return made

    @property
    def _learnt(self) -> Head:
        head = self._known.head
        if head is None:
            raise NeedsError(
                f"{self.name} with these options has not been trained",
                f"dialometer train '{self.name}(…)' RATED.jsonl -q QUALITY, and the folder it prints",
            )
        return head

    def _one_of(self, option: str, known: Any) -> None:
        if getattr(self, option) not in known:
            self._refuse(f"{option}={getattr(self, option)} is none of {', '.join(known)}", f"{option}={next(iter(known))}")

    def _refuse(self, what: str, way: str) -> None:
        raise SpecError(f"{self.name}: {what}", f"{self.name}({way})")


class _Own:
    """A judge's own needs: those of the form to be fitted, not of a head that could stand in for it."""

    def __init__(self, judge: Bilinear) -> None:
        self.name = judge.name
        self.needs = judge.sides | (feature_needs(feature_metrics(judge.features)) if judge.features else frozenset())


def _lean(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype == np.float64 else array


def _intervals(errors: np.ndarray, groups: np.ndarray, seed: int) -> dict[str, float]:
    """How wide an interval of 90% is, and how many ratings of contexts that it was not made from lie inside; with few, nothing."""
    half = half_width(errors, 0.9, groups)
    if not np.isfinite(half):
        return {}
    inside = cross_coverage(errors, 0.9, groups, seed=seed)
    return {"half-width of 90% intervals": half, "ratings of left-out contexts inside them": inside}


def _stretched(arrays: dict[str, np.ndarray], said: np.ndarray) -> np.ndarray:
    """Scores with the ratings' mean and spread, if that was asked for: squared error keeps them near the middle."""
    alpha, beta = arrays.get("stretch", (0.0, 1.0))
    return np.asarray((said - alpha) / beta)


def _apply_censor(arrays: dict[str, np.ndarray], seen: Views) -> Views:
    for part in dot_form.VECTORS:
        if f"censor.{part}.mean" in arrays and getattr(seen, part).shape[1]:
            made = Censor(arrays[f"censor.{part}.mean"], arrays[f"censor.{part}.basis"])
            seen = replace(seen, **{part: made.apply(getattr(seen, part))})
    return seen
