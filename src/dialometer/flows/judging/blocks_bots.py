"""Pages over bots: M_H of each beside people, what chance gives, features alone, weights over folds, the chain to self-play."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.report.blocks import Block, Cell, Dots, Interval, Labelled, Section, Strips, Table

WAYS = {"lead": "against the other bots", "prediction": "with each fold's own start, as in the paper"}
NOTES = [
    "p: exact over all orders of the bots, up to twelve of them. Intervals: Fisher's, and a bootstrap over bots beside it.",
    "The fold without a bot starts from the mean of the others, the lower the better the bot is: knowing nothing gives −1.",
    "Against the other bots: the mean of what the fold saw is taken off.",
]


def bots_sections(found: dict[str, Any]) -> list[Section]:
    """Nothing for a judge of responses, or where no bot could be left out."""
    bots = found.get("bots", {})
    if "rows" not in bots:
        return []
    sections = [_bots(bots, found["quality"]), _features(bots), _stability(bots), _chance(bots)]
    return sections + ([_selfplay(bots["selfplay"], found["quality"])] if "selfplay" in bots else [])


def _bots(bots: dict[str, Any], quality: str) -> Section:
    rows: list[list[Cell]] = []
    for side, words in WAYS.items():
        for kind, one in bots["over_bots"][side].items():
            whole = Interval(one["r"], one["low"], one["high"], one["p"])
            drawn = f"[{one['drawn_low']:.2f}, {one['drawn_high']:.2f}]" if one["drawn_low"] == one["drawn_low"] else "–"
            rows.append([f"{kind} over bots, {words}", one["n"], whole, drawn, one["p"], one["test"] or "–"])
        for kind, one in bots["over_dialogues"][side].items():
            rows.append(
                [f"{kind} over conversations, {words}", one["n"], Interval(one["r"], one["low"], one["high"]), "", None, ""]
            )
    header = ["", "n", "coefficient [95%]", "bootstrap over bots", "p", "test"]
    picture = _cloud("bots", bots["rows"], quality, "placed above the other bots", "M_H of each bot by a fit without it")
    return Section("Bots left out one by one", [picture, Table("over-bots", header, rows, "Agreement", NOTES)])


def _cloud(name: str, rows: list[dict[str, Any]], quality: str, label: str, caption: str) -> Labelled:
    x, y = ([Interval(**row[side]) for row in rows] for side in ("human", "score"))
    return Labelled(name, [row["system"] or "(none)" for row in rows], x, y, f"people: mean {quality}", label, caption)


def _features(bots: dict[str, Any]) -> Section:
    rows: list[list[Cell]] = [
        [one["name"], *(one["over_bots"][kind]["r"] for kind in ("pearson", "spearman", "kendall")),
         one["over_bots"]["pearson"]["p"], one["over_dialogues"], one["within_bots"], one["unscored"]]
        for one in bots["features"]
    ]  # fmt: skip
    header = ["feature", "bots: r", "ρ", "τ", "p of r", "conversations: r", "within bots: r", "without a number"]
    notes = [
        "Nothing is fitted here. p is not corrected for the number of features: the largest of many is large by chance."
    ]
    lead = "Within bots: the bots' means are taken off. What tells bots apart need not tell conversations of one bot apart."
    return Section("Each feature alone", [Table("features", header, rows, "Features against people", notes)], lead)


def _stability(bots: dict[str, Any]) -> Section:
    blocks: list[Block] = []
    for model, one in bots["stability"].items():
        rows = sorted(one["rows"], key=lambda row: -abs(row["weight"]))
        blocks.append(
            Dots(
                f"weights-{model}", [row["name"] for row in rows], [row["weight"] for row in rows],
                [(row["low"], row["high"]) for row in rows], x_label="rating per standard deviation of the feature",
                caption=f"{model}: the fit on all bots, and the ends over folds; "
                f"{100 * one['flipped']:.0f}% of the features change sign",
            )
        )  # fmt: skip
    models = list(bots["stability"])
    cells: list[list[Cell]] = []
    for place, row in enumerate(bots["stability"][models[0]]["rows"]):
        same = [bots["stability"][model]["rows"][place] for model in models]
        cells.append([row["name"], *(value for each in same for value in (each["weight"], each["up"], each["down"]))])
    header = ["feature", *(f"{model}{what}" for model in models for what in (": weight", " up", " down"))]
    notes = ["Up and down: shares of folds with a weight above and below 0. Of a curved form, the mean slope."]
    blocks.append(Table("signs", header, cells, "Signs over folds", notes, folded=True))
    return Section(
        "Are the weights stable?", blocks, "A weight that changes sign when one bot is left out explains nothing."
    )


def _chance(bots: dict[str, Any]) -> Section:
    labels = {"bots": "over bots", "dialogues": "over conversations"}
    blocks: list[Block] = []
    for way, one in bots["chance"].items():
        strips = {"dealt anew": np.array(one["draws"]), "as rated": np.array([one["value"]])}
        about = f"Pearson {labels[way]}: {one['value']:.3f} as rated, p = {one['p']:.3f} of {len(one['draws'])} dealings"
        blocks.append(Strips(f"chance-{way}", strips, "Pearson", about))
    lead = "Ratings are dealt anew and everything is done again: scaling, penalty, bend, mixture, every bot left out. "
    lead += "Over bots, the bots' means change places; over conversations, all ratings do. p is one-sided."
    return Section("What chance gives", blocks, lead)


def _selfplay(chain: dict[str, Any], quality: str) -> Section:
    rows: list[list[Cell]] = [
        [kind, one["n"], Interval(one["r"], one["low"], one["high"], one["p"]), one["p"]]
        for kind, one in chain["over_bots"].items()
    ]
    picture = _cloud(
        "selfplay", chain["rows"], quality, "self-play, placed above the other bots", "Each bot by a fit without it"
    )
    blocks: list[Block] = [
        picture,
        Table("selfplay", ["", "bots", "coefficient [95%]", "p"], rows, "Self-play against people"),
    ]
    return Section(
        "From chats to self-play", blocks, "Fitted on people's chats with the other bots, applied to the bot's self-play."
    )
