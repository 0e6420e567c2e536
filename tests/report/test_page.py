"""The whole report: its files, its promises, its bytes."""

import errno
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from dialometer.report.blocks import Examples, Item, Links, Page, Scatter, Section, Table, Text
from dialometer.report.html.anchors import distinct
from dialometer.report.page import write_page
from tests.report.pages import EVIL, page


class Outline(HTMLParser):
    """Tags must close in order; headings, ids and addresses are noted."""

    def __init__(self):
        super().__init__()
        self.open, self.headings, self.ids, self.links, self.tags = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag not in {"meta", "link", "input"}:
            self.open.append(tag)
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.links.append(given["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_page(page(), tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def outline(written):
    seen = Outline()
    seen.feed(written.read_text("utf-8"))
    assert seen.open == []
    return seen


def test_every_file_is_there(written):
    folder = written.parent
    made = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    figures = [f"figures/{name}.svg" for name in ("cloud", "dots", "heat", "lines", "strips", "systems", "turns")]
    assert made == [*figures, "report.html", "tables/main-table.csv", "tables/main-table.tex"]
    for name in figures:
        ElementTree.fromstring((folder / name).read_text("utf-8"))
        assert "var(--" not in (folder / name).read_text("utf-8")


def test_landmarks_headings_and_addresses(outline):
    tags = [tag for tag, _ in outline.tags]
    assert [tags.count(one) for one in ("header", "nav", "main", "h1", "dialog")] == [1] * 5
    assert outline.headings == [1, 2, 2, 2, 2, 2, 2]  # title, five sections, the panel
    assert len(outline.ids) == len(set(outline.ids))
    for link in outline.links:
        assert (
            link.removeprefix("#") in outline.ids
            if link.startswith("#")
            else link.partition("/")[0] in {"tables", "figures"}
        )


def test_links_lead_to_files(written, outline):
    for link in outline.links:
        assert link.startswith("#") or (written.parent / link).is_file()


def test_nothing_points_outside(written, outline):
    html = written.read_text("utf-8")
    for tag, given in outline.tags:
        assert tag not in {"iframe", "object", "embed", "base", "img"}
        assert not given.get("src")
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", html)
    assert "default-src 'none'" in html
    assert "connect-src" not in html


def test_links_to_files_beside_the_page(tmp_path):
    path = write_page(Page("linked", [Section("more", [Links({"meta/report.html": "<the metrics>"})])]), tmp_path)
    seen = Outline()
    seen.feed(path.read_text("utf-8"))
    assert "meta/report.html" in seen.links
    assert "&lt;the metrics&gt;" in path.read_text("utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_language_and_viewport(outline):
    assert ("html", {"lang": "en"}) in outline.tags
    assert any(given.get("name") == "viewport" for _, given in outline.tags)


def test_the_summary_says_its_tone_in_words(written):
    html = written.read_text("utf-8")
    assert '<span class="hidden">Good: </span>It works.' in html
    assert '<p class="tone plain">It does not.</p>' in html


def test_what_is_not_drawn_is_said(written):
    html = written.read_text("utf-8")
    assert "11 points." in html
    assert "1 of 12 items are not drawn: a value is missing." in html


def test_recipes_and_versions_come_last(written):
    html = written.read_text("utf-8")
    assert html.index("bleu|order:4|v:1") > html.index("some cases")
    assert "<dt>dialometer</dt><dd>0</dd>" in html


def test_equal_pages_give_equal_bytes(tmp_path, written):
    again = write_page(page(), tmp_path)
    for path in tmp_path.rglob("*.*"):
        if path.is_file():
            assert path.read_bytes() == (written.parent / path.relative_to(tmp_path)).read_bytes()
    other = write_page(page(summary=["Other."]), tmp_path / "other")
    assert other.read_bytes() != again.read_bytes()


AGAIN = """
import sys
from pathlib import Path
from dialometer.report.page import write_page
from tests.report.pages import page
write_page(page(), Path(sys.argv[1]))
"""


def test_the_order_of_sets_does_not_matter(tmp_path, written):
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), str(root / "src")])
    env = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", AGAIN, str(tmp_path)], check=True, cwd=root, env=env)
    assert (tmp_path / "report.html").read_bytes() == written.read_bytes()


def test_evil_text_stays_text(tmp_path):
    item = Item(EVIL, EVIL, [(EVIL, EVIL)], EVIL, [EVIL], {EVIL: 1.0}, {EVIL: [1.0]})
    one = np.array([1.0])
    blocks = [
        Text([EVIL], "bad"),
        Table(EVIL, [EVIL], [[EVIL]]),
        Scatter(EVIL, EVIL, EVIL, [0], one, one, EVIL),
        Examples(EVIL, [0], [EVIL]),
    ]
    whole = Page(EVIL, [Section(EVIL, blocks, EVIL)], [item], {EVIL: EVIL}, {EVIL: EVIL}, [EVIL])
    path = write_page(whole, tmp_path)
    seen = Outline()
    seen.feed(path.read_text("utf-8"))
    assert seen.open == []
    assert [given.get("type") for tag, given in seen.tags if tag == "script"] == [
        None,
        "application/octet-stream;base64",
        None,
    ]
    assert not any(tag == "img" or "onerror" in given for tag, given in seen.tags)
    assert {file.parent for file in tmp_path.rglob("*.*") if file.is_file()} == {
        tmp_path,
        tmp_path / "tables",
        tmp_path / "figures",
    }


def test_names_of_files_are_plain_and_distinct():
    assert distinct(["../../etc/passwd", "a b", "A-B", "", "α", "x" * 300])[:5] == [
        "etc-passwd",
        "a-b",
        "A-B-2",
        "part",
        "part-2",
    ]
    assert len(distinct(["x" * 300])[0]) == 80


def test_a_page_of_nothing(tmp_path):
    html = write_page(Page("empty", []), tmp_path).read_text("utf-8")
    assert 'id="find"' not in html
    assert "<dialog" not in html
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_nothing_is_left_where_writing_fails(tmp_path, monkeypatch):
    old = write_page(page(), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def broken(descriptor):
        if ".report.html." in os.readlink(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match=r"No space left on device: '.*/report.html'"):
        write_page(page(summary=["Newer."]), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert old.is_file()


def test_nothing_is_written_for_a_page_that_cannot_be_drawn(tmp_path):
    one = np.array([1.0])
    for block in (
        Scatter("s", "x", "y", [99], one, one),
        Scatter("s", "x", "y", [0, 1], one, one),
        Table("t", ["a"], [[1, 2]]),
    ):
        with pytest.raises(ValueError, match=r"'[st]'"):
            write_page(Page("t", [Section("s", [block])], page().items), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folded_picture_waits_behind_a_click_and_its_counts_are_numbers(tmp_path):
    html = write_page(page(), tmp_path).read_text(encoding="utf-8")
    figure = re.search(r'<figure id="block-turns">.*?</figure>', html, re.DOTALL)[0]
    assert '<details class="long"><summary>Show the picture</summary>' in figure
    assert "n, a" in figure
    assert (tmp_path / "figures" / "turns.svg").exists()
    assert "Show the picture" not in re.search(r'<figure id="block-lines">.*?</figure>', html, re.DOTALL)[0]
