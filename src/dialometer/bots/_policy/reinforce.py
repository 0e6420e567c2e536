"""REINFORCE (Williams 1992) for a trained bot: ``∇J = Σ ∇log p(r_i|c_i) · Σ R(r_i, c_i)`` (Deriu and Cieliebak 2019, §5.2).

Reward and early-stopping rule are callables.
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
from dialometer.nets.dialogue.decoding import DecodingOptions
from dialometer.nets.dialogue.policy import ObjectiveWeights, PolicyTerms, Rollouts, credits, policy_terms, surrogate
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.dialogue.reinforce import PolicyTrainingState, Record, StoppingRule, reinforce
from dialometer.nets.threads import one_thread
from dialometer.nets.training.checkpoints import rebuilt, weights_of
from dialometer.text.training_overlap import seen_texts

DECAY = 0.9  # of the moving baseline
KEPT = ("talks", "utterances", "symbols", "parameters")  # facts of the training before that hold still


@dataclass(frozen=True, eq=False)
class Learner:
    """A bot that is fine-tuned: the reward, the options, and the partner; without a partner it talks with itself."""

    bot: Generative
    judge: Judging
    course: PolicyOptions
    partner: Bot | None = None

    @cached_property
    def frozen(self) -> Network:
        """The network of the initial policy."""
        return network_of(self.bot)

    @property
    def decoding(self) -> DecodingOptions:
        """Sampling from the full distribution, whose probabilities are trained."""
        return DecodingOptions("sample", temperature=self.course.temperature, limit=self.bot.limit, least=self.course.least)

    def look(self, bot: Generative, openers: Sequence[tuple[str, ...]], seed: int) -> tuple[list[Episode], Record]:
        """Episodes of a bot of this kind from openers, and their record; no weight changes."""
        net = network_of(bot)
        episodes, rollouts = self._sample(net, openers, seed)
        with one_thread(), torch.no_grad():
            terms = policy_terms(net, self.frozen, rollouts, self.decoding)
        return episodes, self._rewards(episodes, terms)[1]

    def loss(
        self, net: Network, openers: Sequence[tuple[str, ...]], at: PolicyTrainingState, seed: int
    ) -> tuple[torch.Tensor, Record]:
        """The surrogate loss of a batch of episodes, and their record."""
        episodes, rollouts = self._sample(net, openers, derived(seed, "step", at.step))
        net.train()
        with one_thread():
            terms = policy_terms(net, self.frozen, rollouts, self.decoding)
        rewards, record = self._rewards(episodes, terms)
        weights = ObjectiveWeights(self.course.kl, self.course.entropy, self.course.credit)
        credited = credits(terms, rewards, weights)
        return surrogate(terms, credited - self._baseline(credited, at), weights), record

    def _sample(self, net: Network, openers: Sequence[tuple[str, ...]], seed: int) -> tuple[list[Episode], Rollouts]:
        turns = self.course.turns
        return play(self.bot, net, openers, self.decoding, turns=turns, partner=self.partner, seed=seed)

    def _rewards(self, episodes: Sequence[Episode], terms: PolicyTerms) -> tuple[np.ndarray, Record]:
        """Rewards less penalties, and the record of a step; a reply without a score gets the lowest score of the batch."""
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
            "perplexity": float(np.exp(-float(terms.frozen.sum()) / (sum(words) + len(words)))),
            "kl": float(terms.kl.detach().mean()),
            "entropy": float(terms.entropy.detach().mean()),
            **measures,
        }
        return scores - self.course.penalty * np.any([bad[kind] for kind in KINDS], axis=0), record

    def _baseline(self, credited: np.ndarray, at: PolicyTrainingState) -> np.ndarray | float:
        """The expected return of each turn, independent of the reply, so that the gradient stays unbiased."""
        if self.course.baseline == "none":
            return 0.0
        if self.course.baseline == "batch":
            return np.asarray((credited.sum(axis=0) - credited) / (len(credited) - 1))
        before = np.array(at.level or credited.mean(axis=0))
        at.level = (DECAY * before + (1 - DECAY) * credited.mean(axis=0)).tolist()
        return before


def network_of(bot: Generative) -> Network:
    """A copy of the bot's network without dropout: the network that is trained must be the one that is sampled from."""
    state = bot.fitted_state()
    sizes = replace(state.sizes, dropout=0.0, word_drop=0.0, utterance_drop=0.0)
    network: Network = rebuilt(lambda: bot.network_class()(sizes), state.weights, "this bot")
    return network


def learn_by_reward(
    learner: Learner,
    openers: Sequence[tuple[str, ...]],
    rule: StoppingRule,
    *,
    stop: bool = True,
    seed: int = 0,
    key: str = "",
    work: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Generative, PolicyTrainingState]:
    """The bot after training, and the state of the training; openers are taken in turn, and from the first again at the end.

    ``key`` names reward, partner and rule, so that a checkpoint of another training is refused. Adam's steps are as long as the
    rate however small the gradient is: the rate is divided by 1 + β, as plain ascent on J / (1 + β) would have it, so that an
    anchor holds the more the heavier it is.
    """
    course, net = learner.course, network_of(learner.bot).requires_grad_(True)
    given = [openers[number % len(openers)] for number in range(course.steps * course.batch)]
    final = reinforce(
        net, lambda net, at: learner.loss(net, given[at.step * course.batch :][: course.batch], at, seed),
        steps=course.steps, seed=seed, rate=course.rate / (1 + course.kl), rule=rule, stop=stop, work=work, progress=progress,
        key=content_key(key, learner.bot.recipe, repr(asdict(course)), repr(given)),
    )  # fmt: skip
    before = learner.bot.fitted_state()
    facts = {name: before.facts[name] for name in KEPT if name in before.facts} | {"steps": final.step}
    seen = np.union1d(before.seen, seen_texts(text for opener in given for text in opener))
    after = replace(before, weights=weights_of(net), seen=seen, facts=facts | {"reward": asdict(course)})
    return replace(learner.bot, learnt=after), final
