"""Items shown on the page itself: a card each, with dialogue, references, scores and ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from dialometer.report.blocks import Examples, Item
from dialometer.report.html.escape import Markup, el, join
from dialometer.report.numbers import number

LONG = 4000  # letters of one text; a card is for reading
REFERENCES = 3
LAST = 3  # turns before a response that are shown at once


def cards(block: Examples, items: Sequence[Item]) -> Markup:
    """One card per item, with its remark."""
    remarks = [*block.remarks, *[""] * len(block.items)]
    shown = (card(items[row], remark) for row, remark in zip(block.items, remarks, strict=False))
    return el("div", *shown, class_="cards")


def card(item: Item, remark: str = "") -> Markup:
    """An item in full."""
    return el(
        "article",
        el(
            "p",
            el("strong", item.id, class_="id"),
            " ",
            el("span", item.system, class_="system") if item.system else "",
            class_="who",
        ),
        el("p", remark, class_="remark") if remark else "",
        el("div", *_dialogue(item), class_="talk"),
        _references(item.references),
        _numbers(item),
        class_="card",
    )


def _dialogue(item: Item) -> list[Markup]:
    turns = [_turn(speaker, text, "turn") for speaker, text in item.turns]
    if len(turns) > LAST + 1 and item.response:
        early = el("summary", f"{len(turns) - LAST} earlier turns")
        turns = [el("details", early, *turns[:-LAST], class_="earlier"), *turns[-LAST:]]
    return [*turns, _turn("response", item.response, "turn response")] if item.response or not turns else turns


def _turn(speaker: str, text: str, kind: str) -> Markup:
    return el("p", el("span", speaker, class_="speaker"), el("span", _shorten(text) or "(empty)", dir="auto"), class_=kind)


def _shorten(text: str) -> str:
    return text if len(text) <= LONG else f"{text[:LONG].rstrip()}… ({len(text):,} characters in all)"


def _references(references: Sequence[str]) -> Markup:
    if not references:
        return Markup()
    shown = [el("li", _shorten(text), dir="auto") for text in references[:REFERENCES]]
    rest = len(references) - len(shown)
    more = el("li", f"and {rest:,} more", class_="soft") if rest else ""
    return join(el("p", "References", class_="label"), el("ul", *shown, more, class_="references"))


def _numbers(item: Item) -> Markup:
    pairs: list[tuple[str, str]] = [(name, number(value)) for name, value in item.scores.items()]
    pairs += [(name, rating_text(values)) for name, values in _rated_qualities(item.ratings)]
    rows = (el("div", el("dt", name), el("dd", value)) for name, value in pairs)
    facts = el("dl", *rows, class_="facts")
    return el("details", el("summary", "Scores and ratings"), facts, class_="earlier") if pairs else Markup()


def _rated_qualities(ratings: Mapping[str, Sequence[float]]) -> list[tuple[str, Sequence[float]]]:
    return [(name, values) for name, values in ratings.items() if len(values)]


def rating_text(values: Sequence[float]) -> str:
    """The mean of the ratings given, and each of them.

    >>> rating_text([3, 4, float("nan")]), rating_text([float("nan")])
    ('3.50 (3, 4, –)', '–')
    """
    given = [value for value in values if not math.isnan(value)]
    if not given:
        return number(math.nan)
    each = ", ".join("–" if math.isnan(value) else f"{value:g}" for value in values)
    mean = number(sum(given) / len(given), 2)
    return f"{mean} ({each})" if len(values) > 1 else f"{given[0]:g}"
