"""The body of the page: summary, search, sections with their blocks, recipes and versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dialometer.report.blocks import Block, Examples, HeatMap, LineChart, Links, Page, Scatter, Section, Table, Text, Tone
from dialometer.report.charts.chart import chart
from dialometer.report.charts.scatter import scatter_html
from dialometer.report.charts.svg import NARROW
from dialometer.report.html.anchors import distinct
from dialometer.report.html.cards import cards
from dialometer.report.html.escape import Markup, el, join
from dialometer.report.html.payload import Payload
from dialometer.report.html.style import inline
from dialometer.report.html.tables import scroller, table_html
from dialometer.report.html.values import values_of

WORDS: Mapping[Tone, str] = {"plain": "", "good": "Good: ", "caution": "Caution: ", "bad": "Problem: "}
RECIPES = "Recipes and versions"


def headings(page: Page) -> list[tuple[str, str]]:
    """Address and title of every section, in order."""
    titles = [section.title for section in page.sections]
    titles += [RECIPES] if page.recipes or page.versions else []
    return [(f"section-{address}", title) for address, title in zip(distinct(titles), titles, strict=True)]


def body(page: Page, blocks: Sequence[tuple[str, Block]], payload: Payload) -> Markup:
    """Everything inside ``main``."""
    places, named = iter(headings(page)), iter(blocks)
    parts = [_summary(page), _search(page, payload)]
    for section in page.sections:
        inside = [_block(*next(named), page, payload) for _ in section.blocks]
        parts.append(_section(next(places), section, inside))
    if page.recipes or page.versions:
        parts.append(_section(next(places), Section("", ()), [_recipes(page)]))
    return join(*parts)


def tone(text: str, kind: Tone) -> Markup:
    """A paragraph with its tone in words too, since not every reader sees colours."""
    said = el("span", WORDS[kind], class_="hidden") if WORDS[kind] else ""
    return el("p", said, text, class_=f"tone {kind}")


def _summary(page: Page) -> Markup:
    lines = [
        tone(text, page.tones[place] if place < len(page.tones) else "plain") for place, text in enumerate(page.summary)
    ]
    return el("section", *lines, class_="summary", aria_label="Summary") if lines else Markup()


def _search(page: Page, payload: Payload) -> Markup:
    if not page.items:
        return Markup()
    shown, given = len(payload.rows), len(page.items)
    some = (
        f" This page carries a fixed sample of {shown:,} of {given:,} items; tables rest on all of them."
        if shown < given
        else ""
    )
    return el(
        "section",
        el("label", "Find an item", for_="find"),
        el("input", type="search", id="find", autocomplete="off", placeholder="an id, or words of the dialogue"),
        el("p", class_="soft", id="found", aria_live="polite"),
        el("ul", id="hits"),
        el("p", some, class_="soft") if some else "",
        class_="find needs-script",
        aria_label="Find an item",
    )


def _section(place: tuple[str, str], section: Section, inside: Sequence[Markup]) -> Markup:
    address, title = place
    lead = el("p", section.lead, class_="lead") if section.lead else ""
    return el("section", el("h2", title, id=address), lead, *inside, aria_labelledby=address)


def _block(name: str, block: Block, page: Page, payload: Payload) -> Markup:
    match block:
        case Text():
            return el("div", *(tone(text, block.tone) for text in block.paragraphs), class_="text")
        case Links():
            lines = [el("li", el("a", path, href=path), ": ", about) for path, about in block.targets.items()]
            return el("ul", *lines, class_="text")
        case Table():
            return _figure(
                name, block.caption, table_html(block), _links(name, ("tables", "csv", "CSV"), ("tables", "tex", "LaTeX"))
            )
        case Scatter():
            return _figure(name, block.caption, scatter_html(block, name, payload, f"figures/{name}.svg"), _svg_link(name))
        case Examples():
            return _figure(name, block.caption, cards(block, page.items))
        case _:
            values = values_of(block)
            numbers = el("details", el("summary", "Numbers"), table_html(values), class_="numbers") if values else Markup()
            return _figure(name, block.caption, _charts(block), el("div", numbers, _svg_link(name), class_="foot"))


def _charts(block: Block) -> Markup:
    """The chart, twice where it can be narrower: screens and phones each see their own; a folded one after a click."""
    wide, narrow = chart(block), chart(block, NARROW)
    if wide is None or narrow is None:
        return Markup()
    if wide == narrow:
        made = el("div", scroller(inline(wide), wide.title), class_="plot")
    else:
        made = el("div", inline(wide, "wide"), inline(narrow, "slim"), class_="plot")
    folded = isinstance(block, HeatMap | LineChart) and block.folded
    return el("details", el("summary", "Show the picture"), made, class_="long") if folded else made


def _figure(name: str, caption: str, *inside: Markup) -> Markup:
    said = el("figcaption", caption) if caption else ""
    return el("figure", said, *inside, id=f"block-{name}")


def _links(name: str, *kinds: tuple[str, str, str]) -> Markup:
    """Where the same is found as files, beside the page."""
    return el("p", *(el("a", word, href=f"{folder}/{name}.{ending}") for folder, ending, word in kinds), class_="links")


def _svg_link(name: str) -> Markup:
    return _links(name, ("figures", "svg", "SVG"))


def _recipes(page: Page) -> Markup:
    rows = [el("tr", el("th", name, scope="row"), el("td", el("code", recipe))) for name, recipe in page.recipes.items()]
    head = el("thead", el("tr", el("th", "column", scope="col"), el("th", "recipe", scope="col")))
    table = scroller(el("table", head, el("tbody", *rows), class_="recipes"), "Recipes") if rows else Markup()
    pairs = [el("div", el("dt", name), el("dd", version)) for name, version in page.versions.items()]
    return join(table, el("dl", *pairs, class_="facts versions") if pairs else "")
