"""GRU (Cho et al. 2014) and LSTM (Hochreiter & Schmidhuber 1997) over packed sequences, with the gradients written out.

Torch's layers allocate a gradient as large as the whole input at every step on a CPU; here every step writes its own rows, and
the weights' gradient is one matrix product at the end. Formulas and layout of the weights are torch's.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear

from dialometer.nets.training.devices import unmixed


class _GruSteps(torch.autograd.Function):
    """``inputs`` (elements, 3h) is W x + b of each element; gates are ordered reset, update, new."""

    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, w: torch.Tensor, b: torch.Tensor, first: torch.Tensor, sizes: list[int]
    ) -> Any:
        n, h = len(inputs), first.shape[1]
        gates, inner = torch.empty_like(inputs), inputs.new_empty(n, h)
        before, after = inputs.new_empty(n, h), inputs.new_empty(n, h)
        state, at = first.clone(), 0
        for size in sizes:
            some, now = slice(at, at + size), state[:size]
            before[some] = now
            recurrent = torch.addmm(b, now, w.T)
            gate = gates[some]
            torch.add(inputs[some, : 2 * h], recurrent[:, : 2 * h], out=gate[:, : 2 * h]).sigmoid_()
            inner[some] = recurrent[:, 2 * h :]
            torch.addcmul(inputs[some, 2 * h :], gate[:, :h], recurrent[:, 2 * h :], out=gate[:, 2 * h :]).tanh_()
            new = gate[:, 2 * h :]
            torch.lerp(new, now, gate[:, h : 2 * h], out=after[some])  # n + z (h − n)
            now.copy_(after[some])
            at += size
        ctx.save_for_backward(w, gates, inner, before)
        ctx.sizes = sizes
        return after, state

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_after: torch.Tensor, d_last: torch.Tensor) -> Any:
        w, gates, inner, before = ctx.saved_tensors
        n, h = before.shape
        d_inputs, d_recurrent = torch.empty_like(gates), torch.empty_like(gates)
        d_state, at = d_last.clone(), n
        for size in reversed(ctx.sizes):
            at -= size
            some, d = slice(at, at + size), d_state[:size]
            d += d_after[some]
            reset, update, new = gates[some].split(h, dim=1)
            out, recurrent = d_inputs[some], d_recurrent[some]
            d_new = torch.mul(d, 1 - update, out=out[:, 2 * h :]).mul_(1 - new * new)
            torch.mul(d, before[some] - new, out=out[:, h : 2 * h]).mul_(update * (1 - update))
            torch.mul(d_new, inner[some], out=out[:, :h]).mul_(reset * (1 - reset))
            recurrent[:, : 2 * h] = out[:, : 2 * h]
            torch.mul(d_new, reset, out=recurrent[:, 2 * h :])
            d.mul_(update).addmm_(recurrent, w)
        return d_inputs, d_recurrent.T @ before, d_recurrent.sum(0), d_state, None


class _LstmSteps(torch.autograd.Function):
    """``inputs`` (elements, 4h) is W x + b of each element; gates are ordered input, forget, cell, output."""

    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, w: torch.Tensor, first: torch.Tensor, cell: torch.Tensor, sizes: list[int]
    ) -> Any:
        n, h = len(inputs), first.shape[1]
        gates = torch.empty_like(inputs)
        before, cells, tanhs, after = (inputs.new_empty(n, h) for _ in range(4))
        state, held, at = first.clone(), cell.clone(), 0
        for size in sizes:
            some, now, c = slice(at, at + size), state[:size], held[:size]
            before[some], cells[some] = now, c
            gate = torch.addmm(inputs[some], now, w.T, out=gates[some])
            gate[:, : 2 * h].sigmoid_()
            gate[:, 2 * h : 3 * h].tanh_()
            gate[:, 3 * h :].sigmoid_()
            c.mul_(gate[:, h : 2 * h]).addcmul_(gate[:, :h], gate[:, 2 * h : 3 * h])
            torch.tanh(c, out=tanhs[some])
            torch.mul(gate[:, 3 * h :], tanhs[some], out=after[some])
            now.copy_(after[some])
            at += size
        ctx.save_for_backward(w, gates, before, cells, tanhs)
        ctx.sizes = sizes
        return after, state, held

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_after: torch.Tensor, d_last: torch.Tensor, d_held: torch.Tensor) -> Any:
        w, gates, before, cells, tanhs = ctx.saved_tensors
        n, h = before.shape
        d_inputs = torch.empty_like(gates)
        d_state, d_cell, at = d_last.clone(), d_held.clone(), n
        for size in reversed(ctx.sizes):
            at -= size
            some, d, dc = slice(at, at + size), d_state[:size], d_cell[:size]
            d += d_after[some]
            enter, forget, new, leave = gates[some].split(h, dim=1)
            out, tanh = d_inputs[some], tanhs[some]
            torch.mul(d, tanh, out=out[:, 3 * h :]).mul_(leave * (1 - leave))
            dc += d * leave * (1 - tanh * tanh)
            torch.mul(dc, new, out=out[:, :h]).mul_(enter * (1 - enter))
            torch.mul(dc, cells[some], out=out[:, h : 2 * h]).mul_(forget * (1 - forget))
            torch.mul(dc, enter, out=out[:, 2 * h : 3 * h]).mul_(1 - new * new)
            dc *= forget
            torch.mm(out, w, out=d)
        return d_inputs, d_inputs.T @ before, d_state, d_cell, None


class _Recurrent(nn.Module):
    """Weights as torch names them, drawn as torch draws them."""

    gates: int
    weight_ih: nn.Parameter
    weight_hh: nn.Parameter
    bias_ih: nn.Parameter
    bias_hh: nn.Parameter

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        bound = 1 / math.sqrt(hidden)
        for name, shape in (("ih", (self.gates * hidden, width)), ("hh", (self.gates * hidden, hidden))):
            setattr(self, f"weight_{name}", nn.Parameter(torch.empty(shape).uniform_(-bound, bound)))
            setattr(self, f"bias_{name}", nn.Parameter(torch.empty(shape[0]).uniform_(-bound, bound)))


class Gru(_Recurrent):
    """Packed (elements, width) → the state after each element, and the last state of each sequence."""

    gates = 3

    def forward(
        self, vectors: torch.Tensor, sizes: list[int], state: tuple[torch.Tensor, ...] | None = None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """``sizes`` sequences take part in each step; ``state`` is the one before the first step, in the same order."""
        w, b = self.weight_hh, self.bias_hh
        first = w.new_zeros(sizes[0], self.hidden) if state is None else state[0].to(w.dtype)
        inputs = linear(vectors, self.weight_ih, self.bias_ih).to(w.dtype)
        with unmixed(w):
            after, last = _GruSteps.apply(inputs, w, b, first, sizes)  # type: ignore[no-untyped-call]
        return after, (last,)


class Lstm(_Recurrent):
    """Packed (elements, width) → the state after each element, and the last state and cell of each sequence."""

    gates = 4

    def forward(
        self, vectors: torch.Tensor, sizes: list[int], state: tuple[torch.Tensor, ...] | None = None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """``sizes`` sequences take part in each step; ``state`` is that before the first step, in the same order."""
        w = self.weight_hh
        first, cell = (w.new_zeros(sizes[0], self.hidden),) * 2 if state is None else (part.to(w.dtype) for part in state)
        inputs = linear(vectors, self.weight_ih, self.bias_ih + self.bias_hh).to(w.dtype)
        with unmixed(w):
            after, last, held = _LstmSteps.apply(inputs, w, first, cell, sizes)  # type: ignore[no-untyped-call]
        return after, (last, held)
