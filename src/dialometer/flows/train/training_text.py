"""Text to learn from: conversations as lists of utterances, from any file that can be read.

Of rated or scored items only what people said is taken: the context and the references, never a system's response.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson

from dialometer.core.errors import DataError, UsageError
from dialometer.core.types import Dialogue
from dialometer.data import open_items
from dialometer.flows.shared.where import sieve
from dialometer.text.lines import read_paragraphs, read_unpacked

Talks = list[list[str]]


def read_talks(
    paths: Sequence[str],
    *,
    format: str = "",
    max_line: int,
    where: Sequence[str] = (),
    without: frozenset[str] = frozenset(),
) -> Talks:
    """Every conversation of the files; a plain text file has an utterance a line and an empty line between conversations.

    Items that do not meet ``where``, or whose id is among ``without``, are left out.
    """
    talks: Talks = []
    for path in paths:
        before = len(talks)
        if not format and Path(path.removesuffix(".gz")).suffix == ".txt":
            if where or without:
                raise UsageError(f"{path} is plain text: it has no fields and no ids to choose by", "give a JSONL file")
            talks += read_paragraphs(path)
        else:
            talks += _from_file(path, format, max_line, where, without)
        if len(talks) == before:
            raise DataError(
                "holds no text to learn from", file=path, hint="conversations, items with references, or plain text"
            )
    return talks


def read_ids(paths: Sequence[str]) -> frozenset[str]:
    """Ids from files: a JSON list, a JSON object of lists, or an id a line; plain or gzip."""
    ids: set[str] = set()
    for path in paths:
        raw = read_unpacked(path)
        try:
            found = orjson.loads(raw)
        except ValueError:
            found = raw.decode("utf-8", "replace").split("\n")
        lists = found.values() if isinstance(found, dict) else [found]
        if not all(isinstance(one, list) for one in lists):
            raise DataError("holds no lists of ids", file=path, hint="an id a line, a JSON list, or an object of lists")
        ids |= {str(entry).strip() for one in lists for entry in one if str(entry).strip()}
    return frozenset(ids)


def _from_file(path: str, format: str, max_line: int, where: Sequence[str], without: frozenset[str]) -> Talks:
    try:
        return _from_items(path, format, max_line, where, without)
    except UsageError as error:
        if "--hyp" in error.hint:  # the door knows plain lines as parallel text; here they are utterances
            raise UsageError(error.message, "name it .txt: an utterance a line; or say --from FORMAT") from None
        raise


def _from_items(path: str, format: str, max_line: int, where: Sequence[str], without: frozenset[str]) -> Talks:
    talks: Talks = []
    seen: set[tuple[str, ...]] = set()  # the items of several systems share contexts and references
    items = open_items(path, format=format or None, max_line=max_line, allow_empty_references=True)
    for item in sieve(items, where)[0] if where else items:
        if item.id in without:
            continue
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
