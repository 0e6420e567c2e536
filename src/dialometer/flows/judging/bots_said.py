"""What the tables over bots say, in sentences; nothing is claimed of bots on the evidence of a few."""

from __future__ import annotations

from typing import Any

from dialometer.report.blocks import Tone
from dialometer.stats.bot_level import Together, claim

Said = list[tuple[str, Tone]]


def bot_sentences(found: dict[str, Any]) -> Said:
    """Bots, what may be claimed, chance, stability, self-play; nothing for a judge of responses."""
    bots = found.get("bots")
    if not bots:
        return []
    if "why" in bots:
        return [(f"No bot can be left out: {bots['why']}. Nothing is known of how it orders bots.", "caution")]
    return [*_level(bots), *_chance(bots), *_stability(bots), *_selfplay(bots)]


def _level(bots: dict[str, Any]) -> Said:
    lead, plain = (Together(**bots["over_bots"][side]["pearson"]) for side in ("lead", "prediction"))
    told, sure = claim(bots["count"], lead)
    said: Said = []
    if lead.r == lead.r:
        ranks = bots["over_bots"]["lead"]["spearman"]["r"]
        reached = f"Pearson {_with_ends(lead)}, Spearman {ranks:.2f}, p {_p(lead.p)} ({lead.test})"
        nothing = f"a form that knows nothing has {bots['start_only']:.2f} that way"
        start = f"with each fold's own start, as in the paper, {plain.r:.2f} ({nothing})"
        said.append((f"Over {lead.n} bots, each left out: {reached}; {start}.", "plain"))
    each = bots["over_dialogues"]["lead"]["pearson"]
    said.append(
        (f"Over {each['n']:,} conversations: Pearson {each['r']:.2f} [{each['low']:.2f}, {each['high']:.2f}].", "plain")
    )
    return [*said, (told, "good" if sure else "caution")]


def _chance(bots: dict[str, Any]) -> Said:
    said: Said = []
    for way, about in (
        ("bots", "means of bots changed places"),
        ("dialogues", "ratings changed places over conversations"),
    ):
        if way in bots["chance"]:
            one = bots["chance"][way]
            tone: Tone = "plain" if one["p"] < 0.05 else "caution"
            reached = f"The whole procedure, choices included, reaches {one['value']:.2f} with p {_p(one['p'])}"
            said.append((f"{reached} when {about} ({len(one['draws'])} times).", tone))
    return said


def _stability(bots: dict[str, Any]) -> Said:
    told = ", ".join(f"{model} {100 * one['flipped']:.0f}%" for model, one in bots["stability"].items())
    return [(f"Features whose sign is not the same in all folds: {told}.", "plain")]


def _selfplay(bots: dict[str, Any]) -> Said:
    if "selfplay" not in bots:
        return []
    chain, said = bots["selfplay"], list[tuple[str, Tone]]()
    one = Together(**chain["over_bots"]["pearson"])
    told, sure = claim(len(chain["rows"]), one)
    if one.r == one.r:
        reached = f"Pearson {_with_ends(one)} with people's means of the same bots' chats, p {_p(one.p)} ({one.test})"
        said.append((f"Self-play of {one.n} bots, each scored by a fit without it: {reached}.", "plain"))
    said.append((f"Self-play: {told}", "good" if sure else "caution"))
    for names, where in ((chain["only_played"], "self-play alone"), (chain["only_rated"], "rated chats alone")):
        if names:
            said.append((f"Left out of the chain, with {where}: {', '.join(names)}.", "caution"))
    return said


def _with_ends(one: Together) -> str:
    return f"{one.r:.2f} [{one.low:.2f}, {one.high:.2f}]"


def _p(value: float) -> str:
    return "unknown" if value != value else "< 0.001" if value < 0.001 else f"= {value:.3f}"
