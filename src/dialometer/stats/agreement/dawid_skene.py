"""Dawid–Skene: each rater has a confusion matrix, and items get the labels of maximum likelihood (1979).

EM from the share of each label among an item's ratings: errors ``e(r, a | t)`` from the posteriors, priors their mean, then
``p(t | answers) ∝ prior(t) Π e(r, a | t)``. It may come to rest at a local best; there is one start, so no seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.core.types import Ratings
from dialometer.stats.agreement.consensus import Consensus, Labels, consensus, labels_of

LEAST = 1e-10  # an observed rating never has probability 0


@dataclass(frozen=True)
class DawidSkene:
    """Labels with their certainty; raters' accuracy and errors (rater, rating, true label), NaN without ratings; the priors."""

    labels: Consensus
    competence: np.ndarray  # the probability of the true label, ``Σ prior(t) e(t | t)``
    errors: np.ndarray
    prior: np.ndarray
    likelihood: float
    iterations: int
    unknown: int


def dawid_skene(
    ratings: Ratings,
    *,
    iterations: int = 100,
    tolerance: float = 1e-5,
    categories: Sequence[float] | None = None,
) -> DawidSkene:
    """Dawid–Skene on one quality; stops when the log likelihood per rating grows by less than ``tolerance``."""
    labels = labels_of(ratings, "Dawid–Skene", categories)
    size = len(labels.scale)
    answers, given = _answers(labels), labels.counts.reshape(-1, 1) > 0
    votes = np.bincount(labels.item * size + labels.label, minlength=len(labels.judged) * size).reshape(-1, size)
    posterior = votes / votes.sum(axis=1, keepdims=True)
    likelihood, done = -np.inf, 0
    prior, errors = posterior.mean(axis=0), _errors(answers, posterior, given)
    while done < iterations:
        done += 1
        before = likelihood
        posterior, likelihood = _expect(answers, prior, errors)
        prior, errors = posterior.mean(axis=0), _errors(answers, posterior, given)
        if likelihood - before < tolerance * len(labels.item):
            break
    silent = labels.counts.sum(axis=1) == 0
    errors[silent] = np.nan
    right = np.einsum("rtt,t->r", errors, prior)
    found = consensus(labels, posterior, len(ratings.items))
    return DawidSkene(found, right, errors, prior, likelihood, done, labels.unknown)


def _answers(labels: Labels) -> Any:
    """Sparse (judged items, raters × categories): how often this rater gave this item this label."""
    from scipy.sparse import csr_array

    shape = len(labels.judged), labels.counts.size
    return csr_array((np.ones(len(labels.cell)), (labels.item, labels.cell)), shape=shape)


def _expect(answers: Any, prior: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, float]:
    """The posterior of each judged item, and the log likelihood of all ratings under these parameters."""
    table = np.log(np.maximum(errors, LEAST)).reshape(-1, len(prior))  # of what was never answered nothing is looked up
    logs = answers @ table + np.log(np.maximum(prior, LEAST))
    top = logs.max(axis=1, keepdims=True)
    scaled = np.exp(logs - top)
    total = scaled.sum(axis=1, keepdims=True)
    return scaled / total, float((top + np.log(total)).sum())


def _errors(answers: Any, posterior: np.ndarray, given: np.ndarray) -> np.ndarray:
    """(rater, rating, true label): how often each rating was given to items of each label; ``given``: ever used by the rater."""
    size = posterior.shape[1]
    made = np.where(given, np.maximum(answers.T @ posterior, LEAST), 0).reshape(-1, size, size)
    total = made.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(made, total, out=np.zeros_like(made), where=total > 0))
