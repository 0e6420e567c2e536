"""Katz's back-off model from counts: discounted probabilities, weights that make every distribution sum to 1, pruning.

What SRILM does by default, in docs/design/ngram-lm.md with the differences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dialometer.text.ngram_lm.backoff import END, START, UNKNOWN, Order, back_off
from dialometer.text.ngram_lm.counts import Counted

ZERO = -99 * np.log(10)  # the log-probability of what is never predicted, as in ARPA files
LEAST = 3e-6  # a smaller discount or left-over mass counts as none
COVERED = 1e-12  # below this, words not seen after a context have no probability at the lower order either


@dataclass(frozen=True)
class Discounting:
    """Counts 1 to ``most`` are discounted (0: none is); n-grams of three words or more seen less than ``least`` are left out."""

    most: int = 7
    least: int = 2


def discounts(seen: np.ndarray, most: int) -> np.ndarray:
    """Good–Turing discounts in Katz's form (1987, eq. 18), d_0 … d_most: the factor of a count r.

    ``seen[r]`` n-grams occur r times, known up to r = most + 1.
    ``d_r = (r*/r − A) / (1 − A)``, ``r* = (r + 1) n_{r+1} / n_r``, ``A = (k + 1) n_{k+1} / n_1``. k is ``most``, lowered until
    n_{k+1} > 0; no singletons, no discount; a d_r outside (0, 1] is 1.

    >>> discounts(np.array([0, 10, 4, 1]), 2).round(4).tolist()
    [1.0, 0.7143, 0.1071]
    """
    factors = np.ones(most + 1)
    while most > 0 and seen[most + 1] == 0:
        most -= 1
    if seen[1] == 0 or most == 0:
        return factors
    common = (most + 1) * seen[most + 1] / seen[1]
    for r in range(1, most + 1):
        if seen[r] and common != 1:
            ratio = (r + 1) * seen[r + 1] / (r * seen[r])
            factors[r] = (ratio - common) / (1 - common) if ratio <= 1 else 1
    return np.where((factors > LEAST) & (factors <= 1), factors, 1.0)


def estimate(counted: list[Counted], how: Discounting) -> tuple[Order, ...]:
    """Explicit probabilities of every order, back-off weights still 0."""
    words = len(counted[0].keys)
    kept, levels = np.ones(1, bool), []
    for n, level in enumerate(counted, 1):
        parents = level.keys // words if n > 1 else np.zeros(words, np.int64)
        probability = _discount(level.counts, parents, words - 1, how, how.least if n > 2 else 1)
        if n == 1:
            probability[UNKNOWN] += 1 - probability.sum()  # what discounting left over
            keep, keys = np.ones(words, bool), level.keys
        else:
            keep = probability > 0
            keys = (np.cumsum(kept) - 1)[parents[keep]] * words + level.keys[keep] % words
        with np.errstate(divide="ignore"):
            logp = np.log(probability[keep])
        levels.append(Order(keys, logp, np.zeros(len(keys))))
        kept = keep
    levels[0].logp[START] = ZERO
    return tuple(levels)


def _discount(counts: np.ndarray, parents: np.ndarray, events: int, how: Discounting, least: int) -> np.ndarray:
    """d_r · r / total of the context; the total grows by 1 where nothing would be left for unseen words (D. Paul)."""
    factors = discounts(np.bincount(np.minimum(counts, how.most + 2), minlength=how.most + 3), how.most)
    mass = counts * np.where(counts <= how.most, factors[np.minimum(counts, how.most)], 1.0)
    mass[counts < least] = 0
    totals, sums = np.bincount(parents, counts), np.bincount(parents, mass)
    unseen = np.bincount(parents[counts > 0], minlength=len(totals)) < events
    more = unseen & (sums > (1 - LEAST) * totals)
    totals[more] = np.maximum(totals[more] + 1, np.ceil(sums[more] / (1 - LEAST)))
    return mass / np.maximum(totals, 1)[parents]


def weigh(levels: tuple[Order, ...]) -> tuple[tuple[Order, ...], list[np.ndarray]]:
    """The model with its back-off weights, and for each n-gram h w of orders 2 and up ln p(w | h without its first word).

    ``bow(h) = (1 − Σ p(w|h)) / (1 − Σ p(w|h′))`` over the words listed after h.
    """
    words = len(levels[0].keys)
    made, lowers, suffixes = [levels[0]], [], [np.arange(words)]
    for n, level in enumerate(levels[1:], 2):
        parents, last = np.divmod(level.keys, words)
        before = [suffix[parents] for suffix in suffixes]
        suffixes = [last, *(made[k].find(before[k - 1], last, words) for k in range(1, n - 1))]
        lower = made[0].logp[last]
        for k in range(1, n - 1):
            lower = back_off(made[k - 1], made[k], lower, before[k - 1], suffixes[k])
        numerator, denominator = left_over(level.logp, parents, made[-1]), left_over(lower, parents, made[-1])
        covered = denominator <= COVERED
        if covered.any():  # nothing to back off to: the listed words share everything
            scale = np.where(covered, np.log(np.maximum(1 - numerator, LEAST)), 0.0)
            level = replace(level, logp=level.logp - scale[parents])
        weight = np.log(np.where(covered, 1, numerator) / np.where(covered, 1, denominator))
        made[-1] = replace(made[-1], bow=weight)
        made.append(replace(level, bow=np.zeros(len(level.keys))))
        lowers.append(lower)
        suffixes.append(np.arange(len(level.keys)))
    return tuple(made), lowers


def left_over(logp: np.ndarray, parents: np.ndarray, contexts: Order) -> np.ndarray:
    """1 − Σ p over the n-grams listed after each context."""
    return 1 - np.bincount(parents, np.exp(logp), len(contexts.keys))


def prune(levels: tuple[Order, ...], lowers: list[np.ndarray], threshold: float) -> tuple[Order, ...]:
    """Entropy pruning (Stolcke 1998): the levels without n-grams whose removal hardly changes the model. Weights are stale.

    An n-gram h w is removed where ``exp(ΔH) − 1``, the relative change in perplexity, is below the threshold, from the highest
    order down; a prefix of a longer n-gram stays. With bow′ for h without w:
    ``ΔH = −p(h) { p(w|h) [ln p(w|h′) + ln bow′(h) − ln p(w|h)] + (1 − Σ_v p(v|h)) [ln bow′(h) − ln bow(h)] }``.
    """
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
    return tuple(_remove(level, keeps, n, words) for n, level in enumerate(levels))


def _changes(lower: Order, level: Order, below: np.ndarray, parents: np.ndarray, contexts: np.ndarray) -> np.ndarray:
    """exp(ΔH) − 1 for each n-gram of a level; ``below`` is ln p(w|h′), ``contexts`` p(h)."""
    p = np.exp(level.logp)
    free = np.maximum(left_over(level.logp, parents, lower), 0)[parents]
    base = np.maximum(left_over(below, parents, lower), 0)[parents]
    weight = np.log(free + p) - np.log(base + np.exp(below))
    change = p * (below + weight - level.logp) + free * (weight - lower.bow[parents])
    return np.expm1(-contexts[parents] * change)


def _remove(level: Order, keeps: list[np.ndarray], n: int, words: int) -> Order:
    keep = keeps[n]
    if n == 0:
        return level
    parents, last = np.divmod(level.keys[keep], words)
    return Order((np.cumsum(keeps[n - 1]) - 1)[parents] * words + last, level.logp[keep], level.bow[keep])
