"""MACE: the competence of each annotator, and the items' labels given that (Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013).

An annotator gives the true label with probability θ (the competence), and otherwise draws from a distribution ξ of their own.
A label a of annotator j has the probability ``(1 − θⱼ) ξⱼ(a) + θⱼ [a = t]``; true labels t are uniform. EM from random starts,
of which the best likelihood is kept. ``vb`` puts Beta(½, ½) on θ and Dirichlet(10) on ξ and takes
``exp ψ(count + prior) / exp ψ(sum)`` in the M-step (section 4.2); ``em`` adds 0.01 / categories to the counts.

Only labels that were given to an item raise its odds, by ``1 + θ / ((1 − θ) ξ(a))`` for each annotator who gave it: one number
per (annotator, label), so an iteration costs two passes over the ratings. Competence is the M-step's θ: under ``vb`` the
geometric mean of its posterior, which is lower for annotators with few ratings, as in the authors' tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from dialometer.core.errors import UnknownName, UsageError
from dialometer.core.types import Ratings
from dialometer.kernels.jit import run
from dialometer.kernels.mace import knowing
from dialometer.stats.agreement.consensus import Consensus, Labels, consensus, labels_of
from dialometer.stats.agreement.rater_rows import runs
from dialometer.stats.resample import seed_for

Method = Literal["vb", "em"]
METHODS = get_args(Method)
Start = tuple[np.ndarray, np.ndarray]  # (raters, 2): spams, knows; (raters, categories): habit
LARGE = 600.0  # exp of more than this may overflow in a sum


@dataclass(frozen=True)
class Mace:
    """Labels with their certainty, the competence and habit of each rater (NaN without ratings), the log likelihood."""

    labels: Consensus
    competence: np.ndarray
    habit: np.ndarray
    likelihood: float
    unknown: int


def mace(
    ratings: Ratings,
    *,
    method: Method = "vb",
    restarts: int = 10,
    iterations: int = 50,
    categories: Sequence[float] | None = None,
    seed: int = 0,
) -> Mace:
    """MACE on one quality, whose values are categories; 10 starts of 50 iterations are the paper's."""
    if method not in METHODS:
        raise UnknownName("M-step", method, METHODS, hint=f"one of: {', '.join(METHODS)}")
    if restarts < 1:
        raise UsageError(f"MACE needs one start or more, not {restarts}")
    labels = labels_of(ratings, "MACE", categories)
    model = MaceModel(labels, method)
    rank = np.argsort(np.argsort(np.array(ratings.raters)))  # a start belongs to a name, not to its place in the file
    starts = [random_start(rank, len(labels.scale), seed_for(seed, "mace", number)) for number in range(restarts)]
    likelihood, at = -np.inf, starts[0]
    for found, end in model.climb(starts, iterations):
        if not found <= likelihood + 1e-9 * abs(found):  # the first of those that are alike
            likelihood, at = found, end
    silent = labels.counts.sum(axis=1) == 0
    return Mace(
        consensus(labels, model.posterior(at), len(ratings.items)),
        np.where(silent, np.nan, at[0][:, 1]),
        np.where(silent[:, None], np.nan, at[1]),
        likelihood,
        labels.unknown,
    )


def random_start(rank: np.ndarray, categories: int, seed: int) -> Start:
    """Near-even parameters, uniform in [1, 2.5] before they are scaled to sum to 1."""
    rng = np.random.default_rng(seed)
    drawn = (rng.uniform(1, 2.5, (len(rank), width))[rank] for width in (2, categories))
    knows, habit = (part / part.sum(axis=1, keepdims=True) for part in drawn)
    return knows, habit


class MaceModel:
    """The ratings, laid out so that a step of EM is a few passes over flat arrays.

    An *option* is a label that an item was given. Items with equally many options are a block: a matrix (options, items).
    """

    def __init__(self, labels: Labels, method: Method) -> None:
        self.labels, self.method = labels, method
        self.size = len(labels.scale)
        first = runs(labels.item * self.size + labels.label)
        repeats = np.diff(np.append(first, len(labels.item)))
        item = labels.item[first]
        many = np.bincount(item)
        slot = np.arange(len(item)) - runs(item)[item]
        order = np.lexsort((item, slot, many[item]))  # old numbers of the options, block by block
        self.item, self.label = item[order], labels.label[first[order]]
        self.option = np.argsort(order)[np.repeat(np.arange(len(first)), repeats)]
        self.blocks = _blocks(np.bincount(many))
        self.places = np.argsort(many, kind="stable")  # the items in the order of the blocks
        self.most = int(repeats.max())  # annotators who gave an item the same label
        self.rows = (np.append(runs(labels.item), len(labels.item)), labels.label.astype(np.int64), labels.cell)

    def climb(self, starts: Sequence[Start], iterations: int) -> list[tuple[float, Start]]:
        """From every start the log likelihood and the parameters after so many iterations; the starts lie along the last axis."""
        knows, habit = (np.ascontiguousarray(np.stack(part, axis=-1)) for part in zip(*starts, strict=True))
        for _ in range(iterations):
            knows, habit = self.maximise(self.expect(knows, habit))
        ends = [
            (np.ascontiguousarray(knows[..., lane]), np.ascontiguousarray(habit[..., lane])) for lane in range(len(starts))
        ]
        return [(self.likelihood(end), end) for end in ends]

    def expect(self, knows: np.ndarray, habit: np.ndarray) -> np.ndarray:
        """(raters, categories, starts): the expected number of ratings made knowingly."""
        spam, know = knows[:, :1] * habit, knows[:, 1:]
        raised = 1 + know / spam
        lanes = habit.shape[-1]
        right = np.zeros(habit.shape)
        if self._small(raised):
            scratch = np.empty(self.size * lanes), np.empty(lanes)
            flat = right.reshape(-1)
            run(knowing, *self.rows, raised.reshape(-1), lanes, flat, *scratch, steps=3 * lanes * len(self.labels.item))
        else:
            for lane in range(lanes):
                chosen, _, _ = self._options((knows[..., lane], habit[..., lane]))
                cells = np.bincount(self.labels.cell, chosen[self.option], self.labels.counts.size)
                right[..., lane] = cells.reshape(habit.shape[:2])
        return np.asarray(right * (know / (spam + know)))

    def _small(self, raised: np.ndarray) -> bool:
        """Whether no product of odds can overflow."""
        return bool(self.most * np.log(raised.max()) < LARGE)

    def maximise(self, knowing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters from expected counts."""
        spamming = self.labels.counts[..., None] - knowing
        knows = np.stack([spamming.sum(axis=1), knowing.sum(axis=1)], axis=1)
        if self.method == "em":
            smooth = 0.01 / self.size
            return _share(knows + smooth), _share(spamming + smooth)
        return _digamma_share(knows + 0.5), _digamma_share(spamming + 10.0)

    def likelihood(self, at: Start) -> float:
        """The log of the probability of all ratings, true labels summed out."""
        _, total, top = self._options(at)
        habits = (np.log(at[0][:, :1] * at[1]) * self.labels.counts).sum()
        return float(habits + (np.log(total) + top).sum() - len(total) * np.log(self.size))

    def posterior(self, at: Start) -> np.ndarray:
        """(judged items, categories): the probability of each label."""
        chosen, total, top = self._options(at)
        made = np.empty((len(total), self.size))
        made[self.places] = (np.exp(-top) / total)[:, None]  # of a label that was not given
        made[self.item, self.label] = chosen
        return made

    def _options(self, at: Start) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The posterior of each option; in the order of the blocks, the items' sums of odds and logs of a factor taken out.

        Odds are against a label that was not given. Where their products could overflow they are sums of logs, less the largest.
        """
        raised = (1 + at[0][:, 1:] / (at[0][:, :1] * at[1])).ravel()
        small = self._small(raised)
        odds: np.ndarray = np.bincount(self.option, np.log(raised)[self.labels.cell])
        if small:
            np.exp(odds, out=odds)
        total, top = np.empty(len(self.places)), np.zeros(len(self.places))
        for many, options, items in self.blocks:
            part = odds[options].reshape(many, -1)
            if not small:
                top[items] = part.max(axis=0)
                np.exp(part - top[items], out=part)
            total[items] = part.sum(axis=0) + (self.size - many) * np.exp(-top[items] if not small else 0.0)
            part *= 1 / total[items]
        return odds, total, top


def _blocks(items: np.ndarray) -> list[tuple[int, slice, slice]]:
    """How many options, and where options and items lie, for each number of options; ``items`` counts the items by it."""
    many = np.arange(len(items))
    ends, option_ends = np.cumsum(items), np.cumsum(items * many)
    return [
        (m, slice(int(option_ends[m] - m * items[m]), int(option_ends[m])), slice(int(ends[m] - items[m]), int(ends[m])))
        for m in many[1:].tolist()
        if items[m]
    ]


def _share(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _digamma_share(counts: np.ndarray) -> np.ndarray:
    from scipy.special import digamma

    return np.asarray(np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True))))
