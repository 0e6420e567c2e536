"""agree: do the raters agree, and which of them? Labels of every item by mean, median, z, MACE and Dawid–Skene."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import Any

import msgspec
import numpy as np

from dialometer._version import __version__
from dialometer.contracts.agree import AgreeRequest, AgreeResult, AgreeTables, KappaSummary
from dialometer.contracts.result import encode
from dialometer.core.atomic import write_bytes
from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.flows.agree.agreement import agreement, labels, standard_scores
from dialometer.flows.shared.rated_items import Rated, read_rated
from dialometer.flows.shared.rating_options import check_rating_options
from dialometer.flows.shared.runs import check_unchanged, hashes, read_result, run_or_resume
from dialometer.flows.shared.where import condition
from dialometer.report.blocks import Page
from dialometer.report.page import write_page
from dialometer.report.pages.agree.raters import rater_sections, rater_sentences
from dialometer.store.runs import Run, move_into

RESULTS = "agree.json"


def agree(request: AgreeRequest, *, progress: Progress = lambda stage, done, total: None) -> AgreeResult:
    """Compare raters, or read a finished comparison."""
    _check(request)
    return run_or_resume("agree", request, _identity(request), lambda run: _fill(run, request, progress), _read)


def _read(run: Run) -> AgreeResult:
    """The tables of a finished run, with α and κ of the first quality at the top."""
    tables = read_result(run, RESULTS, AgreeTables)
    name, first = next(iter(tables.qualities.items()))
    kappa = KappaSummary(median=first.kappa.median, pairs=first.kappa.pairs)
    parts = msgspec.structs.asdict(tables)
    return AgreeResult(run=str(run.folder), quality=name, alpha=first.alpha.value, kappa=kappa, **parts)


def _check(request: AgreeRequest) -> None:
    if not request.inputs:
        raise UsageError("no file was given", "dialometer agree RATED.jsonl")
    check_rating_options(request.weights, request.scale, request.where)
    if request.flagged:
        condition(request.flagged)


def _identity(request: AgreeRequest) -> dict[str, Any]:
    """All that can change a number."""
    silent = ("inputs", "ratings", "output", "max_line", "fresh")
    return {
        "inputs": hashes(request.inputs),
        "ratings": hashes([request.ratings] if request.ratings else []),
        "dialometer": __version__,
        **{key: value for key, value in asdict(request).items() if key not in silent},
    }


def _fill(run: Run, request: AgreeRequest, progress: Progress) -> None:
    """Read, compare, label, draw, keep."""
    progress("reading", 0, 0)
    rated = read_rated(
        request.inputs, ratings=request.ratings, qualities=request.quality, where=request.where, scale=request.scale,
        format=request.format, max_line=request.max_line,
    )  # fmt: skip
    flagged = _flagged(rated, request.flagged)
    progress("comparing", 0, 1)
    tables = agreement(
        rated, weights=request.weights, min_kappa=request.min_kappa, resamples=request.resamples, seed=request.seed,
        flagged=flagged,
    )  # fmt: skip
    progress("comparing", 1, 1)
    summary = [*rater_sentences(tables), *_resampled(rated, request)]
    result = AgreeTables(
        items=len(rated.ratings.items), left_out=rated.left_out, summary=summary, **msgspec.structs.asdict(tables)
    )
    check_unchanged(run, request.inputs)
    folder = run.work / "made"
    folder.mkdir(exist_ok=True)
    write_bytes(folder / "labels.csv", _labels(rated, request.seed))
    sections = rater_sections(result, standard_scores(rated.ratings))
    write_page(Page("Agreement of raters", sections, versions={"dialometer": __version__}, summary=summary), folder)
    write_bytes(folder / RESULTS, encode(result))
    move_into(folder, run.folder)  # only now: a refusal on the way leaves an empty run, which is taken back
    run.finish()


def _resampled(rated: Rated, request: AgreeRequest) -> list[str]:
    """That a table alone names no contexts, so that the interval of α takes its items for independent."""
    if rated.items or not request.resamples:
        return []
    beside = f"agree ITEMS --ratings {request.inputs[0]}"
    return [
        f"Intervals of α resample items: a table of judgements names no contexts. {beside} resamples contexts, as meta does."
    ]


def _flagged(rated: Rated, text: str) -> list[str]:
    """The ids of the items that a condition flags."""
    if not text:
        return []
    wanted = condition(text)
    ids = [item.id for item in rated.items if wanted.holds(item)]
    if not ids:
        raise UsageError(f"no item is flagged by {wanted}", "--flagged KEY=VALUE names a field of the items")
    return ids


def _labels(rated: Rated, seed: int) -> bytes:
    """One row per item and quality, one column per way to aggregate."""
    out = io.StringIO()
    sheet = csv.writer(out, lineterminator="\n")
    tables = labels(rated.ratings, seed)
    ways = list(dict.fromkeys(way for columns in tables.values() for way in columns))
    sheet.writerow(["item", "quality", *ways])
    for quality, columns in tables.items():
        for number, name in enumerate(rated.ratings.items):
            if columns["mean"][number] == columns["mean"][number]:
                sheet.writerow([name, quality, *(_cell(columns, way, number) for way in ways)])
    return out.getvalue().encode()


def _cell(columns: dict[str, np.ndarray], way: str, number: int) -> str:
    if way not in columns or columns[way][number] != columns[way][number]:
        return ""
    return f"{columns[way][number]:.6g}"
