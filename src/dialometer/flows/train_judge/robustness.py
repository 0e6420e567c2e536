"""How a judge reacts to spoilt replies, and where empty, repeated and universal ones stand beside real ones.

The judge that is stressed was fitted without the contexts that it is stressed on: on those it learnt, it would only remember.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from dialometer.core.protocols import Progress
from dialometer.core.types import Scores
from dialometer.flows.stress.perturb import ORIGINAL, Spoilt, row_name, sample, spoil
from dialometer.flows.stress.reactions import Reaction, item_reactions
from dialometer.flows.train_judge.fits import Fits
from dialometer.text.corpus import Corpus
from dialometer.text.perturb import PERTURBATIONS

LIMIT = 300  # replies that are spoilt
DEGENERATE = {  # what a policy that games a judge ends with (Deriu & Cieliebak 2019, section 5)
    "empty": "an empty reply",
    "said-twice": "the reply said twice",
    "copy-context": "the last turn of the context said back",
    "generic": "one reply for all occasions",
}


def stressed(fits: Fits, folds: np.ndarray, progress: Progress, *, seed: int) -> dict[str, Any]:
    """Reactions to every perturbation, and the degenerate replies against the median real one."""
    progress("stress", 0, 1)
    held = fits.fit(np.flatnonzero(folds != 0))
    rows = fits.bench.replies(np.flatnonzero(folds == 0))
    items, total = sample((fits.bench.examples[row] for row in rows.tolist()), LIMIT, seed)
    spoilt = spoil(items, total, PERTURBATIONS.values(), seed)
    column = held.columns[0]
    scores = _scores(held, column, spoilt)
    reactions = item_reactions(scores, {column: True}, spoilt, resamples=1000, seed=seed)
    progress("stress", 1, 1)
    return {
        "rows": [asdict(row) for row in reactions],
        "degenerate": degenerate(scores, column, spoilt),
        "n": len(items),
        "of": total,
    }


def _scores(judge: Any, column: str, spoilt: Spoilt) -> Scores:
    """The judge's score of every item as it was, and under every perturbation."""
    sides: dict[str, Sequence[str | None]] = {ORIGINAL: [None] * len(spoilt.items), **spoilt.responses}
    made = [
        replace(item, id=row_name(item.id, side), group=item.document, response=item.response if text is None else text)
        for side, texts in sides.items()
        for item, text in zip(spoilt.items, texts, strict=True)
    ]
    corpus = replace(Corpus.build(made), keep=True)
    values = np.asarray(judge.finish(judge.measure(corpus), level="item"), float)[:, 0]
    return Scores(tuple(item.id for item in made), {column: values}, {})


def degenerate(scores: Scores, column: str, spoilt: Spoilt) -> list[dict[str, Any]]:
    """Per kind of degenerate reply: its median, the median real reply's, and the share that scores above that."""
    row = {name: number for number, name in enumerate(scores.items)}
    values = scores.columns[column]

    def of(system: str, items: list[str]) -> np.ndarray:
        return values[[row[row_name(item, system)] for item in items]]

    real = of(ORIGINAL, [item.id for item in spoilt.items])
    middle = float(np.nanmedian(real)) if not np.isnan(real).all() else float("nan")
    found = []
    for name, about in DEGENERATE.items():
        made = of(name, [i.id for i, text in zip(spoilt.items, spoilt.responses[name], strict=True) if text is not None])
        made = made[~np.isnan(made)]
        median = float(np.median(made)) if len(made) else float("nan")
        above = float(np.mean(made > middle)) if len(made) else float("nan")
        found.append({
            "name": name, "about": about, "n": len(made), "median": median, "median_real": middle,
            "share_above": above, "below": bool(median < middle),
        })  # fmt: skip
    return found


def reactions_of(found: dict[str, Any]) -> list[Reaction]:
    """The rows as what the stress page draws."""
    return [Reaction(**row) for row in found["rows"]]
