"""Gaussian latents and their KL divergence (Kingma & Welling 2014)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn

LIMIT = 8.0  # |log variance| stays below, so that exp of it is finite


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Independent normal numbers: mean and log variance, (rows, width) each."""

    mean: torch.Tensor
    log_variance: torch.Tensor

    def draw(self, noise: torch.Tensor | None = None) -> torch.Tensor:
        """μ + σ ε; torch draws ε unless it is given."""
        noise = torch.randn_like(self.mean) if noise is None else noise.to(self.mean.dtype)
        return self.mean + torch.exp(0.5 * self.log_variance) * noise

    def log_density(self, z: torch.Tensor) -> torch.Tensor:
        """log N(z; μ, σ²) of each row."""
        squares = (z - self.mean) ** 2 / torch.exp(self.log_variance)
        return -0.5 * (math.log(2 * math.pi) + self.log_variance + squares).sum(1)


class Latent(nn.Module):
    """Inputs → a Gaussian, by one hidden layer."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.inner = nn.Linear(inputs, max(inputs // 2, width))
        self.out = nn.Linear(max(inputs // 2, width), 2 * width)

    def forward(self, inputs: torch.Tensor) -> Gaussian:
        """Mean and log variance, the latter kept within bounds."""
        moments = self.out(torch.tanh(self.inner(inputs))).to(
            self.out.weight.dtype
        )  # the KL is computed in full precision under autocast
        mean, spread = moments.chunk(2, dim=1)
        return Gaussian(mean, LIMIT * torch.tanh(spread / LIMIT))


def standard(like: torch.Tensor) -> Gaussian:
    """N(0, I)."""
    return Gaussian(torch.zeros_like(like), torch.zeros_like(like))


def divergence(q: Gaussian, p: Gaussian) -> torch.Tensor:
    """KL(q ‖ p) of each row, in nats.

    >>> one = Gaussian(torch.ones(1, 2), torch.zeros(1, 2))
    >>> divergence(one, one).tolist(), divergence(one, standard(one.mean)).tolist()
    ([0.0], [1.0])
    """
    ratio = q.log_variance - p.log_variance
    return 0.5 * (torch.exp(ratio) + (q.mean - p.mean) ** 2 / torch.exp(p.log_variance) - 1 - ratio).sum(1)
