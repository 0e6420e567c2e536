"""Damaged files through the whole command: it scores them, or refuses in a sentence; nothing else, and nothing is left."""

import gzip
import json
import random
import shutil
from collections import Counter

import pyarrow.parquet as pq
import pytest

from dialometer.core.registry import create
from dialometer.data import open_items
from tests.cli.conftest import ROWS, write
from tests.data.test_fuzz import damaged

FILES = 300
METRICS = ("bleu", "rouge", "cider", "distinct", "length", "meteor(variant=nltk)", "bleu(variant=coco,tok=13a)")
UNUSUAL = [
    {"id": "u1", "response": "\u0000 \u200b\ufeff", "references": ["."], "system": "", "group": "g"},
    {"id": "u2", "response": "é" * 300, "references": ["tea é \U0001f600 日本", "x"], "ratings": {"q": [1, None]}},
    {"id": "u3", "response": "\t", "references": ["a b c d e f g"] * 4, "system": "", "extra": {"deep": [[]]}},
]
NAMES = {"jsonl": "f.jsonl", "csv": "f.csv", "parquet": "f.parquet", "packed": "f.jsonl.gz"}


@pytest.fixture
def subjects(tmp_path):
    """The bytes of one good file in each format."""
    source = write(tmp_path / "source.jsonl", ROWS + UNUSUAL)
    made = {"jsonl": source.read_bytes(), "packed": gzip.compress(source.read_bytes())}
    for name in ("csv", "parquet"):
        create("format", name).write(open_items(source), tmp_path / NAMES[name])
        made[name] = (tmp_path / NAMES[name]).read_bytes()
    return made


def injured(rows: list[dict], chance: random.Random) -> bytes:
    """Rows whose fields were exchanged for values that may not stand there."""
    strange = [None, "", [], {}, 5, -1e308, True, [None], [""], {"q": None}, "x" * 5000, ["x"] * 50, [[]], [{"text": "a"}]]
    plain = ["tea", " ", "\r\n", ["tea"], ["a", "b"], []]
    rows = [dict(row) for row in rows]
    for _ in range(chance.randint(1, 2)):
        row = chance.choice(rows)
        field = chance.choice(["id", "response", "references", "context", "system", "group", "ratings", "turns", "raters"])
        row[field] = chance.choice(chance.choice([strange, plain]))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_only_a_score_or_a_refusal(cli, subjects, tmp_path):
    seen: Counter[int] = Counter()
    for number in range(FILES):
        chance = random.Random(number)
        kind = chance.choice(["jsonl"] * 4 + [*NAMES])
        fields = kind == "jsonl" and chance.random() < 0.8
        path = tmp_path / NAMES[kind]
        path.write_bytes(injured(ROWS + UNUSUAL, chance) if fields else damaged(subjects[kind], chance))
        metrics = [f"-m{metric}" for metric in chance.sample(METRICS, chance.randint(1, 3))]
        options = [option for option in ("--skip-incomplete", "--allow-empty-references") if chance.random() < 0.8]
        done = cli(
            "score", path, *metrics, *options, "--resamples", 5, "--shard", chance.randint(1, 9), "-o", "r", "--json"
        )
        seen[done.code] += 1
        if done.code == 0:
            items = pq.read_table(tmp_path / "r" / "scores.parquet").num_rows
            assert items == json.loads(done.out)["n"] > 0, number
            shutil.rmtree(tmp_path / "r")
        else:
            done.refused()
            assert not (tmp_path / "r").exists(), number
    assert set(seen) == {0, 2}
    assert min(seen.values()) > FILES // 10
