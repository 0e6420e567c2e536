"""``hybrid``: M_H, what is measured of a conversation as one number on the raters' scale (Ghandeharioun et al. 2019, section 3).

``M_H = M_0 + Σ λ_i M_i`` over columns of mean 0 and deviation 1 in training (``model=ols`` as in the paper, ``ridge``), or the
same with curves. Whole systems are left out to choose penalty and γ: M_H is for bots that nobody rated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dialometer.core.artifacts import check_arrays, digest, open_artifact, save_artifact
from dialometer.core.errors import MissingResource, NeedsError, SpecError
from dialometer.core.protocols import Level, Progress
from dialometer.core.recipes import recipe
from dialometer.judges._hybrid.dialogue_features import dialogue_columns, dialogue_metrics, dialogue_names
from dialometer.judges._hybrid.domain import Region
from dialometer.judges._hybrid.expected_signs import expected_weights
from dialometer.judges._hybrid.nystroem import NystroemFeatures
from dialometer.judges._hybrid.regression import Design, Form
from dialometer.judges._shared.features import Standard, feature_needs
from dialometer.judges._shared.training_rows import LEAST, texts_seen, usable_rows
from dialometer.judges._solvers.inner_folds import inner_folds
from dialometer.judges.heads import shipped
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import conversation_means, conversation_systems, conversations

MODELS = {
    "curved": "ridge, linear or on Nyström features, whichever is best for systems left out",
    "ridge": "a weighted sum, its weights shrunk by as much as is best for systems left out",
    "ols": "a weighted sum by least squares, as in the paper",
}
PRIORS = {"signs": "what is shrunk ends at equal weights with the expected signs", "zero": "it ends at nothing"}
FOLDS = 10  # of conversations, where no systems can be left out
OUTSIDE = 0.25  # share of conversations unlike the training ones above which it is said


@dataclass(frozen=True, eq=False)
class Head:
    """A fit: the form, the region of the training dialogues, the texts it was fitted on, and facts about the fit."""

    form: Form
    domain: Region
    seen: np.ndarray
    facts: dict[str, Any]

    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers, by name."""
        standard, nystroem = self.form.standard, self.form.nystroem
        return {
            "mean": standard.mean, "scale": standard.scale, "marked": standard.marked, "edge": np.array([self.form.edge]),
            "start": np.array([self.form.start]),
            "weights": self.form.weights, "curve": self.form.curve, "bend": np.array([nystroem.gamma]),
            "landmarks": nystroem.landmarks,
            "root": nystroem.root, "bent.mean": nystroem.mean, "seen": self.seen, **self.domain.arrays(),
        }  # fmt: skip

    @classmethod
    def of(cls, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> Head:
        """From arrays."""
        standard = Standard.read(arrays)
        check_arrays(
            arrays, weights=f"float {standard.width}", edge="float 1", start="float 1", bend="float 1", curve="float m",
            landmarks=f"float m {standard.width}", root="float m m", bent__mean="float m", seen="whole n",
        )  # fmt: skip
        domain = Region.of(arrays)
        if len(domain.mean) != len(standard.mean):
            raise ValueError(f"it has {len(standard.mean)} columns, and its domain {len(domain.mean)}")
        nystroem = NystroemFeatures(float(arrays["bend"][0]), arrays["landmarks"], arrays["root"], arrays["bent.mean"])
        form = Form(
            standard, float(arrays["edge"][0]), nystroem, float(arrays["start"][0]), arrays["weights"], arrays["curve"], {}
        )
        return cls(form, domain, arrays["seen"], facts)


@dataclass(frozen=True)
class Hybrid:
    """``features`` are metric specs with semicolons between them, of dialogues or of responses (then the mean over the replies);
    ``model`` is curved, ridge or ols; ``prior`` is what the first two shrink towards: signs or zero.
    """

    features: str = "conversation"
    model: str = "curved"
    prior: str = "signs"
    head: Head | None = field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "hybrid"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "dialogue"
    columns: ClassVar[tuple[str, ...]] = ("hybrid",)
    floor: ClassVar[float] = float("nan")  # a rating has no value that means "nothing found"
    adjustable: ClassVar[tuple[str, ...]] = ()
    sides: ClassVar[frozenset[str]] = frozenset({"context"})  # a conversation without a reply to something teaches nothing

    def __post_init__(self) -> None:
        for option, known in (("model", MODELS), ("prior", PRIORS)):
            if getattr(self, option) not in known:
                message = f"hybrid({option}=…) is one of {', '.join(known)}, not {getattr(self, option)!r}"
                raise SpecError(message, f"hybrid({option}={next(iter(known))})")

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each feature's column."""
        return dialogue_names(self.features)

    @property
    def needs(self) -> frozenset[str]:
        """What any of the features needs."""
        return feature_needs(dialogue_metrics(self.features))

    @property
    def fitted(self) -> bool:
        """Whether it can score: it was trained, or it is the head that comes with the package."""
        return self.head is not None or shipped(self) is not None

    @property
    def facts(self) -> dict[str, Any]:
        """Conversations, systems, penalty, errors, and the weight of each scaled column; nothing before it was trained."""
        return self._learnt.facts if self.fitted else {}

    def recipe_facts(self) -> dict[str, object]:
        """The features by their own recipes, and a hash of what was learnt."""
        spelt = ";".join(recipe(metric).replace("|", "/") for metric in dialogue_metrics(self.features))
        return {"features": spelt, "head": digest(*self._learnt.arrays().values()) if self.fitted else "no"}

    def fit(self, corpus: Corpus, target: np.ndarray, *, seed: int = 0, progress: Progress | None = None) -> Self:
        """On the conversations that have a rating: the number of all their replies."""
        rows, left_out = usable_rows(replace(self, head=None), corpus, target)
        owner = conversations(corpus).code
        kept = np.flatnonzero(np.isin(owner, owner[rows]))  # a conversation is measured whole
        part = corpus.take(kept)
        y = conversation_means(np.asarray(target, np.float64)[kept, None], conversations(part).code)[:, 0]
        _refuse_few(len(y), y)
        columns, systems, names = self.look(part), conversation_systems(part), self.names
        form = self.design(columns, systems, seed=seed).solve(y)
        labels = form.standard.labels(names)
        facts = {
            "conversations": len(y), "without what is needed": left_out, "systems": len(set(systems) - {""}),
            "error": float(np.mean((y - form.predict(columns)) ** 2)), **form.chosen,
            "columns": dict(zip(labels, form.slopes(columns).tolist(), strict=True)),
            "unscored": {name: int(count) for name, count in zip(names, np.isnan(columns).sum(0), strict=True) if count},
        }  # fmt: skip
        if progress:
            progress("fitting hybrid", 1, 1)
        domain = Region.fit(form.standard.apply(columns)[:, : len(names)])
        return replace(self, head=Head(form, domain, texts_seen(part), facts))

    def look(self, corpus: Corpus) -> np.ndarray:
        """(conversations, columns): the features of each, in order of appearance."""
        columns = dialogue_columns(corpus, self.features)
        if self.head is not None and columns.shape[1] != len(self.head.form.standard.mean):
            raise MissingResource(
                f"this hybrid was fitted on {len(self.head.form.standard.mean)} columns, and its features give "
                f"{columns.shape[1]}",
                "dialometer train hybrid FILE… fits it anew",
            )
        return columns

    def design(self, columns: np.ndarray, systems: Sequence[str], *, seed: int = 0) -> Design:
        """What a fit to any ratings of these conversations needs; scaled by these conversations alone."""
        expected = expected_weights(self.names) * (self.prior == "signs")
        several = len(set(systems)) > 1
        return Design.of(columns, _groups(systems, seed), self.model, expected, systems=several)

    def save(self, folder: Path) -> None:
        """thing.json and arrays."""
        save_artifact(folder, "metric", self, self._learnt.arrays(), facts=self._learnt.facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The judge of a folder."""
        card, arrays = open_artifact(folder, cls)
        return cls(**card["options"], head=Head.of(arrays, card["facts"]))

    def seen(self) -> np.ndarray:
        """Hashes of the turns of the conversations it was fitted on."""
        return self._learnt.seen

    def measure(self, corpus: Corpus) -> np.ndarray:
        """[scored, score] per conversation, in order of appearance; unscored where no feature has a number."""
        if not len(corpus):
            return np.zeros((0, 2))
        columns = self.look(corpus)
        scored = ~np.isnan(columns).all(1)
        return np.where(scored[:, None], np.stack([np.ones(len(columns)), self._learnt.form.predict(columns)], axis=1), 0.0)

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """The mean over scored conversations."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(totals[..., 1:] / totals[..., :1])

    def caution(self, corpus: Corpus) -> str:
        """A sentence if many conversations are unlike those it was trained on."""
        if not len(corpus):
            return ""
        form, columns = self._learnt.form, self.look(corpus)
        share = self._learnt.domain.outside(form.standard.apply(columns)[:, : columns.shape[1]])
        if share <= OUTSIDE:
            return ""
        elsewhere = self.facts.get("elsewhere", "how far to trust it there is not known")
        message = f"{100 * share:.0f}% of the conversations are unlike those that hybrid was trained on (5% of its own are)"
        return f"{message}; {elsewhere}"

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """Each feature of the conversation that a reply belongs to, and what it adds to the score."""
        form, names, found = self._learnt.form, self.names, conversations(corpus)
        own = int(found.code[row])
        columns = self.look(corpus.take(np.flatnonzero(found.code == own)))
        scaled = form.scaled(columns)[0]
        added = scaled * form.weights
        values = ["absent" if value != value else f"{value:.4f}" for value in columns[0]]
        values += ["yes" if mark else "no" for mark in scaled[len(names) :]]
        lines = [
            f"{name} = {value} adds {step:+.4f}"
            for name, value, step in zip(form.standard.labels(names), values, added, strict=True)
        ]
        score = float(form.predict(columns)[0])
        if form.nystroem.gamma:
            lines.append(f"curves of all of them together add {score - form.start - added.sum():+.4f}")
        return [f"starting from {form.start:.4f}", *lines, f"hybrid = {score:.4f}"]

    @cached_property
    def _learnt(self) -> Head:
        own: Any = self if self.head is not None else shipped(self)
        if own is None:
            raise NeedsError(
                "hybrid with these options has not been trained",
                "dialometer train 'hybrid(…)' DIALOGUES.jsonl -q QUALITY, and the folder it prints",
            )
        head: Head = own.head
        return head


def _groups(systems: Sequence[str], seed: int) -> np.ndarray:
    """What is left out together: a system; where there are not two of them, a tenth of the conversations."""
    if len(set(systems)) > 1:
        return np.unique(np.asarray(systems), return_inverse=True)[1]
    return inner_folds([str(number) for number in range(len(systems))], FOLDS, seed)


def _refuse_few(conversations: int, y: np.ndarray) -> None:
    if conversations < LEAST:
        raise NeedsError(f"hybrid cannot learn from {conversations} rated conversations", f"{LEAST} at the very least")
    if len(np.unique(y)) < 2:
        raise NeedsError(
            f"all {conversations} conversations are rated {y[0]:g}: there is nothing to learn for hybrid",
            "another quality (-q), or conversations that people rated differently",
        )
