"""Field names in practice: synonyms of the known names, references in separate fields, ratings.

A synonym counts only where the known name is missing. A field whose name is merely similar to a known one is never read as it;
``misspelt`` finds it for a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from dialometer.core.types import Dialogue
from dialometer.data.formats.protocol import Item
from dialometer.data.row_errors import RowError

Row = dict[str, Any]
OF_REPLY = frozenset({"context", "response", "after", "own", "references", "reference"})
KNOWN = OF_REPLY | {"id", "system", "group", "ratings", "raters", "turns", "extra"}
SYNONYMS = {
    **dict.fromkeys(("hypothesis", "hyp", "prediction"), "response"),
    **dict.fromkeys(("contexts", "history", "dialogue_history", "dialog_history"), "context"),
    **dict.fromkeys(("ref", "refs"), "references"),
}
RATING = ("rating:", "ratings.", "rating.", "ratings:")
_NUMBERED = re.compile(r"(?:references?|refs?)[ _.:-]?(\d{1,6})", re.IGNORECASE)
_NEAR = 0.86  # contex is near context, and content is not


@dataclass(frozen=True)
class Reading:
    """How the fields of a row are read: names to change, fields with one reference each, and fields with ratings."""

    names: dict[str, str]
    references: tuple[str, ...]
    ratings: tuple[tuple[str, str], ...]


def known_name(name: str) -> str:
    """The known name that another one stands for, or nothing.

    >>> known_name("Response"), known_name("prediction"), known_name("split")
    ('response', 'response', '')
    """
    plain = name.strip().lower().replace(" ", "_")
    return plain if plain in KNOWN else SYNONYMS.get(plain, "")


def is_read(name: str) -> bool:
    """Whether a field of that name may be read as a known one, and so is no name for an unknown field."""
    return bool(known_name(name) or _NUMBERED.fullmatch(name.strip()) or rated_quality(name))


def rated_quality(name: str) -> str:
    """The quality that a field rates by its name, or nothing.

    >>> rated_quality("rating:overall"), rated_quality("overall")
    ('overall', '')
    """
    return next((name.removeprefix(start) for start in RATING if name.startswith(start)), "")


@lru_cache(maxsize=256)
def reading_of(names: tuple[str, ...]) -> Reading | None:
    """How a row with these fields is read; nothing where every field is read under its own name."""
    found: dict[str, list[str]] = {}
    there = {"references" if name == "reference" else name for name in names}
    reply = not any(known_name(name) == "turns" for name in names)
    for name in names:
        target = known_name(name)
        field = "references" if target == "reference" else target
        if target and name != target and field not in there and (reply or field not in OF_REPLY):
            found.setdefault(field, []).append(name)
    for field, candidates in found.items():
        if len(candidates) > 1:
            what = f"the fields {candidates[0]!r} and {candidates[1]!r} could both be {field!r}"
            raise RowError("names", what, f"name one of them {field!r}")
    numbers = {name: int(match[1]) for name in names if (match := _NUMBERED.fullmatch(name.strip())) and reply}
    numbered = tuple(sorted(numbers, key=numbers.__getitem__))
    ratings = tuple((name, quality) for name in names if (quality := rated_quality(name)))
    renamed = {candidates[0]: field for field, candidates in found.items()}
    return Reading(renamed, numbered, ratings) if renamed or numbered or ratings else None


def standard(row: Row) -> Row:
    """The row under known names, its references and ratings gathered.

    >>> standard({"Response": "tea", "ref_1": "a", "ref_2": "", "rating:good": 4})
    {'response': 'tea', 'references': ['a'], 'ratings': {'good': 4}}
    """
    if row.keys() <= KNOWN or (read := reading_of(tuple(row))) is None:
        return row
    own = {name: row.pop(name) for name, _ in read.ratings}
    more = [text for name in read.references for text in _texts(name, row.pop(name))]
    row = {read.names.get(name, name): value for name, value in row.items()} if read.names else row
    if read.references:
        given = row.pop("references", None)
        row["references"] = [*_texts("references", row.pop("reference", None) if given is None else given), *more]
    ratings = row.get("ratings") or {}
    if own and type(ratings) is dict:
        qualities = {quality: own[name] for name, quality in read.ratings if own[name] is not None}
        row["ratings"] = {**ratings, **qualities}
    return row


def standard_names(names: Sequence[str]) -> list[str]:
    """The names of columns, changed where they are other spellings of known ones."""
    read = reading_of(tuple(names))
    return [read.names.get(name, name) for name in names] if read else list(names)


def nearest(wanted: str, names: Iterable[str]) -> str:
    """The name that is most like a known one, or nothing."""
    lower = {name.strip().lower(): name for name in names}
    return next((lower[name] for name in get_close_matches(wanted, lower, 1, _NEAR)), "")


def similar_names(item: Item) -> list[tuple[str, str]]:
    """Unknown fields with names near those of fields that the item lacks, each with the known name."""
    fields = ["system", "group", "ratings", "raters"]
    fields += [] if isinstance(item, Dialogue) else ["context", "references"]
    lacking = [field for field in fields if not getattr(item, field)]
    return [(name, field) for field in lacking if (name := nearest(field, item.extra))]


def _texts(name: str, value: Any) -> list[str]:
    """One reference, or several, or none where the cell is empty."""
    if value is None or value == "":
        return []
    if type(value) is str:
        return [value]
    if type(value) is list:
        return value
    raise RowError(
        f"type of {name}", f"{name!r} must be text, but it is {type(value).__name__}", f"mend {name!r} in such rows"
    )
