"""Which examples a judge can learn from, and refusals where they are too few."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.text.corpus import Corpus
from dialometer.text.training_overlap import seen_texts

LEAST = 4  # rated examples without which nothing can be learnt


def complete(corpus: Corpus, needs: frozenset[str]) -> np.ndarray:
    """Which examples have what is needed: a reference, a context.

    >>> complete(Corpus.of(["yes", "no"], [["a"], []]), frozenset({"reference"})).tolist()
    [True, False]
    """
    has = np.ones(len(corpus), bool)
    for need, lists in (("reference", corpus.references), ("context", corpus.contexts)):
        if need in needs:
            has &= lists.counts() > 0
    return has


def texts_seen(corpus: Corpus) -> np.ndarray:
    """Hashes of what a judge learnt from: replies, and the turns they answer."""
    rows = np.unique(np.concatenate([corpus.response, corpus.contexts.rows]))
    return seen_texts(corpus.texts[row] for row in rows.tolist())


def parts_seen(parts: Iterable[Any], *own: np.ndarray) -> np.ndarray:
    """These hashes, and those of what any of the parts was fitted on."""
    theirs = [part.seen() for part in parts if hasattr(part, "seen") and getattr(part, "fitted", True)]
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *own, *theirs]))


def usable_rows(judge: Any, corpus: Corpus, target: np.ndarray) -> tuple[np.ndarray, int]:
    """The rated rows that have what the judge needs, and how many rated ones have not."""
    values = np.asarray(target, np.float64)
    if values.shape != (len(corpus),):
        raise ValueError(f"{values.shape} targets for {len(corpus)} examples")
    rated = np.isfinite(values)
    if not rated.any():
        raise NeedsError(
            f"{judge.name} learns from ratings, and none of {len(corpus)} examples has one",
            "a file with ratings, -q QUALITY",
        )
    needs, has = judge.needs, complete(corpus, judge.needs)
    rows = np.flatnonzero(rated & has)
    if not len(rows):
        raise NeedsError(
            f"{judge.name} needs a {' and a '.join(sorted(needs))} for each example, and none of "
            f"{int(rated.sum())} rated ones has that",
            f"dialometer list metrics --without {min(needs)}",
        )
    if len(rows) < LEAST:
        raise NeedsError(f"{judge.name} cannot learn from {len(rows)} rated examples", f"{LEAST} at the very least")
    if len(np.unique(values[rows])) < 2:
        raise NeedsError(
            f"all {len(rows)} ratings are {values[rows[0]]:g}: there is nothing to learn for {judge.name}",
            "another quality (-q), or items that people rated differently",
        )
    if len(set(corpus.take(rows).documents)) < 2:
        raise NeedsError(
            f"all {len(rows)} rated examples share one context, so {judge.name} cannot tell what holds for another",
            "items of several contexts, or other group ids",
        )
    return rows, int(rated.sum()) - len(rows)
