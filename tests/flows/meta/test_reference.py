"""meta beside a quality that is known by construction: nobody is said to have rated."""

import re
from pathlib import Path

import pytest

from dialometer.core.errors import UsageError
from tests.flows.rated import rated_rows, run_meta, write_rows

RATERS = ("Do the raters agree?", "The raters, one by one", "half against half", "a perfect metric", "human ceiling")


def page_of(report):
    """The page as text, without its drawings' names and scripts."""
    html = (Path(report.run) / "report.html").read_text(encoding="utf-8")
    body = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", body)


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("rated") / "made.jsonl", rated_rows())


def test_a_page_beside_a_construction_speaks_of_no_people(rated, tmp_path):
    options = {"reference": "the construction", "also": ("references",)}
    report = run_meta(tmp_path, rated, ("bleu", "rouge"), **options)
    text, found = page_of(report), report.to_json()
    assert "Metrics beside the construction: overall" in text
    assert "compared with the construction on overall" in found["summary"][0]
    assert "Where metrics and the construction part" in text
    assert not re.findall(r".{30}\b(?:people\b|raters?\b|human: ).{30}", text, flags=re.DOTALL)
    assert not any(title in text for title in RATERS)
    assert (found["agreement"], found["ceiling"]) == (None, {})
    assert not any("ater" in words or "people" in words for words in found["summary"])


def test_without_it_the_page_is_about_people(rated, tmp_path):
    text = page_of(run_meta(tmp_path, rated, ("bleu",)))
    assert "Metrics beside people: overall" in text
    assert all(title in text for title in RATERS[:4])


def test_a_table_of_known_numbers(tmp_path):
    rows = "".join(f"s{k},{k},{k * k % 7}\n" for k in range(6))
    (tmp_path / "t.csv").write_text(f"system,made,mine\n{rows}")
    report = run_meta(tmp_path, str(tmp_path / "t.csv"), quality=("made",), reference="the construction")
    assert "compared with the construction on made" in report.summary[0]
    assert "people" not in page_of(report)


def test_a_construction_has_no_raters_to_filter(rated, tmp_path):
    with pytest.raises(UsageError, match="has no raters to filter"):
        run_meta(tmp_path, rated, ("bleu",), reference="the construction", filter_raters=True)
