"""Good files of every input form, by name: what command lines stand on, and what is damaged."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from dialometer.core.errors import DialometerError
from dialometer.core.registry import create, names
from dialometer.core.types import Dialogue, Example, Turn

WORDS = "tea coffee milk sugar rain sun bike train cat dog film song".split()
RATERS = ("r0", "r1", "r2")
ENDINGS = {"csv": "csv", "tsv": "tsv", "parquet": "parquet", "jsonl": "jsonl", "parallel": "txt"}
CORPORA: dict[str, dict[str, str]] = {
    "cornell": {
        "movie_lines.txt": "L1 +++$+++ u0 +++$+++ m0 +++$+++ BIANCA +++$+++ Tea?\n"
        "L2 +++$+++ u2 +++$+++ m0 +++$+++ CAMERON +++$+++ Here.\n",
        "movie_conversations.txt": "u0 +++$+++ u2 +++$+++ m0 +++$+++ ['L1', 'L2']\n",
    },
    "dailydialog": {
        "dialogues_text.txt": "Hi . __eou__ Hello ! __eou__ Bye . __eou__\nA __eou__ B __eou__\n",
        "dialogues_emotion.txt": "0 4 0\n1 2\n",
        "dialogues_act.txt": "1 2 1\n3 4\n",
        "dialogues_topic.txt": "7\n1\n",
    },
    "reddit": {
        "comments.jsonl": "".join(
            json.dumps({"id": name, "parent_id": parent, "link_id": "t3_s", "author": name, "body": f"I like {name}"})
            + "\n"
            for name, parent in [("a", "t3_s"), ("b", "t1_a"), ("c", "t1_b"), ("d", "t1_b")]
        )
    },
    "tweets": {
        "ids.txt": "1 2 3\n1\t4\n",
        "tweets.jsonl": "".join(json.dumps({"id": number, "text": f"tea {number}"}) + "\n" for number in range(1, 5)),
    },
    "ubuntu": {
        "3/9.tsv": "2004-11-23T11:49:00.000Z\tann\t\tany ideas\n2004-11-23T11:50:00.000Z\tbob\tann\tno\n",
        "train.csv": "Context,Utterance,Label\nhi __eou__ __eot__ yes __eou__ __eot__,so? __eou__,1\nx __eot__,y,0\n",
    },
}
# What a builder is given, where it is not its folder.
CORPUS_PATHS = {
    "tweets": ("corpus-tweets/ids.txt", "corpus-tweets/tweets.jsonl"),
    "reddit": ("corpus-reddit/comments.jsonl",),
}


def corpus_paths(name: str) -> tuple[str, ...]:
    """What is given to a builder."""
    return CORPUS_PATHS.get(name, (f"corpus-{name}",))


def rated_rows() -> list[dict[str, Any]]:
    """Rated responses of three systems to eight contexts."""
    chance, rows = random.Random(1), []
    for context in range(8):
        reference = chance.choices(WORDS, k=5)
        for system in range(3):
            said = [*reference[: 1 + system], *chance.choices(WORDS, k=3)]
            given = [min(5, max(1, 1 + system + chance.randint(0, 2))) for _ in RATERS]
            row = {"id": f"c{context}-s{system}", "context": [f"what about {reference[0]} ?"], "context_id": str(context)}
            row |= {"response": " ".join(said), "references": [" ".join(reference)], "system": f"s{system}"}
            rows.append(row | {"ratings": {"overall": given, "fluent": given[::-1]}, "raters": list(RATERS)})
    return rows


def talk_rows() -> list[dict[str, Any]]:
    """Rated conversations of two systems."""
    chance = random.Random(2)
    return [
        {
            "id": f"d{number}",
            "system": f"s{number % 2}",
            "turns": [{"speaker": "ab"[at % 2], "text": " ".join(chance.choices(WORDS, k=4))} for at in range(4)],
            "ratings": {"overall": [1 + (number + at) % 5 for at in range(3)]},
            "raters": list(RATERS),
        }
        for number in range(8)
    ]


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _table(header: str, rows: Iterable[Iterable[object]]) -> bytes:
    return "".join(f"{line}\n" for line in [header, *(",".join(map(str, row)) for row in rows)]).encode()


@cache
def good_files() -> dict[str, bytes]:
    """Path → content of every good file."""
    rows, chance = rated_rows(), random.Random(3)
    text = "\n".join("\n".join(" ".join(chance.choices(WORDS, k=5)) for _ in range(4)) + "\n" for _ in range(10))
    systems = sorted({row["system"] for row in rows})
    vectors = [f"{word} {' '.join(f'{chance.random():.3f}' for _ in range(4))}\n" for word in WORDS]
    made = {
        "items.jsonl": _lines(rows),
        "items.jsonl.gz": gzip.compress(_lines(rows), mtime=0),
        "talks.jsonl": _lines(talk_rows()),
        "hyp.txt": "".join(row["response"] + "\n" for row in rows).encode(),
        "ref.txt": "".join(row["references"][0] + "\n" for row in rows).encode(),
        "talk.txt": text.encode(),
        "openers.txt": b"hello there\nhow are you ?\ndo you like tea ?\nrain again\n",
        "ratings.csv": _table(
            "item,rater,quality,value,seconds",
            ((row["id"], RATERS[at], "overall", row["ratings"]["overall"][at], 9) for row in rows for at in range(3)),
        ),
        "preferences.csv": _table(
            "item,a,b,rater,quality,choice",
            ((f"c{n}", "s0", f"s{1 + n % 2}", rater, "overall", "ab"[n % 2]) for n in range(8) for rater in RATERS),
        ),
        "scores.csv": _table("id,mine,other", ((row["id"], at % 7, at % 5) for at, row in enumerate(rows))),
        "systems.toml": "".join(f'[{name}]\nmodel = "m{at % 2}"\n' for at, name in enumerate(systems)).encode(),
        "config.toml": b'resamples = 20\nmetrics = ["length"]\nseed = 3\nquiet = false\n',
        "ids.txt": b"d0\nd1\n",
        "ids.json": b'["d0", "d1"]',
        "glove.txt": "".join(vectors).encode(),
        "fasttext.vec": f"{len(vectors)} 4\n{''.join(vectors)}".encode(),
        "model.arpa": b"\\data\\\nngram 1=4\n\n\\1-grams:\n-0.5\t<s>\n-0.5\t</s>\n-0.5\t<unk>\n-0.5\ttea\n\n\\end\\\n",
        "said.txt": b"hello\n/retry\n/scores length\n/history\n/save kept.jsonl\n/undo\nbye\n/quit\n",
    }  # fmt: skip
    for corpus, files in CORPORA.items():
        made |= {f"corpus-{corpus}/{path}": content.encode() for path, content in files.items()}
    for corpus in set(names("builder")) - set(CORPORA):
        made[f"corpus-{corpus}/lines.jsonl"] = _lines(talk_rows())
    return made | {path: content for form in names("format") for path, content in written(form).items()}


@cache
def written(form: str) -> dict[str, bytes]:
    """What a format of the catalogue writes of the items, or of the conversations where it takes no items."""
    examples = [
        Example(
            row["id"], tuple(Turn("", text) for text in row["context"]), row["response"], tuple(row["references"]),
            row["system"], row["context_id"], {key: tuple(given) for key, given in row["ratings"].items()}, RATERS,
        )
        for row in rated_rows()
    ]  # fmt: skip
    bare = [Example(f"format-parallel:{at}", (), one.response, one.references) for at, one in enumerate(examples, 1)]
    talks = [
        Dialogue(row["id"], row["system"], tuple(Turn(turn["speaker"], turn["text"]) for turn in row["turns"]))
        for row in talk_rows()
    ]
    for items in (examples, talks, bare):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"format-{form}.{ENDINGS.get(form, 'json')}"
            try:
                create("format", form).write(items, path)
            except (DialometerError, AssertionError):  # it takes items of another kind
                continue
            return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}
    return {f"format-{form}.json": _lines(rated_rows())}


def needed(argv: Iterable[str]) -> dict[str, bytes]:
    """The good files that a command line names, in specs and as folders too."""
    given = "\n".join(argv)
    return {
        path: content for path, content in good_files().items() if path in given or path.split("/")[0] in given.split("\n")
    }
