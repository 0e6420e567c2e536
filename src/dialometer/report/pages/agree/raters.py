"""Sections about raters: agreement, raters one by one, the filter, correlations between qualities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dialometer.contracts.agree import Agreement, FilterEffect, FlaggedEffect, QualityAgreement
from dialometer.report.blocks import Block, Cell, HeatMap, Section, Strips, Table, Text
from dialometer.report.pages.cells import interval, real

LAST = ("kept", "why", "seconds", "failed", "checks", "MACE")
MOST_STRIPS = 40  # raters drawn; the table has them all
Scores = Mapping[str, np.ndarray]  # the standard scores of each rater


def rater_sections(result: Agreement, scores: Scores) -> list[Section]:
    """Agreement, in words first, then raters."""
    return [
        Section("Do the raters agree?", [Text(rater_sentences(result)), *_agreement(result)]),
        Section("The raters, one by one", _raters(result, scores)),
    ]


def rater_sentences(result: Agreement) -> list[str]:
    """The tables in sentences."""
    sentences = [_quality(name, quality) for name, quality in result.qualities.items()]
    if result.why:
        sentences.append(f"Raters were not compared with each other: {result.why}.")
    if result.filter:
        sentences.append(_set_apart(result, result.filter))
    for change in result.flagged:
        sides = f"α {real(change.before.alpha):.2f} with all items, {real(change.after.alpha):.2f} without"
        sentences.append(f"{change.quality}: {sides} the {change.excluded} flagged ones.")
    sentences += [f"{name}: no MACE of its raters ({why})." for name, why in result.mace.items()]
    if result.raters and not result.filter:
        sentences.append(f"The filter sets none of the {len(result.raters)} raters apart.")
    return sentences


def _quality(name: str, quality: QualityAgreement) -> str:
    alpha, kappa = quality.alpha.value, quality.kappa
    if alpha is None:
        return f"{name}: agreement cannot be computed (no item has two ratings that vary)."
    grade = "good" if alpha >= 0.8 else "tolerable" if alpha >= 0.667 else "weak" if alpha >= 0.33 else "poor"
    low, high = quality.alpha.low, quality.alpha.high
    ends = f" [{low:.2f}, {real(high):.2f}]" if low is not None else ""
    over = "1 pair" if kappa.n == 1 else f"{kappa.n} pairs"
    pairs = f"; the median κ over {over} is {kappa.median:.2f}" if kappa.median is not None else ""
    return f"{name}: agreement is {grade}, α = {alpha:.2f}{ends}{pairs}."


def _set_apart(result: Agreement, effect: FilterEffect) -> str:
    """Whom the filter sets apart and why; that agreement rises without those who disagree is no proof against them."""
    dropped = effect.dropped
    failed = sum(result.raters[name].failed > 0 for name in dropped)
    low = len(dropped) - failed
    why = [f"{low} with κ below {result.min_kappa:g} against the others"] if low else []
    why += [f"{failed} with a failed check"] if failed else []
    proof = " That agreement rises when those who disagree leave is no proof that they were wrong." if low else ""
    return (
        f"The filter sets {len(dropped)} of {len(result.raters)} raters apart {_some(dropped)} {' and '.join(why)}; they gave "
        f"{effect.judgements} judgements.{proof}"
    )


def _some(names: Sequence[str]) -> str:
    """Who, in brackets; a long list is cut."""
    return f"({', '.join(names[:8])}{', …' * (len(names) > 8)}),"


def _agreement(result: Agreement) -> list[Block]:
    rows: list[list[Cell]] = []
    for name, quality in result.qualities.items():
        alpha, kappa = quality.alpha, quality.kappa
        numbers = (alpha.ordinal, alpha.nominal, quality.fleiss, kappa.median, kappa.spearman)
        shown = interval(alpha.value, alpha.low, alpha.high)
        rows.append([name, quality.items, quality.judgements, shown, *map(real, numbers)])
    header = ["quality", "items", "judgements", "α interval", "α ordinal", "α nominal", "Fleiss κ", "median κ", "median ρ"]
    notes = [
        "α: Krippendorff's, with a 95% bootstrap interval over contexts (items, where none is named).",
        f"κ: Cohen's, weights: {result.weights}; ρ: Spearman's; medians over pairs of raters.",
    ]
    blocks: list[Block] = [Table("agreement", header, rows, "Agreement per quality", notes)]
    kappas = {name: quality.kappa for name, quality in result.qualities.items() if quality.kappa.pairs}
    if kappas:
        cuts = list(next(iter(kappas.values())).pairs)
        lines: list[list[Cell]] = [[name, kappa.n, *kappa.pairs.values()] for name, kappa in kappas.items()]
        caption = "Pairs of raters whose κ exceeds a value (Liu et al. 2016, table 6)"
        blocks.append(Table("kappa-pairs", ["quality", "pairs", *(f"> {cut}" for cut in cuts)], lines, caption))
    if result.links:
        blocks.append(_links(result))
    return [*blocks, *(_flagged(change) for change in result.flagged)]


def _links(result: Agreement) -> HeatMap:
    names = list(result.qualities)
    values = np.eye(len(names))
    for link in result.links:
        i, j = names.index(link.a), names.index(link.b)
        values[i, j] = values[j, i] = real(link.spearman)
    return HeatMap("qualities", names, names, values, "Spearman correlation between the qualities, over item means")


def _flagged(change: FlaggedEffect) -> Table:
    rows: list[list[Cell]] = [
        [side, row.items, interval(row.alpha, row.low, row.high), real(row.kappa)]
        for side, row in (("all items", change.before), ("without flagged items", change.after))
    ]
    caption = f"{change.quality}: agreement without the {change.excluded} flagged items"
    return Table(f"flagged-{change.quality}", ["", "items", "α interval", "median κ"], rows, caption)


def _raters(result: Agreement, scores: Scores) -> list[Block]:
    if result.why:
        return [Text([f"This page needs to know who judged: {result.why}."], "caution")]
    quality = next(iter(result.qualities))  # scales differ between qualities: a mean is of one
    rows: list[list[Cell]] = []
    for name, rater in result.raters.items():
        given = rater.qualities.get(quality)
        mean, sd = (real(given.mean), real(given.sd)) if given else (float("nan"), float("nan"))
        rows.append(
            [name, rater.n, mean, sd, real(rater.kappa), rater.shared, rater.kept, rater.why, real(rater.seconds),
             rater.failed, rater.checks, _mean(rater.mace)]
        )  # fmt: skip
    against = "pairs" if result.against == "pairs" else "all other judgements of the same items, since pairs share too few"
    header = ["rater", "n", f"mean {quality}", "spread", "κ", "shared", *LAST]
    # Columns that say nothing of anybody are left out: no times, no checks, nobody set apart.
    shown = [place for place in range(len(header)) if place < 6 or not all(_empty(row[place]) for row in rows)]
    notes = [
        f"n counts the judgements of all qualities; κ is the mean over {against}, shared the judgements behind it.",
        "MACE: its trust that the rater does not guess, mean over the qualities that it is fit for.",
    ]
    cells = [[row[place] for place in shown] for row in rows]
    blocks: list[Block] = [Table("raters", [header[place] for place in shown], cells, "Raters", notes)]
    if scores:
        some = f" (the first {MOST_STRIPS})" if len(result.raters) > MOST_STRIPS else ""
        caption = f"Scores on each rater's own scale{some}; the bar is the median (Lowe et al. 2017, figure 5)"
        drawn = dict(list(scores.items())[:MOST_STRIPS])
        blocks.append(Strips("rater-strips", drawn, "standard scores within rater and quality", caption))
    return [*blocks, *_filter(result.filter)] if result.filter else blocks


def _empty(cell: Cell) -> bool:
    """Whether a cell says nothing: no text, no time, no check."""
    return cell in ("", 0, None) or cell != cell


def _mean(values: Mapping[str, float | None]) -> float:
    """Over the numbers that there are."""
    known = [value for value in values.values() if value is not None]
    return sum(known) / len(known) if known else float("nan")


def _filter(effect: FilterEffect) -> list[Block]:
    means: list[list[Cell]] = [[row.quality, row.system, real(row.all), real(row.kept)] for row in effect.means]
    agreement: list[list[Cell]] = [
        [name, side, row.items, interval(row.alpha, row.low, row.high), real(row.kappa)]
        for name, sides in effect.agreement.items()
        for side, row in (("all", sides.all), ("kept", sides.kept))
    ]
    header = ["quality", "raters", "items", "α interval", "median κ"]
    return [
        Table("filter-agreement", header, agreement, "Agreement with and without the filter"),
        Table("filter-means", ["quality", "system", "all raters", "kept raters"], means, "Means with and without the filter"),
    ]  # fmt: skip
