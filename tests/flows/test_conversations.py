"""Metrics of whole conversations in ``score`` and ``why``: shards, engines, kills, and where the number stands."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.why import WhyRequest
from dialometer.core.errors import DataError
from dialometer.core.types import Dialogue, Turn
from dialometer.data import open_items
from dialometer.data.reader import ItemReader, sources
from dialometer.data.row_errors import Limits
from dialometer.data.rows import row_of
from dialometer.flows.meta.score_items import write_bare
from dialometer.flows.score.score import score
from dialometer.flows.score.shards import spool
from dialometer.flows.why import why

QUICK = "(emotion=prompted(encoder=average),encoder=average)"
TURNS, TALK = f"turns{QUICK}", f"conversation{QUICK}"


def talks(n=6, turns=7, alone=False):
    """Conversations of two systems; those with one number began with one opener."""
    words = "tea cake good bad what how you like never again ha ?".split()
    for k in range(n):
        draw = np.random.default_rng(k)
        said = [" ".join(draw.choice(words, draw.integers(1, 6))) for _ in range(turns - k % 3)]
        speakers = ["user", *("ab" * turns)] if alone else ["user", "bot"] * turns
        yield {
            "id": f"d{k}",
            "system": "xy"[k % 2],
            "group": f"opener {k // 2}",
            "turns": [{"speaker": s, "text": t} for s, t in zip(speakers, said, strict=False)],
        }


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def scored(folder, file, *metrics, **options):
    return score(ScoreRequest((file,), metrics, output=str(folder), resamples=50, **options))


@pytest.mark.parametrize("shard", [1, 2, 5])
def test_a_shard_smaller_than_a_conversation(tmp_path, shard):
    file = write(tmp_path / "talks.jsonl", talks())
    whole = scored(tmp_path / "whole", file, TALK, "length").scores()
    parts = scored(tmp_path / "parts", file, TALK, "length", shard=shard).scores()
    assert parts.items == whole.items
    for name, column in whole.columns.items():
        np.testing.assert_allclose(parts.columns[name], column, rtol=0, atol=1e-12)
    last = [
        row
        for row, name in enumerate(whole.items)
        if f"{name.split('#')[0]}#{int(name.split('#')[1]) + 2}" not in whole.items
    ]
    assert np.flatnonzero(~np.isnan(whole.columns["replies"])).tolist() == last
    assert whole.columns["replies"][last].tolist() == [3, 3, 2, 3, 3, 2]
    assert not np.isnan(whole.columns["words"]).any(), "metrics of replies beside it are as ever"


def test_means_are_those_of_conversations(tmp_path):
    found = scored(tmp_path / "run", write(tmp_path / "talks.jsonl", talks()), TALK, TURNS)
    cell = found.cells["x"]["replies"]
    assert (cell.n, cell.mean) == (3, pytest.approx((3 + 2 + 3) / 3))
    assert found.recipes["replies"].endswith("|form:chat|v:1")
    assert found.recipes[f"{TURNS}:question"].endswith("|form:chat|v:1")
    items = found.scores()
    for dialogue in ("d0", "d1"):
        own = [row for row, name in enumerate(items.items) if name.startswith(f"{dialogue}#")]
        for name in ("question", "user-words", "repeats-before"):
            np.testing.assert_allclose(
                items.columns[f"{TALK}:{name}"][own[-1]], np.nanmean(items.columns[f"{TURNS}:{name}"][own])
            )


def test_the_form_that_ran_is_in_the_recipe(tmp_path):
    rows = [*talks(4), *({**row, "id": f"s{row['id']}"} for row in talks(4, alone=True))]
    both = scored(tmp_path / "both", write(tmp_path / "both.jsonl", rows), TURNS)
    alone = scored(tmp_path / "alone", write(tmp_path / "alone.jsonl", rows[4:]), TURNS, shard=3)
    assert both.recipes["question"].endswith("|form:both|v:1")
    assert alone.recipes["question"].endswith("|form:self-play|v:1")


def test_engines_write_the_same_bytes(tmp_path):
    file = write(tmp_path / "talks.jsonl", talks())
    for engine in ("serial", "processes:2"):
        scored(tmp_path / engine, file, TALK, TURNS, shard=4, engine=engine)
    for name in ("scores.parquet", "summary.json", "recipes.json"):
        assert (tmp_path / "serial" / name).read_bytes() == (tmp_path / "processes:2" / name).read_bytes()


def test_replies_of_a_conversation_that_lie_apart_are_refused(tmp_path):
    rows = [{"id": f"{k}{g}", "context": ["hi"] * k, "response": "yes", "group": g} for k in (1, 2) for g in "abc"]
    file = write(tmp_path / "rows.jsonl", rows)
    with pytest.raises(DataError, match=r"2a: .*began elsewhere.*\(2 such rows\)|began elsewhere") as refused:
        scored(tmp_path / "cut", file, TALK, shard=3)
    assert "--shard" in refused.value.hint
    found = scored(tmp_path / "whole", file, TALK).scores()
    assert np.isnan(found.columns["replies"]).tolist() == [True] * 3 + [False] * 3


def test_a_resumed_reading_cuts_the_same_shards(tmp_path):
    file = write(tmp_path / "talks.jsonl", talks(9))

    def read(folder, stop=None):
        def progress(stage, done, total):
            if stop is not None and done >= 4 * stop:
                raise KeyboardInterrupt

        folder.mkdir(exist_ok=True)
        return spool(
            ItemReader(sources([file]), Limits()), folder, 4, contexts=True, keep=False, progress=progress, whole=True
        )

    whole = read(tmp_path / "whole")
    assert whole.sizes == (6, 5, 5, 6, 2), "conversations of 3, 3, 2, 3, 3, 2, 3, 3 and 2 replies"
    for stop in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            read(tmp_path / f"again{stop}", stop)
        assert read(tmp_path / f"again{stop}").sizes == whole.sizes
        for path in (tmp_path / "whole").rglob("*.npy"):
            assert (tmp_path / f"again{stop}" / path.relative_to(tmp_path / "whole")).read_bytes() == path.read_bytes()


def test_why(tmp_path):
    file = write(tmp_path / "talks.jsonl", talks())
    found = why(WhyRequest((file,), "d0#3", (TURNS, TALK)))
    one, two = (explanation.lines for explanation in found.explanations)
    assert one[0].startswith("q: ")
    assert two[0] == "3 replies of x; chat: the turns of others are the user's part"
    scores = scored(tmp_path / "run", file, TALK).scores()
    row = scores.items.index("d0#5")
    assert f"user-words = {scores.columns['user-words'][row]:.4f}" in two


def test_a_bot_that_speaks_twice_is_explained_as_a_chat(tmp_path):
    turns = tuple(Turn(speaker, text) for speaker, text in zip("ubbu", ("good", "tea", "cake", "bad"), strict=True))
    talk = Dialogue("d", "x", turns, extra={"rated_speaker": "b"})
    file = write(tmp_path / "talk.jsonl", [row_of(talk)])
    one, two = (found.lines for found in why(WhyRequest((file,), "d#2", (TURNS, TALK))).explanations)
    assert one[:3] == ("q: good", "r: cake", "n: bad")
    assert two[0] == "2 replies of x; chat: the turns of others are the user's part"
    assert "form:chat" in scored(tmp_path / "run", file, TALK).recipes["replies"]


def test_whose_turns_are_own_is_kept_where_replies_are_written_alone(tmp_path):
    turns = tuple(Turn(speaker, text) for speaker, text in zip("ubbu", ("good", "tea", "cake", "bad"), strict=True))
    replies = list(Dialogue("d", "x", turns, extra={"rated_speaker": "b"}).examples())
    read = list(open_items([write_bare(replies, tmp_path)]))
    assert [(reply.own, reply.after) for reply in read] == [(("b",), turns[2:]), (("b",), turns[3:])]
    rows = [{"id": str(k), "context": ["a"], "response": "b", "own": own} for k, own in enumerate((["b"], [], 5, [5], "b"))]
    found = list(open_items([write(tmp_path / "rows.jsonl", rows)]))
    assert [(item.own, item.extra) for item in found] == [
        (("b",), {}), ((), {}), ((), {"own": 5}), ((), {"own": [5]}), ((), {"own": "b"}),
    ]  # fmt: skip


def test_what_followed_is_read_and_written_as_it_was(tmp_path):
    rows = [
        {"id": "a", "context": ["good"], "response": "tea", "after": ["bad", {"speaker": "u", "text": "so"}]},
        {"id": "b", "context": ["good"], "response": "tea"},
        {"id": "c", "context": ["good"], "response": "tea", "after": 5},
    ]
    file = write(tmp_path / "rows.jsonl", rows)
    found = scored(tmp_path / "run", file, TURNS, items="parquet")
    column = pq.read_table(found.items)["sentiment-transition"].to_pylist()
    assert [value is None or np.isnan(value) for value in column] == [False, True, True]
