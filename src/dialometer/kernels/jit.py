"""One kernel source, two ways to run it: compiled by numba, or plain Python on lists."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from dialometer.kernels.code_cache import CodeCache

Kernel = Callable[..., Any]
_SIGNATURES: dict[Kernel, str | None] = {}
_COMPILED: dict[Kernel, Kernel] = {}

# Up to this many elementary steps in all, plain Python is done before numba (over a CPU-second) is even loaded.
PLAIN_STEPS = 2_000_000
_plain_steps = 0


def kernel(signature: str) -> Callable[[Kernel], Kernel]:
    """Mark a function as a kernel with an explicit numba signature."""

    def mark(function: Kernel) -> Kernel:
        _SIGNATURES[function] = signature
        return function

    return mark


def helper(function: Kernel) -> Kernel:
    """Mark a function that kernels call; it is compiled into them."""
    _SIGNATURES[function] = None
    return function


def run(function: Kernel, *arguments: Any, steps: int, alone: bool = False) -> Any:
    """Run a kernel of about ``steps`` elementary steps, compiled where that is worth it.

    With ``alone`` these steps do not count for other kernels: work that is done once says nothing of what comes after it.
    """
    arrays = sum(len(a) for a in arguments if isinstance(a, np.ndarray))
    steps += arrays // 8
    worth = function in _COMPILED or steps > PLAIN_STEPS if alone else worth_compiling(function, steps)
    return compiled(function)(*arguments) if worth else plain(function, *arguments)


def worth_compiling(function: Kernel, steps: int) -> bool:
    """Whether a kernel is loaded already, or plain work so far and this would take longer than loading it.

    Counting over the whole process keeps many small pieces of work from staying slow for ever.
    """
    global _plain_steps
    if function in _COMPILED:
        return True
    _plain_steps += steps
    return _plain_steps > PLAIN_STEPS


def plain(function: Kernel, *arguments: Any) -> Any:
    """Run a kernel as plain Python: arrays become lists, ``out_…`` lists are copied back."""
    lists = [a.tolist() if isinstance(a, np.ndarray) else a for a in arguments]
    result = function(*lists)
    for name, array, values in zip(_parameters(function), arguments, lists, strict=True):
        if name.startswith("out_"):
            array[:] = values
    return result


def compiled(function: Kernel) -> Kernel:
    """The numba form of a kernel or helper, compiled or read from the cache folder on first use."""
    if function not in _COMPILED:
        assert isinstance(function, FunctionType)
        from numba import njit

        names = {
            name: compiled(value) if isinstance(value, FunctionType) and value in _SIGNATURES else value
            for name, value in function.__globals__.items()
            if name in function.__code__.co_names
        }
        names["__name__"] = function.__module__
        clone = FunctionType(function.__code__, names, function.__name__)
        signature = _SIGNATURES[function]
        # Kernels allocate nothing, so arrays need no reference counting (_nrt), which would double their time.
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False} | (
            {} if signature else {"inline": "always"}
        )
        made = njit(**options)(clone)
        made._cache = CodeCache(function, _source())  # in the place of numba's own, which unpickles whatever it finds
        if signature:
            made.compile(_readonly_inputs(function, signature))
            made.disable_compile()
        _COMPILED[function] = made
    return _COMPILED[function]


def _readonly_inputs(function: Kernel, signature: str) -> Any:
    """The signature with every array that is not ``out_…`` or ``tmp_…`` read-only, so that memory maps fit."""
    from numba.core import sigutils, types

    arguments, result = sigutils.normalize_signature(signature)
    made = [
        types.Array(a.dtype, a.ndim, a.layout, readonly=True)
        if isinstance(a, types.Array) and not name.startswith(("out_", "tmp_"))
        else a
        for name, a in zip(_parameters(function), arguments, strict=True)
    ]
    return result(*made)


@cache
def _parameters(function: Kernel) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


@cache
def _source() -> str:
    """A digest of all kernel sources: a kernel is compiled again when a helper elsewhere changed."""
    digest = blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
