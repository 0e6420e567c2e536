"""Entropy pruning: leave out n-grams without which the model hardly changes (Stolcke 1998).

An n-gram h w goes where ``exp(ΔH) − 1``, the relative change in perplexity, is below the threshold. With bow′ for h without w:
``ΔH = −p(h) { p(w|h) [ln p(w|h′) + ln bow′(h) − ln p(w|h)] + (1 − Σ_v p(v|h)) [ln bow′(h) − ln bow(h)] }``.
"""

from __future__ import annotations

import numpy as np

from dialometer.text.ngram_lm.backoff import END, START, Order
from dialometer.text.ngram_lm.katz import left_over


def prune(levels: tuple[Order, ...], lowers: list[np.ndarray], threshold: float) -> tuple[Order, ...]:
    """The levels without them, from the highest order down; an n-gram that a longer one begins with stays. Weights are stale."""
    words = len(levels[0].keys)
    keeps = [np.ones(words, bool)]
    contexts = np.exp(levels[0].logp)
    contexts[START] = contexts[END]  # as often as a sentence ends
    for lower, level, below in zip(levels[:-1], levels[1:], lowers, strict=True):
        parents = level.keys // words
        keeps.append(_changes(lower, level, below, parents, contexts) >= threshold)
        contexts = contexts[parents] * np.exp(level.logp)
    for n in range(len(levels) - 1, 1, -1):
        keeps[n - 1][levels[n].keys[keeps[n]] // words] = True
    return tuple(_kept(level, keeps, n, words) for n, level in enumerate(levels))


def _changes(lower: Order, level: Order, below: np.ndarray, parents: np.ndarray, contexts: np.ndarray) -> np.ndarray:
    """exp(ΔH) − 1 for each n-gram of a level; ``below`` is ln p(w|h′), ``contexts`` p(h)."""
    p = np.exp(level.logp)
    free = np.maximum(left_over(level.logp, parents, lower), 0)[parents]
    base = np.maximum(left_over(below, parents, lower), 0)[parents]
    weight = np.log(free + p) - np.log(base + np.exp(below))
    change = p * (below + weight - level.logp) + free * (weight - lower.bow[parents])
    return np.expm1(-contexts[parents] * change)


def _kept(level: Order, keeps: list[np.ndarray], n: int, words: int) -> Order:
    keep = keeps[n]
    if n == 0:
        return level
    parents, last = np.divmod(level.keys[keep], words)
    return Order((np.cumsum(keeps[n - 1]) - 1)[parents] * words + last, level.logp[keep], level.bow[keep])
