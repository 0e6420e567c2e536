"""Bounds and estimates of likelihoods against integrals over a grid of the latents, which are exact."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.bots._generative.generation import log_probabilities  # noqa: E402
from dialometer.nets.dialogue import likelihood  # noqa: E402
from dialometer.nets.dialogue.data import Batch  # noqa: E402
from dialometer.nets.dialogue.latent import Gaussian, standard  # noqa: E402
from dialometer.nets.dialogue.likelihood import Likelihoods, likelihoods  # noqa: E402
from tests.nets.dialogue.small import NETWORKS, network, random_talks, talks_of, whole  # noqa: E402

TALK = [[2, 5, 3], [4, 4, 7, 8]]
GRID = torch.linspace(-6, 6, 97, dtype=torch.float64)[:, None]
STEP = float(GRID[1] - GRID[0])


def said(net, utterance, given):
    """log p of an utterance for every row of what the speaker is given."""
    batch = whole(talks_of([[utterance]] * len(given)))
    return -net.speaker(net.words, batch, given)[1]


def turn_integral(net, utterance, given, prior):
    """log ∫ p(x | z, …) p(z) dz for each row, z on a grid around each row's prior."""
    z = prior.mean[:, None] + torch.exp(0.5 * prior.log_variance)[:, None] * GRID  # rows, grid, 1
    left, right = (part[:, None].expand(-1, len(GRID), -1) for part in given)
    logs = said(net, utterance, torch.cat([left, z, right], dim=2).flatten(0, 1)).view(len(z), -1)
    weight = standard(GRID).log_density(GRID) + np.log(STEP)
    return torch.logsumexp(logs + weight, 1)


def gentle(name):
    """A speaker who cares for its latent, and guesses at it that are wrong by so much that few draws tell."""
    net = network(name, latent=1, seed=2, loud=1.5)
    with torch.no_grad():
        for weight in net.speaker.parameters():
            weight.mul_(2)
    return net


@pytest.fixture(scope="module")
def vhred():
    return gentle("vhred")


@pytest.fixture(scope="module")
def vhcr():
    return gentle("vhcr")


@pytest.fixture(scope="module")
def exact(vhred):
    """log p of both utterances, and the bound E_q log p(x | z) − KL, by integration."""
    batch = whole(talks_of([TALK]))
    with torch.inference_mode():
        read = vhred.encode(batch)
        _, before = vhred.follower(read, batch)
        p, q = vhred.prior(before), vhred.posterior(torch.cat([before, read], dim=1))
        logs, bounds = [], []
        for row, utterance in enumerate(TALK):
            mine = slice(row, row + 1)
            prior = Gaussian(p.mean[mine], p.log_variance[mine])
            logs.append(turn_integral(vhred, utterance, (before[mine], before[mine, :0]), prior).item())
            z = q.mean[row] + torch.exp(0.5 * q.log_variance[row]) * GRID
            inside = said(vhred, utterance, torch.cat([before[mine].expand(len(z), -1), z], dim=1))
            weight = torch.exp(standard(GRID).log_density(GRID)) * STEP
            from_p = prior.log_density(z)
            from_q = Gaussian(q.mean[mine], q.log_variance[mine]).log_density(z)
            bounds.append((weight * (inside + from_p - from_q)).sum().item())
    return np.array(logs), np.array(bounds)


def draws(net, talk, count=10_000):
    """−log p, log q − log p of the latents, and KL, per draw and turn, of one conversation; and those of its own latent."""
    batch = Batch(talks_of([talk]), np.zeros(count, int), tuple(range(count)))
    with torch.inference_mode():
        told = net(batch)
    turns = [part.view(count, len(talk)) for part in (told.nll, told.excess, told.kl)]
    return *turns, told.talk_excess, told.talk_kl


@pytest.fixture
def same_draws(monkeypatch):
    """Draw number k is made from the seed k, as in ``draws``."""
    monkeypatch.setattr(likelihood, "derived", lambda seed, draw, talk: draw)


def log_means(weights, size):
    """The mean, over groups of ``size`` draws, of the logarithm of the mean weight."""
    groups = weights.view(-1, size, *weights.shape[1:])
    return (torch.logsumexp(groups, 1) - np.log(size)).mean(0).numpy()


def test_the_bound_holds(vhred, exact, same_draws):
    logs, bounds = exact
    nll, _, kl, _, _ = draws(vhred, TALK)
    assert (bounds < logs).all()
    assert bounds.sum() < logs.sum() - 0.1, "and here it is not tight"
    assert -(nll + kl).mean(0).numpy() == pytest.approx(bounds, abs=0.1)
    found = likelihoods(vhred, talks_of([TALK]), samples=20)
    assert found.bound == pytest.approx((nll + kl)[:20].mean(0).numpy())
    assert found.bound == pytest.approx(found.nll + found.kl)


def test_more_samples_are_nearer_to_the_truth(vhred, exact, same_draws):
    logs, bounds = exact
    nll, excess, _, _, _ = draws(vhred, TALK)
    weights = -nll - excess
    assert weights.mean(0).numpy() == pytest.approx(bounds, abs=0.1), "one sample is the bound"
    assert log_means(weights, 10_000) == pytest.approx(logs, abs=0.1)
    few, more = log_means(weights, 4), log_means(weights, 40)
    assert (bounds < few).all()
    assert (few < more).all()
    assert (more < logs).all()
    found = likelihoods(vhred, talks_of([TALK]), samples=20)
    assert -found.estimate == pytest.approx(log_means(weights[:20], 20))


def talk_integral(net, talk):
    """log ∫ p(z) Π_t p(x_t | x_<t, z) dz: given the conversation's z the turns' latents are integrated one by one."""
    batch = whole(talks_of([talk]))
    with torch.inference_mode():
        read = net.encode(batch)
        logs = standard(GRID).log_density(GRID) + np.log(STEP)
        copies = Batch(batch.data, np.zeros(len(GRID), int))
        many = read.repeat(len(GRID), 1)
        _, before, z_here = net.run_context(copies, many, GRID)
        prior = net.prior(torch.cat([before, z_here], dim=1))
        for row, utterance in enumerate(talk):
            mine = slice(row, None, len(talk))
            own = Gaussian(prior.mean[mine], prior.log_variance[mine])
            logs = logs + turn_integral(net, utterance, (before[mine], z_here[mine]), own)
        return torch.logsumexp(logs, 0).item()


@pytest.mark.parametrize("talk", [TALK[:1], TALK])
def test_two_kinds_of_latents(vhcr, talk, same_draws):
    """vhcr: the bound lies below log p of the whole conversation, and many samples come near it."""
    truth = talk_integral(vhcr, talk)
    nll, excess, kl, talk_excess, talk_kl = draws(vhcr, talk)
    bound = -((nll + kl).sum(1) + talk_kl).mean().item()
    weights = -(nll + excess).sum(1) - talk_excess
    assert bound < truth - 0.1
    assert weights.mean().item() == pytest.approx(bound, abs=0.1)
    assert log_means(weights, 10_000) == pytest.approx(truth, abs=0.1)
    assert bound < log_means(weights, 4) < log_means(weights, 40) < truth
    found = likelihoods(vhcr, talks_of([talk]), samples=20)
    assert -found.bound.sum() == pytest.approx(-((nll + kl).sum(1) + talk_kl)[:20].mean().item())
    assert -found.estimate.sum() == pytest.approx(float(log_means(weights[:20], 20)))


def test_a_reply_under_a_latent_of_the_conversation(vhcr, same_draws):
    truth = talk_integral(vhcr, TALK) - talk_integral(vhcr, TALK[:1])
    parts = []
    for talk in (TALK, TALK[:1]):
        nll, excess, _, talk_excess, _ = draws(vhcr, talk)
        parts.append(-(nll + excess).sum(1) - talk_excess)
    assert log_means(parts[0], 10_000) - log_means(parts[1], 10_000) == pytest.approx(truth, abs=0.1)
    sums, events = log_probabilities(vhcr, talks_of([TALK]), samples=20)
    assert sums == pytest.approx([float(log_means(parts[0][:20], 20) - log_means(parts[1][:20], 20))])
    assert events.tolist() == [5]


@pytest.mark.parametrize("name", NETWORKS)
def test_neither_company_nor_place_changes_a_likelihood(name):
    """Latents are drawn by what was said, so that a response has one likelihood wherever it stands."""
    net, data = network(name), random_talks(20, seed=5)
    found = likelihoods(net, data, samples=2)
    order = np.random.default_rng(0).permutation(20)[:13]
    other = likelihoods(net, data.some(order), samples=2)
    rows = Batch(data, order).rows
    for part in ("nll", "kl", "bound", "estimate"):
        assert getattr(other, part) == pytest.approx(getattr(found, part)[rows], rel=1e-9)
    sums, events = log_probabilities(net, data.some(np.flatnonzero(np.diff(data.talks) > 1)), 2)
    back = data.some(np.flatnonzero(np.diff(data.talks) > 1)[::-1])
    again, counts = log_probabilities(net, back, 2)
    assert again[::-1] == pytest.approx(sums, rel=1e-9)
    assert counts[::-1].tolist() == events.tolist()


@pytest.mark.parametrize("name", ["hred", "lstmlm", "mrrnn", "seq2seq"])
def test_without_latents_all_are_one(name):
    net, data = network(name), random_talks(9)
    found = likelihoods(net, data, samples=3)
    assert found.nll == pytest.approx(net(whole(data)).nll.detach().numpy())
    assert (found.bound == found.nll).all()
    assert (found.estimate == found.nll).all()
    assert not found.kl.any()


def test_other_seeds_other_draws(vhred):
    data = random_talks(6)
    one, two = (likelihoods(vhred, data, seed=seed) for seed in (0, 1))
    assert not np.isclose(one.nll, two.nll).all()
    assert one.kl == pytest.approx(two.kl)
    assert likelihoods(vhred, data).nll == pytest.approx(one.nll, rel=1e-12)


def test_what_a_conversation_shares_is_spread_over_it(vhcr):
    data = random_talks(9, seed=2)
    found = likelihoods(vhcr, data, samples=3)
    told = vhcr(whole(data))
    shared = (told.talk_kl.detach().numpy() / np.diff(data.talks))[np.repeat(np.arange(9), np.diff(data.talks))]
    gap = found.estimate - found.bound
    for talk in range(9):
        mine = slice(data.talks[talk], data.talks[talk + 1])
        assert np.ptp(gap[mine]) < 1e-9
    assert (found.kl > shared - 1e-9).all()


def test_a_summary_by_hand():
    """Two conversations; replies are utterances 1 and 3, of 3 and 2 events."""
    data = talks_of([[[5], [6, 7]], [[8], [9]]])
    found = Likelihoods(
        np.array([9.0, 2, 9, 3]), np.array([7.0, 1, 7, 2]), np.array([16.0, 3, 16, 5]), np.array([15.0, 2, 15, 3])
    )
    told = found.summary(data)
    assert told == {
        "perplexity": pytest.approx(np.exp(8 / 5)),
        "perplexity_estimate": pytest.approx(np.exp(5 / 5)),
        "kl": 1.5,
        "turns": 2,
        "words": 5,
    }
    lone = talks_of([[[5]], [[6, 7]]])
    assert Likelihoods(*np.ones((4, 2))).summary(lone)["turns"] == 2, "where nobody replies, all are counted"


@pytest.mark.parametrize("name", ["vhcr", "vhred"])
def test_a_neighbours_latent_is_another(name):
    net, data = network(name), random_talks(9)
    own, swapped = likelihoods(net, data), likelihoods(net, data, swap=True)
    assert own.kl == pytest.approx(swapped.kl)
    assert not np.isclose(own.nll, swapped.nll).all()


def test_nothing_to_tell(vhred):
    assert likelihoods(vhred, random_talks(3).some(np.array([], int))).nll.shape == (0,)
