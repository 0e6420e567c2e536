"""agree, whole: labels, the report, flagged items, attention checks, the filter; and a meta run that is killed and goes on."""

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dialometer.contracts.agree import AgreeRequest
from dialometer.core.errors import DataError, DialometerError
from dialometer.flows.agree.agree import agree
from tests.flows.rated import rated_rows, write_rows

SAMPLE = Path(__file__).resolve().parents[3] / "src" / "dialometer" / "samples" / "rated.jsonl"


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    """Four careful raters, and one who presses keys."""
    rng = np.random.default_rng(3)
    rows = rated_rows()
    for row in rows:
        row["ratings"] = {name: [*values, int(rng.integers(1, 6))] for name, values in row["ratings"].items()}
        row["raters"] = [*row["raters"], "keys"]
        row["odd"] = row["system"] == "s0"
    return write_rows(tmp_path_factory.mktemp("rated") / "rated.jsonl", rows)


def read(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def run(folder, inputs, name="run", **options):
    return agree(AgreeRequest((str(inputs),), **{"resamples": 100, "output": str(folder / name), **options}))


@pytest.fixture(scope="module")
def report(rated, tmp_path_factory):
    return run(tmp_path_factory.mktemp("agree"), rated, flagged="odd=true")


def labels(report):
    with (Path(report.run) / "labels.csv").open(encoding="utf-8", newline="") as file:
        return {(row["item"], row["quality"]): row for row in csv.DictReader(file)}


def judgements(path, rows, checks=()):
    """A table of judgements of the rows, with attention checks at its end."""
    with path.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow(["item", "rater", "quality", "value", "seconds", "check"])
        for row in rows:
            for quality, values in row["ratings"].items():
                for rater, value in zip(row["raters"], values, strict=True):
                    sheet.writerow([row["id"], rater, quality, value, 5 + value, ""])
        sheet.writerows(["probe", rater, "overall", "", "", passed] for rater, passed in checks)
    return path


def test_labels_have_a_row_per_item_and_quality(rated, report):
    found = labels(report)
    rows = {row["id"]: row for row in read(rated)}
    assert set(found) == {(name, quality) for name in rows for quality in ("overall", "fluent")}
    for (name, quality), row in found.items():
        given = rows[name]["ratings"][quality]
        assert float(row["mean"]) == pytest.approx(np.mean(given), rel=1e-5)
        assert float(row["median"]) == np.median(given)
        assert float(row["mace"]) in given
        assert float(row["dawid-skene"]) in range(1, 6)
    z = [float(row["z"]) for (_, quality), row in found.items() if quality == "overall"]
    assert np.mean(z) == pytest.approx(0, abs=1e-5)  # every rater judged every item


def test_labels_of_anonymous_raters_are_means_and_medians(tmp_path):
    rows = rated_rows()
    for row in rows:
        row["raters"] = []
    found = run(tmp_path, write_rows(tmp_path / "r.jsonl", rows))
    assert list(next(iter(labels(found).values()))) == ["item", "quality", "mean", "median"]


def test_the_report_and_its_tables_are_there(report):
    folder = Path(report.run)
    page = (folder / "report.html").read_text(encoding="utf-8")
    for words in (
        "Do the raters agree?",
        "The raters, one by one",
        "Means with and without the filter",
        "without flagged items",
    ):
        assert words in page
    assert (folder / "tables" / "raters.tex").exists()
    assert any((folder / "figures").glob("*.svg"))
    assert not (folder / "work").exists()


def test_flagged_items_are_set_apart(report):
    changes = {row.quality: row for row in report.flagged}
    assert set(changes) == {"overall", "fluent"}
    one = changes["overall"]
    assert (one.excluded, one.before.items, one.after.items) == (12, 60, 48)
    assert one.before.alpha == report.qualities["overall"].alpha.value
    assert one.after.alpha != one.before.alpha


def test_flagging_nothing_is_refused(rated, tmp_path):
    with pytest.raises(DialometerError, match="no item is flagged by odd=maybe"):
        run(tmp_path, rated, flagged="odd=maybe")


def test_the_filter_finds_who_presses_keys_and_shows_both_means(rated, report):
    raters = report.raters
    assert [name for name, rater in raters.items() if not rater.kept] == ["keys"]
    assert "is below 0.2" in raters["keys"].why
    found = report.filter
    assert found.dropped == ["keys"]
    assert found.judgements == 120
    for quality in ("overall", "fluent"):
        sides = found.agreement[quality]
        assert sides.all.alpha == report.qualities[quality].alpha.value < sides.kept.alpha
    rows = [row for row in read(rated) if row["system"] == "s2"]
    means = next(row for row in found.means if (row.quality, row.system) == ("overall", "s2"))
    assert means.all == pytest.approx(np.mean([row["ratings"]["overall"] for row in rows]))
    assert means.kept == pytest.approx(np.mean([row["ratings"]["overall"][:4] for row in rows]))
    assert any("sets 1 of 5 raters apart" in said for said in report.summary)
    assert any("no proof that they were wrong" in said for said in report.summary)


def test_a_filter_that_drops_nobody_says_so(tmp_path):
    found = run(tmp_path, write_rows(tmp_path / "r.jsonl", rated_rows()))
    assert found.filter is None
    assert "The filter sets none of the 4 raters apart." in found.summary


def test_a_failed_attention_check_drops_a_rater_who_agrees(tmp_path):
    table = judgements(tmp_path / "j.csv", rated_rows(), [("r0", 1), ("r1", 0), ("r1", 1), ("r2", 1)])
    raters = run(tmp_path, table).raters
    assert {name: rater.kept for name, rater in raters.items()} == {"r0": True, "r1": False, "r2": True, "r3": True}
    assert raters["r1"].kappa > 0.3
    assert raters["r1"].why == "failed 1 of 2 attention checks"
    assert (raters["r1"].n, raters["r1"].checks, raters["r3"].checks) == (120, 2, 0)
    assert 6 <= raters["r0"].seconds <= 10


def test_checks_are_no_ratings(tmp_path):
    with_checks = run(tmp_path, judgements(tmp_path / "a.csv", rated_rows(), [("r0", 1), ("r1", 1)]), name="a")
    without = run(tmp_path, judgements(tmp_path / "b.csv", rated_rows()), name="b")
    assert with_checks.qualities == without.qualities
    assert ("probe", "overall") not in labels(with_checks)


def test_a_table_beside_the_items_is_the_same_as_ratings_inside(tmp_path):
    rows = rated_rows()
    table = judgements(tmp_path / "j.csv", rows)
    bare = write_rows(tmp_path / "bare.jsonl", [{k: v for k, v in row.items() if k != "ratings"} for row in rows])
    inside = run(tmp_path, write_rows(tmp_path / "r.jsonl", rows), name="inside")
    beside = run(tmp_path, bare, name="beside", ratings=str(table))
    assert beside.qualities == inside.qualities
    assert labels(beside) == labels(inside)
    some = run(tmp_path, bare, name="some", ratings=str(table), where=("system!=s0",))
    assert some.items == 48
    assert list(some.left_out.values()) == [12, 0]  # items of s0; the table names nothing that is no item


def test_a_table_of_others_is_refused_and_leaves_nothing(rated, tmp_path):
    (tmp_path / "j.csv").write_text("item,rater,value\nx,ann,3\ny,ann,4\n")
    with pytest.raises(DataError, match=r"rates none of these 60 items: its ids \(x, y, …\)"):
        run(tmp_path, rated, ratings=str(tmp_path / "j.csv"))
    assert not (tmp_path / "run").exists()


def test_the_same_request_gives_the_same_bytes(rated, report, tmp_path):
    again = run(tmp_path, rated, flagged="odd=true")
    for name in ("report.html", "agree.json", "labels.csv"):
        assert (Path(again.run) / name).read_bytes() == (Path(report.run) / name).read_bytes()
    stamp = (Path(again.run) / "report.html").stat().st_mtime_ns
    assert run(tmp_path, rated, flagged="odd=true").to_json() == again.to_json()
    assert (Path(again.run) / "report.html").stat().st_mtime_ns == stamp  # read, not made again


def test_the_sample_is_what_the_guide_says(tmp_path):
    rows = read(SAMPLE)
    assert len(rows) == 60
    assert all(row["made_up"] is True for row in rows)
    assert len({row["context_id"] for row in rows}) == 12
    found = run(tmp_path, SAMPLE)
    assert found.filter.dropped == ["dan"]


def killed(command, moment):
    """Start a command, kill -9 it once ``moment`` has come, and say whether it was still at work."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        end = time.monotonic() + 60
        while not moment() and process.poll() is None:
            assert time.monotonic() < end, "the moment never came"
            time.sleep(0.005)
        running = process.poll() is None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
    return running


def done(record):
    """Whether a run's record says that it is finished."""
    return record.exists() and b'"done"' in record.read_bytes()


def test_a_killed_meta_goes_on_and_ends_with_the_same_bytes(rated, tmp_path):
    options = [
        "-m",
        "bleu",
        "-q",
        "overall",
        "--also",
        "references",
        "--resamples",
        "100",
        "--permutations",
        "50",
        "--quiet",
    ]
    command = [sys.executable, "-m", "dialometer", "meta", rated, *options, "-o"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, timeout=120)
    part = tmp_path / "part"
    scored = part / "work" / "scoring" / "score" / "scores.parquet"
    inner = scored.with_name("run.json")
    assert killed([*command, str(part)], lambda: done(inner)), "over before it could be killed"
    assert not done(part / "run.json")
    assert not (part / "report.html").exists()
    first = scored.stat()
    later = part / "work" / "references"
    assert killed([*command, str(part)], later.exists), "over before it could be killed again"
    assert (scored.stat().st_ino, scored.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)  # not scored again
    subprocess.run([*command, str(part)], check=True, timeout=120)
    for name in ("meta.json", "report.html"):
        assert (part / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (part / "work").exists()


def table_of(tmp_path, lines, name="judgements.csv"):
    """A table of judgements from its rows."""
    path = tmp_path / name
    path.write_text("\n".join(["item,rater,quality,value,check", *lines]))
    return str(path)


def plain(tmp_path, file, name="run"):
    return agree(AgreeRequest((file,), resamples=50, output=str(tmp_path / name)))


def shared(quality="overall", raters=5, items=30):
    """Raters who see the same quality through noise of their own."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, items)
    return [
        f"i{item},r{rater},{quality},{int(np.clip(truth[item] + rng.integers(-1, 2), 1, 5))},"
        for item in range(items)
        for rater in range(raters)
    ]


def test_what_a_rater_says_twice_is_no_agreement(tmp_path):
    rows = shared()
    once = plain(tmp_path, table_of(tmp_path, rows), "once")
    twice = plain(tmp_path, table_of(tmp_path, [*rows, *rows], "twice.csv"), "twice")
    for key in ("alpha", "fleiss", "kappa"):
        assert getattr(twice.qualities["overall"], key) == getattr(once.qualities["overall"], key)


def test_a_quality_without_overlap_does_not_stop_the_filter(tmp_path):
    alone = [f"i{item},r{item % 5},alone,3," for item in range(30)]
    found = plain(tmp_path, table_of(tmp_path, [*alone, *shared()]))
    assert list(found.qualities) == ["alone", "overall"]
    assert len(found.raters) == 5
    assert not found.why


def test_checks_count_where_nobody_shares_an_item(tmp_path):
    rows = [f"i{item},r{item % 5},overall,{1 + item % 4}," for item in range(30)]
    found = plain(tmp_path, table_of(tmp_path, [*rows, "probe,r0,,,0", "probe,r1,,,1"]))
    assert found.filter.dropped == ["r0"]
    assert found.raters["r1"].kept
    assert found.filter.judgements == 6


def test_one_quality_of_one_rater_does_not_stop_the_rest(tmp_path):
    found = plain(tmp_path, table_of(tmp_path, [*shared(), "i0,r0,solo,3,", "i1,r0,solo,4,"]))
    assert found.raters["r0"].mace["overall"] > 0
    assert found.raters["r0"].mace["solo"] is None


def slider_rows(shift):
    """Raters who agree on a quality of five points, and on a slider of their own where ``shift`` keeps all values apart."""
    rows = rated_rows()
    for row in rows:
        fine = [20 * value + (rater * 0.3 if shift else 0.01 * words) for rater, (value, words) in _numbered(row)]
        row["ratings"] = {"slider": fine, "overall": row["ratings"]["overall"]}
    return rows


def _numbered(row):
    return enumerate((value, len(row["response"])) for value in row["ratings"]["overall"])


@pytest.mark.parametrize(
    ("shift", "why"),
    [(True, "no two raters ever gave an item the same value"), (False, "different values, which MACE takes")],
)
def test_a_fine_scale_has_no_mace(tmp_path, shift, why):
    """MACE takes values for categories: careful raters with a slider all looked like guessers, near 0."""
    path = write_rows(tmp_path / "rated.jsonl", slider_rows(shift))
    report = agree(AgreeRequest((path,), resamples=20, output=str(tmp_path / "run")))
    assert set(report.mace) == {"slider"}
    assert why in report.mace["slider"]
    assert any(sentence.startswith("slider: no MACE of its raters") for sentence in report.summary)
    for rater in report.raters.values():
        assert rater.mace["slider"] is None
        assert rater.mace["overall"] > 0.05


def test_items_with_one_rater_have_no_mace(tmp_path):
    rows = rated_rows()
    for number, row in enumerate(rows):
        row["ratings"]["single"] = [
            value if rater == number % 4 else None for rater, value in enumerate(row["ratings"]["overall"])
        ]
    report = agree(AgreeRequest((write_rows(tmp_path / "rated.jsonl", rows),), resamples=20, output=str(tmp_path / "run")))
    assert report.mace == {"single": "no item was rated by two known raters"}
