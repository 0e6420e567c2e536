"""Pages over bots: M_H of each beside people, what chance gives, features alone, weights over folds, the chain to self-play."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.report.blocks import Block, Cell, Dots, Interval, Labelled, Section, Strips, Table, Text
from dialometer.report.numbers import bounds, number, probability

KINDS = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}
AGAINST, START = "placed against the others", "with each fold's own start"


def bots_sections(found: dict[str, Any]) -> list[Section]:
    """Nothing for a judge of responses, or where no bot could be left out."""
    bots = found.get("bots", {})
    if "rows" not in bots:
        return []
    sections = [_bots(bots, found["quality"]), _features(bots), _stability(bots), _chance(bots)]
    return sections + ([_selfplay(bots["selfplay"], found["quality"])] if "selfplay" in bots else [])


def _bots(bots: dict[str, Any], quality: str) -> Section:
    label = f"placed above the other bots, points of {quality}"
    picture = _cloud("bots", bots["rows"], quality, label, "M_H of each bot by a fit without it")
    return Section("Bots left out one by one", [picture, *_over_bots(bots), _over_dialogues(bots)])


def _over_bots(bots: dict[str, Any]) -> list[Block]:
    """Coefficients over bots; nothing where there are too few of them."""
    sides, chance = bots["over_bots"], bots["chance"].get("bots")
    if chance is None or not _known(sides["lead"]["pearson"]):
        return []
    rows: list[list[Cell]] = []
    for kind, name in KINDS.items():
        lead, plain = sides["lead"][kind], sides["prediction"][kind]
        drawn = bounds(Interval(lead["r"], lead["drawn_low"], lead["drawn_high"]), 3) or "–"
        rows.append([name, _interval(lead), drawn, chance["kinds"][kind], _interval(plain)])
    nothing = f"Knowing nothing gives exactly −1 with bots of one size; here {number(bots['start_only'], 2)}."
    notes = [
        "Placed against the others: the mean of what the fold saw is taken off. Bootstrap (over bots) and p belong to this column.",
        "Intervals under a value are Fisher's. p: the share of dealings anew that get as far, one-sided.",
        "With each fold's own start, as in the paper: the mean of the other bots, which is the lower the better the bot is.",
        nothing,
    ]
    header = ["", AGAINST, "bootstrap", "p", START]
    return [Table("over-bots", header, rows, f"Agreement over {bots['count']} bots", notes)]


def _over_dialogues(bots: dict[str, Any]) -> Table:
    sides, inside, chance = bots["over_dialogues"], bots["within_bots"], bots["chance"]["dialogues"]
    rows: list[list[Cell]] = [
        [name, _interval(sides["lead"][kind]), _interval(sides["prediction"][kind])] for kind, name in KINDS.items()
    ]
    notes = ["Intervals by drawing whole bots."]
    if chance["p"] == chance["p"]:
        notes.append(f"Pearson, {AGAINST}: {probability(chance['p'])} by ratings dealt anew, one-sided.")
    if _known(inside):
        within = " ".join(filter(None, (number(inside["r"]), bounds(_interval(inside), 3))))
        notes.append(f"Among conversations of one bot, the bots' means taken off, Pearson is {within}.")
    caption = f"Agreement over {sides['lead']['pearson']['n']:,} conversations"
    return Table("over-conversations", ["", AGAINST, START], rows, caption, notes)


def _interval(one: dict[str, Any]) -> Interval:
    return Interval(one["r"], one["low"], one["high"])


def _known(one: dict[str, Any]) -> bool:
    return bool(one["r"] == one["r"])


def _cloud(name: str, rows: list[dict[str, Any]], quality: str, label: str, caption: str) -> Labelled:
    x, y = ([Interval(**row[side]) for row in rows] for side in ("human", "score"))
    return Labelled(name, [row["system"] for row in rows], x, y, f"people: mean {quality}", label, caption)


def _features(bots: dict[str, Any]) -> Section:
    rows: list[list[Cell]] = [
        [one["name"], *(one["over_bots"][kind]["r"] for kind in KINDS),
         one["over_bots"]["pearson"]["p"], one["over_dialogues"], one["within_bots"], one["unscored"]]
        for one in bots["features"]
    ]  # fmt: skip
    header = ["feature", "bots: r", "ρ", "τ", "p of r", "conversations: r", "within bots: r", "missing"]
    notes = [
        "Nothing is fitted here. p is exact over all orders of up to twelve bots.",
        "p is not corrected for the number of features: the largest of many is large by chance.",
    ]
    lead = "Within bots: the bots' means are taken off. What tells bots apart need not tell conversations of one bot apart."
    return Section("Each feature alone", [Table("features", header, rows, "Features against people", notes)], lead)


def _stability(bots: dict[str, Any]) -> Section:
    """Weights of every form with their ends over folds; features without weight in any form are named, not drawn."""
    forms = {model: one["rows"] for model, one in bots["stability"].items()}
    places = range(len(next(iter(forms.values()))))
    none = [place for place in places if all(_weightless(rows[place]) for rows in forms.values())]
    varied = [place for place in places if place not in none]
    blocks: list[Block] = [
        _weights(model, [rows[place] for place in varied], bots["stability"][model]["flipped"])
        for model, rows in forms.items()
    ]
    names = [row["name"] for row in next(iter(forms.values()))]
    cells: list[list[Cell]] = [
        [names[place], *(rows[place][key] for rows in forms.values() for key in ("weight", "up", "down"))]
        for place in varied
    ]
    header = ["feature", *(f"{model}{what}" for model in forms for what in (": weight", " up", " down"))]
    notes = ["Up and down: shares of folds with a weight above and below 0. Of a curved form, the mean slope."]
    blocks.append(Table("signs", header, cells, "Signs over folds", notes, folded=True))
    if none:
        blocks.append(
            Text(
                [
                    f"Without a weight, since they never varied or were never there: {', '.join(names[place] for place in none)}."
                ]
            )
        )
    return Section(
        "Are the weights stable?", blocks, "A weight that changes sign when one bot is left out explains nothing."
    )


def _weightless(row: dict[str, Any]) -> bool:
    return bool(row["weight"] == row["low"] == row["high"] == 0)


def _weights(model: str, rows: list[dict[str, Any]], flipped: float) -> Dots:
    rows = sorted(rows, key=lambda row: -abs(row["weight"]))
    return Dots(
        f"weights-{model}", [row["name"] for row in rows], [row["weight"] for row in rows],
        [(row["low"], row["high"]) for row in rows], x_label="rating per standard deviation of the feature",
        caption=f"{model}: the fit on all bots, and the ends over folds; {100 * flipped:.0f}% of the features change sign",
    )  # fmt: skip


def _chance(bots: dict[str, Any]) -> Section:
    blocks: list[Block] = []
    for way, over in (("bots", "over bots"), ("dialogues", "over conversations")):
        one = bots["chance"].get(way)
        if one is None or one["value"] != one["value"]:
            continue
        draws = np.array(one["draws"])
        about = f"Pearson {over}: {number(one['value'])} as rated, {number(one['mean'])} on the average of {len(draws)} dealings"
        mark = ("as rated", one["value"])
        blocks.append(Strips(f"chance-{way}", {"dealt anew": draws}, "Pearson", f"{about}; {probability(one['p'])}", mark))
    lead = "Ratings are dealt anew and everything is done again: scaling, penalty, bend, mixture, every bot left out. "
    lead += (
        "Over bots, the bots' means change places; over conversations, so do the ratings within each bot. p is one-sided."
    )
    return Section("What chance gives", blocks, lead)


def _selfplay(chain: dict[str, Any], quality: str) -> Section:
    label = f"self-play, placed above the other bots, points of {quality}"
    blocks: list[Block] = [_cloud("selfplay", chain["rows"], quality, label, "Each bot by a fit without it")]
    if _known(chain["over_bots"]["pearson"]):
        rows: list[list[Cell]] = [
            [name, _interval(chain["over_bots"][kind]), chain["over_bots"][kind]["p"]] for kind, name in KINDS.items()
        ]
        notes = ["Intervals are Fisher's; p: how often the bots' mean ratings get as far when dealt anew."]
        caption = f"Self-play against people over {len(chain['rows'])} bots"
        blocks.append(Table("selfplay-agreement", ["", "coefficient", "p"], rows, caption, notes))
    return Section(
        "From chats to self-play", blocks, "Fitted on people's chats with the other bots, applied to the bot's self-play."
    )
