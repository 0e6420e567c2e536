"""All errors that users see, as one tree.

DialometerError            printed once by the command line, exit code 2
├── UsageError             the request itself is wrong
│   ├── UnknownName        no such metric, variant, tokeniser, quality …; nearest names offered
│   └── SpecError          a spec or an option that cannot be read
├── DataError              a file or one of its rows is wrong; names file, line and item
├── NeedsError             a metric needs something these items do not have
├── MissingResource        a package or a file that is not installed, with the line to type
├── BotError               a bot that could not reply
│   └── PartlyFailed       it replied to some of the contexts; these replies are kept
└── RunError               a run directory that is locked, damaged or no longer matches its inputs

A message finishes the sentence: what happened, to which item, how many, and (``hint``) what to type next.

>>> print(UnknownName("metric", "blue", ["bleu", "rouge"]))
there is no metric named 'blue'; did you mean bleu?
  → dialometer list metrics
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

MANY = 30  # names that a message lists; of more it shows the first and how many there are


class DialometerError(Exception):
    """Base of the tree; ``hint`` says what to do."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  → {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the state instead of the arguments, so that errors of workers reach the parent process complete."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class UsageError(DialometerError):
    """The request cannot be carried out as written."""


class UnknownName(UsageError):
    """A name that is not registered."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str | None = None) -> None:
        names = sorted(known)
        near = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
        some = f"{', '.join(names[:MANY])}, … ({len(names)} in all)" if len(names) > MANY else ", ".join(names)
        offer = f"did you mean {' or '.join(near)}?" if near else f"there are: {some or 'none'}"
        super().__init__(
            f"there is no {kind} named {_short(name)!r}; {offer}", f"dialometer list {kind}s" if hint is None else hint
        )


def _short(name: str, most: int = 200) -> str:
    """A name as an error spells it: cut if it is absurdly long."""
    return name if len(name) <= most else f"{name[:most]}…"


class SpecError(UsageError):
    """A spec such as ``bleu(order=2)`` that cannot be read or does not fit."""


class DataError(DialometerError):
    """A file or one of its rows is wrong."""

    def __init__(
        self,
        what: str,
        *,
        file: str = "",
        line: int = 0,
        item: str = "",
        count: int = 1,
        at_least: bool = False,
        hint: str = "",
    ) -> None:
        place = f"{file}:{line}" if file and line else file or (f"line {line}" if line else "")
        if item:
            place = f"{place} ({item})" if place else item
        number = f"{count} or more" if at_least else f"{count}"
        more = f" ({number} such cases; this is the first)" if count > 1 or at_least else ""
        super().__init__(f"{place}: {what}{more}" if place else f"{what}{more}", hint)
        self.what, self.file, self.line, self.item, self.count = what, file, line, item, count


class NeedsError(DialometerError):
    """A metric needs what some items lack."""


class MissingResource(DialometerError):
    """A package, word list or model that is not installed here."""


class BotError(DialometerError):
    """A bot that could not reply."""


class PartlyFailed(BotError):
    """A bot that replied to some of its contexts: these replies, and for each other context, by number, the reason."""

    def __init__(self, replies: Sequence[list[str] | None], reasons: Mapping[int, str], hint: str = "") -> None:
        first = next(iter(reasons.values()))
        super().__init__(f"{len(reasons)} of {len(replies)} contexts got no reply; the first: {first}", hint)
        self.replies, self.reasons = list(replies), dict(reasons)


class RunError(DialometerError):
    """A run directory that cannot be continued."""
