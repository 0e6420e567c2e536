"""VHRED: where its latents come from."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.dialogue.data import Batch  # noqa: E402
from dialometer.nets.dialogue.latent import divergence  # noqa: E402
from tests.nets.dialogue.small import network, random_talks, whole  # noqa: E402

DATA = random_talks(10)


def test_costs_are_those_of_posterior_and_prior():
    net = network("vhred")
    batch = whole(DATA, range(10))
    told = net(batch)
    read = net.encode(batch)
    _, before = net.follower(read, batch)
    p, q = net.prior(before), net.posterior(torch.cat([before, read], dim=1))
    assert torch.allclose(told.kl, divergence(q, p))
    assert told.talk_kl is None
    assert not told.excess.requires_grad
    with torch.inference_mode():
        many = net(Batch(DATA, np.zeros(3000, int), tuple(range(3000)))).excess.view(3000, -1)
    assert many.mean(0).numpy() == pytest.approx(told.kl[: many.shape[1]].detach().numpy(), rel=0.15), "on average the same"


def test_equal_prior_and_posterior_cost_nothing():
    net = network("vhred")
    with torch.no_grad():
        for layer in (net.prior, net.posterior):
            layer.out.weight.zero_()
            layer.out.bias.copy_(torch.arange(6.0))
    told = net(whole(DATA, range(10)))
    assert told.kl.abs().max().item() == 0
    assert told.excess.abs().max().item() == 0


def test_a_reply_begins_with_a_draw_from_the_prior():
    """The speaker adds W [context, z] + b to all it hears: z comes back by least squares."""
    net = network("vhred")
    rows, wide = 4000, net.sizes.context
    with torch.inference_mode():
        _, added = net.decoder_state(Batch(DATA, np.zeros(rows, int), tuple(range(rows))))
        context = net.context(Batch(DATA, np.zeros(1, int)))
        prior = net.prior(context)
        always = net.speaker.always
        rest = added - always.bias - context @ always.weight[:, :wide].T
        z = torch.linalg.lstsq(always.weight[:, wide:], rest.T).solution.T
        noise = (z - prior.mean) / torch.exp(0.5 * prior.log_variance)
    assert noise.mean(0).numpy() == pytest.approx(np.zeros(3), abs=0.07)
    assert np.cov(noise.numpy().T) == pytest.approx(np.eye(3), abs=0.1)


def test_the_same_seed_the_same_latent():
    net = network("vhred")
    one, two = (net.decoder_state(whole(DATA, range(5, 15)))[1] for _ in range(2))
    other = net.decoder_state(whole(DATA, range(10)))[1]
    assert torch.allclose(one, two)
    assert not torch.isclose(one, other).all(1).any()
