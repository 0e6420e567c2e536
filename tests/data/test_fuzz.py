"""Thousands of damaged files, all formats, plain and packed: they read, or they raise a DialometerError."""

import gzip
import random
from collections import Counter
from pathlib import Path

import pytest

from dialometer.core.errors import DialometerError
from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Example, Turn
from dialometer.data import open_items
from dialometer.data.formats.protocol import Item

FILES_PER_FORMAT = 600
EXAMPLES = [
    Example(
        f"e{i}",
        (Turn("", "hi there"), Turn("user", "é \U0001f600", 1, "2020", {"n": 1})),
        f'reply, "{i}"\n\tline',
        ("one", "two é"),
        f"s{i % 3}",
        "g",
        {"overall": (1, None, 4.5)},
        ("r1", "r2", "r3"),
        {"context_id": i, "deep": {"a": [1, None, "x"]}},
    )
    for i in range(6)
]
DIALOGUES = [Dialogue(f"d{e.id}", "bot", e.context, ratings=e.ratings, extra=e.extra) for e in EXAMPLES]
LINES: list[Item] = [Example(f"hyp:{i}", (), f"reply é {i}", ("one",)) for i in range(1, 8)]
SUBJECTS = {
    "jsonl": ("a.jsonl", [*EXAMPLES, *DIALOGUES]),
    "csv": ("a.csv", EXAMPLES),
    "tsv": ("a.tsv", DIALOGUES),
    "parquet": ("a.parquet", EXAMPLES),
    "chat": ("a.json", DIALOGUES),
    "dstc10": ("a.json", EXAMPLES),
    "parallel": ("hyp.txt", LINES),
}
SPLICES = [
    b"\xff",
    b"\x00",
    b'"',
    b"\\ud800",
    b"{",
    b"]",
    b"\n",
    b"\r",
    b"NaN",
    b"1e999",
    b"null",
    b"[" * 2000,
    b"\xef\xbb\xbf",
    b"\t,",
]


def damaged(content: bytes, chance: random.Random) -> bytes:
    """One to four random injuries."""
    data = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = chance.choice(SPLICES)
        elif kind == 3:
            data[at:at] = chance.randbytes(chance.randint(1, 20))
        elif kind == 4:
            start = chance.randrange(len(data) + 1)
            data[at:at] = data[start : start + chance.randint(1, 200)]
        else:
            del data[at : at + chance.randint(1, 30)]
    return bytes(data)


def injured(content: bytes, packed: str, chance: random.Random) -> bytes:
    """Damage before packing, after it, or without it."""
    if packed == "plain":
        return damaged(content, chance)
    return gzip.compress(damaged(content, chance), 1) if packed == "inside" else damaged(gzip.compress(content, 1), chance)


@pytest.mark.parametrize("form", SUBJECTS)
def test_damaged_files(form: str, tmp_path: Path) -> None:
    name, items = SUBJECTS[form]
    path, chance, seen = tmp_path / name, random.Random(f"fuzz {form}"), Counter[str]()
    create("format", form).write(items, path)
    content = path.read_bytes()
    paths = [path, tmp_path / "hyp.txt.ref1"] if form == "parallel" else [path]
    for round_ in range(FILES_PER_FORMAT):
        packed = "plain" if form == "parquet" else ("plain", "inside", "outside")[round_ % 3]
        path.write_bytes(injured(content, packed, chance))
        named = form if form == "parallel" or round_ % 2 else None
        try:
            list(open_items(paths, format=named, max_line=4000, allow_empty_references=bool(round_ % 5)))
            seen["read"] += 1
        except DialometerError as error:
            seen["refused"] += 1
            seen["without a hint or over many lines"] += not error.hint or "\n" in error.message
    assert seen["read"] + seen["refused"] == FILES_PER_FORMAT
    assert not seen["without a hint or over many lines"]
    assert seen["refused"] > FILES_PER_FORMAT // 10
