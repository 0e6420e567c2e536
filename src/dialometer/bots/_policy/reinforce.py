"""REINFORCE (Williams 1992) for a trained bot: ``∇J = Σ ∇log p(r_i|c_i) · Σ R(r_i, c_i)`` (Deriu and Cieliebak 2019, §5.2).

The judge comes as a callable, and so does the watch over what it does to the bot: neither is known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from dialometer.bots._generative.base import Generative
from dialometer.bots._policy.degenerate import KINDS, degenerate, word_count
from dialometer.bots._policy.episode import Episode, Judging
from dialometer.bots._policy.rollout import play
from dialometer.contracts.train_policy import PolicyOptions
from dialometer.core.cache import content_key
from dialometer.core.errors import RunError
from dialometer.core.protocols import Bot, Progress
from dialometer.core.seeds import derived
from dialometer.nets.dialogue.decoding import Way
from dialometer.nets.dialogue.policy import Acts, Chances, Weights, chances, credits, surrogate
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.dialogue.reinforce import Record, Story, Watch, reinforce
from dialometer.nets.threads import one_thread
from dialometer.nets.training.checkpoints import rebuilt, weights_of
from dialometer.text.training_overlap import seen_texts

DECAY = 0.9  # of the moving baseline
KEPT = ("talks", "utterances", "symbols", "parameters")  # facts of the training before that hold still


@dataclass(frozen=True, eq=False)
class Learner:
    """A bot that learns: its frozen self, how it speaks, who judges, and whom it talks with."""

    bot: Generative
    judge: Judging
    course: PolicyOptions
    partner: Bot | None = None

    @cached_property
    def frozen(self) -> Network:
        """The bot as it was."""
        return network_of(self.bot)

    @property
    def way(self) -> Way:
        """Drawn from all that it may say; the same probabilities are learnt."""
        return Way("sample", temperature=self.course.temperature, limit=self.bot.limit, least=self.course.least)

    def look(self, bot: Generative, openers: Sequence[tuple[str, ...]], seed: int) -> tuple[list[Episode], Record]:
        """Episodes of a bot of this kind from openers, and what is measured of them; nothing is learnt."""
        net = network_of(bot)
        episodes, acts = self._play(net, openers, seed)
        with one_thread(), torch.no_grad():
            found = chances(net, self.frozen, acts, self.way)
        return episodes, self._judged(episodes, found)[1]

    def loss(self, net: Network, openers: Sequence[tuple[str, ...]], at: Story, seed: int) -> tuple[torch.Tensor, Record]:
        """A batch of episodes, judged; the surrogate loss of what was said, and what was measured."""
        episodes, acts = self._play(net, openers, derived(seed, "step", at.step))
        net.train()
        with one_thread():
            found = chances(net, self.frozen, acts, self.way)
        rewards, record = self._judged(episodes, found)
        weights = Weights(self.course.kl, self.course.entropy, self.course.credit)
        credited = credits(found, rewards, weights)
        return surrogate(found, credited - self._baseline(credited, at), weights), record

    def _play(self, net: Network, openers: Sequence[tuple[str, ...]], seed: int) -> tuple[list[Episode], Acts]:
        turns = self.course.turns
        return play(self.bot, net, openers, self.way, turns=turns, partner=self.partner, seed=seed)

    def _judged(self, episodes: Sequence[Episode], found: Chances) -> tuple[np.ndarray, Record]:
        """Rewards less penalties, and the record of a step; what the judge cannot score earns the least that anything earned."""
        scores, measures = self.judge(episodes)
        missing = np.isnan(scores)
        if missing.all():
            raise RunError("the judge scored none of the replies of a batch", "another --reward, or longer replies")
        scores = np.where(missing, np.nanmin(scores), scores)
        bad = degenerate(episodes)
        words = [word_count(text) for one in episodes for text in one.replies]
        record = {
            "return": float(scores.sum(axis=1).mean()),
            "unscored": float(missing.mean()),
            **{kind: float(bad[kind].mean()) for kind in KINDS},
            "words": float(np.mean(words)),
            "perplexity": float(np.exp(-float(found.frozen.sum()) / (sum(words) + len(words)))),
            "kl": float(found.kl.detach().mean()),
            "entropy": float(found.entropy.detach().mean()),
            **measures,
        }
        return scores - self.course.penalty * np.any([bad[kind] for kind in KINDS], axis=0), record

    def _baseline(self, credited: np.ndarray, at: Story) -> np.ndarray | float:
        """What is expected of each turn without regard to what is said there, so that the gradient keeps its mean."""
        if self.course.baseline == "none":
            return 0.0
        if self.course.baseline == "batch":
            return np.asarray((credited.sum(axis=0) - credited) / (len(credited) - 1))
        before = np.array(at.level or credited.mean(axis=0))
        at.level = (DECAY * before + (1 - DECAY) * credited.mean(axis=0)).tolist()
        return before


def network_of(bot: Generative) -> Network:
    """The bot's network, a copy of its own, with nothing dropped: what learns must be what speaks."""
    learnt = bot._learnt()
    sizes = replace(learnt.sizes, dropout=0.0, word_drop=0.0, utterance_drop=0.0)
    made: Network = rebuilt(lambda: bot._class()(sizes), learnt.weights, "this bot")
    return made


def learn_by_reward(
    learner: Learner,
    openers: Sequence[tuple[str, ...]],
    watch: Watch,
    *,
    stop: bool = True,
    seed: int = 0,
    key: str = "",
    work: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Generative, Story]:
    """The bot after learning, and how it went; openers are taken in turn, and again from the first when they are used up.

    ``key`` names judge, partner and watch, so that a checkpoint of another learning is refused. Adam's steps are as long as the
    rate however small the gradient is: the rate is divided by 1 + β, as plain ascent on J / (1 + β) would have it, so that an
    anchor holds the more the heavier it is.
    """
    course, net = learner.course, network_of(learner.bot).requires_grad_(True)
    given = [openers[number % len(openers)] for number in range(course.steps * course.batch)]
    story = reinforce(
        net, lambda net, at: learner.loss(net, given[at.step * course.batch :][: course.batch], at, seed),
        steps=course.steps, seed=seed, rate=course.rate / (1 + course.kl), watch=watch, stop=stop, work=work, progress=progress,
        key=content_key(key, learner.bot.recipe, repr(asdict(course)), repr(given)),
    )  # fmt: skip
    learnt = learner.bot._learnt()
    facts = {name: learnt.facts[name] for name in KEPT if name in learnt.facts} | {"steps": story.step}
    seen = np.union1d(learnt.seen, seen_texts(text for opener in given for text in opener))
    made = replace(learnt, weights=weights_of(net), seen=seen, facts=facts | {"reward": asdict(course)})
    return replace(learner.bot, learnt=made), story
