"""What the page says first: findings in sentences, with what speaks against believing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dialometer.flows.demo.labels import listed, shown
from dialometer.flows.demo.leaders import ALPHA
from dialometer.flows.demo.plan import HYBRID, JUDGE, RERANK
from dialometer.flows.demo.steps import CROSS, SELF
from dialometer.report.blocks import Tone
from dialometer.stats.validation.length_bias import LENGTH_ONLY

SIDES = {SELF: "alone", CROSS: "with the partner"}
NOBODY = "no metric can be shown to follow the construction"
START = "On replies whose quality was constructed (nobody rated them)"


def summary(found: Mapping[str, Any]) -> dict[str, Tone]:
    """Sentence → tone, in order."""
    said: dict[str, Tone] = {_who(found): "plain"}
    said |= dict.fromkeys((_lead(column, sides) for column, sides in found["leads"].items() if sides), "plain")
    if sentence := _gap(found["gaps"]):
        said[sentence] = "caution"
    sentence, tone = _metrics(found["meta"])
    said[sentence] = tone
    if strange := sorted({one.partition(":")[0] for side in found["cautions"].values() for one in side}):
        unlike = f"Part of what is scored here is unlike what {listed([shown(name) for name in strange])} learnt from"
        said[f"{unlike}: see the cautions at the tables."] = "caution"
    if found["left_out"]:
        names = ", ".join(one["what"] for one in found["left_out"])
        said[f"Left out, because something is not installed here: {names}. The lines to type are under “The bots”."] = (
            "caution"
        )
    return said


def _who(found: Mapping[str, Any]) -> str:
    bots = found["play"][SELF]
    talks = sum(own["conversations"] for side in (SELF, CROSS) for own in found["play"][side].values())
    turns = sum(own["turns"] for side in (SELF, CROSS) for own in found["play"][side].values())
    return f"{len(bots)} bots ({', '.join(bots)}) held {talks} conversations with themselves and a fixed partner: {turns:,} turns."


def _lead(column: str, sides: Mapping[str, Mapping[str, Any]]) -> str:
    """``By M_H, rerank leads alone (0.53) and with the partner (0.41), clearly in both.``"""
    clear = [not one["not_told_from"] for one in sides.values()]
    firsts = {one["first"] for one in sides.values()}
    together = len(sides) > 1 and len(firsts) == 1 and all(clear)
    parts: list[str] = []
    for (side, one), sure in zip(sides.items(), clear, strict=True):
        name = "" if parts and len(firsts) == 1 else f"{one['first']} leads "
        sized = f"{name}{SIDES[side]} ({one['mean']:.2f})"
        parts.append(sized if together else f"{sized}{', clearly' if sure else _unsure(one)}")
    told = " and ".join(parts) + ", clearly in both" if together else "; ".join(parts)
    chosen = f"; {RERANK} chose its replies by it" if column == JUDGE and RERANK in firsts else ""
    return f"By {shown(column)}, {told}{chosen}."


def _unsure(one: Mapping[str, Any]) -> str:
    return f", but its lead over {listed(one['not_told_from'])} may be chance"


def _gap(gaps: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Every gap of M_H that is more than chance, all gaps considered; the largest first."""
    there = {bot: own[HYBRID] for bot, own in gaps.items() if HYBRID in own}
    sure = {bot: one for bot, one in there.items() if beyond(one) and one["difference"] > 0}
    if not sure:
        return ""
    ranked = sorted(sure, key=lambda bot: -sure[bot]["difference"])
    told = [f"{bot} (by {spelt(sure[bot], 'difference')})" for bot in ranked]
    return f"{shown(HYBRID)} is higher alone than with the partner for {listed(told)}: a bot may look good to itself."


def beyond(gap: Mapping[str, Any]) -> bool:
    """Whether chance would hardly do it, all gaps considered."""
    p = gap["p_holm"]
    return p is not None and p <= ALPHA


def _metrics(found: Mapping[str, Any]) -> tuple[str, Tone]:
    """Which metric follows the construction best, if one does so beyond chance and clearly better than mere length."""
    rows = {row["metric"]: row["spearman"] for row in found["rows"] if row["spearman"]["r"] is not None}
    if not rows.keys() - {LENGTH_ONLY}:
        return f"{START}, no metric has a correlation.", "caution"
    length = f"the length of a reply alone has Spearman {spelt(rows[LENGTH_ONLY], 'r')}" if LENGTH_ONLY in rows else ""
    if best := [name for name in found["beyond_chance"] if name in found["better_than_length"]]:
        first = max(best, key=lambda name: rows[name]["r"])
        told = f"{START}, {shown(first)} follows the construction best: Spearman {spelt(rows[first], 'r')}"
        return f"{told}{f'; {length}' if length else ''}.", "plain"
    sure = [shown(name) for name in found["beyond_chance"]]
    follow = f"{listed(sure)} follow{'s' * (len(sure) == 1)} the construction beyond chance" if sure else NOBODY
    none = f", {'but' if sure else 'and'} none is clearly better than length: {length}" if length else ""
    return f"{START}, {follow}{none}.", "caution"


def spelt(one: Mapping[str, Any], key: str) -> str:
    """A number with its interval, where it has one."""
    known = one["low"] is not None and one["low"] == one["low"]
    return f"{one[key]:.2f} [{one['low']:.2f}, {one['high']:.2f}]" if known else f"{one[key]:.2f}"
