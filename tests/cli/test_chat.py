"""dialometer chat, through a pipe and through a terminal."""

import contextlib
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

SECONDS = 60
BOTS = """
def angry(context):
    if "tea" in context[-1]:
        raise RuntimeError("no tea today")
    return f"{len(context)} turns, the last: {context[-1]}"
"""


@pytest.fixture
def talk(cli, monkeypatch, tmp_path):
    """A callable: lines, arguments → Done, the lines through a pipe."""
    (tmp_path / "mine.py").write_text(BOTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)

    def run(lines, *arguments):
        data = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return cli("chat", *arguments)

    return run


def test_piped_lines_are_answered_one_by_one(talk):
    done = talk(["hi", "", "  how are you  "], "parrot")
    assert (done.code, done.out, done.err) == (0, "hi\nhow are you\n", "")


def test_json_is_one_object_per_reply(talk):
    done = talk(["hi", "/history", "/retry", "tea"], "callable(target=mine:angry)", "--json", "-m", "length")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row.get("reply") for row in rows] == ["1 turns, the last: hi"] * 2 + [None]
    assert rows[0]["scores"]["words"] == 7
    assert rows[0]["seed"] != rows[1]["seed"]
    assert "no tea today" in rows[2]["error"]
    assert "user: hi" in done.err
    assert done.code == 0


def test_options_from_a_file(talk, tmp_path):
    (tmp_path / "chat.toml").write_text('bot = "parrot"\nmetrics = ["length"]\njson = true\nseed = 3\n')
    (row,) = [json.loads(line) for line in talk(["hi there"], "--config", str(tmp_path / "chat.toml")).out.splitlines()]
    assert (row["reply"], row["scores"]["words"]) == ("hi there", 2)
    typed = talk(["hi there"], "constant", "--config", str(tmp_path / "chat.toml"), "--seed", "4")
    assert json.loads(typed.out)["reply"] == "I don't know ."
    assert json.loads(typed.out)["seed"] != row["seed"], "what is typed wins"
    (tmp_path / "odd.toml").write_text("sed = 3\n")
    assert "sed" in talk([], "parrot", "--config", str(tmp_path / "odd.toml")).refused()
    assert "no bot was named" in talk([]).refused()


def test_a_failure_is_a_sentence_and_the_conversation_goes_on(talk):
    done = talk(["one", "tea", "two"], "callable(target=mine:angry)")
    assert done.out.splitlines() == ["1 turns, the last: one", "3 turns, the last: two"]
    assert "error: " in done.err
    assert "no tea today" in done.err
    assert "Traceback" not in done.err
    assert done.code == 0


def test_commands(talk, tmp_path):
    lines = [
        "one",
        "two",
        "/undo",
        "/history",
        "/scores length",
        "/save kept.jsonl",
        "//undo",
        "/reset",
        "/history",
        "/help",
    ]
    done = talk([*lines, "/quit", "never said"], "parrot")
    said = done.out.splitlines()
    assert said[:5] == ["one", "two", "(taken back: two)", "user: one", "bot: one"]
    assert said[5].split() == ["reply", "words", "chars", "words-difference"]
    assert said[6].split() == ["one", "1", "3", "–"]
    assert said[7:11] == [
        "(added to kept.jsonl)",
        "/undo",
        "(another conversation begins)",
        "(nothing has been said yet)",
    ]
    assert said[11].startswith("/undo ")
    assert "never said" not in done.out
    assert len((tmp_path / "kept.jsonl").read_text().splitlines()) == 1
    assert done.err == ""


def test_commands_that_cannot_be_carried_out(talk):
    done = talk(
        ["/udno", "/save", "/undo", "/scores", "/scores bleu", "/scores nosuch", "hi", "/save no/such/file"], "parrot"
    )
    assert done.out == "hi\n"
    for told in (
        "no command named '/udno'; did you mean /undo",
        "no file was named",
        "nothing has been said yet",
        "no metric was asked for",
        "bleu needs a reference",
        "no metric named 'nosuch'",
        "its folder does not exist",
    ):
        assert told in done.err
    assert done.code == 0


def test_scores_stand_beside_each_reply(talk):
    done = talk(["I like tea"], "parrot", "-m", "length", "-m", "distinct")
    assert done.out.splitlines() == ["I like tea", "  words 3 · chars 10 · distinct-1 1 · distinct-2 1"]


def test_what_is_kept_can_be_scored(talk, cli):
    assert talk(["hi there", "bye"], "parrot", "-o", "talk.jsonl").code == 0
    done = cli("score", "talk.jsonl", "-m", "length", "--json")
    assert json.loads(done.out)["systems"]["parrot"]["words"]["mean"] == 1.5


def test_bytes_that_are_no_text(talk):
    done = talk(b"caf\xe9\n\xff\xfe\n\x00\x1b[0m\n" + b"x" * 100_000 + b"\nlast", "parrot")
    said = done.out.splitlines()
    assert len(said) == 5
    assert said[0] == "caf�"
    assert "\x1b" not in done.out
    assert said[-1] == "last"


def test_what_cannot_be_talked_to(talk):
    assert "there is no bot named 'elisa'; did you mean eliza" in talk([], "elisa").refused()
    assert "bleu needs a reference" in talk([], "parrot", "-m", "bleu").refused()
    assert "its folder does not exist" in talk([], "parrot", "-o", "no/such/file").refused()
    assert "no module 'nothere'" in talk(["hi"], "callable(target=nothere:f)").refused()
    assert "which model?" in talk(["hi"], "openai(url=http://127.0.0.1:1/v1)").refused()


@pytest.fixture
def terminal(tmp_path):
    """A callable: arguments → (process, its terminal); process groups that still run at the end are killed."""
    running = []

    def begin(*arguments):
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "dialometer", "chat", *arguments]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            env=os.environ | {"TERM": "dumb"},
        )  # fmt: skip
        os.close(theirs)
        running.append((process, ours))
        return process, ours

    yield begin
    for process, ours in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(SECONDS)
        os.close(ours)


def read_until(ours, mark, shown=b""):
    """All that the terminal shows until the mark is seen."""
    end = time.monotonic() + SECONDS
    while mark not in shown:
        assert time.monotonic() < end, shown
        shown += os.read(ours, 4096)
    return shown


def test_a_terminal_has_a_prompt_and_ctrl_d_ends(terminal):
    process, ours = terminal("parrot")
    assert b"/help lists the commands" in read_until(ours, b"you> ")
    os.write(ours, b"good morning\n")
    assert b"parrot: good morning" in read_until(ours, b"parrot: good morning\r\nyou> ")
    time.sleep(0.5)  # the prompt is shown a moment before readline waits; nobody presses Ctrl-C in between
    process.send_signal(signal.SIGINT)  # what Ctrl-C does; it drops the line and no more
    read_until(ours, b"/quit ends it)\r\n")
    os.write(ours, b"again\n")
    read_until(ours, b"parrot: again\r\nyou> ")  # before the prompt nobody listens for Ctrl-D
    os.write(ours, b"\x04")
    assert process.wait(SECONDS) == 0


def test_a_kill_loses_nothing_that_was_answered(terminal, tmp_path):
    process, ours = terminal("parrot", "-o", "talk.jsonl")
    read_until(ours, b"you> ")
    for text in (b"one", b"two"):
        os.write(ours, text + b"\n")
        read_until(ours, b"parrot: " + text)
    process.kill()
    process.wait(SECONDS)
    (row,) = map(json.loads, (tmp_path / "talk.jsonl").read_text().splitlines())
    assert [turn["text"] for turn in row["turns"]] == ["one", "one", "two", "two"]
