"""Each builder on a small raw dump in the form in which the corpus is handed out."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from dialometer.core.errors import DataError, UnknownName, UsageError
from dialometer.core.types import Dialogue, Example, Turn
from dialometer.data.corpora.placeholders import checked_kinds, mask, masked_item
from dialometer.data.corpora.protocol import conversations
from dialometer.data.corpora.reddit import clean
from dialometer.data.row_errors import Limits


def build(name: str, *paths: Path) -> tuple[list[Dialogue], Counter[str]]:
    counts = Counter[str]()
    return list(conversations(name, list(paths), Limits(), counts)), counts


def json_lines(path: Path, rows: list) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def cornell(folder: Path) -> Path:
    (folder / "movie_lines.txt").write_bytes(
        b"L3 +++$+++ u0 +++$+++ m0 +++$+++ BIANCA +++$+++ Caf\xe9?\n"
        b"L2 +++$+++ u2 +++$+++ m0 +++$+++ CAMERON +++$+++ Here.\nL1 +++$+++ u0 +++$+++ m0 +++$+++ BIANCA +++$+++ \n"
        b"L9 +++$+++ u2 +++$+++ m0 +++$+++ CAMERON +++$+++\n"
    )
    (folder / "movie_conversations.txt").write_bytes(
        b"u0 +++$+++ u2 +++$+++ m0 +++$+++ ['L2', 'L3']\nu0 +++$+++ u2 +++$+++ m0 +++$+++ ['L1', 'L9']\n"
    )
    return folder


def test_cornell(tmp_path):
    (first, second), _ = build("cornell", cornell(tmp_path))
    assert first.id == "cornell-L2"
    assert first.turns == (
        Turn("u2", "Here.", extra={"character": "CAMERON"}),
        Turn("u0", "Café?", extra={"character": "BIANCA"}),
    )
    assert first.extra == {"movie": "m0", "characters": ["u0", "u2"]}
    assert [turn.text for turn in second.turns] == ["", ""]
    assert build("cornell", tmp_path / "movie_conversations.txt")[0][0] == first


def test_cornell_refuses(tmp_path):
    with pytest.raises(DataError, match=r"movie_lines.txt is missing"):
        build("cornell", tmp_path)
    cornell(tmp_path)
    (tmp_path / "movie_conversations.txt").write_bytes(b"u0 +++$+++ u2 +++$+++ m0 +++$+++ ['L2', 'L7']\n" * 2)
    with pytest.raises(DataError, match=r"movie_conversations.txt:1: names the line L7.*2 such cases"):
        build("cornell", tmp_path)
    (tmp_path / "movie_conversations.txt").write_bytes(b"u0 u2 m0\n")
    with pytest.raises(DataError, match="has 1 fields"):
        build("cornell", tmp_path)
    with pytest.raises(UsageError, match="takes one path"):
        build("cornell", tmp_path, tmp_path)


def test_dailydialog(tmp_path):
    file = tmp_path / "dialogues_train.txt"
    file.write_text("Hi . __eou__ Hello ! __eou__ Bye . __eou__\nA __eou__ B __eou__\n")
    (tmp_path / "dialogues_emotion_train.txt").write_text("0 4 0\n1 2 3\n")
    (tmp_path / "dialogues_act_train.txt").write_text("1 2 1\n3 4\n")
    (first, second), counts = build("dailydialog", file)
    assert first.id == "dd-train-0"
    assert first.turns[1] == Turn("b", "Hello !", extra={"emotion": 4, "act": 2})
    assert [turn.speaker for turn in first.turns] == ["a", "b", "a"]
    assert second.extra == {"emotion": [1, 2, 3]}
    assert counts["conversations whose emotion labels do not match their turns"] == 1
    (tmp_path / "dialogues_act_train.txt").write_text("1 2 1\n")
    with pytest.raises(DataError, match=r"dialogues_act_train.txt ends before line 2"):
        build("dailydialog", file)


def test_dailydialog_folder_with_topics(tmp_path):
    (tmp_path / "dialogues_text.txt").write_text("Hi . __eou__ Hello ! __eou__\n")
    (tmp_path / "dialogues_topic.txt").write_text("7\n")
    ((only,), _) = build("dailydialog", tmp_path)
    assert (only.id, only.extra, len(only.turns)) == ("dd-text-0", {"topic": 7}, 2)


def test_ubuntu_folder(tmp_path):
    for name in ("3/10.tsv", "3/9.tsv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(
            '2004-11-23T11:49:00.000Z\tann\t\tany "ideas\n2004-11-23T11:50:00.000Z\tbob\tann\ta\tb\n'
        )
    (first, second), _ = build("ubuntu", tmp_path)
    assert (first.id, second.id) == ("ubuntu-3/10", "ubuntu-3/9")
    assert first.turns == (
        Turn("ann", 'any "ideas', time="2004-11-23T11:49:00.000Z"),
        Turn("bob", "a\tb", time="2004-11-23T11:50:00.000Z", extra={"to": "ann"}),
    )
    (tmp_path / "3/11.tsv").write_text("one\ttwo\n")
    with pytest.raises(DataError, match=r"11.tsv:1: has 2 cells"):
        build("ubuntu", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"no .tsv files"):
        build("ubuntu", tmp_path / "empty")


def test_ubuntu_tables(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv.gz"
    train.write_text(
        'Context,Utterance,Label\n"hi __eou__ you, there __eou__ __eot__yes __eou__ __eot__",so? __eou__,1\nx __eot__,y,0\n'
    )
    test.write_bytes(
        gzip.compress(b"Context,Ground Truth Utterance,Distractor_0,Distractor_1\na __eou__ __eot__,b,c __eou__,d\n")
    )
    (first, second), counts = build("ubuntu", train, test)
    assert first.turns == (Turn("a", "hi you, there"), Turn("b", "yes"), Turn("a", "so?"))
    assert counts == {"rows with a random reply (label 0) left out": 1}
    assert second == Dialogue("ubuntu-test-2", "", (Turn("a", "a"), Turn("b", "b")), extra={"distractors": ["c", "d"]})
    train.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="no columns Context and Utterance"):
        build("ubuntu", train)


def test_tweets(tmp_path):
    ids = tmp_path / "ids.txt"
    ids.write_text("1 2 3\n1\t4\n2,9\n")
    tweets = [
        {"id_str": "1", "id": 1, "text": "hi", "user": {"screen_name": "ann"}, "created_at": "Mon"},
        {"id": 2, "full_text": "hello", "author_id": "77"},
        {"id": "3", "text": "bye"},
        {"id": "4", "text": "other"},
        {"id": "5", "text": "unwanted"},
    ]
    file = json_lines(tmp_path / "tweets.jsonl", tweets)
    (first, second), counts = build("tweets", ids, file)
    assert (first.id, first.group) == ("tweets-3", "1")
    assert first.turns[0] == Turn("ann", "hi", time="Mon", extra={"tweet": "1"})
    assert [turn.speaker for turn in first.turns] == ["ann", "77", ""]
    assert second.id == "tweets-4"
    assert counts == {"tweets missing": 1, "conversations left out for a missing tweet": 1}
    ids.write_text("1 x\n")
    with pytest.raises(DataError, match=r"ids.txt:1: 'x' is not a tweet id"):
        build("tweets", ids, file)
    with pytest.raises(UsageError, match="a file of ids and a file of tweets"):
        build("tweets", ids)
    ids.write_text("8\n")
    with pytest.raises(DataError, match=r"no dialogue could be built .1 tweets missing"):
        build("tweets", ids, file)


def comment(name: str, parent: str, body: str, link: str = "t3_s1", **more: object) -> dict:
    return {"id": name, "parent_id": parent, "link_id": link, "author": f"u{name}", "body": body, "created_utc": 5, **more}


def test_reddit(tmp_path):
    rows = [
        comment("d", "t1_c", "leaf see https://x.org/a ok"),
        comment("a", "t3_s1", "root"),
        comment("b", "t1_a", "second EDIT: no"),
        comment("c", "t1_b", "third"),
        comment("e", "t1_b", "[removed]"),
        comment("f", "t1_e", "below removed"),
        comment("g", "t1_b", "other leaf"),
        comment("h", "t3_s1", "alone"),
        comment("i", "t1_zz", "orphan"),
        comment("j", "t1_g", "Edit: only an edit"),
    ]
    (first, second), counts = build("reddit", json_lines(tmp_path / "RC.jsonl", rows))
    assert (first.id, first.group, second.id) == ("reddit-d", "s1", "reddit-g")
    assert [turn.text for turn in first.turns] == ["root", "second", "third", "leaf see ok"]
    assert first.turns[0] == Turn("ua", "root", time=5, extra={"comment": "a"})
    assert counts == {
        "comments removed, deleted or empty after cleaning": 2,
        "replies to a removed or absent comment left out": 2,
        "paths shorter than 3 turns left out": 1,
    }
    longer, _ = build("reddit(turns=4)", tmp_path / "RC.jsonl")
    assert [dialogue.id for dialogue in longer] == ["reddit-d"]


def test_reddit_refuses_and_survives_circles(tmp_path):
    file = json_lines(tmp_path / "RC.jsonl", [{"id": "a", "title": "x"}, {"id": "b"}])
    with pytest.raises(DataError, match=r"RC.jsonl:1: is not a comment.*fields found: id, title.*2 such cases"):
        build("reddit", file)
    json_lines(file, [comment("a", "t1_b", "x"), comment("b", "t1_a", "y"), comment("c", "t1_a", "z")])
    with pytest.raises(DataError, match="no dialogue could be built"):
        build("reddit", file)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("Text.\n\n**EDIT 2:** more", "Text."),
        ("Text.\nedit - more", "Text."),
        ("Text (edit: more)", "Text"),
        ("I edit videos, credit: me", "I edit videos, credit: me"),
        ("a &gt; b [name](https://x.org) www.y.org", "a > b name"),
        (" [deleted] ", ""),
    ],
)
def test_reddit_cleaning(body, kept):
    assert clean(body) == kept


def test_placeholders():
    kinds = checked_kinds(["user", "number", "url"])
    assert (
        mask("@a_b: www.x.org. 3,5 -2 x9 a@b.c (http://y.z/1)", kinds) == "@user: <url>. <number> <number> x9 a@b.c (<url>)"
    )
    item = Example("e", (Turn("u", "@x"),), "7", ("8 @y",))
    assert masked_item(item, ("user",)) == Example("e", (Turn("u", "@user"),), "7", ("8 @user",))
    assert masked_item(item, ()) is item
    with pytest.raises(UnknownName, match="did you mean url"):
        checked_kinds(["urls"])


def test_missing_dump_and_unknown_builder(tmp_path):
    for name in ("dailydialog", "reddit", "tweets", "ubuntu", "cornell"):
        with pytest.raises(DataError, match="no such file"):
            build(name, tmp_path / "none.csv", tmp_path / "none")
    with pytest.raises(UnknownName, match="did you mean reddit"):
        build("redit", tmp_path)
