"""``command``: any program that speaks JSON lines, in any language, as a bot.

It reads ``{"id", "context": [{"speaker", "text"}, …], "n", "seed"}`` a line, and writes ``{"id", "replies": [n texts]}`` or
``{"id", "error": "…"}`` a line, in any order. It is started once, and kept until its input ends.
"""

from __future__ import annotations

import shlex
import shutil
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from pathlib import Path
from threading import Lock
from typing import ClassVar

from dialometer.bots._adapters.command_process import Process, Stopped
from dialometer.bots._shared.messages import sendable
from dialometer.bots._shared.outcome import Outcome, settled
from dialometer.core.artifacts import digest
from dialometer.core.errors import SpecError
from dialometer.core.files import LARGE, read_limited
from dialometer.core.ranges import Parallel, Retries, Seconds, check_fields
from dialometer.core.recipes import short
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn

_HOW = {"recipe": False, "label": False}  # how it is asked, which changes no reply
_WAY = "print answers, one JSON object a line and flushed, to standard output, and everything else to standard error"


ENOUGH = 5  # stops in a row without any answer, beyond the retries: then the program is left alone


class _Kept:
    """The process in use, for one call at a time; a copy has none yet."""

    def __init__(self) -> None:
        self.process: Process | None = None
        self.lock, self.numbers = Lock(), count(1)

    def __reduce__(self) -> tuple[type[_Kept], tuple[()]]:
        return type(self), ()

    def end(self, *grace: float) -> None:
        """End the process, if there is one."""
        if self.process is not None:
            self.process.end(*grace)
            self.process = None


@dataclass(frozen=True)
class Command:
    """``argv`` is the command line; ``timeout`` is in seconds without any answer, ``ahead`` how many requests are sent ahead.

    A program that dies, falls silent or writes nonsense is started again, ``retries`` times for the same context.
    """

    argv: str = ""
    timeout: Seconds = field(default=60.0, metadata=_HOW)
    retries: Retries = field(default=1, metadata=_HOW)
    ahead: Parallel = field(default=16, metadata=_HOW)
    kept: _Kept = field(default_factory=_Kept, init=False, repr=False, compare=False)

    name: ClassVar[str] = "command"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = True  # nobody knows what a program does

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def recipe(self) -> str:
        """The command line, and a hash of the files it names; where these lie changes nothing, and is not told.

        A script that is found on the PATH, ``--option=FILE`` and ``-m MODULE`` of this folder count as named.
        """
        words = self._words()
        program = shutil.which(words[0])
        if program is None:
            raise SpecError(f"there is no program {words[0]!r} that can be started", 'command(argv="python my_bot.py")')
        files = {word: Path(word) for word in words if Path(word).is_file()}
        shown = replace(self, argv=shlex.join(files[word].name if word in files else word for word in words))
        every = [*files.values(), *_named_files(words, Path(program))]
        return short(shown, digest(*(read_limited(path, LARGE) for path in every)) if every else "")

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """What the program answers; a context that it fails on fails alone."""
        asked: list[dict[str, object]] = [
            {
                "context": [{"speaker": sendable(turn.speaker), "text": sendable(turn.text)} for turn in context],
                "n": n,
                "seed": one,
            }
            for context, one in zip(contexts, seeds_for(seed, contexts), strict=True)
        ]
        with self.kept.lock:
            return settled(self._ask(asked, n), _WAY)

    def close(self) -> None:
        """End the program."""
        with self.kept.lock:
            self.kept.end()

    def _words(self) -> list[str]:
        try:
            words = shlex.split(self.argv)
        except ValueError as error:
            raise SpecError(
                f"command(argv=…) cannot be split into words ({error})", 'command(argv="python my_bot.py")'
            ) from None
        if not words:
            raise SpecError("command(argv=…) is missing: which program?", 'command(argv="python my_bot.py")')
        return words

    def _ask(self, asked: list[dict[str, object]], n: int) -> list[Outcome]:
        """Send, read, and start again after a stop, until every context has its outcome."""
        work = _Work(deque(range(len(asked))), [0] * len(asked), ["not asked"] * len(asked))
        while work.left:
            process = self._process(fresh=not work.pending)
            try:
                for row in work.next_rows(self.ahead):
                    number = next(self.kept.numbers)
                    work.pending[number] = row
                    process.send({"id": number, **asked[row]})
                number, outcome = _outcome(process.answer(self.timeout), work.pending, n)
                work.outcomes[work.pending.pop(number)] = outcome
                work.fruitless = 0
            except Stopped as stopped:
                self.kept.end(0.0)
                work.stopped(f"{self.argv}: {stopped}", self.retries)
        return work.outcomes

    def _process(self, *, fresh: bool) -> Process:
        """The process in use; between requests, one that ended is replaced."""
        if fresh and self.kept.process is not None and not self.kept.process.alive:
            self.kept.end(0.0)
        if self.kept.process is None:
            self.kept.process = Process(self._words())
        return self.kept.process


def _named_files(words: list[str], program: Path) -> list[Path]:
    """Files that a command line names without being one of its words."""
    values = [Path(word.partition("=")[2]) for word in words if word.startswith("-") and "=" in word]
    modules = [Path(after.replace(".", "/")) for word, after in pairwise(words) if word == "-m"]
    places = [*values, *(place for name in modules for place in (name.with_suffix(".py"), name / "__main__.py"))]
    if not Path(words[0]).is_file() and _is_script(program):
        places.append(program)
    return [place for place in places if place.is_file()]


def _is_script(program: Path) -> bool:
    """Whether a program is text that an interpreter runs; interpreters themselves are other files on every machine."""
    with program.open("rb") as file:
        return file.read(2) == b"#!"


@dataclass
class _Work:
    """Which contexts wait, which are under way (by number), and which were under way when the program stopped."""

    waiting: deque[int]
    tries: list[int]
    outcomes: list[Outcome]
    suspects: deque[int] = field(default_factory=deque)
    pending: dict[int, int] = field(default_factory=dict)
    fruitless: int = 0

    @property
    def left(self) -> bool:
        return bool(self.waiting or self.suspects or self.pending)

    def next_rows(self, ahead: int) -> list[int]:
        """What to send now: a suspect goes alone, so that the one at fault is found."""
        if self.suspects:
            return [] if self.pending else [self.suspects.popleft()]
        alone = any(self.tries[row] for row in self.pending.values())
        room = 0 if alone else min(ahead - len(self.pending), len(self.waiting))
        return [self.waiting.popleft() for _ in range(room)]

    def stopped(self, reason: str, retries: int) -> None:
        """Count a try for all that were under way; those that have one left are suspects."""
        self.fruitless += 1
        alone = len(self.pending) == 1
        for row in self.pending.values():
            self.tries[row] += 1
            self.outcomes[row] = reason
            if self.tries[row] <= retries or not alone:
                self.suspects.append(row)
        self.pending.clear()
        if self.fruitless > retries + ENOUGH:
            for row in (*self.suspects, *self.waiting):
                self.outcomes[row] = f"{reason}; it was started {self.fruitless} times without any answer"
            self.suspects.clear()
            self.waiting.clear()


def _outcome(answer: dict[str, object], pending: dict[int, int], n: int) -> tuple[int, Outcome]:
    """The number of a request and what became of it."""
    number, replies = answer["id"], answer.get("replies")
    if not isinstance(number, int) or number not in pending:
        raise Stopped(f"it answered a request that nobody made, with the id {number!r}")
    if answer.get("error"):
        return number, f"the program says: {answer['error']}"
    if not isinstance(replies, list) or not all(isinstance(reply, str) for reply in replies):
        return number, f"the program's answer holds no list of texts under 'replies': {str(answer)[:120]}"
    if len(replies) < n:
        return number, f"the program gave {len(replies)} replies where {n} were asked for"
    return number, replies[:n]
