"""score: every response under every metric; per system the mean with its interval, and the corpus value."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from dialometer._version import __version__
from dialometer.contracts.score import ScoreRequest
from dialometer.core.atomic import write_json
from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Prepares, SetMetric
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, names, read_spec, spec_of
from dialometer.core.types import Scores
from dialometer.data.reader import Door, sources
from dialometer.data.row_errors import limits
from dialometer.engine import engine
from dialometer.flows.score.cautions import find_cautions
from dialometer.flows.score.clusters import find_clusters
from dialometer.flows.score.collection_facts import prepare_facts
from dialometer.flows.score.forms import find_form
from dialometer.flows.score.item_files import write_items
from dialometer.flows.score.measure import Measure
from dialometer.flows.score.shards import Progress, Shards, spool
from dialometer.flows.score.summary import Cell, summarise, summarise_set
from dialometer.flows.score.training_overlap import Share, find_overlap
from dialometer.flows.shared.runs import build_tables, carry_out, check_unchanged, damaged, hashes
from dialometer.store.runs import Run

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ScoreReport:
    """The numbers of a run: cells by system and column, with the recipe of each column."""

    run: str
    n: int
    cells: dict[str, dict[str, Cell]]
    recipes: dict[str, str]
    items: str
    overlap: dict[str, Share] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()

    def scores(self) -> Scores:
        """The values of every item, read from the run's file."""
        if self.items.endswith(".parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

            columns = pq.read_table(pa.OSFile(self.items)).to_pydict()
        else:
            rows = [orjson.loads(line) for line in Path(self.items).read_bytes().splitlines()]
            columns = {key: [row[key] for row in rows] for key in rows[0]}
        values = {name: np.array(column, float) for name, column in columns.items() if name not in ("id", "system")}
        return Scores(tuple(columns["id"]), values, {name: self.recipes[name] for name in values})

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        shown = ("mean", "low", "high", "n", "floor")
        return {
            "run": self.run,
            "n": self.n,
            "systems": {
                s: {c: {key: getattr(cell, key) for key in shown} for c, cell in row.items()}
                for s, row in self.cells.items()
            },
            "corpus": {s: {c: cell.corpus for c, cell in row.items()} for s, row in self.cells.items()},
            "corpus_intervals": {
                s: {c: {"low": cell.corpus_low, "high": cell.corpus_high} for c, cell in row.items()}
                for s, row in self.cells.items()
            },
            "recipes": self.recipes,
            **({"overlap": self.overlap} if self.overlap else {}),
        }


def score(request: ScoreRequest, *, progress: Progress = lambda stage, done, total: None) -> ScoreReport:
    """Score, or go on with an interrupted scoring, or read a finished one."""
    metrics = make_metrics(request)
    accepted = limits(request.max_line, request.allow_empty_references)
    if request.references and request.format != "parallel":
        raise UsageError("references in files of their own belong to parallel text", "--hyp RESPONSES --ref REFERENCES")
    door = Door(
        sources(request.inputs, request.format or None, request.references), accepted
    )  # files that are not there stop it here
    return carry_out(
        "score",
        request,
        _identity(request, metrics, door),
        lambda run: _fill(run, request, metrics, door, progress),
        lambda run: _read(run, request),
    )


def make_metrics(request: ScoreRequest) -> list[Any]:
    """The metrics of the request; ``--tok`` speaks for those whose spec names no tokeniser."""
    if not request.metrics:
        raise UsageError("no metric was named", f"-m one of: {', '.join(names('metric'))}")
    if request.items not in ("parquet", "jsonl"):
        raise UsageError(f"items are written as parquet or jsonl, not {request.items!r}", "--items parquet")
    engine(request.engine)
    metrics = [create("metric", spec, **({"tok": request.tok} if request.tok else {})) for spec in request.metrics]
    column_names(metrics, request.metrics)
    for metric in metrics if request.tok else ():
        if not hasattr(metric, "tok"):
            _log.warning("--tok does not reach %s; name the tokeniser inside it, as in amfm(am=lsi(tok=…))", metric.name)
    return metrics


def _identity(request: ScoreRequest, metrics: list[Any], door: Door) -> dict[str, Any]:
    """All that can change a number: recipes, inputs by content, seed and cuts; not engine, output or verbosity."""
    keys = ("format", "allow_empty_references", "skip_incomplete", "items", "resamples", "seed", "shard")
    systems = [getattr(form, "system", "") for form, _ in door.sources]  # of several files of parallel text
    return {
        "inputs": hashes((*request.inputs, *request.references)),
        "recipes": [recipe(metric) for metric in metrics],
        "versions": {"dialometer": __version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        **({"systems": systems} if any(systems) else {}),
        **{key: getattr(request, key) for key in keys},
    }


def _fill(run: Run, request: ScoreRequest, metrics: list[Any], door: Door, progress: Progress) -> None:
    """Read, prepare, measure, summarise, write."""
    contexts = any("context" in getattr(metric, "uses", metric.needs) for metric in metrics)
    whole = any(metric.unit == "dialogue" for metric in metrics)
    shards = spool(door, run.work, request.shard, contexts=contexts, keep=request.cache, progress=progress, whole=whole)
    check_unchanged(run, (*request.inputs, *request.references))
    _check_needs(shards, metrics, request)
    additive = [metric for metric in metrics if not isinstance(metric, SetMetric)]
    facts = tuple(
        prepare_facts(metric, shards, run.work / f"facts-{number:03d}") if isinstance(metric, Prepares) else {}
        for number, metric in enumerate(additive)
    )
    task = Measure(shards, tuple(additive), facts)
    build_tables(additive, progress)
    if additive:
        for done, _ in enumerate(engine(request.engine).map(task, range(len(shards))), 1):
            progress("measuring", done, len(shards))
    _write(run, request, metrics, additive, task)
    run.finish()


def _write(run: Run, request: ScoreRequest, metrics: list[Any], additive: list[Any], task: Measure) -> None:
    """The files of the run."""
    shards, clusters = task.shards, find_clusters(task.shards)
    options = {"resamples": request.resamples, "seed": request.seed}
    labels = column_names(metrics, request.metrics)
    cells: dict[str, dict[str, Cell]] = {system: {} for system in clusters.names}
    recipes: dict[str, str] = {}
    tables = iter(summarise(tuple(additive), task, clusters, **options))
    for metric, own, facts in zip(metrics, labels, _facts(shards, metrics), strict=True):
        table = (
            summarise_set(metric, shards, clusters, resamples=request.resamples)
            if isinstance(metric, SetMetric)
            else next(tables)
        )
        for system, row in zip(clusters.names, table, strict=True):
            cells[system] |= dict(zip(own, row, strict=True))
        recipes |= dict.fromkeys(own, recipe(metric, facts))
    kept = ((metric, own) for metric, own in zip(metrics, labels, strict=True) if not isinstance(metric, SetMetric))
    columns = [(number, metric, own) for number, (metric, own) in enumerate(kept)]  # equal options may hide another fit
    write_items(run.folder / f"scores.{request.items}", shards, task, columns)
    write_json(run.folder / "recipes.json", recipes)
    summary = {
        "n": shards.n,
        "cells": {s: {c: asdict(cell) for c, cell in row.items()} for s, row in cells.items()},
        "overlap": find_overlap(metrics, shards),
        "cautions": find_cautions(metrics, request.metrics, shards),
    }
    write_json(run.folder / "summary.json", summary)


def _facts(shards: Shards, metrics: list[Any]) -> list[dict[str, object]]:
    """What the recipe of each metric says of these items: how many references it saw, and who talks with whom."""
    least, most = shards.references
    count = {"refs": str(least) if least == most else f"{least}-{most}"}
    follows = ["after" in getattr(metric, "uses", ()) for metric in metrics]
    form = {"form": find_form(shards)} if any(follows) else {}
    return [
        {**(count if "reference" in metric.needs else {}), **(form if turning else {})}
        for metric, turning in zip(metrics, follows, strict=True)
    ]


def column_names(metrics: list[Any], specs: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Column names; where two metrics share one, the spec goes before it: for a fitted metric the folder that was typed."""
    typed = list(specs or map(_spec, metrics))
    origins = [(repr(metric), _folder(metric, spec)) for metric, spec in zip(metrics, typed, strict=True)]
    for number, (origin, spec) in enumerate(zip(origins, typed, strict=True)):
        if origin in origins[:number]:
            raise UsageError(f"the same metric is asked for twice: {spec}", "name each -m once")
    taken = Counter(column for metric in metrics for column in metric.columns)
    labels = [_label(metric, spec) for metric, spec in zip(metrics, typed, strict=True)]
    return [
        tuple(c if taken[c] == 1 else f"{label}:{c}" for c in metric.columns)
        for metric, label in zip(metrics, labels, strict=True)
    ]


def _label(metric: Any, spec: str) -> str:
    """A metric in a word: its shortest spec, or the folder it came from."""
    typed = read_spec(spec)
    return _spec(metric) if typed.name == metric.name else str(typed)


def _folder(metric: Any, spec: str) -> str:
    """The folder that a fitted metric was read from, however it was typed; two of equal options differ in what they learnt."""
    typed = read_spec(spec).name
    if typed == metric.name:
        return ""
    folder = Path(typed).resolve()
    return str(folder / "model" if (folder / "model").is_dir() else folder)


def _spec(metric: Any) -> str:
    return spec_of(metric, metric.name)


def _check_needs(shards: Shards, metrics: list[Any], request: ScoreRequest) -> None:
    for metric in metrics:
        if "context" in metric.needs and shards.openers and not request.skip_incomplete:
            raise NeedsError(
                f"{metric.name} needs a context for every example; {shards.openers} of {shards.n} have none "
                f"(first: {shards.first_opener})",
                "leave them unscored with --skip-incomplete, or see: dialometer list metrics --without context",
            )
        if "reference" in metric.needs and shards.bare and not request.skip_incomplete:
            raise NeedsError(
                f"{metric.name} needs a reference for every example; {shards.bare} of {shards.n} have none "
                f"(first: {shards.first_bare})",
                "leave them unscored with --skip-incomplete, or see: dialometer list metrics --without reference",
            )


def _read(run: Run, request: ScoreRequest) -> ScoreReport:
    try:
        summary = orjson.loads((run.folder / "summary.json").read_bytes())
        recipes = orjson.loads((run.folder / "recipes.json").read_bytes())
        items = run.folder / f"scores.{request.items}"
        items.stat()
        nan: Any = float("nan")
        cells: dict[str, dict[str, Any]] = {
            system: {
                column: Cell(**{key: nan if v is None else v for key, v in cell.items()}) for column, cell in row.items()
            }
            for system, row in summary["cells"].items()
        }
        cautions = tuple(summary.get("cautions", ()))
        for words in cautions:
            _log.warning("%s", words)
        shares = {spec: found for spec, found in zip(request.metrics, summary["overlap"], strict=True) if found}
        return ScoreReport(str(run.folder), summary["n"], cells, recipes, str(items), shares, cautions)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(run, error) from None
