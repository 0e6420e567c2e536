"""The pages about raters in a report: agreement, raters one by one, the filter, qualities side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.flows.shared.rated_items import Rated
from dialometer.report.blocks import Block, Cell, HeatMap, Interval, Section, Strips, Table, Text
from dialometer.stats.agreement.standard_scores import strips

LAST = ("kept", "why", "seconds", "failed", "checks", "MACE")
MOST_STRIPS = 40  # raters drawn; the table has them all


def rater_sections(rated: Rated, found: dict[str, Any]) -> list[Section]:
    """Agreement, in words first, then raters."""
    return [
        Section("Do the raters agree?", [Text(sentences(found)), *_agreement(found)]),
        Section("The raters, one by one", _raters(rated, found)),
    ]


def sentences(found: dict[str, Any]) -> list[str]:
    """What the tables say, in words."""
    said = []
    for name, quality in found["qualities"].items():
        alpha = quality["alpha"]["value"]
        if alpha != alpha:
            said.append(f"{name}: agreement cannot be computed (no item has two ratings that vary).")
            continue
        grade = "good" if alpha >= 0.8 else "tolerable" if alpha >= 0.667 else "weak" if alpha >= 0.33 else "poor"
        low, high = quality["alpha"]["low"], quality["alpha"]["high"]
        ends = f" [{low:.2f}, {high:.2f}]" if low == low else ""
        median = quality["kappa"]["median"]
        over = "1 pair" if quality["kappa"]["n"] == 1 else f"{quality['kappa']['n']} pairs"
        pairs = f"; the median κ over {over} is {median:.2f}" if median == median else ""
        said.append(f"{name}: agreement is {grade}, α = {alpha:.2f}{ends}{pairs}.")
    if found["why"]:
        said.append(f"Raters were not compared with each other: {found['why']}.")
    if found["filter"]:
        said.append(_set_apart(found))
    for change in found.get("flagged", ()):
        sides = f"α {change['before']['alpha']:.2f} with all items, {change['after']['alpha']:.2f} without"
        said.append(f"{change['quality']}: {sides} the {change['excluded']} flagged ones.")
    said += [f"{name}: no MACE of its raters ({why})." for name, why in found["mace"].items()]
    if found["raters"] and not found["filter"]:
        said.append(f"The filter sets none of the {len(found['raters'])} raters apart.")
    return said


def _set_apart(found: dict[str, Any]) -> str:
    """Whom the filter sets apart and why; that agreement rises without those who disagree is no proof against them."""
    dropped = found["filter"]["dropped"]
    failed = sum(found["raters"][name]["failed"] > 0 for name in dropped)
    low = len(dropped) - failed
    why = [f"{low} with κ below {found['min_kappa']:g} against the others"] if low else []
    why += [f"{failed} with a failed check"] if failed else []
    proof = " That agreement rises when those who disagree leave is no proof that they were wrong." if low else ""
    return (
        f"The filter sets {len(dropped)} of {len(found['raters'])} raters apart {_some(dropped)} {' and '.join(why)}; they gave "
        f"{found['filter']['judgements']} judgements.{proof}"
    )


def _some(names: list[str]) -> str:
    """Who, in brackets; a long list is cut."""
    return f"({', '.join(names[:8])}{', …' * (len(names) > 8)}),"


def _agreement(found: dict[str, Any]) -> list[Block]:
    rows = []
    for name, quality in found["qualities"].items():
        alpha = quality["alpha"]
        rows.append(
            [name, quality["items"], quality["judgements"], Interval(alpha["value"], alpha["low"], alpha["high"]),
             alpha["ordinal"], alpha["nominal"], quality["fleiss"], quality["kappa"]["median"], quality["kappa"]["spearman"]]
        )  # fmt: skip
    header = ["quality", "items", "judgements", "α interval", "α ordinal", "α nominal", "Fleiss κ", "median κ", "median ρ"]
    notes = [
        "α: Krippendorff's, with a 95% bootstrap interval over contexts (items, where none is named).",
        f"κ: Cohen's, weights: {found['weights']}; ρ: Spearman's; medians over pairs of raters.",
    ]
    blocks: list[Block] = [Table("agreement", header, rows, "Agreement per quality", notes)]
    shares = {name: q["kappa"]["pairs"] for name, q in found["qualities"].items() if q["kappa"]["pairs"]}
    if shares:
        cuts = list(next(iter(shares.values())))
        lines = [[name, found["qualities"][name]["kappa"]["n"], *pairs.values()] for name, pairs in shares.items()]
        caption = "Pairs of raters whose κ exceeds a value (Liu et al. 2016, table 6)"
        blocks.append(Table("kappa-pairs", ["quality", "pairs", *(f"> {cut}" for cut in cuts)], lines, caption))
    if found["links"]:
        blocks.append(_links(found))
    for change in found.get("flagged", ()):
        blocks.append(_flagged(change))
    return blocks


def _links(found: dict[str, Any]) -> HeatMap:
    names = list(found["qualities"])
    values = np.eye(len(names))
    for link in found["links"]:
        i, j = names.index(link["a"]), names.index(link["b"])
        values[i, j] = values[j, i] = link["spearman"]
    return HeatMap("qualities", names, names, values, "Spearman correlation between the qualities, over item means")


def _flagged(change: dict[str, Any]) -> Table:
    sides = [
        [side, row["items"], Interval(row["alpha"], row["low"], row["high"]), row["kappa"]]
        for side, row in (("all items", change["before"]), ("without flagged items", change["after"]))
    ]
    caption = f"{change['quality']}: agreement without the {change['excluded']} flagged items"
    return Table(f"flagged-{change['quality']}", ["", "items", "α interval", "median κ"], sides, caption)


def _raters(rated: Rated, found: dict[str, Any]) -> list[Block]:
    if found["why"]:
        return [Text([f"This page needs to know who judged: {found['why']}."], "caution")]
    keys = ("kappa", "shared", "kept", "why", "seconds", "failed", "checks")
    quality = next(iter(found["qualities"]))  # scales differ between qualities: a mean is told of one
    rows: list[list[Cell]] = []
    for name, rater in found["raters"].items():
        own = rater["qualities"].get(quality, {"mean": float("nan"), "sd": float("nan")})
        rows.append([name, rater["n"], own["mean"], own["sd"], *(rater[key] for key in keys), _mean(rater["mace"])])
    against = (
        "pairs" if found["against"] == "pairs" else "all other judgements of the same items, since pairs share too few"
    )
    header = ["rater", "n", f"mean {quality}", "spread", "κ", "shared", *LAST]
    # Columns that say nothing of anybody are left out: no times, no checks, nobody set apart.
    shown = [place for place in range(len(header)) if place < 6 or not all(_nothing(row[place]) for row in rows)]
    notes = [
        f"n counts the judgements of all qualities; κ is the mean over {against}, shared the judgements behind it.",
        "MACE: its trust that the rater does not guess, mean over the qualities that it is fit for.",
    ]
    cells = [[row[place] for place in shown] for row in rows]
    blocks: list[Block] = [Table("raters", [header[place] for place in shown], cells, "Raters", notes)]
    try:
        drawn = dict(list(strips(rated.ratings).items())[:MOST_STRIPS])
    except NeedsError:
        drawn = {}
    if drawn:
        some = f" (the first {MOST_STRIPS})" if len(found["raters"]) > MOST_STRIPS else ""
        caption = f"Scores on each rater's own scale{some}; the bar is the median (Lowe et al. 2017, figure 5)"
        blocks.append(Strips("rater-strips", drawn, "standard scores within rater and quality", caption))
    if found["filter"]:
        blocks += _filter(found["filter"])
    return blocks


def _nothing(cell: Cell) -> bool:
    """Whether a cell says nothing: no text, no time, no check."""
    return cell in ("", 0, None) or cell != cell


def _mean(values: dict[str, float]) -> float:
    """Over the numbers that there are."""
    known = [value for value in values.values() if value == value]
    return sum(known) / len(known) if known else float("nan")


def _filter(found: dict[str, Any]) -> list[Block]:
    means = [[row["quality"], row["system"], row["all"], row["kept"]] for row in found["means"]]
    agreement = [
        [name, side, row["items"], Interval(row["alpha"], row["low"], row["high"]), row["kappa"]]
        for name, row_of in found["agreement"].items()
        for side, row in row_of.items()
    ]
    header = ["quality", "raters", "items", "α interval", "median κ"]
    return [
        Table("filter-agreement", header, agreement, "Agreement with and without the filter"),
        Table("filter-means", ["quality", "system", "all raters", "kept raters"], means, "Means with and without the filter"),
    ]  # fmt: skip
