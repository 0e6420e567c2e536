"""Text to learn from: conversations as lists of utterances, from any file that can be read.

Of rated or scored items only what people said is taken: the context and the references, never a system's response.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dialometer.data import open_items
from dialometer.errors import DataError, UsageError
from dialometer.text.lines import read_paragraphs
from dialometer.types import Dialogue

Talks = list[list[str]]


def read_talks(paths: Sequence[str], *, format: str = "", max_line: int) -> Talks:
    """Every conversation of the files; a plain text file has an utterance a line and an empty line between conversations."""
    talks: Talks = []
    for path in paths:
        before = len(talks)
        if not format and Path(path.removesuffix(".gz")).suffix == ".txt":
            talks += read_paragraphs(path)
        else:
            talks += _from_file(path, format, max_line)
        if len(talks) == before:
            raise DataError(
                "holds no text to learn from", file=path, hint="conversations, items with references, or plain text"
            )
    return talks


def _from_file(path: str, format: str, max_line: int) -> Talks:
    try:
        return _from_items(path, format, max_line)
    except UsageError as error:
        if "--hyp" in error.hint:  # the door knows plain lines as parallel text; here they are utterances
            raise UsageError(error.message, "name it .txt: an utterance a line; or say --from FORMAT") from None
        raise


def _from_items(path: str, format: str, max_line: int) -> Talks:
    talks: Talks = []
    seen: set[tuple[str, ...]] = set()  # the items of several systems share contexts and references
    for item in open_items(path, format=format or None, max_line=max_line, allow_empty_references=True):
        if isinstance(item, Dialogue):
            talks.append([turn.text for turn in item.turns if turn.text.strip()])
            continue
        context = tuple(turn.text for turn in item.context if turn.text.strip())
        for reference in item.references or ((),):
            talk = (*context, *((reference,) if reference and str(reference).strip() else ()))
            if talk and talk not in seen:
                seen.add(talk)
                talks.append(list(talk))
            context = ()  # what was said before is learnt once
    return [talk for talk in talks if talk]
