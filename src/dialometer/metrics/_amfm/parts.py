"""What AM-FM is made of, pair by pair: fluency, fit to the context, contradictions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.core.capabilities import Contextual
from dialometer.core.protocols import Encoder, Likelihood
from dialometer.metrics._amfm.polarity import contradicts, polarity
from dialometer.text.corpus import Corpus
from dialometer.text.entities import entities, misnames
from dialometer.text.vectors.pooling import pair_cosines
from dialometer.text.vectors.sentences import sentence_vectors


def spoken(corpus: Corpus) -> np.ndarray:
    """Whether each response has anything but white space."""
    return np.array([bool(corpus.texts[row].strip()) for row in corpus.response.tolist()])


def fluency_of(corpus: Corpus, likelihood: Likelihood) -> np.ndarray:
    """Absolute FM: p of each response."""
    return np.exp(mean_logs(corpus, likelihood, np.arange(len(corpus)), corpus.response))


def pair_fluency(corpus: Corpus, likelihood: Likelihood, own: np.ndarray) -> np.ndarray:
    """Relative FM of each (response, reference): min(p, p′)/max(p, p′), as exp(−|ln p − ln p′|)."""
    mine, theirs = pair_logs(corpus, likelihood, own)
    return np.exp(-np.abs(mine - theirs))


def pair_logs(corpus: Corpus, likelihood: Likelihood, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln p per event of the response and of the reference of each pair."""
    refs = corpus.references
    items = np.repeat(np.arange(len(corpus)), refs.counts())
    return mean_logs(corpus, likelihood, items, own), mean_logs(corpus, likelihood, items, refs.rows)


def mean_logs(
    corpus: Corpus, likelihood: Likelihood, items: np.ndarray, rows: np.ndarray, *, contexts: bool = True
) -> np.ndarray:
    """ln p per event of texts given the contexts of items, or without context; each distinct pair is scored once."""
    contextual = contexts and isinstance(likelihood, Contextual) and likelihood.contextual
    keys = np.stack([items if contextual else np.zeros_like(items), rows], axis=1)
    distinct, places = np.unique(keys, axis=0, return_inverse=True)
    texts = list(corpus.texts)
    heard: Sequence[Sequence[str]] = [
        [texts[row] for row in context_rows(corpus, item)] if contextual else () for item in distinct[:, 0].tolist()
    ]
    total, events = likelihood.logprob(heard, [texts[row] for row in distinct[:, 1].tolist()])
    return np.asarray((total / events)[places.reshape(-1)])


def pragmatic(corpus: Corpus, encoder: Encoder) -> np.ndarray:
    """PM: the cosine of each response with the last turn of its context, not below 0; 0 without a context."""
    has = corpus.contexts.counts() > 0
    fit = np.zeros(len(corpus))
    last = corpus.contexts.rows[corpus.contexts.starts[1:][has] - 1]
    rows = np.concatenate([corpus.response[has], last])
    used, places = np.unique(rows, return_inverse=True)
    n = int(has.sum())
    fit[has] = np.maximum(pair_cosines(sentence_vectors(corpus, encoder, used), places[:n], places[n:]), 0)
    return fit


def conflicts(corpus: Corpus, yes_no: float, names: float) -> np.ndarray:
    """The share each (response, reference) keeps: less ``yes_no`` where one says yes and the other no, less ``names`` where the
    response names something that neither the reference nor the context does."""
    refs = corpus.references
    kept = np.ones(len(refs.rows))
    if not (yes_no or names):
        return kept
    texts = list(corpus.texts)
    signs = [polarity(text) for text in texts] if yes_no else []
    named = [entities(text) for text in texts] if names else []
    for item, response in enumerate(corpus.response.tolist()):
        said = [named[row] for row in context_rows(corpus, item)] if names else []
        for pair in range(int(refs.starts[item]), int(refs.starts[item + 1])):
            reference = int(refs.rows[pair])
            if yes_no and contradicts(signs[response], signs[reference]):
                kept[pair] *= 1 - yes_no
            if names and misnames(named[response], named[reference], *said):
                kept[pair] *= 1 - names
    return kept


def context_rows(corpus: Corpus, item: int) -> list[int]:
    """The texts of an item's context, oldest first."""
    starts = corpus.contexts.starts
    rows: list[int] = corpus.contexts.rows[starts[item] : starts[item + 1]].tolist()
    return rows
