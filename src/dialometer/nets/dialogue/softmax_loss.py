"""−Σ log softmax(x Wᵀ + b) of given targets, with its gradient made on the way: no matrix of all scores is ever kept.

A block of rows is scored, turned into probabilities in place, and used at once for the gradients, while it lies in the cache.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import once_differentiable

from dialometer.nets.training.devices import unmixed

ROWS = 256


class _Surprise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, target: torch.Tensor) -> Any:
        wanted = any(ctx.needs_input_grad)
        each = x.new_empty(len(x))
        dx, dw, db = torch.empty_like(x), torch.zeros_like(w), torch.zeros_like(b)
        room = x.new_empty(min(ROWS, len(x)), len(w))
        for at in range(0, len(x), ROWS):
            some, right = x[at : at + ROWS], target[at : at + ROWS, None]
            scores = torch.addmm(b, some, w.T, out=room[: len(some)])
            top = scores.amax(1, keepdim=True)
            said = scores.gather(1, right)
            total = scores.sub_(top).exp_().sum(1, keepdim=True)
            each[at : at + ROWS] = (total.log() + top - said)[:, 0]
            if wanted:
                scores.div_(total).scatter_add_(1, right, torch.full_like(said, -1.0))
                torch.mm(scores, w, out=dx[at : at + ROWS])
                dw.addmm_(scores.T, some)
                db += scores.sum(0)
        ctx.save_for_backward(dx, dw, db)
        ctx.mark_non_differentiable(each)
        return each.sum(), each

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: torch.Tensor, _: torch.Tensor) -> Any:
        dx, dw, db = ctx.saved_tensors
        return dx.mul_(scale), dw.mul_(scale), db.mul_(scale), None


def surprise(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The sum, which has a gradient, and the value of each row, which has none."""
    with unmixed(w):
        return _Surprise.apply(x.to(w.dtype), w, b, target)  # type: ignore[no-untyped-call]
