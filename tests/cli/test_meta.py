"""The meta command: what it prints, where, and what it says when scores and people cannot be compared."""

import json

import pytest

from tests.cli.conftest import write
from tests.flows.rated import rated_rows

QUICK = ("--resamples", 50, "--permutations", 50)
ROUGE = ("-m", "rouge(kinds=l)", "-q", "overall")
KINDS = ("pearson", "spearman", "kendall")


@pytest.fixture
def rated(tmp_path):
    return write(tmp_path / "rated.jsonl", rated_rows())


def changed(tmp_path, change):
    """The rated rows after ``change`` of each."""
    rows = rated_rows()
    for row in rows:
        change(row)
    return write(tmp_path / "changed.jsonl", rows)


def rows_of(done, level="turn"):
    return {row["metric"]: row for row in json.loads(done.out)["rows"] if row["level"] == level}


def test_json_is_one_object_and_nothing_else(spawn, rated):
    done = spawn("meta", rated, *ROUGE, "--json", *QUICK)
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    shown = json.loads(done.out)
    assert shown["run"].startswith("runs/meta-")
    assert {"rows", "ceiling", "better"} <= shown.keys()
    assert {row["metric"] for row in shown["rows"]} == {"length-only", "rouge-l"}
    for row in shown["rows"]:
        assert {"metric", "quality", "level", "n", *KINDS} <= row.keys()
        for kind in KINDS:
            assert {"r", "p", "low", "high"} <= row[kind].keys()
    assert {"a", "b", "test", "p"} <= shown["better"][0].keys()
    assert set(shown["ceiling"]) == {"overall"}


def test_tables_by_level_then_sentences_then_the_report(cli, rated, tmp_path):
    done = cli("meta", rated, *ROUGE, "-o", "r", *QUICK)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line for line in lines if line.endswith(" level")] == [
        "overall, turn level",
        "overall, context level",
        "overall, system level",
    ]
    assert lines[1].split() == ["metric", "n", *(word for kind in KINDS for word in (kind, "[95%]"))]
    table = lines[2 : lines.index("")]
    assert [line.split()[:2] for line in table] == [["length-only", "60"], ["rouge-l", "60"]]
    assert all(line.count("[") == 3 for line in table)
    assert any(line.startswith("Per response, rouge-l follows people best, ") for line in lines)
    assert lines[-1] == "report: r/report.html"
    assert (tmp_path / "r" / "report.html").exists()
    assert cli("meta", rated, *ROUGE, "-o", "r", *QUICK).out == done.out  # reprinted


def test_quiet_says_nothing_and_does_the_work(cli, rated, tmp_path):
    done = cli("meta", rated, *ROUGE, "-o", "r", "--quiet", *QUICK)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (tmp_path / "r" / "meta.json").exists()


def test_constant_ratings_have_no_correlation(cli, tmp_path):
    file = changed(tmp_path, lambda row: row.update(ratings={"overall": [3, 3, 3, 3]}))
    done = cli("meta", file, *ROUGE, *QUICK)
    assert done.code == 0, done.err
    assert "Constant, so without a correlation: ratings of overall." in done.out
    rows = rows_of(cli("meta", file, *ROUGE, "--json", *QUICK))
    assert {row["n"] for row in rows.values()} == {60}
    assert {row[kind]["r"] for row in rows.values() for kind in KINDS} == {None}


def test_constant_scores_have_no_correlation(cli, rated, tmp_path):
    (tmp_path / "flat.csv").write_text("\n".join(["id,flat", *(f"{row['id']},1" for row in rated_rows())]))
    arguments = ("meta", rated, "-q", "overall", "--scores", "flat.csv", *QUICK)
    done = cli(*arguments)
    assert "Constant, so without a correlation: flat." in done.out
    assert next(line.split() for line in done.out.splitlines() if line.startswith("flat ")) == ["flat", "60", "–", "–", "–"]
    assert rows_of(cli(*arguments, "--json"))["flat"]["pearson"]["r"] is None


def test_a_metric_without_any_number_is_counted_as_none(cli, tmp_path):
    bare = changed(tmp_path, lambda row: row.update(references=[]))
    done = cli("meta", bare, *ROUGE, "-m", "length", *QUICK)
    assert done.code == 0, done.err
    why = "needs a reference, and none of 60 responses has one"
    assert f"Without any number here: rouge-l ({why}), words-difference." in done.out
    assert next(line.split() for line in done.out.splitlines() if line.startswith("rouge-l "))[1] == "0"


def test_metrics_that_all_lack_numbers_are_refused_with_the_reason(cli, tmp_path):
    talks = [
        {"id": str(n), "system": "s", "turns": ["hi", "hello", "bye"], "ratings": {"overall": [1 + n % 5]}}
        for n in range(12)
    ]
    done = cli("meta", write(tmp_path / "talks.jsonl", talks), "-m", "rouge(kinds=l)", *QUICK)
    assert (done.code, done.out) == (2, "")
    assert "rouge-l needs a reference, and none of " in done.err
    assert "dialometer list metrics --without reference" in done.err


def test_columns_and_planned_comparisons_are_options(cli, rated, tmp_path):
    rows = rated_rows()
    lines = [f"{row['id']},{len(row['response'])},{sum(row['ratings']['overall'])}" for row in rows]
    (tmp_path / "mine.csv").write_text("\n".join(["id,mine,human", *lines]))
    done = cli("meta", rated, "--scores", "mine.csv", "-q", "overall", "--planned", "mine,length-only", *QUICK)
    assert done.code == 0, done.err
    assert "mine.csv: human is not taken for a metric: it is named like a rating or an id." in done.out
    assert "p is adjusted over 1 planned comparison;" in done.out
    both = cli("meta", rated, "--scores", "mine.csv", "-c", "mine", "-c", "human", "-q", "overall", "--json", *QUICK)
    assert {"mine", "human"} <= rows_of(both).keys()


def test_one_rater_has_no_ceiling_and_it_goes_on(cli, tmp_path):
    def one(row):
        row["ratings"], row["raters"] = {"overall": row["ratings"]["overall"][:1]}, ["r0"]

    done = cli("meta", changed(tmp_path, one), *ROUGE, "--json", *QUICK)
    shown = json.loads(done.out)
    assert shown["ceiling"]["overall"]["rows"] == []
    assert shown["ceiling"]["overall"]["left_out"] == 60
    assert shown["agreement"]["qualities"]["overall"]["alpha"]["value"] is None
    assert "of one (r0)" in shown["agreement"]["why"]
    assert rows_of(done)["rouge-l"]["spearman"]["r"] > 0.3


def test_raters_who_share_nothing_are_not_compared(cli, tmp_path):
    people = iter(range(60))

    def other(row):
        row["ratings"], row["raters"] = {"overall": row["ratings"]["overall"][:1]}, [f"r{next(people) % 4}"]

    file = changed(tmp_path, other)
    shown = json.loads(cli("meta", file, *ROUGE, "--json", *QUICK).out)
    assert "no two raters judged the same item" in shown["agreement"]["why"]
    said = cli("meta", file, *ROUGE, "--filter-raters", "-o", "r", *QUICK).refused()
    assert "raters cannot be filtered" in said
    assert "leave --filter-raters out" in said


def test_scores_that_match_in_part_say_how_many_and_which(spawn, rated, tmp_path):
    rows = [f"{row['id']},{number}" for number, row in enumerate(rated_rows()[:40])]
    (tmp_path / "part.csv").write_text("\n".join(["id,mine", *rows, "x1,3"]))
    done = spawn("meta", rated, "-q", "overall", "--scores", "part.csv", "--json", *QUICK)
    assert done.code == 0
    note = "part.csv: 40 of 41 rows match; 1 belong to no rated id (first: x1); 20 rated ids have no score"
    assert any(words.startswith(note) for words in json.loads(done.out)["summary"])
    assert done.err == ""
    assert rows_of(done)["mine"]["n"] == 40


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no file was given"),
        (("nowhere.jsonl", *ROUGE), "no such file"),
        (("rated.jsonl",), "no metric was named"),
        (("rated.jsonl", "-m", "rouge", "-q", "funny"), "-q one of: overall, fluent"),
        (("rated.jsonl", *ROUGE, "--scale", "1,4"), "a rating of 5 is outside the scale 1…4 (overall)"),
        (
            ("rated.jsonl", "--scores", "strangers.csv"),
            "its 4 rows match none of the 60 ids (there: x1, x2, x3, …; wanted: c0-s0",
        ),
        (("rated.jsonl", "--scores", "systems.csv"), "its 5 rows match none of the 5 systems (there: a, b, c"),
        (("rated.jsonl", "--scores", "."), ". is a folder but no run"),
        (("three.jsonl", *ROUGE, "--level", "system"), "fewer than 4"),
        (("few.csv", "-q", "human"), "fewer than 4"),
        (("systems.csv",), "-q one of: human, mine"),
        (("systems.csv", "-q", "people"), "-q one of: human, mine"),
        (("judgements.csv", "-m", "rouge"), "dialometer meta ITEMS --ratings TABLE"),
        (("rated.jsonl", *ROUGE, "--systems", "none.toml"), "no such file"),
        (("rated.jsonl", *ROUGE, "--preferences", "strangers.csv"), "first system"),
        (("rated.jsonl", "--scores", "fit.csv", "--also", "references"), "name metrics of the catalogue with -m"),
    ],
)
def test_refusals_have_a_way_out_and_leave_nothing(cli, rated, tmp_path, arguments, words):
    rows = rated_rows()
    write(tmp_path / "three.jsonl", [row for row in rows if row["system"] in ("s0", "s1", "s2")])
    (tmp_path / "strangers.csv").write_text("id,mine\nx1,1\nx2,2\nx3,3\nx4,5\n")
    (tmp_path / "fit.csv").write_text("\n".join(["id,mine", *(f"{row['id']},{n % 7}" for n, row in enumerate(rows))]))
    (tmp_path / "systems.csv").write_text("system,human,mine\na,1,1\nb,2,2\nc,3,3\nd,3,2\ne,4,2\n")
    (tmp_path / "few.csv").write_text("system,human,mine\na,1,1\nb,2,2\nc,3,3\n")
    (tmp_path / "judgements.csv").write_text("item,rater,value\nc0-s0,ann,1\nc0-s1,ann,2\n")
    quick = QUICK if arguments else ()
    assert words in cli("meta", *arguments, "-o", "r", *quick).refused()
    assert not (tmp_path / "r").exists()


def test_a_table_of_systems_needs_no_items(cli, tmp_path):
    (tmp_path / "t.csv").write_text("system,human,mine\na,1,1\nb,2,2\nc,3,3\nd,3,2\ne,4,2\n")
    done = cli("meta", "t.csv", "-q", "human", *QUICK)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == "human, system level"
    assert "5 systems" in done.out


def test_help_speaks_of_conversations(cli):
    told = " ".join(cli("meta", "--help").out.split())
    assert "dialometer meta talks.jsonl -m turns -m conversation -m hybrid -q fun" in told
    assert "turn by turn" in told
