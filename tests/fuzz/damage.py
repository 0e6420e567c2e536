"""Damage: bytes flipped, cut, spliced and doubled; values of records exchanged for others of the wrong type or size."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

VALUES: list[Any] = [
    None, True, False, 0, -1, 2**31, 2**63, 2**64, 10**30, 1e308, -1e308, 1e-320, float("nan"), float("inf"), "", " ", "x", "5",
    "nan",
    "x" * 5000, "\u0000", "\ud800", "é", "\u202e", "\r\n", "a,b", [], {}, [None], [[]], [""], ["x"] * 50, {"": None}, {"q": [1]},
    [{"text": "a"}], {"text": 5}, [1, "a", None], [1e400], {"overall": [9**99]}, {"overall": "x"}, {"overall": [None]},
]  # fmt: skip
SPLICES = [
    b"\xff", b"\x00", b'"', b"\\ud800", b"{", b"]", b"\n", b"\r", b"\r\n", b"NaN", b"-Infinity", b"1e999", b"null", b"[" * 2000,
    b'{"a":' * 2000, b"\xef\xbb\xbf", b"\t,", b",,,", b"=", b"\xed\xa0\x80", b"\xc3", b"\x1a", b"\x85", b"\xe2\x80\xa8",
    b"x" * 70000,
    b"9" * 400, b"-1", b"0", b" ", b"__eou__", b" +++$+++ ", b"#", b"'", b"[[", b"\\",
]  # fmt: skip

TOML = [
    "1", "-1", "0", "1.5", "nan", "inf", '"x"', '""', "[]", "[1]", '["a", 1]', "{}", "{a = 1}", "true", "1" + "0" * 30,
    "2020-01-01",
    "1e999", "[[]]", '"\\u0000"', "18446744073709551616",
]  # fmt: skip


def damaged(name: str, content: bytes, chance: Random) -> bytes:
    """One to three injuries, of the form's own where it has one."""
    for _ in range(chance.randint(1, 3)):
        ways: list[Callable[[bytes, Random], bytes]] = [_bytes, _lines, _whole]
        own = next((way for ending, way in STRUCTURED.items() if name.endswith(ending)), None)
        way = own if own and chance.random() < 0.55 else chance.choice(ways)
        try:
            content = way(content, chance)
        except Exception:  # an earlier injury left nothing of its structure
            content = _bytes(content, chance)
    return content


def _bytes(content: bytes, chance: Random) -> bytes:
    data = bytearray(content)
    at, way = chance.randrange(len(data) + 1), chance.randrange(6)
    if way == 0 and at < len(data):
        data[at] ^= 1 << chance.randrange(8)
    elif way == 1:
        del data[at:]
    elif way == 2:
        data[at:at] = chance.choice(SPLICES)
    elif way == 3:
        data[at:at] = chance.randbytes(chance.randint(1, 20))
    elif way == 4:
        start = chance.randrange(len(data) + 1)
        data[at:at] = data[start : start + chance.randint(1, 200)]
    else:
        del data[at : at + chance.randint(1, 30)]
    return bytes(data)


def _lines(content: bytes, chance: Random) -> bytes:
    rows = content.splitlines(keepends=True) or [b""]
    at = chance.randrange(len(rows))
    other = [
        rows[:at] + rows[at + 1 :],
        [*rows, rows[at]],
        rows[:at],
        rows[at:],
        rows[:1],
        [*rows[:at], b"\n", *rows[at:]],
        [row.rstrip(b"\r\n") + b"\r\n" for row in rows],
        [row.rstrip(b"\n") + b"\r" for row in rows],
        [*rows[:at], rows[at] * 300, *rows[at:]],
        sorted(rows),
    ]
    return b"".join(chance.choice(other))


def _whole(content: bytes, chance: Random) -> bytes:
    return chance.choice(
        [
            b"",
            b"\n",
            b"\xef\xbb\xbf" + content,
            content.decode("utf-8", "replace").encode("utf-16"),
            content.decode("utf-8", "replace").encode("latin-1", "replace"),
            gzip.compress(content, mtime=0),
            gzip.compress(content, mtime=0)[: chance.randint(1, 60)],
            b"\x1f\x8b\x08" + content[:50],
            b"\x00" * 100,
            b"PAR1" + content + b"PAR1",
            b"PK\x03\x04" + content[:50],
            b"x" * 200_000,
            b"[" + content.strip().replace(b"\n", b",") + b"]",
            b"[]",
            b"{}",
            b"null",
        ]
    )


def exchanged(value: Any, chance: Random, depth: int = 0) -> Any:
    """A JSON value with one value inside it exchanged, removed or renamed."""
    if isinstance(value, dict) and value and (depth == 0 or chance.random() < 0.6):
        key = chance.choice(list(value))
        way = chance.randrange(4)
        if way == 0:
            return {other: kept for other, kept in value.items() if other != key}
        if way == 1:
            return {
                (key + chance.choice(["", "x", "é", " "]) if other == key else other): kept for other, kept in value.items()
            }
        return value | {key: exchanged(value[key], chance, depth + 1)}
    if isinstance(value, list) and value and chance.random() < 0.5:
        at = chance.randrange(len(value))
        return [*value[:at], exchanged(value[at], chance, depth + 1), *value[at + 1 :]]
    return chance.choice(VALUES)


def _json_lines(content: bytes, chance: Random) -> bytes:
    rows = content.split(b"\n")
    at = chance.choice([number for number, row in enumerate(rows) if row.strip()])
    rows[at] = json.dumps(exchanged(json.loads(rows[at]), chance)).encode()
    return b"\n".join(rows)


def _json(content: bytes, chance: Random) -> bytes:
    try:
        return json.dumps(exchanged(json.loads(content), chance)).encode()
    except ValueError:
        return _json_lines(content, chance)


def _cells(content: bytes, chance: Random) -> bytes:
    tab = b"\t" in content.partition(b"\n")[0]
    rows = list(csv.reader(io.StringIO(content.decode()), delimiter="\t" if tab else ","))
    row = chance.choice(rows)
    at = chance.randrange(len(row))
    value = chance.choice(VALUES)
    row[at : at + chance.randint(0, 1)] = [value if isinstance(value, str) else json.dumps(value)]
    out = io.StringIO()
    csv.writer(out, delimiter="\t" if tab else ",", lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def _toml(content: bytes, chance: Random) -> bytes:
    rows = content.decode().splitlines()
    at = chance.randrange(len(rows))
    key = rows[at].partition("=")[0].strip("[] ") or "x"
    rows[at] = chance.choice(
        [f"{key} = {chance.choice(TOML)}"] * 4 + [f"[{key}]", f"[[{key}]]", f"{key}", f"é = {chance.choice(TOML)}"]
    )
    return "\n".join(rows).encode()


def _numbers(content: bytes, chance: Random) -> bytes:
    found = list(re.finditer(rb"-?\d+(\.\d+)?", content))
    one = chance.choice(found)
    other = chance.choice([b"nan", b"inf", b"-1", b"0", b"1e999", b"9" * 30, b"", b"x", b"-", b"4294967296"])
    return content[: one.start()] + other + content[one.end() :]


def _packed(content: bytes, chance: Random) -> bytes:
    return gzip.compress(_json_lines(gzip.decompress(content), chance), mtime=0)


def _parquet(content: bytes, chance: Random) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    at = chance.randrange(table.num_columns)
    name, size = table.column_names[at], table.num_rows
    column: Any = [chance.choice(VALUES)] * size
    way = chance.randrange(4)
    if way == 0:
        table = table.drop_columns([name])
    elif way == 1:
        table = table.slice(0, 0)
    elif way == 2:
        table = table.append_column(name, table.column(at))
    else:
        try:
            table = table.set_column(at, name, pa.array(column))
        except (pa.ArrowException, OverflowError, UnicodeError):
            table = table.set_column(at, name, pa.nulls(size))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def _safetensors(content: bytes, chance: Random) -> bytes:
    """Its header has the length, the types and the shapes of the arrays; what follows are the numbers."""
    size = int.from_bytes(content[:8], "little")
    if chance.random() < 0.4:
        at = 8 + size + chance.randrange(max(1, len(content) - 8 - size))
        other = chance.choice([b"\xff" * 8, b"\x00" * 8, b"\x00\x00\xc0\x7f" * 2, chance.randbytes(8)])
        return content[:at] + other + content[at + 8 :]
    header = json.dumps(exchanged(json.loads(content[8 : 8 + size]), chance)).encode()
    return len(header).to_bytes(8, "little") + header + content[8 + size :]


STRUCTURED: dict[str, Callable[[bytes, Random], bytes]] = {
    ".jsonl": _json_lines, ".json": _json, ".csv": _cells, ".tsv": _cells, ".toml": _toml, ".arpa": _numbers, ".vec": _numbers,
    "glove.txt": _numbers, ".gz": _packed, ".parquet": _parquet, ".safetensors": _safetensors,
}  # fmt: skip
