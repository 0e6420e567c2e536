"""The reward model of a batch of episodes: the metric that gives the reward, and metrics recorded beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.bots._policy.episode import Episode
from dialometer.core.errors import NeedsError, SpecError, UnknownName, UsageError
from dialometer.core.protocols import Fits, Metric, Prepares
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Example
from dialometer.text.corpus import Corpus

VARIETY = ("distinct-1", "distinct-2")
SPREAD = " sd"  # after a metric's name: the standard deviation over replies
_WAY = "dialometer list metrics --without reference"


@dataclass(frozen=True)
class RewardModel:
    """``reward`` scores responses, or whole dialogues; ``others`` are further metrics by the name they are shown under.

    Called with episodes, it gives rewards (episodes, the policy's turns) and measures. A metric of dialogues gets the responses
    of all episodes and gives a row per episode (their documents, in order), which is credited to the last turn.
    """

    reward: Any
    column: int = 0
    others: tuple[tuple[str, Any], ...] = ()
    sign: int = 1

    def __call__(self, episodes: Sequence[Episode]) -> tuple[np.ndarray, dict[str, float]]:
        """Rewards and measures of a batch; every text is encoded once for all metrics."""
        corpus = corpus_of(episodes)
        scores = self.sign * _values(self.reward, corpus)[:, self.column]
        shape = (len(episodes), len(episodes[0].own))
        if self.reward.unit == "dialogue":
            rewards = np.zeros(shape)
            rewards[:, -1] = _rows(self.reward, scores, len(episodes))
        else:
            rewards = _rows(self.reward, scores, len(corpus)).reshape(shape)
        distinct = create("metric", "distinct")
        variety = dict(zip(distinct.columns, distinct.score(corpus, np.arange(len(corpus))).tolist(), strict=True))
        measures = {name: variety[name] for name in VARIETY}
        for name, metric in self.others:
            known = _values(metric, corpus)[:, 0]
            known = known[~np.isnan(known)]
            measures |= {name: float(known.mean()), name + SPREAD: float(known.std())} if len(known) else {name: np.nan}
        return rewards, measures

    @property
    def recipes(self) -> list[str]:
        """Of the reward first, then of the others."""
        return [recipe(metric) for metric in (self.reward, *(metric for _, metric in self.others))]


def corpus_of(episodes: Sequence[Episode]) -> Corpus:
    """An item per response of the policy, with its context; a document per episode."""
    return Corpus.build(
        Example(f"{number}#{turn}", episode.context(turn), episode.said[turn], group=str(number), after=episode.after(turn))
        for number, episode in enumerate(episodes)
        for turn in episode.own
    )


def make_reward_model(
    reward: str | Any, watch: Sequence[str], *, column: str = "", lowest: bool = False, alone: bool
) -> RewardModel:
    """The reward model of some specs (or of a metric itself), refused before any work where it cannot score responses."""
    metric = _checked(create("metric", reward) if isinstance(reward, str) else reward)
    if metric.unit == "dialogue" and alone:
        raise UsageError(
            f"{metric.name} scores whole conversations, and of self-talk it would reward both sides at once",
            "name a fixed partner: --partner BOT",
        )
    if column and column not in metric.columns:
        raise UnknownName(f"column of {metric.name}", column, metric.columns, hint="dialometer list metrics")
    labels = [label(spec) for spec in dict.fromkeys(watch)]
    others = [
        (short if labels.count(short) == 1 else spec, _checked(create("metric", spec)))
        for short, spec in zip(labels, dict.fromkeys(watch), strict=True)
    ]
    for _, other in others:
        if other.unit != "response":
            raise UsageError(f"{other.name} does not score a response by itself, and is no measure to watch by", _WAY)
    place = list(metric.columns).index(column) if column else 0
    return RewardModel(metric, place, tuple(others), -1 if lowest else 1)


def label(spec: str) -> str:
    """A spec as it is shown: of a folder its last part, since a metric is the same wherever it lies.

    >>> label("runs/judges/zhao/(clip=false)"), label("length(tok=13a)")
    ('zhao(clip=false)', 'length(tok=13a)')
    """
    return re.sub(r'[^\s(),="]+', lambda found: found[0].rstrip("/").rsplit("/", 1)[-1], spec)


def _checked(metric: Any) -> Any:
    if not isinstance(metric, Metric) or isinstance(metric, Prepares) or metric.unit not in ("response", "dialogue"):
        raise SpecError(f"{metric.name} does not score a response by itself, and a reward must", _WAY)
    if lacking := sorted(metric.needs - {"context"}):
        raise NeedsError(f"{metric.name} needs a {lacking[0]}, and what is made up while talking has none", _WAY)
    if isinstance(metric, Fits) and not metric.fitted:
        raise NeedsError(
            f"{metric.name} has not been fitted", f"dialometer train {metric.name} FILE… and the folder it prints"
        )
    return metric


def _values(metric: Metric, corpus: Corpus) -> np.ndarray:
    return np.asarray(metric.finish(metric.measure(corpus), level="item"), float)


def _rows(metric: Any, values: np.ndarray, wanted: int) -> np.ndarray:
    if len(values) != wanted:
        raise SpecError(
            f"{metric.name} gave {len(values)} scores for {wanted} {metric.unit}s", "a metric with a row for each"
        )
    return values
