"""Leave-one-system-out: every dialogue scored by a fit that saw none of its system's (Ghandeharioun et al. 2019, section 4).

The fold without bot j starts from the mean rating of the others, which is lower the better j is: with ``B`` bots of one size,
``ȳ₋ⱼ = ȳ − (ȳⱼ − ȳ)/(B − 1)``. So an uninformative model correlates with the bots' means at exactly −1, and a weak one
far below its true correlation. A single M_H has a single intercept and no such bias: it is an artefact of folds.
``lead`` takes the start out: how far a dialogue is placed above or below the mean of the other bots, by a fit that saw only
these. Not all of the artefact goes with it: the other bots' ratings pull the slopes, too, against the bot left out. Where there is
nothing to find, correlations of plain ridge over ten bots are about −0.25 on the average: their p has to come from ``whole_null``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dialometer.core.errors import NeedsError

ROUNDING = 1e-9  # deviations of the ratings within which a prediction is the start itself
Weights = Callable[[], np.ndarray]
Solve = Callable[
    [np.ndarray], tuple[np.ndarray, Weights]
]  # training ratings → predictions of the test rows, and the weights


@dataclass(frozen=True, eq=False)
class SystemFold:
    """One system's rows, all others', and how ratings of these become predictions of those."""

    system: str
    train: np.ndarray
    test: np.ndarray
    solve: Solve


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Predictions by fits without the row's system, the mean rating of what each such fit saw, and the weights of the fits."""

    predictions: np.ndarray
    others: np.ndarray
    each: tuple[Weights, ...]  # called only on demand

    @property
    def weights(self) -> np.ndarray:
        """(systems, columns)."""
        return np.stack([one() for one in self.each])

    @property
    def lead(self) -> np.ndarray:
        """How far each row is placed above the mean of the other systems."""
        return np.asarray(self.predictions - self.others)


def bot_folds(systems: Sequence[str] | np.ndarray, prepare: Callable[[np.ndarray, np.ndarray], Solve]) -> list[SystemFold]:
    """A fold for each system; ``prepare(training rows, test rows)`` does what does not depend on the ratings, once."""
    names = np.asarray(systems)
    found = np.unique(names)
    if len(found) < 2:
        raise NeedsError(
            f"all conversations are of {found[0] or 'one unnamed system'}, and a system can be left out only of several"
            if len(found)
            else "there are no dialogues to leave out",
            "dialogues of several systems, each with its name",
        )
    made = []
    for name in found:
        train, test = np.flatnonzero(names != name), np.flatnonzero(names == name)
        made.append(SystemFold(str(name), train, test, prepare(train, test)))
    return made


def leave_bot_out(folds: Sequence[SystemFold], y: np.ndarray) -> LeftOut:
    """Every row from the fold without its system.

    >>> def mean_only(train, test):
    ...     return lambda y: (np.full(len(test), y.mean()), lambda: np.zeros(0))
    >>> y = np.array([1.0, 2.0, 4.0])
    >>> left = leave_bot_out(bot_folds(["a", "b", "c"], mean_only), y)
    >>> left.predictions.tolist(), float(np.corrcoef(left.predictions, y)[0, 1].round(9)), left.lead.tolist()
    ([3.0, 2.5, 1.5], -1.0, [0.0, 0.0, 0.0])
    """
    predictions, others = np.full(len(y), np.nan), np.full(len(y), np.nan)
    each = []
    for fold in folds:
        predictions[fold.test], own = fold.solve(y[fold.train])
        others[fold.test] = y[fold.train].mean()
        each.append(own)
    rounded = np.abs(predictions - others) < ROUNDING * y.std()
    return LeftOut(np.where(rounded, others, predictions), others, tuple(each))
