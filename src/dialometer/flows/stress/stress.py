"""stress: how a metric reacts to responses spoilt on purpose, against what a careful human would do."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from dialometer._version import __version__
from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.stress import StressRequest
from dialometer.core.atomic import write_bytes, write_json
from dialometer.core.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.core.protocols import Progress, SetMetric
from dialometer.core.recipes import recipe
from dialometer.data import examples
from dialometer.data.reader import sources
from dialometer.data.row_errors import limits
from dialometer.flows.score.score import column_names, make_metrics, score
from dialometer.flows.shared.runs import check_unchanged, damaged, hashes, read_results, run_or_resume
from dialometer.flows.stress.perturb import Spoilt, sample, spoil, write
from dialometer.flows.stress.picture import robustness_page
from dialometer.flows.stress.reactions import Reaction, item_reactions, set_reactions
from dialometer.flows.stress.table import csv_bytes
from dialometer.report.page import write_page
from dialometer.store.runs import Run, move_into
from dialometer.text.perturb import PERTURBATIONS, Perturbation

SHARD = 5_000  # rows per piece of work: sixteen perturbations of three hundred items
ANY_LINE = 1 << 40  # a response said twice may be longer than any line that was read
SUMMARY = "stress.json"


@dataclass(frozen=True)
class StressReport:
    """Reactions by column and perturbation, over ``n`` of the ``total`` items that were read."""

    run: str
    n: int
    total: int
    rows: tuple[Reaction, ...]
    recipes: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        return {"run": self.run, **_summary(self)}


def stress(request: StressRequest, *, progress: Progress = lambda stage, done, total: None) -> StressReport:
    """Stress, or go on with an interrupted run, or read a finished one."""
    perturbations = _chosen(request)
    metrics = make_metrics(_scoring(request, ""))
    limits(request.max_line, request.allow_empty_references)
    sources(request.inputs, request.format or None)  # files that are not there stop it here
    return run_or_resume(
        "stress",
        request,
        _identity(request, metrics, perturbations),
        lambda run: _fill(run, request, metrics, perturbations, progress),
        _read,
    )


def _chosen(request: StressRequest) -> list[Perturbation]:
    """The perturbations of the request, in the order of the menu."""
    for name in request.perturb:
        if name not in PERTURBATIONS:
            raise UnknownName("perturbation", name, PERTURBATIONS, hint="dialometer stress --help")
    if not request.inputs:
        raise UsageError("no file was given", "dialometer stress FILE -m bleu")
    return [p for name, p in PERTURBATIONS.items() if not request.perturb or name in request.perturb]


def _scoring(request: StressRequest, output: str, *inputs: str) -> ScoreRequest:
    """The same metrics over the spoilt items; intervals are made here, of differences."""
    return ScoreRequest(
        inputs, request.metrics, tok=request.tok, format="jsonl", max_line=ANY_LINE, allow_empty_references=True,
        skip_incomplete=True, resamples=request.resamples if not output else 0, seed=request.seed, shard=SHARD,
        engine=request.engine, output=output, cache=request.cache,
    )  # fmt: skip


def _identity(request: StressRequest, metrics: list[Any], perturbations: list[Perturbation]) -> dict[str, Any]:
    """All that can change a number; not engine, output or verbosity."""
    keys = ("format", "allow_empty_references", "limit", "resamples", "seed")
    return {
        "inputs": hashes(request.inputs),
        "recipes": [recipe(metric) for metric in metrics],
        "perturbations": [[p.name, p.version] for p in perturbations],
        "versions": {"dialometer": __version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        **{key: getattr(request, key) for key in keys},
    }


def _fill(
    run: Run, request: StressRequest, metrics: list[Any], perturbations: list[Perturbation], progress: Progress
) -> None:
    """Read, spoil, score, compare, write."""
    spoilt = _spoilt(run, request, perturbations)
    _check(spoilt, metrics)
    path = run.work / "perturbed.jsonl"
    if not path.exists():
        write(spoilt, path)
    scored = score(_scoring(request, str(run.work / "score"), str(path)), progress=progress)
    progress("comparing", 0, 0)
    rows = _reactions(request, metrics, scored.scores(), spoilt)
    report = StressReport(str(run.folder), len(spoilt.items), spoilt.total, tuple(rows), scored.recipes)
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    write_page(robustness_page(report.rows, spoilt, report.recipes), made)
    write_bytes(made / "perturbed.jsonl", path.read_bytes())
    write_bytes(made / "scores.parquet", Path(scored.items).read_bytes())
    write_bytes(made / "stress.csv", csv_bytes(report.rows))
    write_json(made / SUMMARY, _summary(report))
    move_into(made, run.folder)
    run.finish()


def _spoilt(run: Run, request: StressRequest, perturbations: list[Perturbation]) -> Spoilt:
    read = examples(
        request.inputs, format=request.format or None, max_line=request.max_line,
        allow_empty_references=request.allow_empty_references,
    )  # fmt: skip
    items, total = sample(read, request.limit, request.seed)
    if not items:
        raise DataError("holds no reply to stress", file=request.inputs[0], hint="conversations need two turns or more")
    check_unchanged(run, request.inputs)
    return spoil(items, total, perturbations, request.seed)


def _check(spoilt: Spoilt, metrics: list[Any]) -> None:
    """Refuse what could only give an empty table."""
    n = len(spoilt.items)
    if all(made is None for responses in spoilt.responses.values() for made in responses):
        names = ", ".join(spoilt.responses)
        raise NeedsError(
            f"none of {n} items can be changed by {names}",
            "leave --perturb out for all perturbations, or give items with responses, references and contexts",
        )
    for metric in metrics:
        for need, there in (("reference", "references"), ("context", "context")):
            if need in metric.needs and not any(getattr(item, there) for item in spoilt.items):
                raise NeedsError(
                    f"{metric.name} needs a {need}, and none of {n} items has one",
                    f"see: dialometer list metrics --without {need}",
                )


def _reactions(request: StressRequest, metrics: list[Any], scores: Any, spoilt: Spoilt) -> list[Reaction]:
    """Rows by metric, then perturbation, in the order they were named."""
    labels = column_names(metrics, request.metrics)
    judged = {
        label: not math.isnan(getattr(metric, "floor", 0.0)) and not column.endswith("coverage")
        for metric, own in zip(metrics, labels, strict=True)
        if not isinstance(metric, SetMetric)
        for label, column in zip(own, metric.columns, strict=True)
    }
    rows = item_reactions(scores, judged, spoilt, resamples=request.resamples, seed=request.seed) if judged else []
    for metric, own in zip(metrics, labels, strict=True):
        if isinstance(metric, SetMetric):
            rows += set_reactions(metric, own, spoilt)
    order = {label: number for number, label in enumerate(label for own in labels for label in own)}
    return sorted(rows, key=lambda row: order[row.metric])


def _summary(report: StressReport) -> dict[str, Any]:
    named = dict.fromkeys(row.perturbation for row in report.rows)
    return {
        "n": report.n,
        "total": report.total,
        "rows": [asdict(row) for row in report.rows],
        "recipes": report.recipes,
        "perturbations": {
            name: {key: getattr(PERTURBATIONS[name], key) for key in ("expected", "about", "reason", "version")}
            for name in named
        },
    }


def _read(run: Run) -> StressReport:
    try:
        kept = read_results(run, SUMMARY)
        numbers = [field.name for field in fields(Reaction) if field.type == "float"]
        rows = (row | {key: math.nan for key in numbers if row[key] is None} for row in kept["rows"])
        reactions = tuple(Reaction(**row) for row in rows)
        return StressReport(str(run.folder), kept["n"], kept["total"], reactions, kept["recipes"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(run, error) from None
