"""``callable``: a Python function of yours, sync or async, as a bot.

``function(context) -> str`` is called once per reply with the texts so far, oldest first; a parameter named ``seed`` is given one.
With ``batch=true`` it is ``function(contexts, n, seed) -> list[list[str]]``, called once with everything and a seed per context.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

from dialometer.bots._adapters.event_loop import BackgroundLoop
from dialometer.bots._shared.outcome import Outcome, settled
from dialometer.core.artifacts import digest
from dialometer.core.errors import BotError, SpecError
from dialometer.core.ranges import Parallel, check_fields
from dialometer.core.recipes import short
from dialometer.core.seeds import derived, seeds_for
from dialometer.core.types import Turn

_WAY = "callable(target=MODULE:FUNCTION), with MODULE.py in this folder or an installed package"


@dataclass(frozen=True)
class Callable:
    """``target`` is module:function, found in this folder too; ``turns=true`` gives it Turns in place of texts.

    ``concurrency`` is how many calls of an async function are under way at once; a sync one is called once at a time.
    """

    target: str = ""
    batch: bool = False
    turns: bool = False
    concurrency: Parallel = field(default=8, metadata={"recipe": False, "label": False})
    loop: BackgroundLoop = field(default_factory=BackgroundLoop, init=False, repr=False, compare=False)

    name: ClassVar[str] = "callable"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = True  # nobody knows what a function does

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def recipe(self) -> str:
        """Options, and a hash of the files of the module and of the function, which may come from another.

        A function that is in none of them, as in a notebook, is hashed itself.
        """
        function = self.function()
        modules = {getattr(function, "__module__", None), self.target.partition(":")[0]}
        found = sorted({str(getattr(sys.modules.get(name or ""), "__file__", None) or "") for name in modules} - {""})
        parts = [*(Path(file).read_bytes() for file in found), *_own_content(function, found)]
        return short(self, digest(*parts) if parts else "")

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """What the function says; where it raises, that context fails alone."""
        function, seeds = self.function(), seeds_for(seed, contexts)
        given = [list(context) if self.turns else [turn.text for turn in context] for context in contexts]
        if self.batch:
            return self._batch(function, given, n, seeds)
        seeded = _takes_seed(function)
        calls = [
            (context, {"seed": derived(one, k) if k else one} if seeded else {})
            for context, one in zip(given, seeds, strict=True)
            for k in range(n)
        ]
        said = self.loop.run(self._together(function, calls)) if _is_async(function) else self._in_turn(function, calls)
        return settled(
            [_outcome(self.target, said[i * n : (i + 1) * n]) for i in range(len(given))],
            "the function takes a list of texts and returns one text",
        )

    def function(self) -> Any:
        """The function behind the target, imported now."""
        module, mark, path = self.target.partition(":")
        if not (module and mark and path):
            raise SpecError(f"callable(target=…) is module:function, not {self.target!r}", _WAY)
        found: Any = _imported(module)
        for part in path.split("."):
            if not hasattr(found, part):
                there = ", ".join(name for name, value in vars(sys.modules[module]).items() if inspect.isfunction(value))
                raise SpecError(f"the module {module} has no {path!r}; its functions are: {there or 'none'}", _WAY)
            found = getattr(found, part)
        if not callable(found):
            raise SpecError(f"{self.target} is {type(found).__name__}, and not something that can be called", _WAY)
        return found

    def close(self) -> None:
        """End the event loop of async functions."""
        self.loop.close()

    def _batch(self, function: Any, given: list[list[Any]], n: int, seeds: list[int]) -> list[list[str]]:
        try:
            said = function(given, n, seeds)
            said = self.loop.run(_awaited(said)) if inspect.isawaitable(said) else said
        except (Exception, SystemExit) as error:  # it is the user's code, and may raise anything
            raise BotError(
                f"{self.target} raised {_named(error)}", "see the function; it was given all contexts"
            ) from error
        if not isinstance(said, list | tuple) or len(said) != len(given):
            number = f"{len(said)} answers" if isinstance(said, list | tuple) else type(said).__name__
            raise BotError(f"{self.target} gave {number} for {len(given)} contexts", "a list of n texts for each context")
        return [_texts(self.target, one, n) for one in said]

    async def _together(self, function: Any, calls: list[tuple[list[Any], dict[str, int]]]) -> list[Any]:
        gate = asyncio.Semaphore(self.concurrency)

        async def one(context: list[Any], extra: dict[str, int]) -> Any:
            async with gate:
                return await _awaited(function(context, **extra))

        return await asyncio.gather(*(one(*call) for call in calls), return_exceptions=True)

    def _in_turn(self, function: Any, calls: list[tuple[list[Any], dict[str, int]]]) -> list[Any]:
        """One call after the other; what a wrapped async function gives is waited for."""
        said: list[Any] = []
        for context, extra in calls:
            try:
                given = function(context, **extra)
                said.append(self.loop.run(_awaited(given)) if inspect.isawaitable(given) else given)
            except (Exception, SystemExit) as error:  # as above
                said.append(error)
        return said


def _imported(module: str) -> Any:
    """A module from the path or from this folder, which stays on the path for what it imports later."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)  # at the end: a file of this folder must not take the place of an installed package
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            raise SpecError(f"there is no module {module!r}, neither installed nor in {here}", _WAY) from None
        raise SpecError(
            f"the module {module!r} needs {error.name!r}, which is not installed", f"pip install {error.name}"
        ) from error
    except Exception as error:  # a user's module may raise anything
        raise SpecError(
            f"the module {module!r} cannot be imported: {_named(error)}", f"python -c 'import {module}'"
        ) from error


def _own_content(function: Any, files: list[str]) -> list[bytes]:
    """The source of a function that is in none of the files, else its compiled code; nothing if it is not written in Python."""
    written = inspect.unwrap(function)
    code = getattr(written, "__code__", None) or getattr(type(written).__call__, "__code__", None)
    if code is None or Path(code.co_filename).resolve() in {Path(file).resolve() for file in files}:
        return []
    try:
        text = inspect.getsource(code)
    except (OSError, TypeError):
        text = _spelt(code)
    return [text.encode("utf-8", "surrogatepass")]


def _spelt(code: CodeType) -> str:
    """Compiled code in text: instructions, names and constants, of functions inside it too."""
    constants = [_spelt(value) if isinstance(value, CodeType) else repr(value) for value in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


def _takes_seed(function: Any) -> bool:
    try:
        return "seed" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions do not tell
        return False


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


async def _awaited(work: Any) -> Any:
    """What it gives; an exit is given too, since raised it would end the loop, and nobody would ever be answered."""
    try:
        return await work
    except SystemExit as error:
        return error


def _outcome(target: str, said: list[Any]) -> Outcome:
    """The texts of one context, or what went wrong first."""
    for text in said:
        if isinstance(text, BaseException):
            return f"{target} raised {_named(text)}"
        if not isinstance(text, str):
            return f"{target} gave {type(text).__name__}, not a text"
    return said


def _texts(target: str, said: Any, n: int) -> list[str]:
    if isinstance(said, str) or not isinstance(said, list | tuple) or not all(isinstance(text, str) for text in said):
        raise BotError(f"{target} gave something that is not a list of texts", "a list of n texts for each context")
    if len(said) < n:
        raise BotError(f"{target} gave {len(said)} replies where {n} were asked for", "a list of n texts for each context")
    return list(said[:n])


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
