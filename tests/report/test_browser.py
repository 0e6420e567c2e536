"""The page in a real browser: it asks nobody for anything, shows the right item, and can be used by keyboard and on a phone."""

import os
import re
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

from dialometer.report.blocks import Interval, Item, Page, Scatter, Section, Table
from dialometer.report.page import write_page
from tests.report.pages import EVIL, every_block, items

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = "" if CHROMIUM else "there is no chromium here"
if find_spec("playwright") is None:
    MISSING = "playwright is not installed"
pytestmark = pytest.mark.skipif(
    bool(MISSING) and os.environ.get("CI") != "true", reason=f"{MISSING}: the report is not looked at in a browser"
)

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 8_000  # milliseconds
WIDE, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    assert not MISSING, f"{MISSING}, and CI must look at the report"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=CHROMIUM,
            args=ARGUMENTS,
            viewport=WIDE,
            color_scheme="light",
            timeout=30_000,
        )
        opened.set_default_timeout(PATIENCE)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with every kind of block; item 12 is evil, and a wide table has something to sort."""
    evil = Item(EVIL, EVIL, [(EVIL, EVIL)], EVIL, [EVIL] * 2, {EVIL: 1.0}, {EVIL: [1.0]})
    x, y = np.array([*range(12), 20.0]), np.array([*range(12), 20.0])
    plots = [Scatter("diagonal", "people", "metric", range(13), x, y, "a diagonal")]
    rows = [
        [f"m{k}", Interval(value, value - 1, value + 1), *([0.5] * 12)]
        for k, value in enumerate([0.3, float("nan"), 0.9, -0.1])
    ]
    wide = Table("wide", ["metric", "r", *(f"a long heading {k}" for k in range(12))], rows, "to be sorted")
    made = Page(
        "In a browser", [Section("Here", [wide, *plots]), *every_block()], [*items(), evil], {"m": "m|" + "x" * 300}
    )
    return write_page(made, tmp_path_factory.mktemp("report")).as_uri()


@pytest.fixture
def tab(browser, address):
    """The page, loaded; what it asked for and complained about is judged afterwards."""
    opened = browser.new_page()
    asked, complaints = [], []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(address)
    opened.wait_for_selector("html[data-ready]")
    yield opened
    assert set(asked) == {address}
    assert complaints == []
    assert opened.evaluate("window.hacked") is None
    opened.close()


def middle_of(tab, part):
    """Where the point of the item that is this part of the diagonal (0 to 1) is drawn."""
    box = tab.locator("[data-plot=diagonal] canvas").bounding_box()
    left, right, top, bottom = 62, box["width"] - 12, 8, box["height"] - 46
    share = (part + 0.04) / 1.08
    return box["x"] + left + share * (right - left), box["y"] + bottom - share * (bottom - top)


def click_point(tab, value):
    tab.locator("[data-plot=diagonal]").scroll_into_view_if_needed()
    tab.mouse.click(*middle_of(tab, value / 20))


def shown(tab):
    return tab.locator("#panel").is_visible()


def test_a_click_shows_the_right_dialogue(tab):
    click_point(tab, 7)
    panel = tab.locator("#panel")
    assert tab.locator("#panel-title").inner_text() == "item-7"
    tab.locator("#panel summary").click()
    assert panel.locator(".turn").all_inner_texts() == [
        "user\nquestion 3", "bot\nwell", "user\nand now?", "bot\nhm", "user\ntell me 3", "response\nanswer number 7",
    ]  # fmt: skip
    assert panel.locator("li").all_inner_texts() == ["reference 3-0", "reference 3-1", "reference 3-2", "and 2 more"]
    facts = dict(zip(panel.locator("dt").all_inner_texts(), panel.locator("dd").all_inner_texts(), strict=True))
    assert facts == {"overall": "2.50 (3, 2, –)", "bleu": "0.5833", "length": "7", EVIL: "–"}
    tab.locator("#next").click()
    assert tab.locator("#panel-title").inner_text() == "item-8"
    tab.locator("#close").click()
    assert not shown(tab)


def test_nothing_opens_beside_the_points(tab):
    tab.locator("[data-plot=diagonal]").scroll_into_view_if_needed()
    x, y = middle_of(tab, 0.35)
    tab.mouse.click(x, y - 120)
    assert not shown(tab)


def test_pointing_shows_the_numbers(tab):
    tab.locator("[data-plot=diagonal]").scroll_into_view_if_needed()
    tab.mouse.move(*middle_of(tab, 5 / 20))
    assert tab.locator("[data-plot=diagonal] .tip").inner_text().split("\n") == ["item-5", "sage", "people: 5", "metric: 5"]


def test_walking_by_keyboard(tab):
    canvas = tab.locator("[data-plot=diagonal] canvas")
    spoken = tab.locator("[data-plot=diagonal] .spoken")
    canvas.focus()
    for key, item in [
        ("ArrowRight", 0),
        ("ArrowRight", 1),
        ("ArrowDown", 2),
        ("ArrowLeft", 1),
        ("Home", 0),
        ("ArrowUp", 0),
    ]:
        tab.keyboard.press(key)
        assert spoken.inner_text().startswith(f"item-{item},")
    for _ in range(4):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    assert tab.locator("#panel-title").inner_text() == "item-4"
    assert tab.evaluate("document.activeElement.id") == "panel-title"
    tab.keyboard.press("Escape")
    assert not shown(tab)
    assert tab.evaluate("document.activeElement.tagName") == "CANVAS"
    tab.keyboard.press("ArrowRight")
    assert spoken.inner_text().startswith("item-5,")


def test_a_system_is_hidden_and_comes_back(tab):
    legend = tab.locator("[data-plot=diagonal] .legend")
    parrot = legend.get_by_role("button", name="parrot")
    parrot.click()
    assert parrot.get_attribute("aria-pressed") == "false"
    canvas = tab.locator("[data-plot=diagonal] canvas")
    canvas.focus()
    tab.keyboard.press("Home")
    assert tab.locator("[data-plot=diagonal] .spoken").inner_text().startswith("item-1,")
    click_point(tab, 6)
    assert not shown(tab)
    parrot.click()
    click_point(tab, 6)
    assert tab.locator("#panel-title").inner_text() == "item-6"


def pixels(tab):
    return tab.evaluate("document.querySelector('[data-plot=diagonal] canvas').toDataURL()")


def test_the_theme_changes_is_drawn_and_remembered(tab):
    paper = "getComputedStyle(document.body).backgroundColor"
    light, drawn = tab.evaluate(paper), pixels(tab)
    tab.locator("#theme").click()
    dark = tab.evaluate(paper)
    assert dark != light
    assert pixels(tab) != drawn
    tab.reload()
    tab.wait_for_selector("html[data-ready]")
    assert tab.evaluate(paper) == dark
    tab.locator("#theme").click()
    assert (tab.evaluate(paper), pixels(tab)) == (light, drawn)
    tab.evaluate("localStorage.clear()")


def test_the_browsers_wish_counts(tab):
    paper = "getComputedStyle(document.body).backgroundColor"
    light = tab.evaluate(paper)
    tab.evaluate("delete document.documentElement.dataset.theme")
    tab.emulate_media(color_scheme="dark")
    assert tab.evaluate(paper) != light


def test_a_table_is_sorted(tab):
    table = tab.locator("#block-wide table")
    heading = table.locator("thead th").nth(1)

    def order():
        return table.locator("tbody th").all_inner_texts()

    steps = [
        ("descending", ["m2", "m0", "m3", "m1"]),
        ("ascending", ["m3", "m0", "m2", "m1"]),
        ("none", ["m0", "m1", "m2", "m3"]),
    ]
    for state, rows in steps:
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == state
        assert order() == rows


def test_search(tab):
    tab.locator("#find").fill("ITEM-1 number")
    hits = tab.locator("#hits button")
    hits.nth(2).wait_for()
    assert [text.split("\n")[0] for text in hits.all_inner_texts()] == ["item-1", "item-10", "item-11"]
    assert tab.locator("#found").inner_text() == "3 items"
    hits.nth(1).click()
    assert tab.locator("#panel-title").inner_text() == "item-10"
    assert tab.locator("[data-plot=diagonal] .ring").is_visible()
    tab.keyboard.press("Escape")
    assert "item-10" in tab.evaluate("document.activeElement.textContent")
    tab.locator("#find").fill("no such words")
    tab.locator("#hits button").first.wait_for(state="detached")
    assert tab.locator("#found").inner_text() == "0 items"


def test_evil_text_is_shown_as_it_is(tab):
    tab.locator("#find").fill("onerror")
    tab.locator("#hits button").first.click()
    assert tab.locator("#panel-title").inner_text() == EVIL
    assert tab.locator("#panel .turn.response span").nth(1).inner_text() == EVIL
    assert tab.locator("#panel img, #panel script").count() == 0


def test_on_a_phone(tab):
    tab.set_viewport_size(PHONE)
    tab.reload()
    tab.wait_for_selector("html[data-ready]")
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert not tab.locator(".contents ol").is_visible()
    tab.locator(".contents summary").click()
    assert tab.locator(".contents ol").is_visible()
    assert tab.locator(".slim").first.is_visible()
    assert not tab.locator(".wide").first.is_visible()
    click_point(tab, 3)
    assert tab.locator("#panel-title").inner_text() == "item-3"
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    tab.set_viewport_size(WIDE)


def test_without_a_script(browser, address):
    """Tables and charts show; what needs a script does not pretend."""
    html = browser.new_page()
    session = browser.new_cdp_session(html)
    session.send("Emulation.setScriptExecutionDisabled", {"value": True})
    html.goto(address)
    assert html.locator("#block-wide table").is_visible()
    assert html.locator("#block-dots svg.wide").is_visible()
    assert html.locator("#block-diagonal noscript a").is_visible()
    assert not html.locator("#find").is_visible()
    html.close()


def test_the_canvas_has_as_many_pixels_as_the_screen(tab):
    sizes = tab.evaluate(
        "(() => { const c = document.querySelector('canvas'); return [c.width, c.clientWidth * devicePixelRatio]; })()"
    )
    assert abs(sizes[0] - sizes[1]) <= 1
    assert re.fullmatch(r"data:image/png;base64,.{2000,}", pixels(tab))
