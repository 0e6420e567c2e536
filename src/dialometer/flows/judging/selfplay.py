"""The chain of the paper: fit on chats of the other bots, apply to the self-play of the bot left out, set beside its human mean.

Ghandeharioun et al. 2019, section 4. Systems of the two files are matched by name.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.data import open_items
from dialometer.errors import UsageError
from dialometer.flows.judging.column_fits import ColumnFits
from dialometer.protocols import Progress
from dialometer.stats.bot_level import over_bots
from dialometer.stats.means import system_means
from dialometer.text.corpus import Corpus
from dialometer.text.documents import conversations
from dialometer.types import Dialogue

if TYPE_CHECKING:
    from dialometer.flows.train import TrainRequest


def chained(fits: ColumnFits, file: str, request: TrainRequest, progress: Progress) -> dict[str, Any]:
    """Per bot the mean M_H of its self-play by a fit without it, people's mean of its chats; correlations over the shared bots."""
    bench, judge = fits.bench, fits.judge
    progress("self-play", 0, 1)
    examples = [
        example
        for item in open_items([file], max_line=request.max_line)
        if isinstance(item, Dialogue)
        for example in item.examples()
    ]
    played = {example.system for example in examples}
    rated = set(bench.system.tolist())
    shared = sorted(played & rated)
    if not shared:
        raise UsageError(
            f"no bot of {file} has rated chats: it holds {_some(played)}, and the chats are of {_some(rated)}",
            "give the same bot the same name in both (play --a NAME=SPEC)",
        )
    corpus = replace(Corpus.build([example for example in examples if example.system in shared]), keep=True)
    columns = judge.look(corpus)
    names = list(corpus.systems)
    system = np.array([names[row] for row in conversations(corpus).last.tolist()])
    rows = [_bot(fits, columns[system == name], name) for name in shared]
    score, human = (np.array([row[side]["value"] for row in rows]) for side in ("score", "human"))
    progress("self-play", 1, 1)
    return {
        "rows": rows,
        "over_bots": {kind: asdict(one) for kind, one in over_bots(score, human, seed=request.seed).items()},
        "only_played": sorted(played - rated),
        "only_rated": sorted(rated - played),
    }


def _bot(fits: ColumnFits, played: np.ndarray, name: str) -> dict[str, Any]:
    """One bot: how far its self-play is placed above the mean of the others, by a fit to the others."""
    bench = fits.bench
    train = np.flatnonzero(bench.system != name)
    design = fits.judge.design(fits.columns[train], bench.system[train].tolist(), seed=fits.seed)
    lead = design.solve(bench.target[train]).predict(played) - bench.target[train].mean()
    return {
        "system": name,
        "n": len(played),
        "score": _mean(lead),
        "human": _mean(bench.target[bench.system == name]),
    }


def _mean(values: np.ndarray) -> dict[str, float]:
    one = system_means(values, [""] * len(values), levels=(0.95,))[""]
    return {"value": one.mean, "low": one.intervals[0.95][0], "high": one.intervals[0.95][1]}


def _some(names: set[str]) -> str:
    return ", ".join(sorted(names)[:5]) or "nothing"
