"""How a judge reacts to perturbed replies, and how empty, repeated and universal ones score compared with real ones.

The judge that is tested was fitted without the contexts that it is tested on: on those it was fitted to, it would only remember.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dialometer.contracts.result import number
from dialometer.contracts.train_judge import DegenerateReplies, JudgeReaction, JudgeRobustness
from dialometer.core.protocols import Progress
from dialometer.core.types import Scores
from dialometer.flows.stress.perturb import ORIGINAL, Spoilt, row_name, sample, spoil
from dialometer.flows.stress.reactions import Reaction, item_reactions
from dialometer.flows.train_judge.fits import Fits
from dialometer.text.corpus import Corpus
from dialometer.text.perturb import PERTURBATIONS

LIMIT = 300  # replies that are perturbed
DEGENERATE = {  # what a policy that games a judge ends with (Deriu & Cieliebak 2019, section 5)
    "empty": "an empty reply",
    "said-twice": "the reply said twice",
    "copy-context": "the last turn of the context said back",
    "generic": "one reply for all occasions",
}


def measure_robustness(
    fits: Fits, folds: np.ndarray, progress: Progress, *, seed: int
) -> tuple[JudgeRobustness, list[Reaction]]:
    """Reactions to every perturbation, and degenerate replies against the median real one; the reactions as the stress page draws
    them.
    """
    progress("stress", 0, 1)
    judge = fits.fit(np.flatnonzero(folds != 0))
    rows = fits.dataset.replies(np.flatnonzero(folds == 0))
    items, total = sample((fits.dataset.examples[row] for row in rows.tolist()), LIMIT, seed)
    perturbed = spoil(items, total, PERTURBATIONS.values(), seed)
    column = judge.columns[0]
    scores = _scores(judge, column, perturbed)
    reactions = item_reactions(scores, {column: True}, perturbed, resamples=1000, seed=seed)
    progress("stress", 1, 1)
    return JudgeRobustness(
        rows=[_reaction(row) for row in reactions],
        degenerate=degenerate_replies(scores, column, perturbed),
        n=len(items),
        of=total,
    ), reactions


def _reaction(row: Reaction) -> JudgeReaction:
    return JudgeReaction(
        metric=row.metric,
        perturbation=row.perturbation,
        delta=number(row.delta),
        low=number(row.low),
        high=number(row.high),
        effect=number(row.effect),
        original=number(row.original),
        perturbed=number(row.perturbed),
        n=row.n,
        changed=row.changed,
        scored=row.scored,
        expected=row.expected,
        verdict=row.verdict,
    )


def _scores(judge: Any, column: str, perturbed: Spoilt) -> Scores:
    """The judge's score of every item as it was, and under every perturbation."""
    responses: dict[str, Sequence[str | None]] = {ORIGINAL: [None] * len(perturbed.items), **perturbed.responses}
    examples = [
        replace(item, id=row_name(item.id, name), group=item.document, response=item.response if text is None else text)
        for name, texts in responses.items()
        for item, text in zip(perturbed.items, texts, strict=True)
    ]
    corpus = replace(Corpus.build(examples), keep=True)
    values = np.asarray(judge.finish(judge.measure(corpus), level="item"), float)[:, 0]
    return Scores(tuple(example.id for example in examples), {column: values}, {})


def degenerate_replies(scores: Scores, column: str, perturbed: Spoilt) -> list[DegenerateReplies]:
    """Per kind of degenerate reply: its median, the median real reply's, and the share that scores above that."""
    row = {name: number for number, name in enumerate(scores.items)}
    values = scores.columns[column]

    def scores_of(name: str, items: list[str]) -> np.ndarray:
        return values[[row[row_name(item, name)] for item in items]]

    real = scores_of(ORIGINAL, [item.id for item in perturbed.items])
    median_real = float(np.nanmedian(real)) if not np.isnan(real).all() else float("nan")
    rows = []
    for name, about in DEGENERATE.items():
        texts = zip(perturbed.items, perturbed.responses[name], strict=True)
        degenerate = scores_of(name, [item.id for item, text in texts if text is not None])
        degenerate = degenerate[~np.isnan(degenerate)]
        median = float(np.median(degenerate)) if len(degenerate) else float("nan")
        above = float(np.mean(degenerate > median_real)) if len(degenerate) else float("nan")
        rows.append(
            DegenerateReplies(
                name=name,
                about=about,
                n=len(degenerate),
                median=number(median),
                median_real=number(median_real),
                share_above=number(above),
                below=median < median_real,
            )
        )
    return rows
