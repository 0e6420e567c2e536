"""The command itself: verbs, help, version, and how errors, Ctrl-C and a closed pipe end it."""

import json
import os
import signal
import subprocess
import sys
import time

import click
import pytest

import dialometer
from dialometer.cli import main as module
from dialometer.cli.main import VERBS
from dialometer.core.errors import DataError
from tests.cli.conftest import write


@pytest.mark.parametrize(
    ("typed", "offered"), [("scroe", "score"), ("Score", "score"), ("wy", "why"), ("docter", "doctor"), ("lst", "list")]
)
def test_an_unknown_verb_is_offered_the_nearest(cli, typed, offered):
    said = cli(typed, "x.jsonl").refused()
    assert f"there is no verb named '{typed}'" in said
    assert offered in said.split("did you mean")[1]
    assert "dialometer --help" in said


def test_a_verb_like_no_other_gets_the_list(cli):
    said = cli("zzzzzz").refused()
    assert all(verb in said for verb in VERBS)


def test_h_is_help(spawn):
    """In a process of its own: click remembers the names of the help option that it met first."""
    assert spawn("score", "-h").out == spawn("score", "--help").out != ""


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_every_verb_has_examples_that_start_with_it(cli, verb):
    done = cli(verb, "--help")
    assert (done.code, done.err) == (0, "")
    examples = done.out.split("Examples:")[1].split("\n")
    typed = [line.strip() for line in examples if line.strip()]
    assert typed[0].startswith(f"dialometer {verb}")
    assert sum(f"dialometer {verb}" in line for line in typed) >= 2


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ()])
def test_help_lists_every_verb(cli, arguments):
    done = cli(*arguments)
    assert (done.code, done.err) == (0, "")
    assert all(f"  {verb} " in done.out for verb in VERBS)
    assert "Examples:" in done.out


def test_every_option_is_explained(cli):
    for verb in VERBS:
        done = cli(verb, "--help")
        options = done.out.split("Options:")[1].split("Examples:")[0]
        for line in options.splitlines():
            if line.strip().startswith("-"):
                assert len(line.strip().split("  ", 1)) == 2, f"{verb}: {line.strip()} says nothing"


def test_version(cli, spawn):
    assert cli("--version").out == f"dialometer, version {dialometer.__version__}\n"
    done = spawn("--version")
    assert (done.code, done.out, done.err) == (0, f"dialometer, version {dialometer.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("scroe",), "did you mean score"),
        (("score", "nothing-here.jsonl", "-m", "bleu"), "nothing-here.jsonl: there is no such file"),
        (("score", "--jsno"), "--json"),
        (("why",), "FILE"),
        (("list", "metrisc"), "metrics"),
        (("convert",), "no file"),
    ],
)
def test_errors_are_two_lines_and_code_two(spawn, arguments, words):
    assert words in spawn(*arguments).refused()


def test_any_error_of_the_house_is_printed_once(cli, monkeypatch):
    def fail(**options):
        raise DataError("is wrong", file="x.jsonl", line=7, count=3, hint="mend it")

    monkeypatch.setattr("dialometer.flows.list.listing", lambda *a, **k: fail())
    said = cli("list", "metrics").refused()
    assert said == "error: x.jsonl:7: is wrong (3 such cases; this is the first)\n  → mend it\n"


@pytest.mark.parametrize(
    ("error", "words"),
    [(OSError(28, "No space left on device", "runs/x"), "runs/x: no space left"), (MemoryError(), "not enough memory")],
)
def test_a_full_disk_or_memory_is_a_sentence_too(cli, monkeypatch, error, words):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("dialometer.flows.list.listing", fail)
    assert words in cli("list", "metrics").refused()


def test_a_bug_is_not_hidden(monkeypatch):
    def fail(*arguments, **options):
        raise ZeroDivisionError

    monkeypatch.setattr("dialometer.flows.list.listing", fail)
    monkeypatch.setattr(sys, "argv", ["dialometer", "list", "metrics"])
    with pytest.raises(ZeroDivisionError):
        module.main()


def test_a_keyboard_interrupt_ends_with_130(cli, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("dialometer.flows.list.listing", interrupt)
    done = cli("list", "metrics")
    assert (done.code, done.out) == (130, "")
    assert done.err.strip() == "error: stopped; the same command goes on from here"


@pytest.mark.parametrize("engine", ["serial", "processes:2"])
def test_control_c_is_quiet_and_the_run_goes_on_afterwards(start, spawn, tmp_path, engine):
    row = {"response": "i like green tea with milk", "references": ["tea with milk", "i like tea"]}
    write(tmp_path / "many.jsonl", [row | {"id": f"i{k}", "group": f"g{k % 50}"} for k in range(2000)])
    arguments = ["score", "many.jsonl", "-m", "cider", "-m", "rouge", "--shard", "10", "--engine", engine, "-o", "r"]
    process = start(*arguments, start_new_session=True)
    deadline = time.monotonic() + 90
    while not list((tmp_path / "r" / "work").glob("measure-*/0*.npy")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of the group hears it
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.strip().splitlines()[-1] == "error: stopped; the same command goes on from here"
    done = spawn(*arguments, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["n"] == 2000


def test_a_closed_pipe_is_quiet(start):
    """The reader is gone before the first line, as with a quick ``head``."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        process = start("list", "metrics", stdout=writing)
    finally:
        os.close(writing)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("arguments", [("list",), ("list", "metrics", "--json"), ("doctor",)])
def test_a_full_disk_behind_standard_output_is_an_error(spawn, arguments):
    with open("/dev/full", "w") as full:
        done = spawn(*arguments, stdout=full, env={"PYTHONUNBUFFERED": ""})
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "no space left on device" in done.err
    assert "Exception ignored" not in done.err


def test_head_ends_it_quietly(tmp_path):
    command = f"{sys.executable} -m dialometer list metrics | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("adem ")
    assert done.stdout.count("\n") == 1


def test_an_argument_that_is_not_text_is_named(spawn):
    assert "'caf\\udce9.jsonl' is not UTF-8 text" in spawn("score", os.fsdecode(b"caf\xe9.jsonl"), "-m", "bleu").refused()


def test_a_plain_terminal_encoding_is_no_obstacle(spawn, items):
    done = spawn("score", items, "-m", "length", "-o", "r", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.code == 0, done.err
    assert "4 items" in done.out


def single_valued():
    """Verb and option, for every option that takes one value."""
    for verb in VERBS:
        command = module.cli.get_command(None, verb)
        for option in command.params:
            if isinstance(option, click.Option) and not (option.multiple or option.is_flag):
                yield verb, max(option.opts, key=len)


def test_an_option_of_one_value_is_refused_where_it_is_given_twice(cli):
    found = list(single_valued())
    assert {("score", "--seed"), ("convert", "--to"), ("play", "--turns"), ("train", "--quality")} <= set(found)
    for verb, option in found:
        said = cli(verb, option, "1", f"{option}=2").refused()
        assert said.startswith(f"error: {option} was given twice"), (verb, said)
    assert "--seed was given 3 times" in cli("score", "--seed", 1, "--seed", 2, "--seed", 3).refused()
    assert "--output was given twice" in cli("score", "-o", "a", "--output", "b").refused()


def test_a_flag_or_a_list_may_be_given_twice(cli, items):
    done = cli("score", items, "-m", "bleu", "-m", "rouge", "--quiet", "--quiet", "--no-cache", "--no-cache")
    assert (done.code, done.out) == (0, "")
