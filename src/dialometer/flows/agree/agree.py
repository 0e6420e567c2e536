"""agree: do the raters agree, and which of them? Labels of every item by mean, median, z, MACE and Dawid–Skene."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, field
from typing import Any

from dialometer._version import __version__
from dialometer.contracts.agree import AgreeRequest
from dialometer.core.atomic import write_bytes, write_json
from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.flows.agree.agreement import agreement, labels
from dialometer.flows.agree.sections import rater_sections, sentences
from dialometer.flows.shared.rated_items import Rated, read_rated
from dialometer.flows.shared.rating_options import check_rating_options
from dialometer.flows.shared.runs import carry_out, check_unchanged, hashes, read_results
from dialometer.flows.shared.where import condition
from dialometer.report.blocks import Page
from dialometer.report.page import write_page
from dialometer.store.runs import Run, move_into

RESULTS = "agree.json"


@dataclass(frozen=True)
class AgreeReport:
    """What a run found, per quality and per rater."""

    run: str
    results: dict[str, Any] = field(default_factory=dict)

    @property
    def qualities(self) -> dict[str, Any]:
        """Agreement per quality."""
        found: dict[str, Any] = self.results["qualities"]
        return found

    @property
    def sentences(self) -> list[str]:
        """What the tables say, in words."""
        said: list[str] = self.results["summary"]
        return said

    def to_json(self) -> dict[str, Any]:
        """The promised form: α and κ of the first quality, raters over all; every quality under ``qualities``."""
        name, first = next(iter(self.qualities.items()))
        kappa = {"median": first["kappa"]["median"], "pairs": first["kappa"]["pairs"]}
        return {"run": self.run, "quality": name, "alpha": first["alpha"]["value"], "kappa": kappa, **self.results}


def agree(request: AgreeRequest, *, progress: Progress = lambda stage, done, total: None) -> AgreeReport:
    """Compare raters, or read a finished comparison."""
    _check(request)
    return carry_out(
        "agree",
        request,
        _identity(request),
        lambda run: _fill(run, request, progress),
        lambda run: AgreeReport(str(run.folder), read_results(run, RESULTS)),
    )


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
    found = agreement(
        rated, weights=request.weights, min_kappa=request.min_kappa, resamples=request.resamples, seed=request.seed,
        flagged=flagged,
    )  # fmt: skip
    progress("comparing", 1, 1)
    found |= {"items": len(rated.ratings.items), "left_out": rated.left_out}
    found["summary"] = [*sentences(found), *_resampled(rated, request)]
    check_unchanged(run, request.inputs)
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    write_bytes(made / "labels.csv", _labels(rated, request.seed))
    page = Page(
        "Agreement of raters", rater_sections(rated, found), versions={"dialometer": __version__}, summary=found["summary"]
    )
    write_page(page, made)
    write_json(made / RESULTS, found)
    move_into(made, run.folder)  # only now: a refusal on the way leaves an empty run, which is taken back
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
    found = [item.id for item in rated.items if wanted.holds(item)]
    if not found:
        raise UsageError(f"no item is flagged by {wanted}", "--flagged KEY=VALUE names a field of the items")
    return found


def _labels(rated: Rated, seed: int) -> bytes:
    """One row per item and quality, one column per way to aggregate."""
    out = io.StringIO()
    sheet = csv.writer(out, lineterminator="\n")
    made = labels(rated.ratings, seed)
    ways = list(dict.fromkeys(way for columns in made.values() for way in columns))
    sheet.writerow(["item", "quality", *ways])
    for quality, columns in made.items():
        for number, name in enumerate(rated.ratings.items):
            if columns["mean"][number] == columns["mean"][number]:
                sheet.writerow([name, quality, *(_cell(columns, way, number) for way in ways)])
    return out.getvalue().encode()


def _cell(columns: dict[str, Any], way: str, number: int) -> str:
    if way not in columns or columns[way][number] != columns[way][number]:
        return ""
    return f"{columns[way][number]:.6g}"
