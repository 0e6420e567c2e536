"""From a row of named fields to an Example or a Dialogue; all fields are validated here.

The row is consumed: known fields are taken out of it, and what is left becomes ``extra``. ``field_names`` has the synonyms
of field names.
"""

from __future__ import annotations

from typing import Any

from dialometer.core.types import Dialogue, Example, Rating, Turn
from dialometer.data.field_names import nearest, standard
from dialometer.data.formats.protocol import Item
from dialometer.data.row_errors import RowError

Row = dict[str, Any]
GROUP_KEYS = ("context_id", "conversation_id")
SHAPE = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
LARGEST = 1e100  # of ratings: sums of squares of many are still numbers


def item_of(row: Row, stem: str, number: int, allow_empty: bool = False) -> Item:
    """A dialogue when the row has ``turns``, else one response in its context."""
    row = standard(row)
    name = row.pop("id", None)
    if type(name) is not str or not name:
        name = identity(name, stem, number)
    try:
        if "turns" in row:
            return _dialogue(name, row)
        if "response" in row:
            return _example(name, row, allow_empty)
    except RowError as flaw:
        flaw.item = name
        raise
    found = ", ".join(sorted(row)) or "none but id"
    near = nearest("response", row) or nearest("turns", row)
    hint = (
        f"rename {near!r}" if near else "name the reply 'response', or the conversation 'turns' (a list of {speaker, text})"
    )
    raise RowError("missing response", f"the row has no 'response' (fields found: {found})", hint, name)


def _example(name: str, row: Row, allow_empty: bool) -> Example:
    response = row.pop("response")
    if type(response) is not str:
        raise type_error("response", "text", response)
    context = row.pop("context", None)
    references = row.pop("references", None)
    if references is None or (references == [] and row.get("reference") not in (None, "")):
        references = row.pop("reference", None)
    system = row.pop("system", "")
    if type(system) is not str:
        system = "" if system is None else label("system", system)
    raters = raters_of(row.pop("raters", None))
    after = turns_of(row.pop("after"), "after") if _follows(row.get("after")) else ()
    own = tuple(row.pop("own")) if _names(row.get("own")) else ()
    return Example(
        name,
        turns_of(context, "context"),
        response,
        references_of(references, allow_empty) if references is not None else (),
        system,
        group_of(row),
        ratings_of(row.pop("ratings", None), raters),
        raters,
        rest_of(row) if "extra" in row else row,
        after,
        own,
    )


def _follows(value: Any) -> bool:
    """Whether a field is a list of turns; a field of that name with other content is an unknown field."""
    if type(value) is not list:
        return False
    return all(type(turn) is str or (type(turn) is dict and type(turn.get("text")) is str) for turn in value)


def _names(value: Any) -> bool:
    """Whether a field is a list of names; with other content it is an unknown field."""
    return type(value) is list and all(type(name) is str for name in value)


def _dialogue(name: str, row: Row) -> Dialogue:
    turns = row.pop("turns")
    if type(turns) is not list:
        raise type_error("turns", "a list", turns)
    system = row.pop("system", "")
    if type(system) is not str:
        system = "" if system is None else label("system", system)
    raters = raters_of(row.pop("raters", None))
    ratings = ratings_of(row.pop("ratings", None), raters)
    return Dialogue(name, system, turns_of(turns, "turns"), group_of(row), ratings, raters, rest_of(row))


def identity(value: Any, stem: str, number: int) -> str:
    """An id as text; a missing one is made of the file's stem and the row's number."""
    return f"{stem}:{number}" if value is None or value == "" else label("id", value)


def label(field: str, value: Any) -> str:
    """A name as text; whole numbers count as names too."""
    if type(value) is str:
        return value
    # Above 2**53 a float no longer says which number was meant, and two ids could become one.
    if type(value) is int or (type(value) is float and abs(value) < 2**53):
        return str(value)
    raise type_error(field, "text or a number", value)


def group_of(row: Row) -> str:
    """The row's ``group``, else what its own dialogue key says; that key stays in the row."""
    given = row.pop("group", None)
    return derived_group(row) if given is None else label("group", given)


def derived_group(row: Any) -> str:
    """The group that a source key in ``extra`` stands for, or nothing."""
    for key in GROUP_KEYS:
        value = row.get(key)
        if value is not None and type(value) in (str, int, float):
            return str(value)
    return ""


def turns_of(value: Any, field: str) -> tuple[Turn, ...]:
    """Turns from texts or {speaker, text, …} objects; one text has one turn per line."""
    if type(value) is not list:
        if value is None or value == "":
            return ()
        if type(value) is str:
            return tuple([Turn("", line) for line in text_lines(value)])
        raise type_error(field, "a list of turns", value)
    return tuple([Turn("", turn) if type(turn) is str else turn_of(turn, field) for turn in value])


def text_lines(text: str) -> list[str]:
    """The lines of a text, empty ones left out.

    >>> text_lines("Hi.\\r\\n\\nTea?\\n")
    ['Hi.', 'Tea?']
    """
    return [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]


def turn_of(row: Any, field: str) -> Turn:
    """One turn from its object."""
    if type(row) is not dict:
        raise type_error(f"a turn of {field}", "text or an object", row)
    text, speaker = row.pop("text", None), row.pop("speaker", "")
    if type(text) is not str:
        raise type_error(f"the 'text' of a turn of {field}", "text", text)
    if type(speaker) is not str:
        speaker = "" if speaker is None else label("speaker", speaker)
    if not row:
        return Turn(speaker, text)
    vote, time = row.pop("vote", None), row.pop("time", None)
    for key, value in (("vote", vote), ("time", time)):
        if isinstance(value, list | dict):
            raise type_error(key, "text or a number", value)
    return Turn(speaker, text, vote, time, rest_of(row))


def references_of(value: Any, allow_empty: bool) -> tuple[str, ...]:
    """References, one or many."""
    if type(value) is str:
        value = [value]
    if type(value) is not list:
        raise type_error("references", "a list of texts", value)
    try:
        "".join(value)  # the fastest way to ask whether all are texts
    except TypeError:
        raise type_error("a reference", "text", next(text for text in value if type(text) is not str)) from None
    if not allow_empty and not all(map(str.strip, value)):
        raise RowError(
            "empty reference",
            "a reference is empty",
            "drop it from 'references', or keep such rows with --allow-empty-references",
        )
    return tuple(value)


def raters_of(value: Any) -> tuple[str, ...]:
    """Names of raters; an empty list means that they are unknown."""
    if value is None or value == []:
        return ()
    if type(value) is not list:
        raise type_error("raters", "a list of names", value)
    return tuple([rater if type(rater) is str else label("a rater", rater) for rater in value])


def ratings_of(value: Any, raters: tuple[str, ...]) -> dict[str, tuple[Rating, ...]]:
    """Ratings per quality; null is N/A; one number is a list of one."""
    if value is None or value == {}:
        return {}
    if type(value) is not dict:
        raise type_error("ratings", "an object of lists", value)
    kept: dict[str, tuple[Rating, ...]] = {}
    for quality, given in value.items():
        numbers = given if type(given) is list else [given]
        for number in numbers:
            # Written so that NaN fails, too.
            if number is not None and (type(number) not in (int, float) or not -LARGEST < number < LARGEST):
                raise not_a_rating(quality, number)
        if raters and len(numbers) != len(raters):
            raise RowError(
                "raters",
                f"the rating list {quality!r} has {len(numbers)} values for {len(raters)} raters",
                "give one value (or null) per rater, or leave 'raters' empty",
            )
        kept[quality] = tuple(numbers)
    return kept


def not_a_rating(quality: str, value: Any) -> RowError:
    """A rating that is no finite number, or one whose square is none."""
    shown = repr(value) if len(repr(value)) < 40 else SHAPE.get(type(value), "something else")
    large = type(value) in (int, float) and abs(value) >= LARGEST and value != float("inf") != -value
    what = f"a rating of {quality!r} is {shown}, {'too large to be one' if large else 'not a finite number'}"
    return RowError("rating", what, "write a number, or null where a rater gave none")


def rest_of(row: Row) -> Row:
    """The unknown fields; those that share a name with a known one were written inside ``extra``."""
    nested = row.get("extra")
    if type(nested) is not dict:
        return row
    del row["extra"]
    twice = sorted(nested.keys() & row.keys())
    if twice:
        raise RowError("twice", f"the field {twice[0]!r} stands on the row and again inside 'extra'", "keep one of the two")
    return {**row, **nested}


def type_error(field: str, wanted: str, value: Any) -> RowError:
    """A field of the wrong kind."""
    got = "missing or null" if value is None else SHAPE.get(type(value), type(value).__name__)
    named = field if " " in field else f"'{field}'"
    return RowError(f"type of {field}", f"{named} must be {wanted}, but it is {got}", f"mend {named} in such rows")
