"""What play begins with: lines, items, sampled contexts; exact counts, drawn by seed."""

import pytest

from dialometer.core.errors import DataError, UsageError
from dialometer.flows.play.openers import choose, read_openers
from tests.bots.talkers import register, unregister
from tests.flows.played import given, played, talks, write


@pytest.fixture
def run(tmp_path):
    """A callable: bots and options → (report, dialogues)."""
    register()
    yield lambda *a, name="r", **options: played(tmp_path / name, *a, **options)
    unregister()


def test_sampled_contexts_are_the_first_turns_of_conversations_that_have_them(run, tmp_path):
    path = talks(tmp_path, [2, 3, 4, 5, 6, 7])
    _, dialogues = run("talker", openers=path, context=4, n=4, turns=3)
    assert sorted(one.extra["opener"] for one in dialogues) == ["d2", "d3", "d4", "d5"]
    for one in dialogues:
        number = one.extra["opener"][1:]
        assert given(one) == [f"talk {number} turn {k}" for k in range(4)]
        assert [turn.speaker for turn in one.turns] == ["user"] * 4 + ["a", "b", "a"]
    with pytest.raises(UsageError, match="5 conversations need as many different openers, and there are 4") as caught:
        run("talker", openers=path, context=4, n=5, name="s")
    assert "-n 4" in caught.value.hint
    with pytest.raises(DataError, match="no opener has 9 turns; the longest has 7"):
        run("talker", openers=path, context=9, n=1, name="t")


def test_who_draws_what_is_decided_by_seed_and_openers_are_used_once(tmp_path):
    found = read_openers(talks(tmp_path, [3] * 50), context=2, format="", max_line=1 << 20)
    drawn = [choose(found, 20, seed) for seed in range(30)]
    assert all(len({opener.name for opener in some}) == 20 for some in drawn)
    assert choose(found, 20, 3) == drawn[3]
    assert choose(found, 7, 3) == drawn[3][:7]
    times = [sum(opener in some for some in drawn) for opener in found]
    assert min(times) > 0  # 12 of 30 on average
    assert max(times) < 30


def test_openers_from_lines_items_and_conversations(tmp_path):
    def read(path, context=0):
        return [opener.turns for opener in read_openers(str(path), context=context, format="", max_line=1 << 20)]

    (tmp_path / "lines.txt").write_text("hi\n\n how are you \nhi\nso\n")
    assert read(tmp_path / "lines.txt") == [("hi",), ("how are you",), ("so",)]
    assert read(tmp_path / "lines.txt", 2) == [("how are you", "hi")]
    items = [{"id": f"{k}", "context": ["a", "", f"b{k // 2}"], "response": "x", "references": [""]} for k in range(4)]
    items.append({"id": "bare", "context": [], "response": "x"})
    write(tmp_path / "items.jsonl", items)
    assert read(tmp_path / "items.jsonl") == [("a", "b0"), ("a", "b1")]
    assert read(tmp_path / "items.jsonl", 1) == [("a",)]
    assert read(talks(tmp_path, [3, 1])) == [("talk 0 turn 0",), ("talk 1 turn 0",)]
    assert read(talks(tmp_path, [3, 1]), 2) == [("talk 0 turn 0", "talk 0 turn 1")]
    (tmp_path / "none.txt").write_text("\n \n")
    with pytest.raises(DataError, match="holds no opener"):
        read(tmp_path / "none.txt")


def test_the_same_openers_pair_across_files(run, tmp_path):
    (tmp_path / "some.txt").write_text("tea?\nrain?\n")
    write(tmp_path / "some.jsonl", [{"id": "x", "context": ["rain?"], "response": "y"}])
    _, lines = run("parrot", openers=str(tmp_path / "some.txt"), n=2, name="l")
    _, items = run("parrot", openers=str(tmp_path / "some.jsonl"), n=1, name="i")
    assert items[0].group in {one.group for one in lines}


def test_openers_are_used_again_only_when_asked(run, tmp_path):
    (tmp_path / "two.txt").write_text("tea?\nrain?\n")
    with pytest.raises(UsageError, match="there are 2"):
        run("talker", openers=str(tmp_path / "two.txt"), n=5)
    _, dialogues = run("talker", openers=str(tmp_path / "two.txt"), n=5, repeat=True)
    assert len({one.group for one in dialogues}) == 2
    assert len({tuple(turn.text for turn in one.turns) for one in dialogues}) == 5


def test_contexts_of_a_real_corpus(run, shared_data):
    """Three turns of unseen DailyDialog conversations, and what eliza shares with the corpus."""
    corpus = str(shared_data("corpora/dailydialog.jsonl.gz"))
    report, dialogues = run("eliza", "parrot", openers=corpus, context=3, n=50, turns=10, training=(corpus,))
    assert all(len(one.turns) == 13 for one in dialogues)
    assert report.total("turns") == 1000
    assert len({one.group for one in dialogues}) == 50
    assert report.bots["parrot"]["overlap"]["training_3"]["share"] < 0.05
    assert report.bots["eliza"]["repeated"] < 0.5 < report.bots["parrot"]["repeated"]


def test_where_chooses_among_items(run, tmp_path):
    path = talks(tmp_path, [3] * 8)
    _, dialogues = run("parrot", openers=path, where=("half=1",), n=4, turns=1)
    assert sorted(one.extra["opener"] for one in dialogues) == ["d1", "d3", "d5", "d7"]
    with pytest.raises(UsageError, match="no item meets half=2"):
        run("parrot", openers=path, where=("half=2",), name="x")
    with pytest.raises(UsageError, match="plain text has no fields"):
        run("parrot", where=("half=1",), name="x")


def test_the_training_set_may_be_a_part_of_a_file(run, tmp_path):
    rows = [{"id": half, "half": half, "turns": ["hm", "hm" if half == "left" else "so"]} for half in ("left", "right")]
    path = write(tmp_path / "t.jsonl", rows)
    for half, found in (("left", 1), ("right", 0)):
        options = {"n": 1, "training": (path,), "training_where": (f"half={half}",)}
        report, _ = run("constant(text=hm)", name=half, **options)
        assert report.bots["constant(text=hm)"]["overlap"]["training_2"]["found"] == found
    with pytest.raises(UsageError, match="chooses among the items of --training"):
        run("parrot", training_where=("half=left",), name="x")
