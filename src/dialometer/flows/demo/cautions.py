"""What judges say against being used on what is scored here: one sentence for each, whatever the number of files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dialometer.flows.demo.labels import listed, renamed, shown
from dialometer.flows.demo.steps import ANSWERS, CROSS, SELF

WHERE = {SELF: " with themselves", CROSS: " with the partner", ANSWERS: ""}
_UNLIKE = re.compile(
    r"(?P<share>\d+%) of the (?P<what>\w+) are unlike those that \S+ was trained on (?P<own>\(.+?\))(?:; (?P<more>.+))?"
)


def cautions(found: Mapping[str, Sequence[str]], *sides: str) -> list[str]:
    """``found`` has the sentences of each side, a judge's name before each; those of a judge that differ in their share are one."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    said: list[str] = []
    for side in sides:
        for caution in found[side]:
            judge, _, words = caution.partition(": ")
            if one := _UNLIKE.fullmatch(words):
                told = alike.setdefault((judge, one["own"], one["more"] or ""), [])
                what = "" if told else f" of the {one['what']}"
                told.append(f"{one['share']}{what}{WHERE[side]}")
            else:
                said.append(_sentence(f"of {shown(judge)}{WHERE[side]}: {words}"))
    return [_unlike(*key, shares) for key, shares in alike.items()] + said


def _unlike(judge: str, own: str, more: str, shares: list[str]) -> str:
    told = _sentence(f"{listed(shares)} are unlike those that {shown(judge)} learnt from {own}")
    return f"{told} {_sentence(more)}" if more else told


def _sentence(text: str) -> str:
    """From a capital letter to a full stop, with the page's names and a minus sign."""
    whole = re.sub(r"(?<=[\s(])-(?=\d)", "−", renamed(text.strip().rstrip(".")))
    return f"{whole[:1].upper()}{whole[1:]}."
