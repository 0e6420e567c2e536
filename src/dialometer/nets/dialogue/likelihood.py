"""Likelihoods of utterances under a trained network: exact, or a lower bound and an importance-weighted estimate.

A latent z makes log p(x) = log E_q [p(x, z) / q(z)], of which −log p(x|z) − KL is a lower bound, and the mean of k weights inside
the logarithm a tighter one (Burda et al. 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import torch

from dialometer.core.seeds import derived
from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.layers import NetworkOutput
from dialometer.nets.dialogue.protocol import Network
from dialometer.nets.threads import one_thread


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """Of each utterance of a corpus, in nats: −log p given its latent, KL, the bound, and the estimate (equal without latents).

    What a whole dialogue shares is spread evenly over its utterances: the KL of its latent, and how far the estimate is from
    the bound.
    """

    nll: np.ndarray
    kl: np.ndarray
    bound: np.ndarray
    estimate: np.ndarray

    def summary(self, data: EncodedDialogues) -> dict[str, float]:
        """Over the replies of a corpus: perplexity per word and end, by bound and by estimate, and nats of KL per turn."""
        rows = data.replies if data.replies.any() else ~data.replies
        events = max(int(data.events[rows].sum()), 1)
        return {
            "perplexity": float(np.exp(self.bound[rows].sum() / events)),
            "perplexity_estimate": float(np.exp(self.estimate[rows].sum() / events)),
            "kl": float(self.kl[rows].mean()),
            "turns": int(rows.sum()),
            "words": events,
        }


def likelihoods(
    net: Network, data: EncodedDialogues, *, samples: int = 1, seed: int = 0, swap: bool = False
) -> Likelihoods:
    """Every utterance given those before it; ``samples`` draws per latent."""
    out = np.zeros((4, len(data.starts) - 1))
    net.eval()
    with one_thread(), torch.inference_mode():
        for talks in data.parts(np.arange(len(data))):
            batch = Batch(data, talks)
            out[:, batch.rows] = _of_batch(net, data, talks, samples, seed, swap)
    return Likelihoods(*out)


def _of_batch(net: Network, data: EncodedDialogues, talks: np.ndarray, samples: int, seed: int, swap: bool) -> np.ndarray:
    """(4, utterances); draw by draw, because a batch of copies would not fit in the cache."""
    nll, kl, weights, shared = [], [], [], []
    names = _names(data, talks)
    for draw in range(samples):
        batch = Batch(data, talks, tuple(derived(seed, draw, name) for name in names))
        output: NetworkOutput = net(batch, swap=swap)
        nll.append(output.nll.double())
        if output.kl is None or output.excess is None:
            return np.stack([output.nll.double().numpy(), np.zeros(len(batch.rows)), *[output.nll.double().numpy()] * 2])
        spread = torch.from_numpy(batch.turns[batch.owner])
        owner = torch.from_numpy(batch.owner)
        talk_kl = 0.0 if output.talk_kl is None else output.talk_kl.double()[owner] / spread
        kl.append(output.kl.double() + talk_kl)
        weights.append(-output.nll.double() - output.excess.double())
        if output.talk_excess is not None:
            shared.append(output.talk_excess.double())
    mean_nll, mean_kl = torch.stack(nll).mean(0), torch.stack(kl).mean(0)
    count = torch.tensor(float(samples)).double().log()
    if shared:  # one latent ties the turns together: weights are those of whole dialogues
        whole = torch.stack([batch.by_talk(w) - s for w, s in zip(weights, shared, strict=True)])
        bound = mean_nll + mean_kl
        gap = -(torch.logsumexp(whole, 0) - count) - batch.by_talk(bound)
        estimate = bound + gap[owner] / spread
    else:
        estimate = -(torch.logsumexp(torch.stack(weights), 0) - count)
    return torch.stack([mean_nll, mean_kl, mean_nll + mean_kl, estimate]).numpy()


def _names(data: EncodedDialogues, talks: np.ndarray) -> list[str]:
    """What was said in each dialogue, as a name for its draws, which are then batch-invariant."""
    starts = data.starts[data.talks]
    return [
        blake2b(data.flat[starts[talk] : starts[talk + 1]].tobytes(), digest_size=8).hexdigest() for talk in talks.tolist()
    ]
