"""Programs that speak JSON lines: well, out of order, badly, and not at all. Whatever was started is ended."""

import os
import pickle
import shlex
import subprocess
import sys
import time

import pytest

from dialometer.bots._shared.ask import ask
from dialometer.bots.command import Command
from dialometer.core.errors import BotError, PartlyFailed, SpecError
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Turn

HEAD = """
import json, os, sys, time
def answer(request, **said):
    print(json.dumps({"id": request["id"], **said}), flush=True)
def texts(request):
    last = request["context"][-1]["text"] if request["context"] else "hello"
    return [f"{last} {request['seed']} {k}" for k in range(request["n"])]
requests = map(json.loads, sys.stdin)
"""
ECHO = "for r in requests: answer(r, replies=texts(r))"
TIMEOUT = 20.0


@pytest.fixture
def program(tmp_path):
    """A callable: the body of a program → a bot of it; every process is ended."""
    bots = []

    def make(body, **options):
        path = tmp_path / f"program{len(bots)}.py"
        path.write_text(HEAD + body)
        bots.append(Command(**{"argv": shlex.join([sys.executable, str(path)]), "timeout": TIMEOUT, **options}))
        return bots[-1]

    yield make
    for bot in bots:
        bot.close()


def talk(*said):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(said))


def gone(pid):
    """Whether a process ended, within a few seconds."""
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_it_is_started_once_and_answers_in_order(program):
    bot = program("for r in requests: answer(r, replies=[str(os.getpid())] + texts(r))")
    first, second = bot.reply([talk("hi")], n=2), bot.reply([talk("ho"), talk("hm")], n=2, seed=[7, 8])
    assert first[0][0] == second[0][0] == second[1][0]
    assert [replies[1] for replies in second] == ["ho 7 0", "hm 8 0"]
    assert bot.reply([]) == []
    assert bot.reply([()], seed=[3]) == [[first[0][0]]]


def test_the_whole_context_arrives(program):
    bot = program("for r in requests: answer(r, replies=[json.dumps(r['context'])])")
    said = bot.reply([(Turn("ann", "naïve 👍\n\u2028"), Turn("", "b"))])[0][0]
    assert said == '[{"speaker": "ann", "text": "na\\u00efve \\ud83d\\udc4d\\n\\u2028"}, {"speaker": "", "text": "b"}]'


def test_answers_may_come_in_any_order(program):
    bot = program(
        """
held = []
for r in requests:
    held.append(r)
    if len(held) == 5:
        for one in reversed(held): answer(one, replies=texts(one))
        held = []
""",
        ahead=5,
    )
    assert bot.reply([talk(f"t{i}") for i in range(20)], seed=[0] * 20) == [[f"t{i} 0 0"] for i in range(20)]


def test_a_request_larger_than_a_pipe_and_many_of_them(program):
    bot = program("for r in requests: answer(r, replies=[str(len(r['context'][0]['text']))])", ahead=50)
    assert bot.reply([talk("x" * 300_000)] * 50) == [["300000"]] * 50


def test_its_errors_and_wrong_answers_cost_their_context(program):
    bot = program("""
for r in requests:
    last = r["context"][-1]["text"]
    said = {"error": {"error": "cannot say"}, "few": {"replies": []}, "odd": {"replies": "text"}, "none": {}}
    answer(r, **said.get(last, {"replies": texts(r)}))
""")
    with pytest.raises(PartlyFailed) as caught:
        bot.reply([talk(t) for t in ("fine", "error", "few", "odd", "none")], seed=[1] * 5)
    assert caught.value.replies == [["fine 1 0"], None, None, None, None]
    assert [reason.split(":")[0] for reason in caught.value.reasons.values()] == [
        "the program says",
        "the program gave 0 replies where 1 were asked for",
        "the program's answer holds no list of texts under 'replies'",
        "the program's answer holds no list of texts under 'replies'",
    ]
    assert "cannot say" in caught.value.reasons[1]


def test_one_that_dies_is_started_again_and_the_one_at_fault_is_found(program):
    bot = program("""
for r in requests:
    if r["context"][-1]["text"] == "poison":
        print("first", "I do not feel well", sep="\\n", file=sys.stderr, flush=True)
        os._exit(3)
    answer(r, replies=texts(r))
""")
    with pytest.raises(PartlyFailed) as caught:
        bot.reply([talk("poison" if i == 4 else f"t{i}") for i in range(12)], seed=[0] * 12)
    assert list(caught.value.reasons) == [4]
    assert [replies for i, replies in enumerate(caught.value.replies) if i != 4] == [
        [f"t{i} 0 0"] for i in range(12) if i != 4
    ]
    assert "it ended with exit code 3; its last words: first / I do not feel well" in caught.value.reasons[4]
    assert ask(bot, [talk("fine")])[0].replies


def test_one_that_ends_after_each_answer_is_no_failure(program):
    bot = program("r = next(requests); answer(r, replies=texts(r))", ahead=1, retries=1)
    assert bot.reply([talk(f"t{i}") for i in range(4)], seed=[0] * 4) == [[f"t{i} 0 0"] for i in range(4)]


def test_a_silent_one_is_ended(program, tmp_path):
    note = tmp_path / "pid"
    bot = program(f"open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(600)", timeout=3.0, retries=0)
    with pytest.raises(PartlyFailed, match=r"no answer within 3 s"):
        bot.reply([talk("hi")])
    assert gone(int(note.read_text()))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for r in requests: print('Loading the model …', flush=True)", "not JSON: 'Loading the model …'"),
        ("for r in requests: print('[1]', flush=True)", "no object with an id"),
        ("for r in requests: answer({'id': 99999}, replies=['x'])", "a request that nobody made, with the id 99999"),
        ("import nothing_of_this_name", "No module named 'nothing_of_this_name'"),
    ],
    ids=["words", "list", "id", "import"],
)
def test_nonsense_is_named(program, body, reason):
    bot = program(body)
    with pytest.raises(PartlyFailed) as caught:
        bot.reply([talk("hi")])
    assert reason in str(caught.value)
    assert "standard error" in caught.value.hint


def test_one_that_never_answers_is_left_alone(program, tmp_path):
    note = tmp_path / "starts"
    bot = program(f"open({str(note)!r}, 'a').write('x'); sys.exit(1)", retries=0)
    with pytest.raises(PartlyFailed, match="100 of 100 contexts"):
        bot.reply([talk(f"{i}") for i in range(100)])
    assert len(note.read_text()) == 6


def test_closing_ends_it_and_what_it_started(program, tmp_path):
    note = tmp_path / "pids"
    bot = program(f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(note)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
{ECHO}
""")
    bot.reply([talk("hi")])
    bot.close()
    assert all(gone(int(pid)) for pid in note.read_text().split())
    bot.close()
    assert bot.reply([talk("hi")], seed=[5]) == [["hi 5 0"]]


def test_it_ends_with_the_one_who_started_it(program, tmp_path):
    note = tmp_path / "pid"
    bot = program(f"open({str(note)!r}, 'w').write(str(os.getpid()))\n{ECHO}")
    code = (
        "from dialometer.core.registry import create; from dialometer.core.types import Turn; import sys; "
        "print(create('bot', sys.argv[1]).reply([(Turn('a', 'hi'),)], seed=[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, spec_of(bot, "command")], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[['hi 1 0']]"
    assert gone(int(note.read_text()))


def test_the_recipe_knows_the_file(program, tmp_path):
    bot = program(ECHO)
    before = bot.recipe
    path = tmp_path / "program0.py"
    path.write_text(path.read_text() + "\n# changed")
    assert bot.recipe != before
    assert bot == pickle.loads(pickle.dumps(bot)) == create("bot", spec_of(bot, "command"))
    assert os.path.basename(path) in bot.recipe
    assert str(tmp_path) not in bot.recipe


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("weights.json", "python3 -c pass --model=weights.json"),
        ("talker.py", "python3 -m talker"),
        ("pack/__main__.py", "python3 -m pack"),
        ("bin/talk-script", "talk-script --fast"),
    ],
)
def test_the_recipe_knows_files_that_are_no_word_of_the_command_line(tmp_path, monkeypatch, name, argv):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("#!/bin/sh\necho one\n")
    file.chmod(0o755)
    before = Command(argv).recipe
    assert Command(argv).recipe == before
    file.write_text("#!/bin/sh\necho two\n")
    assert Command(argv).recipe != before
    assert str(tmp_path) not in before


def test_the_recipe_is_the_same_wherever_the_file_lies(tmp_path):
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.py").write_text(ECHO)
    one, two = (Command(f"python3 {tmp_path / folder / 'bot.py'} --fast").recipe for folder in ("here", "there"))
    assert one == two
    assert one.startswith("command-1(argv=python3 bot.py --fast)@")


@pytest.mark.parametrize("argv", ["", "  ", 'python "unclosed'])
def test_what_is_no_command_line_is_refused(argv):
    with pytest.raises(SpecError) as caught:
        Command(argv).reply([talk("hi")])
    assert "command(argv=" in caught.value.hint


def test_a_program_that_does_not_exist_is_named():
    with pytest.raises(BotError, match="no-such-program cannot be started"):
        Command("no-such-program --fast").reply([talk("hi")])
    with pytest.raises(SpecError, match="there is no program 'no-such-program'"):  # before anybody talks
        Command("no-such-program --fast").recipe  # noqa: B018


@pytest.mark.parametrize("options", [{"timeout": 0.0}, {"retries": -1}, {"ahead": 0}], ids=str)
def test_wrong_options_are_refused(options):
    with pytest.raises(SpecError):
        Command("cat", **options)
