"""The document around the body: head, contents, the panel that shows an item, the data and the scripts."""

from __future__ import annotations

import base64
from hashlib import sha256

from dialometer.report.blocks import Page
from dialometer.report.html.escape import Markup, el, join
from dialometer.report.html.sections import headings
from dialometer.report.html.style import asset, css, script


def document(page: Page, body: Markup, encoded: str) -> str:
    """The whole file."""
    theme, rest = asset("theme.js"), script()
    top = el(
        "header",
        el("h1", page.title),
        el("button", "◐ Dark", id="theme", type="button", hidden=True),
        class_="top",
    )
    frame = el("div", _contents(page), el("main", body, id="main", tabindex="-1"), class_="frame")
    data = el("script", Markup(encoded), type="application/octet-stream;base64", id="items") if encoded else Markup()
    inside = join(
        el("a", "Skip to the content", href="#main", class_="skip"),
        top,
        frame,
        _panel() if encoded else "",
        data,
        el("script", Markup(rest)),
    )
    return f'<!doctype html>\n<html lang="en">\n{_head(page, theme, rest)}\n{el("body", inside)}\n</html>\n'


def _head(page: Page, theme: str, rest: str) -> Markup:
    # The policy lets the page load nothing from anywhere, and run nothing but these two scripts.
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"script-src '{_digest(theme)}' '{_digest(rest)}'"
    )
    return el(
        "head",
        el("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("link", rel="icon", href="data:,"),
        el("title", page.title),
        el("style", Markup(css())),
        el("script", Markup(theme)),
    )


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(sha256(source.encode()).digest()).decode("ascii")


def _contents(page: Page) -> Markup:
    entries = (el("li", el("a", title, href=f"#{address}")) for address, title in headings(page))
    return el(
        "nav",
        el("details", el("summary", "Contents"), el("ol", *entries), open=True),
        aria_label="Contents",
        class_="contents",
    )


def _panel() -> Markup:
    """Filled by the script, by text alone."""
    buttons = el(
        "p",
        el("button", "‹ Previous", type="button", id="previous"),
        el("button", "Next ›", type="button", id="next"),
        el("button", "Close", type="button", id="close"),
        class_="buttons",
    )
    return el(
        "dialog", buttons, el("h2", id="panel-title", tabindex="-1"), el("div", id="panel-body"),
        id="panel", aria_labelledby="panel-title",
    )  # fmt: skip
