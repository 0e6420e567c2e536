"""Gaussian latents against torch.distributions."""

import math

import pytest

torch = pytest.importorskip("torch")

from torch.distributions import Independent, Normal, kl_divergence  # noqa: E402

from dialometer.nets.dialogue.latent import LIMIT, Gaussian, Latent, divergence, standard  # noqa: E402


def gaussian(seed, rows=6, width=3):
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randn(2, rows, width, generator=generator, dtype=torch.float64)
    return Gaussian(numbers[0], 2 * numbers[1])


def torchs(one):
    return Independent(Normal(one.mean, torch.exp(0.5 * one.log_variance)), 1)


def test_divergence_is_torchs():
    q, p = gaussian(1), gaussian(2)
    assert torch.allclose(divergence(q, p), kl_divergence(torchs(q), torchs(p)), rtol=1e-12)
    assert (divergence(q, p) > 0).all()


def test_equal_ones_do_not_diverge():
    q = gaussian(3)
    assert divergence(q, Gaussian(q.mean.clone(), q.log_variance.clone())).tolist() == [0.0] * 6


def test_density_is_torchs():
    one = gaussian(4)
    z = gaussian(5).mean
    assert torch.allclose(one.log_density(z), torchs(one).log_prob(z), rtol=1e-12)
    assert standard(z).log_density(torch.zeros_like(z))[0].item() == pytest.approx(-1.5 * math.log(2 * math.pi))


def test_draws():
    one = gaussian(6)
    noise = gaussian(7).mean
    assert torch.allclose((one.draw(noise) - one.mean) / torch.exp(0.5 * one.log_variance), noise)
    torch.manual_seed(0)
    wide = Gaussian(torch.full((40_000, 1), 2.0), torch.full((40_000, 1), math.log(9.0)))
    drawn = wide.draw()
    assert drawn.mean().item() == pytest.approx(2, abs=0.1)
    assert drawn.std().item() == pytest.approx(3, abs=0.1)


def test_draws_and_costs_have_gradients():
    mean = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    spread = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    p, noise = gaussian(1, rows=2), gaussian(2, rows=2).mean

    def cost(mean, spread):
        q = Gaussian(mean, spread)
        return divergence(q, p) + q.draw(noise).sum(1) + q.log_density(noise)

    assert torch.autograd.gradcheck(cost, (mean, spread))


def test_the_variance_has_bounds():
    layer = Latent(4, 3).double()
    with torch.no_grad():
        layer.out.weight.mul_(1e6)
    made = layer(torch.randn(50, 4, dtype=torch.float64))
    assert made.log_variance.abs().max() <= LIMIT
    assert made.mean.abs().max() > LIMIT
    assert made.mean.shape == made.log_variance.shape == (50, 3)
