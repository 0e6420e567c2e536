"""What conversations begin with: openers of a file, contexts sampled from conversations, or the built-in small talk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dialometer.core.errors import DataError, UsageError
from dialometer.core.seeds import derived
from dialometer.core.types import Dialogue, Turn, context_hash
from dialometer.data import open_items
from dialometer.flows.play.small_talk import SMALL_TALK
from dialometer.flows.shared.where import sieve
from dialometer.text.lines import read_lines, read_paragraphs


@dataclass(frozen=True)
class Opener:
    """The turns that are given, and where they come from; the same texts have the same name in every run."""

    source: str
    turns: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name made of the texts, so that runs over the same openers pair."""
        return f"opener:{context_hash(tuple(Turn('', text) for text in self.turns))}"


def read_openers(path: str, *, context: int, format: str, max_line: int, where: Sequence[str] = ()) -> list[Opener]:
    """The different openers of a file, of those items that meet ``where``, or the built-in ones.

    With ``context`` each is the first so many turns of a conversation that has them. Without, a line of plain text is an opener,
    an item gives its context and a conversation its first turn.
    """
    if where and (not path or _is_text(path, format)):
        raise UsageError(
            "--where chooses among items, and plain text has no fields", "--openers FILE.jsonl --where split=test"
        )
    if path:
        found = list(_of_file(path, context, format, max_line, where))
    else:
        found = [Opener(f"small-talk:{number}", (text,)) for number, text in enumerate(SMALL_TALK, 1)]
    enough = [opener for opener in found if opener.turns and len(opener.turns) >= context]
    if not enough:
        raise _none(path, context, found)
    different: dict[tuple[str, ...], Opener] = {}
    for opener in enough:
        different.setdefault(opener.turns, opener)
    return list(different.values())


def _is_text(path: str, format: str) -> bool:
    return not format and Path(path.removesuffix(".gz")).suffix == ".txt"


def _of_file(path: str, context: int, format: str, max_line: int, where: Sequence[str]) -> Iterator[Opener]:
    stem = Path(path).name
    if _is_text(path, format):
        talks = read_paragraphs(path) if context else [[line] for line in read_lines(path)]
        yield from (Opener(f"{stem}:{number}", tuple(talk[: context or 1])) for number, talk in enumerate(talks, 1))
        return
    try:
        items = open_items(path, format=format or None, max_line=max_line, allow_empty_references=True)
        for item in sieve(items, where)[0] if where else items:
            turns = item.turns if isinstance(item, Dialogue) else item.context
            most = context or (1 if isinstance(item, Dialogue) else len(turns))
            yield Opener(item.id, tuple([text for turn in turns if (text := turn.text.strip())][:most]))
    except UsageError as error:
        if "--hyp" in error.hint:  # the door knows plain lines as parallel text; here they are openers
            raise UsageError(error.message, "name it .txt: an opener a line; or say --from FORMAT") from None
        raise


def _none(path: str, context: int, found: Sequence[Opener]) -> DataError:
    longest = max((len(opener.turns) for opener in found), default=0)
    if not longest:
        return DataError("holds no opener", file=path, hint="conversations, items with contexts, or lines of text (.txt)")
    what = f"no opener has {context} turns; the longest has {longest}"
    return DataError(what, file=path or "the built-in openers", hint=f"--context {longest}, or longer ones: --openers FILE")


def choose(openers: Sequence[Opener], n: int, seed: int, *, repeat: bool = False) -> list[Opener]:
    """n openers, drawn by seed without replacement; a smaller n gives the beginning of a larger one's list.

    With ``repeat``, they are used again in the same order when there are too few.
    """
    if len(openers) < n and not repeat:
        raise UsageError(
            f"{n} conversations need as many different openers, and there are {len(openers)}",
            f"-n {len(openers)}, another --openers FILE, or --repeat to use them again",
        )
    drawn = sorted(openers, key=lambda opener: (derived(seed, opener.name), opener.name))
    return [drawn[number % len(drawn)] for number in range(n)]
