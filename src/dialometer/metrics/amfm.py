"""``amfm``: adequacy (cosine of semantic vectors) and fluency (ratio of language-model probabilities; D'Haro et al. 2019).

``AM = max(0, cos(r̂, r))``; ``FM = min(p, p′)/max(p, p′)`` with ``p = exp(Σ ln p(w|h) / N)``; ``AM-FM = λ AM + (1 − λ) FM``. Ours
are the options beyond the paper: a pragmatic part (fit of the response to the context), and a smaller share for a reference that
the response contradicts (yes against no) or misnames (another country, day, number).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import open_artifact, save_artifact
from dialometer.core.capabilities import Contextual
from dialometer.core.errors import MissingResource, NeedsError, SpecError
from dialometer.core.protocols import Encoder, Fits, Level, Likelihood, Progress
from dialometer.core.ranges import Share, check_fields
from dialometer.core.registry import CARD, Spec, create, manifest_path
from dialometer.metrics._amfm.parts import conflicts, fluency_of, pair_fluency, pair_logs, pragmatic, spoken
from dialometer.text.corpus import Corpus
from dialometer.text.vectors.pooling import centroid_cosines, check_pool, means_and_coverage, pair_cosines, pool
from dialometer.text.vectors.sentences import sentence_vectors, text_coverage

MEANS = ("arithmetic", "geometric", "harmonic")
FLUENCY = {"relative": "min(p, p′)/max(p, p′) against the reference (eq. 3)", "absolute": "p of the response alone (eq. 2)"}


@dataclass(frozen=True)
class Amfm:
    """AM by any encoder, FM by any likelihood; ``text`` names a file that parts still unfitted are fitted on.

    >>> metric = Amfm(am="lsi(k=2)").fit([["i like tea", "i like cake", "tea is nice", "go home"]])
    >>> corpus = Corpus.of(["i like tea", "go home"], [["i like tea"], ["i like tea"]])
    >>> metric.finish(metric.measure(corpus), level="item").round(2)[0].tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    am: str = "lsi(k=10)"
    fm: str = "ngram(order=2)"
    weight: Share = 0.8
    mean: str = "arithmetic"
    fluency: str = "relative"
    pool: str = "max"
    pm: Share = 0.0
    pm_encoder: str = "minilm"
    polarity: Share = 0.0
    entities: Share = 0.0
    text: str = field(default="", metadata={"recipe": False})  # the recipes of the parts say what they were fitted on
    model: str = field(default="", metadata={"recipe": False})
    parts: tuple[Any, Any] | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "amfm"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    adjustable: ClassVar[tuple[str, ...]] = (
        "weight",
        "mean",
        "fluency",
        "pool",
        "pm",
        "pm_encoder",
        "polarity",
        "entities",
    )

    def __post_init__(self) -> None:
        check_pool("amfm", self.pool)
        for option, known in (("mean", MEANS), ("fluency", FLUENCY)):
            if getattr(self, option) not in known:
                raise SpecError(
                    f"amfm({option}=…) is one of {', '.join(known)}, not {getattr(self, option)!r}",
                    f"amfm({option}={next(iter(known))})",
                )
        check_fields(self)

    @property
    def needs(self) -> frozenset[str]:
        """A reference; the context for the pragmatic part; a text for parts that are not fitted yet."""
        return frozenset({"reference"} | ({"context"} if self.pm else set()) | ({"text"} if self._unfitted() else set()))

    @property
    def uses(self) -> frozenset[str]:
        """Fields that it uses where there are some: names are searched in the context, and some likelihoods depend on it."""
        likelihood = self._parts()[1]
        reads = self.entities or (isinstance(likelihood, Contextual) and likelihood.contextual)
        return self.needs | ({"context"} if reads else set())

    @property
    def columns(self) -> tuple[str, ...]:
        """The parts, their combination, and the share of words that AM knows."""
        return ("am", "fm", *(["pm"] if self.pm else []), "am-fm", "am-coverage")

    def recipe_facts(self) -> dict[str, object]:
        """The parts by their own recipes, files by content."""
        encoder, likelihood = self._parts()
        facts: dict[str, object] = {"am": encoder.recipe, "fm": likelihood.recipe}
        if self.pm:
            facts["pm_encoder"] = create("encoder", self.pm_encoder).recipe
        return facts

    def fit(
        self, talks: Sequence[Sequence[str]], *, seed: int = 0, work: Path | None = None, progress: Progress | None = None
    ) -> Self:
        """Fit those parts that learn from text and have not yet."""
        if self.text or self.model:
            option = "text" if self.text else "model"
            raise SpecError(f"amfm({option}=…) names its own source", "leave it out to fit on other texts")
        parts = self._create_parts()
        for number, (part, label) in enumerate(zip(parts, ("am", "fm"), strict=True)):
            if isinstance(part, Fits) and not part.fitted:
                inside = work / label if work else None
                parts[number] = _fit(label, part, talks, seed=seed, work=inside, progress=progress)
        return replace(self, parts=(parts[0], parts[1]))

    def save(self, folder: Path) -> None:
        """Each fitted part in a folder of its own."""
        encoder, likelihood = self._parts()
        kept = []
        for label, part in (("am", encoder), ("fm", likelihood)):
            if isinstance(part, Fits):
                part.save(folder / label)
                kept.append(label)
        save_artifact(folder, "metric", replace(self, text="", model=""), {"seen": self.seen()}, fitted=kept)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The metric of a folder, which it opens when it measures."""
        card, _ = open_artifact(folder, cls)
        return cls(**(card["options"] | {"model": str(folder)}))

    def seen(self) -> np.ndarray:
        """Hashes of the texts that any of its parts was fitted on."""
        third = [create("encoder", self.pm_encoder)] if self.pm else []
        hashes = [part.seen() for part in (*self._parts(), *third) if isinstance(part, Fits)]
        return np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]))

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, am, fm, (pm,) am-fm, known words, words] per response."""
        encoder, likelihood = self._parts()
        refs = corpus.references
        own = np.repeat(corpus.response, refs.counts())
        kept = self._reference_weights(corpus)
        adequacy = self._adequacy(corpus, encoder, own, kept)
        if self.fluency == "absolute":
            fluency = fluency_of(corpus, likelihood)
        else:
            how = "max" if self.pool == "max" else "mean"
            fluency = pool(pair_fluency(corpus, likelihood, own) * kept, refs.starts, how)
        said = spoken(corpus)  # an empty response is probable but has no content: 0 for any language model
        adequacy, fluency = adequacy * said, fluency * said
        score = combine(adequacy, fluency, self.weight, self.mean)
        scored = refs.counts() > 0
        extra = []
        if self.pm:
            fit = pragmatic(corpus, create("encoder", self.pm_encoder)) * said
            scored &= corpus.contexts.counts() > 0
            score = (1 - self.pm) * score + self.pm * fit
            extra = [fit]
        known = text_coverage(corpus, encoder)
        rows = np.stack([np.ones(len(corpus)), adequacy, fluency, *extra, score, *known.T], axis=1)
        return np.asarray(rows * scored[:, None], np.float64)

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over scored responses; coverage is known words over words, 0 where there are none."""
        return means_and_coverage(totals)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """AM, FM and what stands against each reference."""
        encoder, likelihood = self._parts()
        refs = corpus.references
        pairs = refs.flat(np.array([row]))
        own = np.repeat(corpus.response, refs.counts())
        vectors = sentence_vectors(corpus, encoder, np.arange(len(corpus.texts)))
        cosines = np.maximum(pair_cosines(vectors, own[pairs], refs.rows[pairs]), 0)
        ratios, kept = pair_fluency(corpus, likelihood, own)[pairs], self._reference_weights(corpus)[pairs]
        mine, theirs = (np.exp(logs[pairs]) for logs in pair_logs(corpus, likelihood, own))
        lines = [f"AM by {encoder.recipe}, FM by {likelihood.recipe} ({FLUENCY[self.fluency]})"]
        for number in range(len(pairs)):
            doubt = f"  × {kept[number]:.2f} for what it contradicts or misnames" if kept[number] < 1 else ""
            ratio = f"p {mine[number]:.4g}, p′ {theirs[number]:.4g} → FM {ratios[number]:.4f}"
            lines.append(f"reference {number + 1}: AM {cosines[number]:.4f}; {ratio}{doubt}")
        if not spoken(corpus)[row]:
            lines.append("an empty response scores 0, whatever its probability")
        values = self.finish(self.measure(corpus)[row], level="item")
        spelt = "  ".join(f"{name} {value:.4f}" for name, value in zip(self.columns, values, strict=True))
        share = f", then {self.pm:g} of it by pm" if self.pm else ""
        return [*lines, f"over references ({self.pool}), {self.mean} mean with weight {self.weight} on AM{share}: {spelt}"]

    def _adequacy(self, corpus: Corpus, encoder: Encoder, own: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """AM of each response over its references."""
        refs = corpus.references
        used = np.union1d(corpus.response, refs.rows)
        place = np.zeros(len(corpus.texts), np.int64)
        place[used] = np.arange(len(used))
        vectors = sentence_vectors(corpus, encoder, used)
        if self.pool == "centroid":
            cosines = centroid_cosines(vectors, place[corpus.response], place[refs.rows], refs.starts)
            return np.maximum(cosines, 0) * pool(kept, refs.starts, "mean")
        cosines = pair_cosines(vectors, place[own], place[refs.rows])
        return pool(np.maximum(cosines, 0) * kept, refs.starts, self.pool)

    def _reference_weights(self, corpus: Corpus) -> np.ndarray:
        """The share that each reference keeps in view of what the response contradicts or misnames."""
        return conflicts(corpus, self.polarity, self.entities)

    def fixed(self) -> list[str]:
        """Recipes of the parts that a training leaves as they are."""
        return [part.recipe for part in self._create_parts() if not isinstance(part, Fits) or part.fitted]

    def _create_parts(self) -> list[Any]:
        """The parts as their specs give them."""
        return [create("encoder", self.am), create("likelihood", self.fm)]

    def _unfitted(self) -> list[str]:
        """The parts that must be fitted before anything can be measured."""
        if self.text or self.model or self.parts:
            return []
        return [f"its {part.name}" for part in self._create_parts() if isinstance(part, Fits) and not part.fitted]

    def _parts(self) -> tuple[Encoder, Likelihood]:
        """Encoder and likelihood: those fitted here, of a folder, or from their specs."""
        if self.parts is not None:
            return self.parts
        if missing := self._unfitted():
            raise NeedsError(
                f"amfm has not been fitted on a text ({' and '.join(missing)})",
                "amfm(text=FILE), or dialometer train amfm FILE… and -m with the folder it prints",
            )
        return _open(self.am, self.fm, self.text, self.model)


def combine(am: np.ndarray, fm: np.ndarray, weight: float, mean: str) -> np.ndarray:
    """The weighted mean of AM and FM; geometric and harmonic means are 0 where a part with weight is.

    >>> [float(combine(np.array(0.9), np.array(0.4), 0.5, mean).round(4)) for mean in MEANS]
    [0.65, 0.6, 0.5538]
    """
    if mean == "arithmetic":
        return weight * am + (1 - weight) * fm
    if mean == "geometric":
        return np.asarray(am**weight * fm ** (1 - weight))
    with np.errstate(divide="ignore"):
        parts = [share / part for share, part in ((weight, am), (1 - weight, fm)) if share]
    return np.asarray(1 / sum(parts))


def _fit(label: str, part: Any, talks: Sequence[Sequence[str]], **how: Any) -> Any:
    """A fitted part; errors name the metric that it is a part of."""
    try:
        return part.fit(talks, **how)
    except NeedsError as error:
        hint = f"amfm({label}={error.hint.partition(',')[0]})" if error.hint.startswith(part.name) else error.hint
        raise NeedsError(error.message, hint) from None


def _open(am: str, fm: str, text: str, model: str) -> tuple[Any, Any]:
    """The parts as they now lie in the folder, or as their specs give them."""
    parts = []
    folder = Path(model) / "model" if (Path(model) / "model").is_dir() else Path(model)
    if model and not manifest_path(folder).is_file():
        raise MissingResource(
            f"amfm(model={model}) is not a fitted amfm: it holds no {CARD}", "-m with the folder of the run"
        )
    for kind, label, spec in (("encoder", "am", am), ("likelihood", "fm", fm)):
        if model and (folder / label).is_dir():
            parts.append(create(kind, Spec(str((folder / label).absolute()))))
        else:
            parts.append(create(kind, spec, **({"text": text} if text else {})))
    return parts[0], parts[1]
