"""Which numbers are no independent evidence: those by which a re-ranker chose the very replies that are measured."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dialometer.flows.compare.dialogues import Talks

USED, AKIN = "used", "akin"
_NEXT = re.compile(r",(?:k|column|lowest)=")  # what may follow the metric in the recipe of a re-ranker
Marks = dict[str, dict[str, str]]
KIN = {"turn-words": "length"}  # features of conversations that are another metric, too


def dependence(talks: Talks, recipes: Mapping[str, str]) -> Marks:
    """system → column → ``used`` (a re-ranker chose by this very recipe) or ``akin`` (by a metric that has to do with it)."""
    bots = {piece.system: piece.recipe for piece in talks.pieces if piece.recipe}
    found: Marks = {}
    for system, bot in bots.items():
        chosen = chosen_by(bot)
        marks = {column: _mark(column, recipe, chosen) for column, recipe in recipes.items()}
        if own := {column: mark for column, mark in marks.items() if mark}:
            found[system] = own
    return found


def chosen_by(bot: str) -> list[str]:
    """The recipes of the metrics that a bot's recipe says it ranks by, of bots inside bots too.

    >>> chosen_by("rerank-1(bots=eliza-1;parrot-1,metric=length/tok:words-1/v:1,k=2)")
    ['length/tok:words-1/v:1']
    """
    if "rerank-" not in bot:
        return []
    return [_value(bot[found.end() :]) for found in re.finditer(r"(?<=[(,])metric=", bot)]


def _value(text: str) -> str:
    """Up to the bracket that closes the re-ranker, or its next option."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0 or (depth == 0 and _NEXT.match(text, place)):
            return text[:place]
    return text


def _mark(column: str, recipe: str, chosen: list[str]) -> str:
    """A column's recipe against those: the same, or its metric (or one that counts the same) named somewhere in one of them."""
    if recipe.replace("|", "/") in chosen:
        return USED
    names = [recipe.partition("|")[0], KIN.get(column.rpartition(":")[2], "")]
    spelt = "|".join(re.escape(name) for name in names if name)
    return AKIN if spelt and any(re.search(rf"(?<![\w-])(?:{spelt})(?!\w)", one) for one in chosen) else ""
