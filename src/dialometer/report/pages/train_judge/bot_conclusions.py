"""Conclusions from the tables over bots, in sentences; nothing is claimed of bots on the evidence of a few."""

from __future__ import annotations

from msgspec import structs

from dialometer.contracts.train_judge import JudgeResult, Tone
from dialometer.contracts.train_judge_bots import MIN_BOTS, BotCorrelation, BotTables, PermutationNull
from dialometer.report.pages.train_judge.format import fixed

Sentences = list[tuple[str, Tone]]
FEW = 8  # bots below which a correlation is reported with caution
CLOSE = 0.5  # the least lower end of a correlation that is called close


def bot_sentences(result: JudgeResult) -> Sentences:
    """Bots, what may be claimed, chance, stability, self-play; nothing for a judge of responses."""
    bots = result.bots
    if bots is None:
        return []
    if bots.why:
        return [(f"No bot can be left out: {bots.why}. Nothing is known of how it orders bots.", "caution")]
    return [*_agreement(bots), *_stability(bots), *_selfplay(bots)]


def claim(count: int, row: BotCorrelation) -> tuple[str, Tone]:
    """What may be claimed of a correlation over so many bots, and in which tone: caution, plain, or good for a close one."""
    if count < MIN_BOTS:
        return f"{count} bots are too few to say how the score orders bots; {MIN_BOTS} are the least.", "caution"
    if row.r is None:
        return "The score does not vary over bots, or people's means do not: no correlation exists.", "caution"
    reasons = []
    if count < FEW:
        reasons.append(f"{count} bots are few")
    if row.low is None or row.low <= 0:
        reasons.append("its interval reaches 0 or below")
    if row.p is None or row.p > 0.05:
        reasons.append(f"p = {fixed(row.p, 3)}")
    if reasons:
        return f"Do not rank new bots by it on this evidence: {'; '.join(reasons)}.", "caution"
    close = row.low is not None and row.low >= CLOSE
    how = "closely" if close else "roughly"
    words = f"It follows people's means over these {count} bots {how}, and none of them was in its own fit."
    return words, "good" if close else "plain"


def _agreement(bots: BotTables) -> Sentences:
    lead, plain = bots.over_bots.lead.pearson, bots.over_bots.prediction.pearson
    null = bots.chance.bots
    claimed = claim(bots.count, structs.replace(lead, p=null.p) if null else lead)
    sentences: Sentences = []
    if bots.nameless:
        sentences.append(
            (f"Conversations without the name of a system, in none of these tables: {bots.nameless:,}.", "caution")
        )
    if lead.r is not None:
        ranks = fixed(bots.over_bots.lead.spearman.r)
        nothing = f"a form that knows nothing has {fixed(bots.start_only if isinstance(bots.start_only, float) else None)} that way"
        start = f"with each fold's own start, as in the paper, {fixed(plain.r)} ({nothing})"
        sentences.append(
            (f"Over {lead.n} bots, each left out: Pearson {_with_ends(lead)}, Spearman {ranks}; {start}.", "plain")
        )
        if null:
            sentences.append(_permuted(null, "the bots' mean ratings"))
    each, inside = bots.over_dialogues.lead.pearson, bots.within_bots
    if each.r is not None:
        ends = f"{each.r:.2f} [{fixed(each.low)}, {fixed(each.high)}], bots drawn as a whole"
        within = f"; among conversations of one bot {inside.r:.2f}" if inside.r is not None else ""
        sentences.append((f"Over {each.n:,} conversations: Pearson {ends}{within}.", "plain"))
        sentences.append(_permuted(bots.chance.dialogues, "ratings over and within bots"))
    return [*sentences, claimed]


def _permuted(null: PermutationNull, what: str) -> tuple[str, Tone]:
    """How often permuted ratings got as far."""
    draws = len(null.draws)
    p = 1.0 if null.p is None else null.p
    reached = round(p * (draws + 1)) - 1
    often = f"{reached} of {draws} times" if reached else f"none of {draws} times"
    words = f"With {what} permuted, and every choice made again, it got as far {often} (p {_p(null.p)})"
    return f"{words}; the mean of these is {fixed(null.mean)}.", "plain" if p <= 0.05 else "caution"


def _stability(bots: BotTables) -> Sentences:
    shares = ", ".join(f"{model} {100 * (one.flipped or 0):.0f}%" for model, one in bots.stability.items())
    return [(f"Features whose sign is not the same in all folds: {shares}.", "plain")]


def _selfplay(bots: BotTables) -> Sentences:
    table = bots.selfplay
    if table is None:
        return []
    sentences: Sentences = []
    one = table.over_bots.pearson
    claimed, tone = claim(len(table.rows), one)
    if one.r is not None:
        reached = f"Pearson {_with_ends(one)} with people's means of the same bots' chats, p {_p(one.p)}"
        sentences.append((f"Self-play of {one.n} bots, each scored by a fit without it: {reached}.", "plain"))
    sentences.append((f"Self-play: {claimed}", tone))
    for names, where in (
        (table.only_played, "with self-play alone"),
        (table.only_rated, "with rated chats alone"),
        (table.silent, "without two replies in any self-play"),
    ):
        if names:
            sentences.append((f"Left out of the chain, {where}: {', '.join(names)}.", "caution"))
    sentences += [(f"Left out of the self-play: {count:,} {what}.", "caution") for what, count in table.left_out.items()]
    return sentences


def _with_ends(one: BotCorrelation) -> str:
    return f"{fixed(one.r)} [{fixed(one.low)}, {fixed(one.high)}]"


def _p(value: float | None) -> str:
    return "unknown" if value is None else "< 0.001" if value < 0.001 else f"= {value:.3f}"
