"""What the tables over bots say, in sentences; nothing is claimed of bots on the evidence of a few."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from dialometer.report.blocks import Tone
from dialometer.stats.validation.bot_level import Together, claim

Said = list[tuple[str, Tone]]


def bot_sentences(found: dict[str, Any]) -> Said:
    """Bots, what may be claimed, chance, stability, self-play; nothing for a judge of responses."""
    bots = found.get("bots")
    if not bots:
        return []
    if "why" in bots:
        return [(f"No bot can be left out: {bots['why']}. Nothing is known of how it orders bots.", "caution")]
    return [*_level(bots), *_stability(bots), *_selfplay(bots)]


def _level(bots: dict[str, Any]) -> Said:
    lead, plain = (Together(**bots["over_bots"][side]["pearson"]) for side in ("lead", "prediction"))
    chance = bots["chance"].get("bots")
    told, tone = claim(bots["count"], replace(lead, p=chance["p"]) if chance else lead)
    said: Said = []
    if bots["nameless"]:
        said.append(
            (f"Conversations without the name of a system, in none of these tables: {bots['nameless']:,}.", "caution")
        )
    if lead.r == lead.r:
        ranks = bots["over_bots"]["lead"]["spearman"]["r"]
        nothing = f"a form that knows nothing has {bots['start_only']:.2f} that way"
        start = f"with each fold's own start, as in the paper, {plain.r:.2f} ({nothing})"
        said.append(
            (f"Over {lead.n} bots, each left out: Pearson {_with_ends(lead)}, Spearman {ranks:.2f}; {start}.", "plain")
        )
        said += _dealt(chance, "the bots' mean ratings")
    each, inside = bots["over_dialogues"]["lead"]["pearson"], bots["within_bots"]
    if each["r"] == each["r"]:
        ends = f"{each['r']:.2f} [{each['low']:.2f}, {each['high']:.2f}], bots drawn as a whole"
        within = f"; among conversations of one bot {inside['r']:.2f}" if inside["r"] == inside["r"] else ""
        said.append((f"Over {each['n']:,} conversations: Pearson {ends}{within}.", "plain"))
        said += _dealt(bots["chance"]["dialogues"], "ratings over and within bots")
    return [*said, (told, cast("Tone", tone))]


def _dealt(chance: dict[str, Any], what: str) -> Said:
    """How often dealing anew got as far."""
    draws = len(chance["draws"])
    reached = round(chance["p"] * (draws + 1)) - 1
    often = f"{reached} of {draws} times" if reached else f"none of {draws} times"
    told = f"With {what} dealt anew, and everything chosen anew, it got as far {often} (p {_p(chance['p'])})"
    return [(f"{told}; the mean of these is {chance['mean']:.2f}.", "plain" if chance["p"] <= 0.05 else "caution")]


def _stability(bots: dict[str, Any]) -> Said:
    told = ", ".join(f"{model} {100 * one['flipped']:.0f}%" for model, one in bots["stability"].items())
    return [(f"Features whose sign is not the same in all folds: {told}.", "plain")]


def _selfplay(bots: dict[str, Any]) -> Said:
    if "selfplay" not in bots:
        return []
    chain, said = bots["selfplay"], list[tuple[str, Tone]]()
    one = Together(**chain["over_bots"]["pearson"])
    told, tone = claim(len(chain["rows"]), one)
    if one.r == one.r:
        reached = f"Pearson {_with_ends(one)} with people's means of the same bots' chats, p {_p(one.p)}"
        said.append((f"Self-play of {one.n} bots, each scored by a fit without it: {reached}.", "plain"))
    said.append((f"Self-play: {told}", cast("Tone", tone)))
    for key, where in (
        ("only_played", "with self-play alone"),
        ("only_rated", "with rated chats alone"),
        ("silent", "without two replies in any self-play"),
    ):
        if chain[key]:
            said.append((f"Left out of the chain, {where}: {', '.join(chain[key])}.", "caution"))
    said += [(f"Left out of the self-play: {count:,} {what}.", "caution") for what, count in chain["left_out"].items()]
    return said


def _with_ends(one: Together) -> str:
    return f"{one.r:.2f} [{one.low:.2f}, {one.high:.2f}]"


def _p(value: float) -> str:
    return "unknown" if value != value else "< 0.001" if value < 0.001 else f"= {value:.3f}"
