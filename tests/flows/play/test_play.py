"""play as a function: who meets whom, for how long; what it writes, counts and keeps."""

import json
import sys
from itertools import combinations
from pathlib import Path

import pytest

from dialometer.bots.random import Random
from dialometer.contracts.play import PlayRequest
from dialometer.contracts.score import ScoreRequest
from dialometer.core.errors import RunError, UsageError
from dialometer.core.types import Dialogue, Turn
from dialometer.data import examples
from dialometer.flows.play.play import play
from dialometer.flows.play.players import add_up, less, make_players
from dialometer.flows.play.small_talk import SMALL_TALK
from dialometer.flows.play.summary import numbers
from dialometer.flows.score.score import score
from tests.bots.talkers import Talker, register, unregister
from tests.flows.played import given, played, talks, write


@pytest.fixture
def run(tmp_path):
    """A callable: bots and options → (report, dialogues)."""
    register()
    yield lambda *a, name="r", **options: played(tmp_path / name, *a, **options)
    unregister()


def test_five_bots_in_one_command_from_the_same_openers(run):
    bots = ("eliza", "parrot", "constant", "talker", "talker(words=5)")
    report, dialogues = run(*bots, n=7, turns=5)
    assert list(report.bots) == list(bots)
    assert len(dialogues) == 35
    assert len({one.id for one in dialogues}) == 35
    by_bot = {bot: [one for one in dialogues if one.system == bot] for bot in bots}
    for own in by_bot.values():
        assert [given(one) for one in own] == [given(one) for one in by_bot["eliza"]]
        assert [one.group for one in own] == [one.group for one in by_bot["eliza"]]
        assert all(len(one.turns) == 6 for one in own)
        assert all([turn.speaker for turn in one.turns] == ["user", "a", "b", "a", "b", "a"] for one in own)
    assert len({one.group for one in dialogues}) == 7
    assert all(given(one)[0] in SMALL_TALK for one in dialogues)
    seeds = [seed for one in dialogues for seed in one.extra["seeds"].values()]
    assert len(set(seeds)) == 70


def test_the_form_of_the_report(run):
    report, _ = run("constant", "talker")
    shown = report.to_json()
    assert (shown["conversations"], shown["turns"], shown["failed"]) == (12, 48, 0)
    assert shown["overlap"]["constant"]["pairs_3"] == {"share": 1.0, "found": 15, "of": 15}
    assert shown["overlap"]["constant"]["pairs_5"] == {"share": None, "found": 0, "of": 0}  # four turns hold none of five
    assert shown["overlap"]["talker"]["pairs_3"]["share"] == 0
    assert shown["bots"]["constant"]["repeated"] == 0.75
    assert shown["bots"]["talker"]["words"] == 3
    assert set(shown["recipes"]) == {"words", "distinct-1", "distinct-2"}
    json.dumps(shown, allow_nan=False)


def test_numbers_by_hand(run, tmp_path):
    """A parrot's turns are all said before; distinct-n of its six turns "i like tea": 3 kinds among 18 words, 2 among 12 pairs."""
    (tmp_path / "one.txt").write_text("i like tea\n")
    report, _ = run("parrot", n=1, turns=6, openers=str(tmp_path / "one.txt"))
    found = report.bots["parrot"]
    assert (found["words"], found["repeated"]) == (3, 1)
    assert found["distinct-1"] == pytest.approx(3 / 18)
    assert found["distinct-2"] == pytest.approx(2 / 12)


def test_cross_play_rates_one_side_and_takes_turns_to_begin(run):
    report, dialogues = run("talker", b="constant", n=4, turns=5)
    assert [one.extra["first"] for one in dialogues] == ["a", "b", "a", "b"]
    for one in dialogues:
        said = [turn for turn in one.turns if not turn.extra]
        assert len(said) == 5
        assert all((turn.text == "I don't know .") == (turn.speaker == "b") for turn in said)
        assert one.extra["bots"] == {"a": "talker", "b": "constant"}
        assert one.speakers == {"a"}
    assert report.bots["talker"]["words"] == 3  # the partner's words are not counted
    assert report.bots["talker"]["turns"] == 20
    assert set(report.bots["talker"]["spent"]) == {"talker", "constant"}


def test_a_pool_of_partners_is_met_in_turn_by_every_bot(run):
    _, dialogues = run("talker", "eliza", partners=("constant", "parrot"), n=8, turns=2)
    for bot in ("talker", "eliza"):
        own = [one for one in dialogues if one.system == bot]
        assert [one.extra["bots"]["b"] for one in own] == ["constant", "parrot"] * 4
        assert [one.extra["first"] for one in own] == ["a", "a", "b", "b"] * 2  # each partner begins every second time


def test_sides_of_one_bot_draw_apart(run):
    """From the same opener, with the same bot on both sides, all turns and conversations differ."""
    _, dialogues = run("talker(words=8)", n=5, turns=6)
    said = [turn.text for one in dialogues for turn in one.turns[1:]]
    assert len(set(said)) == len(said) == 30


def test_seed_decides(run):
    _, one = run("talker", name="x")
    _, same = run("talker", name="y")
    _, other = run("talker", name="z", seed=1)
    assert one == same != other


def test_a_smaller_n_is_the_beginning_of_a_larger_one(run):
    _, few = run("talker", n=3, name="few")
    _, many = run("talker", n=9, name="many")
    assert many[:3] == few


def test_blocks_change_nothing_for_a_bot_that_minds_its_own_context(run, tmp_path):
    run("talker", "eliza", n=10, name="one")
    run("talker", "eliza", n=10, batch=3, name="many")
    assert (tmp_path / "one/dialogues.jsonl").read_bytes() == (tmp_path / "many/dialogues.jsonl").read_bytes()


def test_each_block_is_asked_in_one_call_a_turn(run, tmp_path):
    log = tmp_path / "calls"
    report, _ = run(f"talker(log={log})", n=10, turns=3, batch=4)
    sizes = [int(line.split()[1]) for line in log.read_text().splitlines()]
    assert sizes == [4] * 6 + [2] * 3
    assert report.bots["talker(log=calls)"]["spent"]["talker(log=calls)"]["contexts"] == 30


def test_usage_is_summed_and_bots_are_closed(run):
    before = Talker.counts["closed"]
    report, _ = run("talker(words=7)", n=5, turns=4)
    spent = report.bots["talker(words=7)"]["spent"]["talker(words=7)"]
    assert spent["tokens"] == 7 * 20
    assert spent["calls"] == 4
    assert "model" not in spent
    assert Talker.counts["closed"] == before + 1
    with pytest.raises(UsageError):
        run("talker(words=7)", n=0)


def test_score_reads_only_what_was_generated(run, tmp_path):
    report, dialogues = run("talker", openers=talks(tmp_path, [5] * 8), context=3, turns=4)
    assert [len(given(one)) for one in dialogues] == [3] * 6
    replies = list(examples(report.dialogues))
    assert len(replies) == 24
    assert all("turn" not in reply.response for reply in replies)
    report = score(ScoreRequest((report.dialogues,), ("length",), output=str(tmp_path / "s")))
    assert report.cells["talker"]["words"].mean == 3
    assert report.cells["talker"]["words"].n == 24


def test_overlap_with_the_training_set(run, tmp_path):
    """By letters and digits, in windows of generated turns: the opener, which stands in the training set too, does not count."""
    (tmp_path / "open.txt").write_text("tea ?\n")
    training = write(
        tmp_path / "t.jsonl",
        [{"id": "1", "turns": ["tea ?", "I DON'T KNOW", "i don't know"]}, {"id": "2", "turns": ["tea ?", "Yes."]}],
    )
    options = {"n": 1, "openers": str(tmp_path / "open.txt"), "training": (training,)}
    report, _ = run("constant", 'constant(text="yes.")', turns=3, **options)
    dull, yes = (report.bots[bot]["overlap"] for bot in report.bots)
    assert dull["training_2"] == {"share": 1.0, "found": 1, "of": 1}
    assert dull["training_3"] == {"share": 0.0, "found": 0, "of": 1}
    assert yes["training_2"]["found"] == 0
    plain, _ = run("constant", n=1, openers=str(tmp_path / "open.txt"), name="plain")
    assert set(plain.bots["constant"]["overlap"]) == {"pairs_3", "pairs_5"}


def test_overlap_of_a_run_is_what_comparing_all_finds(run):
    report, dialogues = run("eliza", n=60, turns=10)
    said = [[turn.text for turn in one.turns[1:]] for one in dialogues]
    for width in (3, 5):
        cut = [{tuple(talk[i : i + width]) for i in range(11 - width)} for talk in said]
        pairs = sum(bool(a & b) for a, b in combinations(cut, 2))
        assert report.bots["eliza"]["overlap"][f"pairs_{width}"] == {"share": pairs / 1770, "found": pairs, "of": 1770}
    assert report.bots["eliza"]["overlap"]["pairs_3"]["found"] > 0


def test_a_finished_run_is_read_not_played_again(run, tmp_path):
    log = tmp_path / "calls"
    first = run(f"talker(log={log})")
    calls = log.read_text()
    assert run(f"talker(log={log})") == first
    assert log.read_text() == calls
    assert not (tmp_path / "r" / "work").exists()
    assert {path.name for path in (tmp_path / "r").iterdir()} == {
        ".lock", "run.json", "dialogues.jsonl", "summary.json", "report.html", "tables",
    }  # fmt: skip
    (tmp_path / "r" / "summary.json").write_text("{}")
    with pytest.raises(RunError, match="damaged"):
        run(f"talker(log={log})")


@pytest.mark.usefixtures("run")
def test_what_names_a_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "o.txt").write_text("tea?\nrain?\nsea?\n")
    (tmp_path / "o.csv").write_text("id,context,response,reference\n1,tea?,yes,no\n")

    def name(*a, **options):
        return play(PlayRequest(a, **({"n": 2, "turns": 2, "openers": "o.txt"} | options))).run

    first = name("talker")
    assert name("talker", max_line=1 << 10) == first
    others = [
        name("talker", seed=1), name("talker", turns=3), name("talker", n=3), name("talker", batch=1), name("parrot"),
        name("talker", b="parrot"), name("talker(words=2)"), name("talker", training=("o.txt",)), name("talker", "parrot"),
        name("talker", openers="", training=("o.csv",), format="csv"), name("talker", openers="", training=("o.csv",)),
    ]  # fmt: skip
    assert len({first, *others}) == 12
    (tmp_path / "o.txt").write_text("tea?\nrain?\nsee?\n")
    assert name("talker", n=3) not in others


def test_a_trained_folder_names_a_run_by_what_it_holds(tmp_path, monkeypatch):
    """Trained anew under the same path it is another bot; moved elsewhere under the same name it is the same."""
    monkeypatch.chdir(tmp_path)

    def name(folder, said, spec="{}"):
        Random().fit([said]).save(tmp_path / folder / "model")
        report = play(PlayRequest((spec.format(folder),), n=2, turns=2))
        return report.run, Path(report.dialogues).read_bytes()

    first, talk = name("runs/mine", ["tea", "rain"])
    assert name("runs/mine", ["tea", "sea"])[0] != first
    assert name("runs/mine", ["tea", "rain"]) == (first, talk)
    assert name(str(tmp_path / "moved" / "mine"), ["tea", "rain"]) == (first, talk)
    ranked = [name(str(tmp_path / place / "mine"), ["tea"], "rerank(bot={},metric=length)") for place in ("x", "y")]
    assert ranked[0] == ranked[1]
    assert str(tmp_path).encode() not in ranked[0][1]


@pytest.mark.timeout(120)
def test_how_a_bot_is_asked_does_not_name_a_run(tmp_path, monkeypatch):
    """Who gives a slow program more time goes on with the same run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'replies': ['tea']}), flush=True)\n"
    )
    runs = [
        play(PlayRequest((f'command(argv="{sys.executable} {path}"{more})',), n=2, turns=2))
        for path, more in (("bot.py", ""), ("bot.py", ",timeout=90,retries=2"), (tmp_path / "bot.py", ",ahead=1"))
    ]
    assert runs[0] == runs[1] == runs[2]
    assert list(runs[0].bots) == [f'command(argv="{Path(sys.executable).name} bot.py")']
    assert runs[0].total("failed") == 0


def test_bots_that_differ_only_in_how_they_are_asked_keep_their_names():
    specs = ("openai(model=m,timeout=1)", "openai(model=m,timeout=2)", "openai(model=m,temperature=1,retries=0)")
    players, _ = make_players(specs, ())
    assert [player.label for player in players] == [*specs[:2], "openai(model=m,temperature=1)"]


def test_turns_said_before_by_whomever():
    """Of four turns of a: tea was in the opener, and yes was said by b; b's own turns do not count."""
    turns = [
        ("user", "tea"),
        ("a", "rain"),
        ("b", "yes"),
        ("a", "tea"),
        ("b", "yes"),
        ("a", "yes"),
        ("b", "so"),
        ("a", "no"),
    ]
    one = Dialogue("x", "s", tuple(Turn(*turn) for turn in turns), extra={"opener_turns": 1, "rated_speaker": "a"})
    assert numbers([one], {})["repeated"] == 2 / 4
    both = Dialogue("x", "s", one.turns, extra={"opener_turns": 1})
    assert numbers([both], {})["repeated"] == 3 / 7


def test_what_was_spent_adds_up():
    total = {}
    add_up(total, less({"tokens": 5, "cost": None, "latency_p50": 2.0, "x: latency_p95": 1.0}, {}))
    add_up(total, less({"tokens": 9, "cost": 1.5, "latency_p50": 3.0, "x: latency_p95": 0.5}, {"tokens": 5, "cost": 1.0}))
    assert total == {"tokens": 9, "cost": None, "latency_p50": 3.0, "x: latency_p95": 0.5}


def test_the_page_shows_samples_and_what_stopped(run, tmp_path):
    run("talker(refuses=moon)", "parrot", n=20, turns=6)
    page = (tmp_path / "r" / "report.html").read_text()
    assert "parrot-0002" in page
    assert "parrot-0003" not in page
    assert "stopped before turn" in page
    assert (tmp_path / "r" / "tables" / "bots.csv").exists()


def test_the_page_has_a_training_set_only_where_one_was_given(run, tmp_path):
    run("parrot", n=2, turns=3)
    header = (tmp_path / "r" / "tables" / "bots.csv").read_text().splitlines()[0]
    assert header.endswith("repeated,shared 3,shared 5")
    assert "training set" not in (tmp_path / "r" / "report.html").read_text()
    (tmp_path / "seen.txt").write_text("tea ?\nyes .\n")
    run("parrot", n=2, turns=3, training=(str(tmp_path / "seen.txt"),), name="r2")
    header = (tmp_path / "r2" / "tables" / "bots.csv").read_text().splitlines()[0]
    assert header.endswith("shared 3,shared 5,training 2,training 3")
    assert "of the training set" in (tmp_path / "r2" / "report.html").read_text()


def test_labels_are_short_and_never_twice(run, tmp_path, monkeypatch):
    report, _ = run("constant(text=yes)", "constant(text=no)", "parrot", n=1, turns=1)
    assert list(report.bots) == ["constant(text=yes)", "constant(text=no)", "parrot"]
    with pytest.raises(UsageError, match="named twice"):
        run("parrot", "parrot()")
