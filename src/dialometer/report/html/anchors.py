"""Blocks and their names as files and as places in the page: plain letters, each once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dialometer.report.blocks import Block, Links, Page, Text

LONGEST = 80


def named_blocks(page: Page) -> list[tuple[str, Block]]:
    """Every block of the page in order, with the name of its files; texts and links have none."""
    blocks = [block for section in page.sections for block in section.blocks]
    names = iter(distinct(block.name for block in blocks if not isinstance(block, Text | Links)))
    return [("" if isinstance(block, Text | Links) else next(names), block) for block in blocks]


def plain(name: str) -> str:
    """A name without what files and addresses dislike.

    >>> plain("item level: Maintains Context"), plain("../x"), plain("ответ")
    ('item-level-Maintains-Context', 'x', 'part')
    """
    return re.sub(r"[^A-Za-z0-9_.]+", "-", name)[:LONGEST].strip("-.") or "part"


def distinct(names: Iterable[str]) -> list[str]:
    """Plain names; one that is taken (ignoring case, as some file systems do) gets a number.

    >>> distinct(["a", "A", "b", "a"])
    ['a', 'A-2', 'b', 'a-3']
    """
    taken: set[str] = set()
    made = []
    for name in map(plain, names):
        choice, number = name, 1
        while choice.lower() in taken:
            number += 1
            choice = f"{name}-{number}"
        taken.add(choice.lower())
        made.append(choice)
    return made
