"""The report of a judge: sections in the order in which a reader asks."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer._version import __version__
from dialometer.core.types import Example
from dialometer.flows.train_judge.analysis import Analysis
from dialometer.flows.train_judge.attribution import leaning_section
from dialometer.flows.train_judge.blocks_bots import bots_sections
from dialometer.flows.train_judge.blocks_figures import figures_section, folds_section, systems_section
from dialometer.flows.train_judge.blocks_longer import amount_section, learnt_section, removal_section, stress_section
from dialometer.flows.train_judge.conclusions import coefficient
from dialometer.flows.train_judge.dataset import Bench
from dialometer.report import blocks as b
from dialometer.report.page import write_page

if TYPE_CHECKING:
    from dialometer.contracts.train import TrainRequest

JITTER = 0.02  # of the scale's width, for the eye


def write_report(bench: Bench, analysis: Analysis, found: dict[str, Any], request: TrainRequest, folder: Path) -> Path:
    """Write the page, its tables and its figures."""
    sections = [
        figures_section(found), _scatter(bench, analysis, found), _calibration(found), *leaning_section(found),
        systems_section(found), *bots_sections(found), *removal_section(found), *amount_section(found), *stress_section(found),
        folds_section(found), learnt_section(found),
    ]  # fmt: skip
    page = b.Page(
        f"{found['spec']}: a judge of {found['quality']}",
        [section for section in sections if section.blocks],
        _items(bench, analysis),
        {"judge": found["recipe"], **analysis.recipes},
        {"dialometer": __version__, "python": platform.python_version(), "numpy": np.__version__, "seed": str(request.seed)},
        found["summary"], found["tones"],
    )  # fmt: skip
    return write_page(page, folder)


def _scatter(bench: Bench, analysis: Analysis, found: dict[str, Any]) -> b.Section:
    """People and out-of-fold predictions, item by item."""
    width = bench.scale[1] - bench.scale[0]
    clouds = [
        b.Scatter(
            f"scatter-{way}", f"people: {bench.quality}", f"predicted, {way} unseen", range(len(bench)), bench.target, values,
            f"Unseen {way}s, all predictions together: Spearman {coefficient(found['folds'][way]['aligned']['spearman'])}",
            JITTER * width,
        )
        for way, values in analysis.aligned.items()
    ]  # fmt: skip
    lead = "Every point was scored by a judge that had not seen it; the folds have a common start. A click shows the item."
    return b.Section("Item by item", clouds, lead)


def _calibration(found: dict[str, Any]) -> b.Section:
    """Mean ratings among items that are scored alike, beside the line of a judge that means what it says."""
    blocks: list[b.Block] = []
    for way, one in found["calibration"].items():
        bins = one["bins"]
        if len(bins) < 2:
            continue
        x = [each["predicted"] for each in bins]
        people = [b.Interval(each["human"], each["human_low"], each["human_high"]) for each in bins]
        line = f"slope {one['slope']:.2f}, sd(predicted) / sd(human) {one['spread']:.2f}, mean gap {one['error']:.2f}"
        blocks.append(
            b.Lines(
                f"calibration-{way}", x, {"people": people, "as predicted": [b.Interval(value) for value in x]},
                "mean prediction", f"mean {found['quality']}", f"Unseen {way}s: {line}",
            )
        )  # fmt: skip
        rows: list[list[b.Cell]] = [
            [f"{each['low']:.2f} … {each['high']:.2f}", each["n"], each["predicted"],
             b.Interval(each["human"], each["human_low"], each["human_high"]), each["human"] - each["predicted"]]
            for each in bins
        ]  # fmt: skip
        header = ["predicted between", "n", "mean prediction", "mean of people [95%]", "gap"]
        blocks.append(b.Table(f"bins-{way}", header, rows, f"Calibration, unseen {way}s", folded=way != "context"))
    lead = "Items in bins of nearly equal size by their prediction. A slope above 1 means that scores keep too close to the middle."
    return b.Section("Does a score mean what it says?", blocks, lead)


def _items(bench: Bench, analysis: Analysis) -> list[b.Item]:
    """What a click shows: the dialogue, predictions, baselines and ratings."""
    given: list[list[float]] = [[] for _ in bench.rated.items]
    judged = bench.rated.ratings.of(bench.quality)
    for row, value in zip(judged.item.tolist(), judged.value.tolist(), strict=True):
        if row < len(given):
            given[row].append(value)
    columns = {f"predicted, {way} unseen": values for way, values in analysis.predictions.items()} | analysis.columns
    made = []
    for row, item in enumerate(bench.rated.items):
        scores = {name: float(values[row]) for name, values in columns.items() if values[row] == values[row]}
        ratings = {bench.quality: given[row]}
        if isinstance(item, Example):
            turns = [(turn.speaker, turn.text) for turn in item.context]
            made.append(b.Item(item.id, item.system, turns, item.response, item.references, scores, ratings))
        else:
            turns = [(turn.speaker, turn.text) for turn in item.turns]
            made.append(b.Item(item.id, item.system, turns, scores=scores, ratings=ratings))
    return made
