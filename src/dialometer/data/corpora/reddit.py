"""Reddit comment trees: JSON lines of comments; each path from a root to a leaf is a dialogue.

Three turns and more; links removed, [removed] and [deleted] excluded, only the text before an "edit" mark kept
(Ghandeharioun et al. 2019). The tree needs all comments of the files in memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any, ClassVar

import orjson

from dialometer.core.ranges import Turns
from dialometer.core.types import Dialogue, Turn
from dialometer.data.corpora.protocol import raw_lines
from dialometer.data.formats.detect import check_path
from dialometer.data.formats.json_values import not_json
from dialometer.data.formats.jsonl import not_an_object
from dialometer.data.row_errors import Limits, RowError, parse_rows

# At the start of a line the bare word is a mark; inside a sentence only a colon makes it one.
EDIT = re.compile(
    r"^[\s*_(\[]*edit(?:ed)?\s*\d*[*_]*\s*(?:[:.\-–—]|$)|[\s*_(\[.]edit(?:ed)?\s*\d*[*_]*\s*:", re.IGNORECASE | re.MULTILINE
)
MARKED_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\s]*\)")
LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
GONE = frozenset({"[removed]", "[deleted]"})
NEEDED = ("id", "parent_id", "link_id", "author", "body")


@dataclass(frozen=True, slots=True)
class Comment:
    """What a dialogue needs of a comment."""

    parent: str
    submission: str
    turn: Turn


@dataclass(frozen=True, slots=True)
class Reddit:
    """Dialogues of at least ``turns`` comments, grouped by submission."""

    turns: Turns = 3
    name: ClassVar[str] = "reddit"

    def build(self, paths: Sequence[Path], limits: Limits, counts: Counter[str]) -> Iterator[Dialogue]:
        """One Dialogue per leaf, in the order of the files."""
        comments: dict[str, Comment | None] = {}
        for file in map(check_path, paths):
            comments.update(found for _, found in parse_rows(raw_lines(file, limits), _comment, str(file)))
        counts["comments removed, deleted or empty after cleaning"] = sum(found is None for found in comments.values())
        parents = {comment.parent for comment in comments.values() if comment}
        # A reply to a removed comment has no usable context, and is not counted as a child.
        for name, comment in comments.items():
            if comment is None or name in parents:
                continue
            path = _path(comment, comments)
            if path is None:
                counts["replies to a removed or absent comment left out"] += 1
            elif len(path) < self.turns:
                counts[f"paths shorter than {self.turns} turns left out"] += 1
            else:
                yield Dialogue(f"reddit-{name}", "", path, group=comment.submission)


def _path(comment: Comment, comments: dict[str, Comment | None]) -> tuple[Turn, ...] | None:
    """The turns from the root down to this comment, or None where one of them is not there."""
    turns, here, seen = [comment.turn], comment, {id(comment)}
    while here.parent:
        above = comments.get(here.parent)
        if above is None or id(above) in seen:
            return None
        seen.add(id(above))
        turns.append(above.turn)
        here = above
    return tuple(reversed(turns))


def _comment(line: bytes, number: int) -> tuple[str, Comment | None]:
    try:
        row: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise not_json(line, error) from None
    if type(row) is not dict:
        raise not_an_object(row)
    fields: list[Any] = [row.get(key) for key in NEEDED]
    name, parent, link, author, body = fields
    if not name or not all(type(value) is str for value in (name, parent, link, body)):
        what = f"is not a comment with {', '.join(NEEDED)} (fields found: {', '.join(sorted(row))})"
        raise RowError("comment", what, "give the comments of the dump, not its submissions")
    said = clean(body)
    if not said:
        return name, None
    above = parent.removeprefix("t1_") if parent.startswith("t1_") else ""
    time = row.get("created_utc")
    turn = Turn(str(author or ""), said, time=time if type(time) in (int, float, str) else None, extra={"comment": name})
    return name, Comment(above, link.removeprefix("t3_"), turn)


def clean(body: str) -> str:
    """A comment's text without links and without what was edited in later; empty when it is gone.

    >>> clean("See [this](http://x.org) &amp; https://y.org now. EDIT: typo")
    'See this & now.'
    >>> clean("[removed]"), clean("I edit films - daily")
    ('', 'I edit films - daily')
    """
    if body.strip() in GONE:
        return ""
    text = unescape(body)
    mark = EDIT.search(text)
    kept = text[: mark.start()] if mark else text
    return " ".join(LINK.sub("", MARKED_LINK.sub(r"\1", kept)).split())
