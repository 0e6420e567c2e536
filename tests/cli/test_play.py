"""The play command: what it prints, promises and refuses."""

import json

import pytest

from tests.bots.talkers import register, unregister
from tests.cli.conftest import write


@pytest.fixture(autouse=True)
def talker():
    register()
    yield
    unregister()


def test_json_is_the_promised_form(cli):
    done = cli("play", "--a", "constant", "--a", "parrot", "-n", 5, "--turns", 6, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    assert "NaN" not in done.out
    shown = json.loads(done.out)
    assert {"run", "conversations", "turns", "failed", "overlap"} <= shown.keys()
    assert shown["run"].startswith("runs/play-")
    assert (shown["conversations"], shown["turns"], shown["failed"]) == (10, 60, 0)
    assert shown["overlap"]["constant"]["pairs_5"]["share"] == 1
    assert shown["overlap"]["parrot"]["pairs_5"]["share"] == 0


def test_the_table_is_readable_and_printed_again(cli, tmp_path):
    (tmp_path / "t.txt").write_text("i don't know\ni don't know\n")
    arguments = ("play", "--a", "constant", "--a", "eliza", "-n", 4, "--turns", 5, "--training", "t.txt", "-o", "r")
    done = cli(*arguments)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == (
        "bot talks turns failed words distinct-1 distinct-2 repeated shared 3 shared 5 training 2 training 3".split()
    )
    assert lines[1].split()[:4] == ["constant", "4", "20", "0"]
    assert lines[1].split()[-5:] == ["80.0%", "100.0%", "100.0%", "100.0%", "0.0%"]
    assert lines[-3:] == [
        "8 conversations → r/dialogues.jsonl",
        "read them: r/report.html",
        "next: dialometer score r/dialogues.jsonl -m length -m distinct",
    ]
    assert max(map(len, lines)) <= 124
    assert cli(*arguments).out == done.out
    scored = cli("score", "r/dialogues.jsonl", "-m", "length", "-m", "distinct")
    counts = [line.split()[1] for line in scored.out.splitlines() if line.startswith(("constant", "eliza"))]
    assert counts == ["20"] * 4, "a difference to references that nobody has is no range of counts"


def test_failed_conversations_are_counted_and_end_with_a_code_of_their_own(cli, caplog):
    command = ("play", "--a", "talker(refuses=moon)", "-n", 20, "--turns", 6, "--json")
    done = cli(*command)
    failed = json.loads(done.out)["failed"]
    assert 0 < failed < 20
    assert done.code == 3
    assert f"{failed} of 20 conversations stopped early because a bot failed; the first is talker" in caplog.text
    assert "moon" in caplog.text.split("the first is")[1]
    for allowed, code in ((-1,), 0), ((failed,), 0), ((failed - 1,), 3), ((0,), 3):
        again = cli(*command, "--allow-failures", *allowed)
        assert (again.code, again.out) == (code, done.out), allowed
    assert (
        cli("play", "--a", "talker(deaf=1)", "-n", 2, "--turns", 2, "--allow-failures", -1).code == 2
    )  # nobody said a word


def test_failures_of_a_remote_bot_are_asked_for_again_by_the_same_command(cli, tmp_path):
    command = ("play", "--a", "talker(remote=true,down=out.flag)", "--a", "parrot", "-n", 2, "--turns", 2)
    (tmp_path / "out.flag").write_text("")
    assert cli(*command).code == 3
    (tmp_path / "out.flag").unlink()
    assert cli(*command).code == 0


def test_a_comparison_tells_of_failed_conversations(cli, caplog):
    done = cli("compare", "--a", "talker(refuses=moon)", "--a", "parrot", "-n", 10, "--turns", 4, "-m", "length",
               "--resamples", 10, "--permutations", 10)  # fmt: skip
    assert done.code == 0
    assert "of 20 conversations stopped early because a bot failed" in caplog.text
    assert "conversations stopped early: a bot failed" in done.out


def test_failures_are_told_in_a_line(cli):
    done = cli("play", "--a", "talker(deaf=2)", "--a", "parrot", "-n", 3, "--turns", 4)
    assert done.code == 3  # whoever goes on without a look must be stopped
    (said,) = [line for line in done.out.splitlines() if line.startswith("talker(deaf=2): ")]
    assert said.startswith("talker(deaf=2): 3 stopped early, first talker(deaf=2)-0000: not after")
    assert "control characters" not in done.out
    silent = cli("play", "--a", "talker(deaf=1)", "-n", 3, "--turns", 4)
    assert silent.code == 2  # a script must not go on to score nothing
    assert silent.out.splitlines()[-1] == "nobody said a word: there is nothing to score"
    assert silent.err.startswith("error: nobody said a word in ")
    assert "\n  → dialometer chat " in silent.err
    assert "out of 8 turns" in cli("play", "--a", "talker(dirty=true)", "-n", 2, "--turns", 4).out


def test_partners_openers_and_quiet(cli, tmp_path):
    rows = [{"id": f"d{i}", "turns": [f"{i}", "so", "and"]} for i in range(3)]
    write(tmp_path / "open.jsonl", rows)
    options = ("--openers", "open.jsonl", "--context", 2, "-n", 3, "--turns", 2)
    pool = ("--partners", "constant", "--partners", "talker")
    assert cli("play", "--a", "parrot", *pool, *options, "--quiet", "-o", "r").out == ""
    talks = [json.loads(line) for line in (tmp_path / "r/dialogues.jsonl").read_text().splitlines()]
    assert [talk["bots"]["b"] for talk in talks] == ["constant", "talker", "constant"]
    assert {talk["opener"] for talk in talks} == {"d0", "d1", "d2"}
    assert all(len(talk["turns"]) == 4 for talk in talks)


def test_bots_go_by_the_names_they_are_given(cli, tmp_path):
    shown = cli(
        "play", "--a", "eliza", "--a", "parrot", "--name", "doctor", "--name", "echo", "-n", 2, "--turns", 2, "-o", "r"
    )
    assert [line.split()[0] for line in shown.out.splitlines()[1:3]] == ["doctor", "echo"]
    talks = [json.loads(line) for line in (tmp_path / "r/dialogues.jsonl").read_text().splitlines()]
    assert [talk["system"] for talk in talks] == ["doctor", "doctor", "echo", "echo"]


def test_options_from_a_file(cli, tmp_path):
    (tmp_path / "p.toml").write_text('a = ["parrot", "constant"]\nb = "eliza"\nn = 3\nturns = 2\n')
    shown = json.loads(cli("play", "--config", "p.toml", "--turns", 4, "--json").out)
    assert (shown["conversations"], shown["turns"]) == (6, 24)


def test_help_shows_examples(cli):
    shown = cli("play", "--help").out
    assert "dialometer play --a eliza --a alice --a runs/hred -n 100 --turns 10" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no bot was named"),
        (("--a", "elisa"), "did you mean eliza"),
        (("--a", "eliza("), "bracket"),
        (("--a", "hred"), "hred"),
        (("--a", "eliza", "--a", "parrot", "--name", "doctor"), "--a was given 2 times and --name 1 times"),
        (("--a", "eliza", "--a", "parrot", "--name", "x", "--name", "x"), "two bots would be named 'x'"),
        (("--a", "eliza", "--b", "parrot", "--name", "parrot"), "two bots would be named 'parrot'"),
        (("--a", "eliza", "--name", "user"), "cannot be named 'user'"),
        (("--a", "eliza", "--name", " "), "no name for a bot"),
        (("--a", "eliza", "-n", "0"), "-n is 1"),
        (("--a", "eliza", "-n", "many"), "many"),
        (("--a", "eliza", "--turns", "-1"), "--turns is 1"),
        (("--a", "eliza", "--b", "parrot", "--partners", "constant"), "a pool of them"),
        (("--a", "eliza", "--openers", "gone.txt"), "gone.txt"),
        (("--a", "eliza", "--openers", "bad.txt"), "bad.txt:2: is not UTF-8"),
        (("--a", "eliza", "--openers", "lines"), "name it .txt"),
        (("--a", "eliza", "--openers", "short.txt"), "there are 1"),
        (("--a", "eliza", "--training", "bad.txt"), "bad.txt:2"),
        (("--a", "eliza", "--training", "empty.txt"), "holds no text"),
        (("--a", "runs/none"), "there is no such folder"),
        (("--a", "eliza", "--config", "gone.toml"), "gone.toml"),
    ],
)
def test_refusals_are_one_sentence_and_leave_nothing(cli, tmp_path, arguments, said):
    (tmp_path / "bad.txt").write_bytes(b"fine\n\xff\n")
    (tmp_path / "lines").write_text("hello\nhi\n")
    (tmp_path / "short.txt").write_text("hello\n")
    (tmp_path / "empty.txt").write_text("\n")
    assert said in cli("play", *arguments).refused()
    assert not (tmp_path / "runs").exists()
