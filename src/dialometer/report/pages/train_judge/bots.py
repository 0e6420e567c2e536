"""Sections over bots: the score of each and its rating, the permutation null, features alone, weights over folds, self-play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.contracts.train_judge import JudgeResult
from dialometer.contracts.train_judge_bots import BotMean, BotRow, BotTables, FeatureWeight, SelfPlayTable
from dialometer.report.blocks import Block, Cell, Dots, Interval, Labelled, Section, Strips, Table, Text
from dialometer.report.numbers import bounds, number, probability
from dialometer.report.pages.train_judge.format import interval, real

AGAINST, START = "placed against the others", "with each fold's own start"


def bots_sections(result: JudgeResult) -> list[Section]:
    """Nothing for a judge of responses, or where no bot could be left out."""
    bots, quality = result.bots, result.quality
    if bots is None or not bots.rows:
        return []
    sections = [_bots(bots, quality), _features(bots), _stability(bots), _permutation_null(bots)]
    return sections + ([_selfplay(bots.selfplay, quality)] if bots.selfplay else [])


def _bots(bots: BotTables, quality: str) -> Section:
    label = f"placed above the other bots, points of {quality}"
    picture = _cloud("bots", bots.rows, quality, label, "M_H of each bot by a fit without it")
    return Section("Bots left out one by one", [picture, *_over_bots(bots), _over_dialogues(bots)])


def _over_bots(bots: BotTables) -> list[Block]:
    """Coefficients over bots; nothing where there are too few of them."""
    lead, prediction, null = bots.over_bots.lead, bots.over_bots.prediction, bots.chance.bots
    if null is None or lead.pearson.r is None:
        return []
    rows: list[list[Cell]] = []
    for (kind, one), (_, plain) in zip(lead.items(), prediction.items(), strict=True):
        drawn = bounds(Interval(real(one.r), real(one.drawn_low), real(one.drawn_high)), 3) or "–"
        rows.append([kind.capitalize(), interval(one), drawn, real(null.kinds[kind]), interval(plain)])
    start = number(real(bots.start_only if isinstance(bots.start_only, float) else None), 2)
    notes = [
        "Placed against the others: the mean of what the fold saw is taken off. Bootstrap (over bots) and p belong to this column.",
        "Intervals under a value are Fisher's. p: the share of permutations that get as far, one-sided.",
        "With each fold's own start, as in the paper: the mean of the other bots, which is the lower the better the bot is.",
        f"Knowing nothing gives exactly −1 with bots of one size; here {start}.",
    ]
    header = ["", AGAINST, "bootstrap", "p", START]
    return [Table("over-bots", header, rows, f"Agreement over {bots.count} bots", notes)]


def _over_dialogues(bots: BotTables) -> Table:
    lead, prediction = bots.over_dialogues.lead, bots.over_dialogues.prediction
    inside, p = bots.within_bots, bots.chance.dialogues.p
    rows: list[list[Cell]] = [
        [kind.capitalize(), interval(one), interval(plain)]
        for (kind, one), (_, plain) in zip(lead.items(), prediction.items(), strict=True)
    ]
    notes = ["Intervals by drawing whole bots."]
    if p is not None:
        notes.append(f"Pearson, {AGAINST}: {probability(p)} by permuted ratings, one-sided.")
    if inside.r is not None:
        within = " ".join(filter(None, (number(inside.r), bounds(interval(inside), 3))))
        notes.append(f"Among conversations of one bot, the bots' means taken off, Pearson is {within}.")
    caption = f"Agreement over {lead.pearson.n:,} conversations"
    return Table("over-conversations", ["", AGAINST, START], rows, caption, notes)


def _cloud(name: str, rows: Sequence[BotRow], quality: str, label: str, caption: str) -> Labelled:
    x, y = [_mean(row.human) for row in rows], [_mean(row.score) for row in rows]
    return Labelled(name, [row.system for row in rows], x, y, f"people: mean {quality}", label, caption)


def _mean(one: BotMean) -> Interval:
    return Interval(real(one.value), real(one.low), real(one.high))


def _features(bots: BotTables) -> Section:
    rows: list[list[Cell]] = [
        [one.name, *(real(over.r) for _, over in one.over_bots.items()), real(one.over_bots.pearson.p),
         real(one.over_dialogues), real(one.within_bots), one.unscored]
        for one in bots.features
    ]  # fmt: skip
    header = ["feature", "bots: r", "ρ", "τ", "p of r", "conversations: r", "within bots: r", "missing"]
    notes = [
        "Nothing is fitted here. p is exact over all orders of up to twelve bots.",
        "p is not corrected for the number of features: the largest of many is large by chance.",
    ]
    lead = "Within bots: the bots' means are taken off. What tells bots apart need not tell conversations of one bot apart."
    return Section("Each feature alone", [Table("features", header, rows, "Features against people", notes)], lead)


def _stability(bots: BotTables) -> Section:
    """Weights of every form with their ends over folds; features without weight in any form are named, not drawn."""
    forms = {model: one.rows for model, one in bots.stability.items()}
    names = [row.name for row in next(iter(forms.values()))]
    none = [place for place in range(len(names)) if all(_weightless(rows[place]) for rows in forms.values())]
    varied = [place for place in range(len(names)) if place not in none]
    blocks: list[Block] = [
        _weights(model, [one.rows[place] for place in varied], real(one.flipped)) for model, one in bots.stability.items()
    ]
    cells: list[list[Cell]] = []
    for place in varied:
        weights = [rows[place] for rows in forms.values()]
        cells.append([names[place], *(real(value) for one in weights for value in (one.weight, one.up, one.down))])
    header = ["feature", *(f"{model}{what}" for model in forms for what in (": weight", " up", " down"))]
    notes = ["Up and down: shares of folds with a weight above and below 0. Of a curved form, the mean slope."]
    blocks.append(Table("signs", header, cells, "Signs over folds", notes, folded=True))
    if none:
        without = ", ".join(names[place] for place in none)
        blocks.append(Text([f"Without a weight, since they never varied or were never there: {without}."]))
    lead = "A weight that changes sign when one bot is left out explains nothing."
    return Section("Are the weights stable?", blocks, lead)


def _weightless(row: FeatureWeight) -> bool:
    return row.weight == row.low == row.high == 0


def _weights(model: str, rows: Sequence[FeatureWeight], flipped: float) -> Dots:
    rows = sorted(rows, key=lambda row: -abs(real(row.weight)))
    return Dots(
        f"weights-{model}", [row.name for row in rows], [real(row.weight) for row in rows],
        [(real(row.low), real(row.high)) for row in rows], x_label="rating per standard deviation of the feature",
        caption=f"{model}: the fit on all bots, and the ends over folds; {100 * flipped:.0f}% of the features change sign",
    )  # fmt: skip


def _permutation_null(bots: BotTables) -> Section:
    blocks: list[Block] = []
    for way, one, over in (
        ("bots", bots.chance.bots, "over bots"),
        ("dialogues", bots.chance.dialogues, "over conversations"),
    ):
        if one is None or one.value is None:
            continue
        draws = np.array([real(value) for value in one.draws])
        mean = number(real(one.mean))
        about = f"Pearson {over}: {number(one.value)} as rated, {mean} on the average of {len(draws)} permutations"
        caption = f"{about}; {probability(real(one.p))}"
        blocks.append(Strips(f"chance-{way}", {"permuted": draws}, "Pearson", caption, ("as rated", one.value)))
    lead = (
        "Ratings are permuted and everything is fitted again: scaling, penalty, bend, mixture, every bot left out. "
        "Over bots, the bots' means change places; over conversations, so do the ratings within each bot. p is one-sided."
    )
    return Section("Permutation null", blocks, lead)


def _selfplay(table: SelfPlayTable, quality: str) -> Section:
    label = f"self-play, placed above the other bots, points of {quality}"
    blocks: list[Block] = [_cloud("selfplay", table.rows, quality, label, "Each bot by a fit without it")]
    if table.over_bots.pearson.r is not None:
        rows: list[list[Cell]] = [[kind.capitalize(), interval(one), real(one.p)] for kind, one in table.over_bots.items()]
        notes = ["Intervals are Fisher's; p: how often the bots' mean ratings get as far when permuted."]
        caption = f"Self-play against people over {len(table.rows)} bots"
        blocks.append(Table("selfplay-agreement", ["", "coefficient", "p"], rows, caption, notes))
    lead = "Fitted on people's chats with the other bots, applied to the bot's self-play."
    return Section("From chats to self-play", blocks, lead)
