"""The human study: what is written for raters, and what comes back; ratings are made up by rule, so that answers are known."""

import csv
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dialometer.contracts.compare import CompareRequest
from dialometer.core.errors import DataError, UsageError
from dialometer.data import open_items
from dialometer.flows.compare.compare import compare
from tests.flows.played import played, write

BOTS = ("eliza", "parrot", "constant")
TALKS = 12


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Conversations of three bots."""
    folder = tmp_path_factory.mktemp("played")
    played(folder / "play", *BOTS, n=TALKS, turns=4)
    return str(folder / "play")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compared(run, **options):
    given = {"metrics": ("length",), "resamples": 200, "study": "study", "checks": 10}
    return compare(CompareRequest((run,), **(given | options)))


def key():
    return json.loads(Path("study/key.json").read_text())


def sheet():
    with open("study/sheet.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fill(path, rater, rate, column="overall"):
    """A filled-in copy of the sheet; checks are answered as they ask."""
    rows, known = sheet(), key()
    for one in rows:
        own = known["items"].get(one["item"])
        one["rater"], one[column] = rater, known["checks"].get(one["item"]) if own is None else rate(own)
    with open(path, "w", newline="", encoding="utf-8") as file:
        made = csv.DictWriter(file, list(rows[0]))
        made.writeheader()
        made.writerows(rows)
    return str(path)


def likes(noise=0):
    """eliza 4 or 5, parrot 2 or 3, constant 1 or 2, by the number of the opener."""
    base = {"eliza": 4, "parrot": 2, "constant": 1}
    return lambda name: base[name.split("-")[0]] + (int(name[-4:]) + noise) % 2


def test_contexts_times_systems_blind_and_shuffled(runs):
    report = compared(runs, quality=("overall", "wit"), scale="1,7")
    assert report.study["items"] == 3 * TALKS
    assert (report.study["checks"], report.study["contexts"]) == (3, TALKS)
    told = tomllib.loads(Path("study/study.toml").read_text())
    assert (told["scale"]["low"], told["scale"]["high"], told["seed"]) == (1, 7, 0)
    assert [quality["name"] for quality in told["quality"]] == ["overall", "wit"]
    items, known = list(open_items("study/items.jsonl")), key()
    assert len(items) == 3 * TALKS + 3
    assert sorted(known["systems"].values()) == sorted(BOTS)
    shown = (
        Path("study/items.jsonl").read_text() + Path("study/sheet.csv").read_text() + Path("study/study.toml").read_text()
    )
    assert not any(f'"{bot}' in shown or f"{bot}-0" in shown for bot in BOTS)
    real = {item.id: item for item in open_items(f"{runs}/dialogues.jsonl")}
    for item in items:
        if item.id in known["items"]:
            own = real[known["items"][item.id]]
            assert [turn.text for turn in item.turns] == [turn.text for turn in own.turns]
            assert known["systems"][item.system] == own.system
        else:
            assert f"answer {known['checks'][item.id]:g}" in item.turns[0].text
            assert item.extra["check"] == known["checks"][item.id]
    order = [known["items"].get(item.id) for item in items]
    assert [one for one in order if one] != sorted(one for one in order if one)
    assert [number // 11 for number, one in enumerate(order) if one is None] == [0, 1, 2]
    assert [row["item"] for row in sheet()] == [item.id for item in items]
    assert list(sheet()[0]) == ["item", "rater", "conversation", "overall", "wit"]
    assert all(name[0] == "i" for name in known["items"])  # a spreadsheet would take 12e4567 for a number


def test_the_seed_makes_codes_and_order(runs):
    compared(runs)
    first = Path("study/items.jsonl").read_bytes()
    compared(runs, study="again")
    assert Path("again/items.jsonl").read_bytes() == first
    compared(runs, study="other", seed=1)
    assert Path("other/items.jsonl").read_bytes() != first


def test_a_study_is_not_overwritten(runs, place):
    compared(runs)
    path = place / "study" / "study.toml"
    path.write_text(path.read_text().replace("as a whole", "all in all"))
    compared(runs)
    assert "all in all" in path.read_text()
    played("more", "eliza", "parrot", n=3)
    with pytest.raises(UsageError, match="a study of other conversations"):
        compared("more")
    (place / "thesis").mkdir()
    (place / "thesis" / "t.tex").write_text("precious")
    with pytest.raises(UsageError, match="holds no study"):
        compared(runs, study="thesis")
    path.write_text("scale = 3")
    with pytest.raises(DataError, match="is not a study"):
        compared(runs)


def test_ratings_come_back_by_id(runs):
    compared(runs)
    files = [fill("ann.csv", "ann", likes()), fill("ben.csv", "ben", likes(1))]
    people = compared(runs, ratings=tuple(files)).results["human"]
    assert people["notes"] == []
    assert people["judgements"] == 2 * 3 * TALKS
    means = {system: own["overall"]["mean"] for system, own in people["means"].items()}
    assert means == {"eliza": 4.5, "parrot": 2.5, "constant": 1.5}
    one = next(row for row in people["pairs"] if (row["a"], row["b"]) == ("eliza", "parrot"))
    assert (one["paired"], one["n_a"], one["difference"], one["superiority"]) == (True, TALKS, 2, 1)
    assert one["p"] == pytest.approx(2 / 2**TALKS)
    assert people["conclusions"][0].startswith("eliza is rated higher than parrot in overall by 2.000")
    assert (people["raters"]["ann"]["checks"], people["raters"]["ann"]["failed"]) == (3, 0)
    assert people["agreement"]["overall"]["judgements"] == 2 * 3 * TALKS
    assert 0.5 < people["agreement"]["overall"]["alpha"]["value"] < 1


def test_paired_tests_of_ratings_are_scipys(runs):
    compared(runs)
    rng = np.random.default_rng(0)
    given = {f"{bot}-{i:04d}": int(rng.integers(1, 6)) for bot in BOTS for i in range(TALKS)}
    file = fill("ann.csv", "ann", given.__getitem__)
    people = compared(runs, ratings=(file,), test="rank").results["human"]
    sides = [[given[f"{bot}-{i:04d}"] for i in range(TALKS)] for bot in BOTS]
    (one,) = [row for row in people["pairs"] if (row["a"], row["b"]) == ("eliza", "constant")]
    assert one["p"] == pytest.approx(stats.wilcoxon(sides[0], sides[2]).pvalue)
    assert one["mean_a"] == pytest.approx(np.mean(sides[0]))


def test_long_tables_and_own_ids_do_too(runs):
    compared(runs)
    known = key()
    rows = [{"item": code, "rater": "ann", "quality": "overall", "value": 3} for code in list(known["items"])[:20]]
    rows += [{"id": "eliza-0011", "rater": "ben", "value": 5, "seconds": 12}]  # one of those, by its own id
    people = compared(runs, ratings=(write(Path("r.jsonl"), rows),)).results["human"]
    assert people["judgements"] == 21
    assert people["notes"] == [f"{3 * TALKS - 20} of {3 * TALKS} conversations of the study have no rating."]


def test_what_is_wrong_gets_a_sentence(runs):
    compared(runs)
    codes = list(key()["items"])
    rows = [{"item": code, "rater": "ann" if number % 2 else "", "overall": 3} for number, code in enumerate(codes)]
    rows += [{"item": "nobody", "rater": "ann", "overall": 2}, rows[1] | {"overall": 5}]
    people = compared(runs, ratings=(write(Path("r.jsonl"), rows),)).results["human"]
    said = " ".join(people["notes"])
    assert "1 ratings are of 1 ids that this study lacks (nobody): unused." in said
    assert "18 ratings name no rater" in said
    assert "1 ratings repeat what the same rater said before" in said
    assert people["judgements"] == 36


def test_raters_who_fail_a_check_are_left_out(runs):
    compared(runs)
    good = [fill("a.csv", "ann", likes()), fill("b.csv", "ben", likes())]
    blind = fill("c.csv", "cat", lambda name: 5)
    text = Path(blind).read_text()
    for code, answer in key()["checks"].items():
        wrong = 6 - answer
        start = text.index(code)
        end = text.index(f",{answer:g}", start)
        text = text[:end] + text[end:].replace(f",{answer}", f",{wrong}", 1)
    Path(blind).write_text(text)
    people = compared(runs, ratings=(*good, blind)).results["human"]
    assert "Left out: cat, who failed" in people["notes"][0]
    assert people["means"]["constant"]["overall"]["mean"] == 1.5
    assert people["raters"]["cat"]["failed"] == 3


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"item": "X", "rater": "a", "overall": 9}], "outside the scale 1…5"),
        ([{"item": "strange", "rater": "a", "overall": 3}], "rates none of these 36 conversations"),
        ([{"item": "X", "rater": "a", "wit": 3}], "neither 'value' nor a column for overall"),
        ([{"rater": "a", "overall": 3}], "names no item"),
        ([{"item": "X", "rater": "a", "overall": "good"}], "is not a number"),
        ([{"item": "X", "rater": "a", "overall": ""}], "rates none"),
    ],
)
def test_ratings_that_cannot_be_read(runs, place, rows, said):
    compared(runs)
    code = next(iter(key()["items"]))
    before = sorted(place.glob("runs/*"))
    with pytest.raises(DataError, match=said):
        compared(
            runs, ratings=(write(Path("r.jsonl"), [r | ({"item": code} if r.get("item") == "X" else {}) for r in rows]),)
        )
    assert sorted(place.glob("runs/*")) == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"quality": ("rater",)}, "cannot be called 'rater'"),
        ({"quality": ("a", "a")}, "named twice"),
        ({"quality": ("",)}, "one quality at least"),
        ({"checks": -1}, "--checks is 0"),
        ({"scale": ""}, "needs a scale"),
        ({"study": "file"}, "is a file"),
    ],
)
def test_studies_that_cannot_be_asked(runs, place, options, said):
    (place / "file").write_text("")
    with pytest.raises(UsageError, match=said):
        compared(runs, **options)
    assert not (place / "runs").exists()


def test_responses_and_partners_are_marked(place):
    played("pool", "eliza", "parrot", n=4, b="constant")
    compared("pool", checks=0)
    items = list(open_items("study/items.jsonl"))
    assert len(items) == 8
    for item in items:
        rated = {turn.speaker for turn in item.turns if not turn.extra.get("given")}
        assert rated == {item.extra["rated_speaker"]} == set(item.speakers)
    rows = [{"id": f"{s}{i}", "system": s, "context": [str(i)], "response": s * 3} for s in "xy" for i in range(3)]
    write(place / "items.jsonl", rows)
    compared("items.jsonl", study="turns")
    assert 'unit = "response"' in Path("turns/study.toml").read_text()
    assert next(open_items("turns/items.jsonl")).extra["rated_speaker"]
