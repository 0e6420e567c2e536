"""Tweets by id: a file of dialogues as tweet ids, one dialogue a line, and JSON lines of the tweets themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import orjson

from dialometer.core.errors import UsageError
from dialometer.core.types import Dialogue, Turn
from dialometer.data.corpora.protocol import raw_lines
from dialometer.data.formats.detect import check_path
from dialometer.data.formats.json_values import not_json
from dialometer.data.formats.jsonl import not_an_object
from dialometer.data.lines import text
from dialometer.data.row_errors import Limits, RowError, parse_rows

ID = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Tweets:
    """Dialogues whose texts the user has fetched, since only ids may be redistributed."""

    name: ClassVar[str] = "tweets"

    def build(self, paths: Sequence[Path], limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
        """Dialogues all of whose tweets are there; the others are counted."""
        if len(paths) < 2:
            raise UsageError("tweets need a file of ids and a file of tweets", "--builder tweets IDS.txt TWEETS.jsonl")
        ids_file, *files = map(check_path, paths)
        conversations = [ids for _, ids in parse_rows(raw_lines(ids_file, limits), _ids, str(ids_file))]
        wanted = {name for ids in conversations for name in ids}
        found: dict[str, Turn] = {}
        for file in files:
            for _, (name, turn) in parse_rows(raw_lines(file, limits), _tweet, str(file)):
                if name in wanted:
                    found[name] = turn
        counts["tweets missing"] = len(wanted - found.keys())
        counts["conversations left out for a missing tweet"] = 0
        for ids in conversations:
            if all(name in found for name in ids):
                yield Dialogue(f"tweets-{ids[-1]}", "", tuple(found[name] for name in ids), group=ids[0])
            else:
                counts["conversations left out for a missing tweet"] += 1


def _ids(line: bytes, number: int) -> tuple[str, ...]:
    words = re.split(r"[\s,;]+", text(line).strip())
    wrong = [word for word in words if not ID.fullmatch(word)]
    if wrong:
        what = f"{wrong[0][:40]!r} is not a tweet id"
        raise RowError("id", what, "write the ids of one dialogue on a line, with spaces between them")
    return tuple(words)


def _tweet(line: bytes, number: int) -> tuple[str, Turn]:
    try:
        row: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise not_json(line, error) from None
    if type(row) is not dict:
        raise not_an_object(row)
    name, said = row.get("id_str") or row.get("id"), row.get("full_text") or row.get("text")
    if type(name) not in (str, int) or type(said) is not str:
        what = f"is not a tweet with 'id' and 'text' (fields found: {', '.join(sorted(row))})"
        raise RowError("tweet", what, "keep one tweet object a line, as the interface gave it")
    user = row.get("user")
    speaker = user.get("screen_name") or user.get("id_str") if type(user) is dict else row.get("author_id")
    time = row.get("created_at") if type(row.get("created_at")) in (str, int) else None
    return str(name), Turn(str(speaker or ""), said, time=time, extra={"tweet": str(name)})
