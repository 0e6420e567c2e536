"""``alice``: A.L.I.C.E., 98,000 rules in AIML (Wallace 2009), as the package ``python-aiml`` brings them.

A.L.I.C.E. remembers what it was told. Here it hears the context anew for every reply, so that nothing else can matter: what the
partner said in the last turns, with what was really replied to it. Shell commands and files in rules are out of its reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from glob import escape
from itertools import groupby
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any, ClassVar

from dialometer.bots._shared.ask import clean
from dialometer.bots._shared.messages import roles
from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource
from dialometer.core.recipes import short
from dialometer.core.seeds import derived, seeds_for
from dialometer.core.types import Turn

HISTORY = 10  # exchanges that it remembers, as many as the package's kernel keeps
WORDS = 50  # of a turn, its last ones: matching slows down with the square of a sentence's length
DEPTH = 40  # rules that lead to rules; the package's 100 may not fit on Python's stack
GREETING = "Hello"  # what it hears where nobody has said anything yet
UNHEARD = "Hm"  # what it hears once more where its rules lead to no reply
UNTOLD = "set predicates om"  # a rule that fills in what nobody has told it yet
PARTNER = "my friend"  # the name of whoever has not said it
SESSION = "you"  # the rules may say the session's name
DATE = "Mon Jan  1 12:00:00 2024"  # a clock would give the same context another reply every second
# What the rules say of the bot itself; values that A.L.I.C.E. is known by, and plain ones.
PERSONA = {
    "name": "Alice", "gender": "female", "species": "chat robot", "genus": "robot", "family": "Electronic Brain",
    "order": "artificial intelligence", "phylum": "Computer", "kingdom": "Machine", "master": "Dr. Richard S. Wallace",
    "botmaster": "botmaster", "age": "28", "birthday": "November 23, 1995", "birthplace": "Bethlehem, Pennsylvania",
    "location": "Oakland, California", "city": "Oakland", "state": "California", "country": "USA",
    "nationality": "American", "language": "English", "sign": "Sagittarius", "religion": "undecided",
    "party": "independent", "president": "whoever was elected", "size": "98,000", "etype": "Mediator",
    "feelings": "I always put others before myself", "emotions": "I do not pay much attention to my feelings",
    "ethics": "I am always trying to stop fights", "favoritecolor": "green", "favoritefood": "electricity",
    "favoritemovie": "Until the End of the World", "favoritebook": "The Elements of AIML Style",
    "favoritesong": "We are the Robots", "favoriteband": "Kraftwerk", "kindmusic": "trance",
    "friends": "ELIZA and other robots", "forfun": "chat online", "talkabout": "artificial intelligence and art",
    "wear": "my usual plastic wardrobe", "looklike": "a computer", "arch": "computer", "domain": "Machine",
}  # fmt: skip
UNSAID = "something"  # where the rules ask for more
_ALONE = Lock()  # a kernel holds one conversation at a time


@dataclass(frozen=True)
class Alice:
    """The reply of the rules to the last turn; n replies are n draws where a rule has several."""

    name: ClassVar[str] = "alice"
    version: ClassVar[int] = 1

    @property
    def recipe(self) -> str:
        """A hash of the rules."""
        return short(self, _rules_digest())

    def reply(self, contexts: Sequence[tuple[Turn, ...]], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """n replies per context."""
        seeds = seeds_for(seed, contexts)
        with _ALONE:
            kernel = _kernel()
            return [_replies(kernel, context, n, one) for context, one in zip(contexts, seeds, strict=True)]


def _replies(kernel: Any, context: tuple[Turn, ...], n: int, seed: int) -> list[str]:
    """Replay the context, then answer its last turn n times from there."""
    *before, last = [*_exchanges(context[-4 * HISTORY :])][-HISTORY:] or [(GREETING, "")]
    kernel.chance = Random(seed)
    _remember(kernel, kernel.blank)
    for heard, replied in before:
        _answer(kernel, heard)
        if replied:
            kernel.setPredicate(kernel._outputHistory, [_end(replied)], SESSION)
    memory, said = kernel.getSessionData(SESSION), []
    for number in range(n):
        kernel.chance = Random(derived(seed, number))
        _remember(kernel, memory)
        said.append(_answer(kernel, last[0]) or _answer(kernel, UNHEARD))
    kernel._deleteSession(SESSION)
    return said


def _exchanges(context: tuple[Turn, ...]) -> Iterator[tuple[str, str]]:
    """What the partner said, each with what was replied to it."""
    heard: str | None = None
    for role, group in groupby(zip(roles(context), context, strict=True), key=lambda pair: pair[0]):
        text = " ".join(turn.text for _, turn in group)
        if role == "assistant" and heard is not None:
            yield heard, text
        heard = text if role == "user" else None
    if heard is not None:
        yield heard, ""


def _remember(kernel: Any, memory: dict[str, Any]) -> None:
    """A new session that knows this much."""
    kernel._deleteSession(SESSION)
    for name, value in memory.items():
        kernel.setPredicate(name, value[:], SESSION)


def _answer(kernel: Any, heard: str) -> str:
    """What the rules say; nothing where they lead in circles."""
    with suppress(RecursionError):
        return " ".join(kernel.respond(_end(heard), SESSION).split())
    kernel.setPredicate(kernel._inputStack, [], SESSION)
    return ""


def _end(text: str) -> str:
    """The last words of a text, without control characters."""
    return " ".join(clean(text).split()[-WORDS:])


@lru_cache(maxsize=1)
def _kernel() -> Any:
    """The rules in memory, read from AIML once per process (a few seconds); chance, clock and persona are ours."""
    files = _files()
    import aiml

    kernel = aiml.Kernel()
    kernel.verbose(False)
    kernel._maxRecursionDepth = DEPTH
    kernel.setBotPredicate("name", PERSONA["name"].upper())  # patterns are matched in capitals
    kernel._elementProcessors |= {
        "bot": lambda element, _: PERSONA.get(element[1]["name"], UNSAID),
        "date": lambda *_: DATE,
        "learn": lambda *_: "",
        "random": lambda element, session: _chosen(kernel, element, session),
        "system": lambda *_: "",
    }
    for path in files:
        kernel.learn(escape(str(path)))
    kernel.respond(UNTOLD, SESSION)
    kernel.blank = kernel.getSessionData(SESSION) | {"name": PARTNER}
    kernel.blank |= {kernel._inputHistory: [], kernel._outputHistory: []}
    return kernel


def _chosen(kernel: Any, element: list[Any], session: str) -> str:
    """One item of a <random> element, drawn from this conversation's own stream."""
    items = [item for item in element[2:] if item[0] == "li"]
    return str(kernel._processElement(kernel.chance.choice(items), session)) if items else ""


def _files() -> list[Path]:
    try:
        import aiml
    except ImportError:
        raise MissingResource("alice needs the package python-aiml", 'pip install "dialometer[bots]"') from None
    return sorted((Path(aiml.__file__).parent / "botdata" / "alice").glob("*.aiml"))


@lru_cache(maxsize=1)
def _rules_digest() -> str:
    return digest(*(path.read_bytes() for path in _files()))
