"""The report of a judge: sections in the order in which a reader asks."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dialometer._version import __version__
from dialometer.contracts.train_judge import JudgeResult
from dialometer.report import blocks as b
from dialometer.report.page import write_page
from dialometer.report.pages.train_judge.bots import bots_sections
from dialometer.report.pages.train_judge.figures import (
    attribution_section,
    figures_section,
    folds_section,
    systems_section,
)
from dialometer.report.pages.train_judge.format import coefficient, fixed, real
from dialometer.report.pages.train_judge.items import JudgedItems, item_cards
from dialometer.report.pages.train_judge.long_analyses import (
    fit_section,
    leave_one_system_out_section,
    robustness_section,
    shares_section,
)

JITTER = 0.02  # of the scale's width, for the eye


def write_report(
    result: JudgeResult, judged: JudgedItems, reactions: Sequence[b.Block], recipes: Mapping[str, str], folder: Path
) -> Path:
    """Write the page, its tables and its figures; ``reactions`` are the blocks of the stress test."""
    sections = [
        figures_section(result), _scatter(result, judged), _calibration(result), *attribution_section(result.attribution),
        systems_section(result), *bots_sections(result), *leave_one_system_out_section(result), *shares_section(result),
        *robustness_section(result, reactions), folds_section(result), fit_section(result),
    ]  # fmt: skip
    page = b.Page(
        f"{result.spec}: a judge of {result.quality}",
        [section for section in sections if section.blocks],
        item_cards(judged, result.quality),
        {"judge": result.recipe, **recipes},
        {"dialometer": __version__, "python": platform.python_version(), "numpy": np.__version__, "seed": str(result.seed)},
        result.summary, result.tones,
    )  # fmt: skip
    return write_page(page, folder)


def _scatter(result: JudgeResult, judged: JudgedItems) -> b.Section:
    """Ratings and out-of-fold predictions, item by item."""
    width = result.scale[1] - result.scale[0]
    clouds = [
        b.Scatter(
            f"scatter-{way}", f"people: {result.quality}", f"predicted, {way} unseen", range(result.n), judged.target,
            judged.aligned[way], f"Unseen {way}s, all predictions together: Spearman {coefficient(table.aligned.spearman)}",
            JITTER * width,
        )
        for way, table in result.folds.items()
    ]  # fmt: skip
    lead = "Every point was scored by a judge that had not seen it; the folds have a common start. A click shows the item."
    return b.Section("Item by item", clouds, lead)


def _calibration(result: JudgeResult) -> b.Section:
    """Mean ratings of items with similar predictions, and the line of a judge whose predictions are mean ratings."""
    blocks: list[b.Block] = []
    for way, one in result.calibration.items():
        if len(one.bins) < 2:
            continue
        x = [real(each.predicted) for each in one.bins]
        people = [b.Interval(real(each.human), real(each.human_low), real(each.human_high)) for each in one.bins]
        line = f"slope {fixed(one.slope)}, sd(predicted) / sd(human) {fixed(one.spread)}, mean gap {fixed(one.error)}"
        blocks.append(
            b.LineChart(
                f"calibration-{way}", x, {"people": people, "as predicted": [b.Interval(value) for value in x]},
                "mean prediction", f"mean {result.quality}", f"Unseen {way}s: {line}",
            )
        )  # fmt: skip
        rows: list[list[b.Cell]] = [
            [f"{fixed(each.low)} … {fixed(each.high)}", each.n, predicted, human, human.value - predicted]
            for each, predicted, human in zip(one.bins, x, people, strict=True)
        ]
        header = ["predicted between", "n", "mean prediction", "mean of people [95%]", "gap"]
        blocks.append(b.Table(f"bins-{way}", header, rows, f"Calibration, unseen {way}s", folded=way != "context"))
    lead = "Items in bins of nearly equal size by their prediction. A slope above 1 means that scores keep too close to the middle."
    return b.Section("Does a score mean what it says?", blocks, lead)
