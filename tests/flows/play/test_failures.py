"""play where something goes wrong: bots that fail, lines that are down, journals that are torn, wrong requests."""

import errno
from unittest.mock import Mock

import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import DataError, MissingResource, RunError, UnknownName, UsageError
from dialometer.data.formats import output
from dialometer.flows.play.journal import Journal
from dialometer.flows.score.score import score
from tests.bots.talkers import register, unregister
from tests.flows.played import played


@pytest.fixture
def run(tmp_path):
    """A callable: bots and options → (report, dialogues)."""
    register()
    yield lambda *a, name="r", **options: played(tmp_path / name, *a, **options)
    unregister()


def test_failures_are_marked_and_the_rest_goes_on(run):
    report, dialogues = run("talker(refuses=moon)", "talker(raises=moon)", "parrot", n=20, turns=6)
    assert report.bots["parrot"]["failed"] == 0
    for bot in ("talker(refuses=moon)", "talker(raises=moon)"):
        own = [one for one in dialogues if one.system == bot]
        stopped = [one for one in own if "error" in one.extra]
        assert 2 < len(stopped) == report.bots[bot]["failed"] < 20
        for one in own:
            last = one.turns[-1].text
            if "error" in one.extra:
                assert "moon" in last
                assert "moon" in one.extra["error"]
                assert one.extra["stopped"] == len(one.turns) < 7
            else:
                assert len(one.turns) == 7
        assert report.bots[bot]["first_failed"] == stopped[0].id
        assert report.bots[bot]["turns"] == sum(len(one.turns) - 1 for one in own)
        assert set(report.bots[bot]["reasons"]) <= {one.extra["error"] for one in stopped}
    assert list(report.bots["talker(raises=moon)"]["reasons"]) == ["talker failed: ValueError: cannot bear moon"]


def test_a_bot_that_never_answers_fails_alone(run):
    report, dialogues = run("talker(deaf=1)", "parrot")
    found = report.bots["talker(deaf=1)"]
    assert (found["failed"], found["turns"], found["words"], found["repeated"]) == (6, 0, None, None)
    assert found["overlap"]["pairs_3"] == {"share": None, "found": 0, "of": 0}
    assert report.bots["parrot"]["failed"] == 0
    assert score(ScoreRequest((report.dialogues,), ("length",), output=report.run + "-s")).n == 24
    assert len(dialogues) == 12


def test_control_characters_do_not_reach_the_file(run):
    report, dialogues = run("talker(dirty=true)", n=3)
    assert report.bots["talker(dirty=true)"]["cleaned"] == 12
    assert all(turn.text.isprintable() for one in dialogues for turn in one.turns)
    assert all(one.extra["cleaned"] == 4 for one in dialogues)


def test_what_a_remote_bot_left_unanswered_is_asked_for_again(run, tmp_path):
    """Conversations are marked and the rest goes on; the same request asks those again, and only those."""
    down, log = tmp_path / "down", tmp_path / "calls"
    down.touch()
    bots = (f"talker(remote=true,down={down})", f"talker(log={log})")
    report, dialogues = run(*bots)
    assert [found["failed"] for found in report.bots.values()] == [6, 0]
    assert [found["unanswered"] for found in report.bots.values()] == [6, 0]
    assert dialogues[0].extra["error"] == "the line is dead"
    calls = log.read_text()
    assert run(*bots)[1] == dialogues
    down.unlink()
    report, again = run(*bots)
    assert report.total("failed") == report.total("unanswered") == 0
    assert again[6:] == dialogues[6:]
    assert log.read_text() == calls
    assert not (tmp_path / "r" / "work").exists()
    label = "talker(remote=true,down=down)"
    spent = report.bots[label]["spent"][label]
    assert spent["contexts"] == 2 * (6 + 6) + 24  # of a batch that fails, each is asked once more alone
    down.touch()
    assert run(*bots) == (report, again)


def test_of_a_block_only_the_unanswered_conversations_are_played_again(run, tmp_path):
    flaky, steady = "talker(remote=true,refuses=moon)", "talker(refuses=moon)"
    report, first = run(flaky, steady, n=20)
    stopped = [one.id for one in first[:20] if "error" in one.extra]
    assert 2 < len(stopped) < 18
    assert report.bots[steady]["unanswered"] == 0 < report.bots[steady]["failed"]  # what fails here fails for good
    before = report.bots[flaky]["spent"][flaky]["contexts"]
    report, second = run(flaky, steady, n=20)
    assert second == first  # it draws by seed, and fails again
    asked = report.bots[flaky]["spent"][flaky]["contexts"] - before
    assert asked == sum(one.extra["generated_turns"] + 1 for one in first if one.id in stopped)


@pytest.mark.parametrize("cut", [1, 7, 40])
def test_a_torn_line_is_dropped(run, tmp_path, monkeypatch, cut):
    """A journal that ends in the middle of a line, or in something else, goes on from its last whole line."""
    run("talker", name="whole", batch=2)
    import dialometer.flows.play.play as flow

    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(flow, "_write", stop)
    with pytest.raises(KeyboardInterrupt):
        run("talker", batch=2)
    journals = sorted((tmp_path / "r" / "work").glob("*/*.jsonl"))
    assert len(journals) == 3
    data = journals[1].read_bytes()
    journals[1].write_bytes(data[:-cut])
    first, *rest = journals[2].read_bytes().splitlines(keepends=True)
    journals[2].write_bytes(first + b'{"answers": 5}\n' + b"".join(rest))
    assert len(Journal(journals[1]).steps) == 3
    assert journals[1].read_bytes() == b"".join(data.splitlines(keepends=True)[:3])
    assert len(Journal(journals[2]).steps) == 1
    monkeypatch.undo()
    run("talker", batch=2)
    assert (tmp_path / "r/dialogues.jsonl").read_bytes() == (tmp_path / "whole/dialogues.jsonl").read_bytes()


def test_a_disk_that_is_full_costs_no_conversation(run, tmp_path, monkeypatch):
    """All was said, and cannot be written: the same request writes it, and asks nobody again."""
    log, full = tmp_path / "calls", OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr("dialometer.flows.play.play.Jsonl.write", Mock(side_effect=output.unwritable(tmp_path / "x", full)))
    with pytest.raises(OSError, match="No space left"):
        run(f"talker(log={log})", name="full")
    monkeypatch.undo()
    calls = log.read_text()
    assert calls.count("\n") == 4
    report, _ = run(f"talker(log={log})", name="full")
    assert log.read_text() == calls
    assert report.total("turns") == 24


def test_a_training_file_that_changes_while_it_is_read(run, tmp_path, monkeypatch):
    path = tmp_path / "t.txt"
    path.write_text("tea\nyes\n")

    def read(*arguments, **options):
        path.write_text("tea\nno\n")
        return {}

    monkeypatch.setattr("dialometer.flows.play.play.read_training", read)
    with pytest.raises(RunError, match="changed while it was read"):
        run("parrot", training=(str(path),))
    assert not (tmp_path / "r").exists()


def test_a_guest_that_cannot_count_its_cost_or_close(run, monkeypatch, caplog):
    monkeypatch.setattr("tests.bots.talkers.Talker.usage", Mock(side_effect=ValueError("lost count")))
    monkeypatch.setattr("tests.bots.talkers.Talker.close", Mock(side_effect=ValueError("stuck")))
    report, _ = run("talker")
    assert report.total("turns") == 24
    assert report.bots["talker"]["spent"]["talker"]["calls"] == 4
    assert caplog.text.count("talker cannot tell what it spent: lost count") == 1
    assert "talker could not be closed: stuck" in caplog.text


@pytest.mark.parametrize(
    ("bots", "options", "error", "says"),
    [
        ((), {}, UsageError, "no bot was named"),
        (("elisa",), {}, UnknownName, "did you mean eliza"),
        (("talker(word=3)",), {}, UnknownName, "words"),
        (("parrot",), {"b": "none"}, UnknownName, "none"),
        (("parrot",), {"b": "eliza", "partners": ("eliza",)}, UsageError, "one of the two|one bot"),
        (("parrot",), {"partners": ("eliza", "eliza")}, UsageError, "named twice"),
        (("parrot",), {"n": 0}, UsageError, "-n is 1"),
        (("parrot",), {"turns": 0}, UsageError, "--turns is 1"),
        (("parrot",), {"turns": 10**6}, UsageError, "--turns is 1"),
        (("parrot",), {"batch": 0}, UsageError, "--batch is 1"),
        (("parrot",), {"context": -1}, UsageError, "--context"),
        (("parrot",), {"context": 2}, DataError, "no opener has 2 turns"),
        (("parrot",), {"n": 101}, UsageError, "there are 100"),
        (("parrot",), {"seed": 2**64}, UsageError, "--seed"),
        (("parrot",), {"openers": "gone.jsonl"}, DataError, "no such file"),
        (("parrot",), {"training": ("gone.jsonl",)}, DataError, "gone.jsonl"),
        (("runs/none",), {}, MissingResource, "no such folder"),
    ],
)
def test_wrong_requests_fail_before_work_and_leave_nothing(run, tmp_path, bots, options, error, says):
    with pytest.raises(error, match=says):
        run(*bots, **options)
    assert not (tmp_path / "r").exists()


def test_a_bad_training_file_stops_it_before_anybody_talks(run, tmp_path):
    log = tmp_path / "calls"
    (tmp_path / "t.jsonl").write_text('{"id": 1, "turns": ["a", "b"]}\n{"id": \n')
    with pytest.raises(DataError, match=r"t\.jsonl:2"):
        run(f"talker(log={log})", training=(str(tmp_path / "t.jsonl"),))
    assert not log.exists()
    assert not (tmp_path / "r").exists()
