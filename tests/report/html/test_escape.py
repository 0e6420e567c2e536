"""Nothing enters a page unescaped, and nothing that no page can hold enters at all."""

import pytest

from dialometer.report.html.escape import Markup, clean, el, join, px
from tests.report.pages import EVIL


def test_text_is_escaped_everywhere():
    made = el("p", EVIL, title=EVIL)
    assert "<script" not in made
    assert made.count("<") == 2
    assert "&quot;" in made
    assert "&amp;amp;" in made


def test_markup_is_kept_and_joined_text_is_not():
    assert join(el("b", "x"), "<") == "<b>x</b>&lt;"
    assert isinstance(join("a"), Markup)


def test_attributes_that_are_not_there():
    assert el("input", hidden=False, title=None, open=True, class_="a") == '<input open="" class="a">'


@pytest.mark.parametrize("code", [0x00, 0x0B, 0x1F, 0xD83D, 0xDC00, 0xFFFF])
def test_characters_that_no_file_can_hold(code):
    bad = chr(code)
    assert clean(f"a{bad}b") == "a\ufffdb"
    clean(f"a{bad}b").encode("utf-8")


def test_what_may_stay():
    assert clean("tab\tline\nöß 😀 ‮x") == "tab\tline\nöß 😀 ‮x"


def test_coordinates():
    assert [px(value) for value in (1.005, -0.004, 1e6, 0.1 + 0.2)] == ["1", "0", "1000000", "0.3"]
