"""Markup that cannot be forgotten to escape: what is not ``Markup`` is escaped on its way in."""

from __future__ import annotations

import re
from html import escape

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")  # no XML file may hold these
_VOID = frozenset({"input", "link", "meta"})

Value = str | int | float | bool | None


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def clean(text: str) -> str:
    """The text without what no page can hold: control characters and halves of characters become U+FFFD.

    >>> clean("a\\x00b\\ud800") == "a\\ufffdb\\ufffd"
    True
    """
    return _FORBIDDEN.sub("\ufffd", text)


def markup(child: str) -> Markup:
    """The child itself if it is markup, else escaped."""
    return child if isinstance(child, Markup) else Markup(escape(clean(child), quote=True))


def join(*children: str) -> Markup:
    """Children side by side."""
    return Markup("".join(markup(child) for child in children))


def el(name: str, /, *children: str, **attributes: Value) -> Markup:
    """An element; ``class_`` and ``aria_label`` lose and change their underscores, None and False leave the attribute out.

    >>> el("p", "1 < 2", class_="a b", data_x='"')
    '<p class="a b" data-x="&quot;">1 &lt; 2</p>'
    """
    written = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")


def px(value: float) -> str:
    """A coordinate: two decimals at most, and never minus zero.

    >>> px(3.0), px(2.456), px(-0.001)
    ('3', '2.46', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _attribute(key: str, value: Value) -> str:
    if value is True:
        return f' {key}=""'
    text = px(value) if isinstance(value, float) else str(value)
    return f' {key}="{markup(text)}"'
