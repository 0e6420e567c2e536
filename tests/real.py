"""Readers of the shared data sets for tests: plain JSON lines in, distinct texts and pairs out."""

import gzip
import os
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import orjson

Find = Callable[[str], Path]
CORPORA = (
    "corpora/twitter_dialogrpt_test",
    "corpora/reddit_dialogrpt_test",
    "dialogues/spot_the_bot_convai2",
    "corpora/cornell_pairs_sample",
    "corpora/dailydialog",
)


def folder() -> Path:
    """Where the shared data sets are."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("DIALOMETER_DATA") or beside)


@cache
def lines(path: Path) -> list[dict]:
    """All objects of a gzip'd JSON-lines file."""
    with gzip.open(path, "rb") as file:
        return [orjson.loads(line) for line in file]


def distinct_texts(find: Find, n: int) -> list[str]:
    """n distinct texts, in the order of the files."""
    texts = dict.fromkeys(islice(_distinct(_texts(find)), n))
    assert len(texts) == n
    return list(texts)


def adjacent_turns(find: Find, n: int) -> tuple[list[str], list[list[str]]]:
    """n distinct (reply, [turn before it]) pairs of DailyDialog."""
    pairs = _distinct(
        (turns[1]["text"].strip(), turns[0]["text"].strip())
        for dialogue in lines(find("corpora/dailydialog.jsonl.gz"))
        for turns in pairwise(dialogue["turns"])
    )
    chosen = list(islice(((reply, turn) for reply, turn in pairs if reply and turn), n))
    assert len(chosen) == n
    return [reply for reply, _ in chosen], [[turn] for _, turn in chosen]


def many_references(find: Find, n: int) -> tuple[list[str], list[list[str]]]:
    """n distinct items with 4, 5 or 11 references each."""
    rows = lines(find("turns/gupta_dailydialog_multiref.jsonl.gz")) + lines(find("turns/dstc6_t2.jsonl.gz"))[::7]
    items = list(islice(_distinct((row["response"], tuple(row["references"])) for row in rows), n))
    assert len(items) == n
    return [response for response, _ in items], [list(references) for _, references in items]


def _texts(find: Find) -> Iterator[str]:
    return (turn["text"] for name in CORPORA for row in lines(find(f"{name}.jsonl.gz")) for turn in row["turns"])


def _distinct(things: Iterator) -> Iterator:
    seen = set()
    for thing in things:
        if thing not in seen:
            seen.add(thing)
            yield thing
