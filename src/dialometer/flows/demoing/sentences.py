"""What the page says first: findings in sentences, with what speaks against believing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dialometer.flows.demoing.plan import JUDGE, RERANK
from dialometer.flows.demoing.steps import CROSS, SELF
from dialometer.report.blocks import Tone
from dialometer.stats.length_bias import LENGTH_ONLY

NAMES = {"hybrid": "M_H", "autojudge": "autojudge"}


def summary(found: Mapping[str, Any]) -> dict[str, Tone]:
    """Sentence → tone, in order."""
    said: dict[str, Tone] = {_who(found): "plain"}
    for column in NAMES:
        if sentence := _highest(found, column):
            said[sentence] = "plain"
    if sentence := _gap(found):
        said[sentence] = "caution"
    said[_metrics(found["meta"])] = "plain"
    if strange := sorted({one.partition(":")[0] for side in found["cautions"].values() for one in side}):
        said[
            f"Of what is scored here, much is unlike what {' and '.join(strange)} learnt from: see the cautions at their tables."
        ] = "caution"
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


def _highest(found: Mapping[str, Any], column: str) -> str:
    """Who is first with itself and with the partner; a lead that the intervals do not show is called none."""
    told = []
    for side, where in ((SELF, "with itself"), (CROSS, "with the partner")):
        cells = {
            bot: own[column] for bot, own in found["talks"][side].items() if own.get(column, {}).get("mean") is not None
        }
        if len(cells) < 2:
            return ""
        first, second = sorted(cells, key=lambda bot: -cells[bot]["mean"])[:2]
        apart = cells[first]["low"] is not None and cells[first]["low"] > (cells[second]["high"] or float("inf"))
        lead = "clearly" if apart else f"its interval meets that of {second}"
        told.append(f"{first} is first {where} ({cells[first]['mean']:.2f}; {lead})")
    chosen = "; rerank chose its replies by it" if column == JUDGE and RERANK in found["talks"][SELF] else ""
    return f"By {NAMES[column]}, {' and '.join(told)}{chosen}."


def _gap(found: Mapping[str, Any]) -> str:
    """The largest gap that is more than chance."""
    gaps = {
        bot: own["hybrid"] for bot, own in found["gaps"].items() if "hybrid" in own and own["hybrid"]["low"] is not None
    }
    shown = {bot: one for bot, one in gaps.items() if one["low"] > 0}
    if not shown:
        return ""
    bot = max(shown, key=lambda name: shown[name]["difference"])
    one = shown[bot]
    return f"M_H of {bot} is higher with itself than with the partner by {_spelt(one, 'difference')}."


def _metrics(found: Mapping[str, Any]) -> str:
    rows = [
        row for row in found["rows"] if row["spearman"]["r"] is not None and row["spearman"]["r"] == row["spearman"]["r"]
    ]
    start = "On replies whose quality was constructed (nobody rated them)"
    if not rows:
        return f"{start}, no metric has a correlation."
    best = max(rows, key=lambda row: row["spearman"]["r"])
    alone = [row for row in rows if row["metric"] == LENGTH_ONLY and row is not best]
    length = f"; the length of a reply alone has {alone[0]['spearman']['r']:.2f}" if alone else ""
    return f"{start}, {best['metric']} follows the construction best: Spearman {_spelt(best['spearman'], 'r')}{length}."


def _spelt(one: Mapping[str, Any], key: str) -> str:
    """A number with its interval, where it has one."""
    known = one["low"] is not None and one["low"] == one["low"]
    return f"{one[key]:.2f} [{one['low']:.2f}, {one['high']:.2f}]" if known else f"{one[key]:.2f}"
