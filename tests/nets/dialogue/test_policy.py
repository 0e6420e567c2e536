"""The policy's probabilities and gradients, against everything that can be said."""

from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.dialogue.decoding import DecodingOptions, generate  # noqa: E402
from dialometer.nets.dialogue.policy import ObjectiveWeights, Rollouts, credits, policy_terms, surrogate  # noqa: E402
from tests.nets.dialogue.small import LATENT, NETWORKS, network, talks_of, whole  # noqa: E402

SMALL = 4  # symbols: unknown, the end, and two words
WAY = DecodingOptions("sample", temperature=0.8, limit=2, least=0)
REPLIES = [list(said) for long in range(3) for said in product((2, 3), repeat=long)]
REWARD = dict(zip(map(tuple, REPLIES), (0.3, -1.0, 2.0, 0.5, -0.2, 1.1, 0.7), strict=True))
OPENER = [[2, 3], [3]]


def pair(name="hred", **more):
    """A network that can learn, and another that stays."""
    net = network(name, seed=1, symbols=SMALL, coarse=SMALL, **more)
    net.train()
    return net, network(name, seed=2, symbols=SMALL, coarse=SMALL, **more).requires_grad_(False)


def rollouts(heard, said, seed=5):
    coarse = [[[2]] * len(talk) for talk in heard]
    return Rollouts(talks_of(heard, coarse), said, (seed,) * len(said))


@pytest.mark.parametrize("least", [0, 1])
@pytest.mark.parametrize("name", NETWORKS)
def test_all_that_can_be_said_is_said_for_certain(name, least):
    net, frozen = pair(name)
    said = [reply for reply in REPLIES if len(reply) >= least]
    way = DecodingOptions("sample", temperature=0.8, limit=2, least=least)
    found = policy_terms(net, frozen, rollouts([OPENER] * len(said), said), way)
    p = found.log_p.exp()
    assert p.sum().item() == pytest.approx(1)
    assert found.frozen.exp().sum().item() == pytest.approx(1)
    mean_gap = (p * (found.log_p - found.frozen)).sum()
    assert (p * found.kl).sum().item() == pytest.approx(mean_gap.item()), "KL of whole replies, by the chain rule"
    assert (p * found.entropy).sum().item() == pytest.approx(-(p * found.log_p).sum().item())


def test_these_are_the_chances_of_drawing():
    net, frozen = pair()
    net.eval()
    draws = 20_000
    with torch.inference_mode():
        state, added = net.decoder_state(whole(talks_of([OPENER])))
        many = tuple(part.expand(draws, -1) for part in state)
        said = generate(
            net.speaker, net.words, many, added.expand(draws, -1), WAY, np.random.default_rng(0).random((draws, 2))
        )
    net.train()
    p = policy_terms(net, frozen, rollouts([OPENER] * len(REPLIES), REPLIES), WAY).log_p.exp().detach().numpy()
    seen = np.array([sum(one == reply for one in said) for reply in REPLIES]) / draws
    assert np.abs(seen - p).max() < 5 * 0.5 / np.sqrt(draws)


def flat_gradient(loss, net):
    found = torch.autograd.grad(loss, list(net.parameters()), allow_unused=True, retain_graph=True)
    return torch.cat(
        [(torch.zeros_like(w) if g is None else g).flatten() for g, w in zip(found, net.parameters(), strict=True)]
    )


def gains(found, rewards, weights):
    return torch.as_tensor(rewards) - weights.kl * found.kl + weights.entropy * found.entropy


@pytest.mark.parametrize(
    "weights",
    [ObjectiveWeights(), ObjectiveWeights(kl=0.7), ObjectiveWeights(entropy=0.4), ObjectiveWeights(0.3, 0.2, "rest")],
)
@pytest.mark.parametrize("name", ["hred", "seq2seq", "lstmlm", *LATENT])
def test_the_mean_gradient_of_a_reply_is_that_of_the_mean_reward(name, weights):
    """Σ p(r) ∇surrogate(r), summed over all replies, is −∇ Σ p(r) f(r) to the last digits."""
    net, frozen = pair(name)
    rewards = np.array([REWARD[tuple(reply)] for reply in REPLIES])
    found = policy_terms(net, frozen, rollouts([OPENER] * len(REPLIES), REPLIES), WAY)
    wanted = flat_gradient((found.log_p.exp() * gains(found, rewards, weights)).sum(), net)
    mean = torch.zeros_like(wanted)
    for reply, reward in zip(REPLIES, rewards, strict=True):
        one = policy_terms(net, frozen, rollouts([OPENER], [reply]), WAY)
        pull = credits(one, np.array([[reward]]), weights)
        mean += one.log_p.exp().item() * flat_gradient(surrogate(one, pull, weights), net)
    assert wanted.abs().max() > 1e-3
    torch.testing.assert_close(-mean, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("baseline", [0.0, 3.0])
@pytest.mark.parametrize("credit", ["return", "rest"])
def test_the_same_over_episodes_of_two_turns(credit, baseline):
    """∇J = Σ ∇log p(r_i|c_i) · Σ R(r_i, c_i); with the rest of the return, or less a baseline, the mean is the same."""
    net, frozen = pair()
    weights = ObjectiveWeights(kl=0.3, entropy=0.1, credit=credit)
    wanted = mean = 0.0
    for first, second in product(REPLIES, REPLIES):
        rewards = np.array([[REWARD[tuple(first)], REWARD[tuple(second)] * len(first)]])
        found = policy_terms(net, frozen, rollouts([OPENER, [*OPENER, first]], [first, second]), WAY)
        p = found.log_p.sum().exp()
        wanted = wanted + flat_gradient(p * gains(found, rewards[0], weights).sum(), net)
        pull = credits(found, rewards, weights) - baseline
        mean = mean + p.item() * flat_gradient(surrogate(found, pull, weights), net)
    assert wanted.abs().max() > 1e-3
    torch.testing.assert_close(-mean, wanted, rtol=1e-9, atol=1e-12)


def test_credits_by_hand():
    net, frozen = pair()
    found = policy_terms(net, frozen, rollouts([OPENER] * 4, [[2], [], [3, 3], [2]]), WAY)
    rewards = np.array([[1.0, 2.0], [5.0, -1.0]])
    assert credits(found, rewards, ObjectiveWeights()).tolist() == [[3, 3], [4, 4]]
    assert credits(found, rewards, ObjectiveWeights(credit="rest")).tolist() == [[3, 2], [4, -1]]
    kl = found.kl.detach().numpy().reshape(2, 2)
    assert credits(found, rewards, ObjectiveWeights(kl=2.0, credit="rest"))[:, 1] == pytest.approx(
        rewards[:, 1] - 2 * kl[:, 1]
    )


def test_next_to_itself_nothing_diverges():
    net, _ = pair()
    twin = network("hred", seed=1, symbols=SMALL, coarse=SMALL).requires_grad_(False)
    found = policy_terms(net, twin, rollouts([OPENER] * 7, REPLIES), WAY)
    assert found.kl.abs().max().item() < 1e-12
    torch.testing.assert_close(found.log_p, found.frozen)
