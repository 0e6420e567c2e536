"""score: every response under every metric; per system the mean with its interval, and the corpus value."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from dialometer._version import __version__
from dialometer.contracts.result import number
from dialometer.contracts.score import (
    CorpusInterval,
    ItemMean,
    ScoreCell,
    ScoreRequest,
    ScoreResult,
    ScoreSummary,
    SummaryCell,
)
from dialometer.core.atomic import write_json
from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Prepares, SetMetric
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, names, read_spec, spec_of
from dialometer.data.reader import ItemReader, sources
from dialometer.data.row_errors import limits
from dialometer.engine import engine
from dialometer.flows.score.clusters import find_clusters
from dialometer.flows.score.collection_statistics import prepare_statistics
from dialometer.flows.score.item_files import write_items
from dialometer.flows.score.measure import Measure
from dialometer.flows.score.shards import Progress, Shards, spool
from dialometer.flows.score.summary import summarise, summarise_set
from dialometer.flows.score.training_overlap import find_overlap
from dialometer.flows.shared.runs import build_tables, check_unchanged, damaged, hashes, read_result, run_or_resume
from dialometer.store.runs import Run
from dialometer.text.dialogues import conversations

_log = logging.getLogger(__name__)
ScoreReport = ScoreResult  # its earlier name, which other rooms import


SUMMARY = "summary.json"
FIRST_ITEMS = 2_000  # of the first shard, enough to tell one domain from another


def score(request: ScoreRequest, *, progress: Progress = lambda stage, done, total: None) -> ScoreResult:
    """Score, or go on with an interrupted scoring, or read a finished one."""
    metrics = make_metrics(request)
    accepted = limits(request.max_line, request.allow_empty_references)
    if request.references and request.format != "parallel":
        raise UsageError("references in files of their own belong to parallel text", "--hyp RESPONSES --ref REFERENCES")
    reader = ItemReader(
        sources(request.inputs, request.format or None, request.references), accepted
    )  # refuses absent files
    return run_or_resume(
        "score",
        request,
        _identity(request, metrics, reader),
        lambda run: _fill(run, request, metrics, reader, progress),
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


def _identity(request: ScoreRequest, metrics: list[Any], reader: ItemReader) -> dict[str, Any]:
    """All that can change a number: recipes, inputs by content, seed and cuts; not engine, output or verbosity."""
    keys = ("format", "allow_empty_references", "skip_incomplete", "items", "resamples", "seed", "shard")
    systems = [getattr(form, "system", "") for form, _ in reader.sources]  # of several files of parallel text
    return {
        "inputs": hashes((*request.inputs, *request.references)),
        "recipes": [recipe(metric) for metric in metrics],
        "versions": {"dialometer": __version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        **({"systems": systems} if any(systems) else {}),
        **{key: getattr(request, key) for key in keys},
    }


def _fill(run: Run, request: ScoreRequest, metrics: list[Any], reader: ItemReader, progress: Progress) -> None:
    """Read, prepare, measure, summarise, write."""
    contexts = any("context" in getattr(metric, "uses", metric.needs) for metric in metrics)
    whole = any(metric.unit == "dialogue" for metric in metrics)
    shards = spool(reader, run.work, request.shard, contexts=contexts, keep=request.cache, progress=progress, whole=whole)
    check_unchanged(run, (*request.inputs, *request.references))
    _check_needs(shards, metrics, request)
    additive = [metric for metric in metrics if not isinstance(metric, SetMetric)]
    statistics = tuple(
        prepare_statistics(metric, shards, run.work / f"statistics-{place:03d}") if isinstance(metric, Prepares) else {}
        for place, metric in enumerate(additive)
    )
    task = Measure(shards, tuple(additive), statistics)
    build_tables(additive, progress)
    if additive:
        for done, _ in enumerate(engine(request.engine).map(task, range(len(shards))), 1):
            progress("measuring", done, len(shards))
    _write(run, request, metrics, additive, task)
    run.finish()


def _write(run: Run, request: ScoreRequest, metrics: list[Any], additive: list[Any], task: Measure) -> None:
    """The files of the run."""
    shards, clusters = task.shards, find_clusters(task.shards)
    labels = column_names(metrics, request.metrics)
    cells: dict[str, dict[str, ScoreCell]] = {system: {} for system in clusters.names}
    recipes: dict[str, str] = {}
    tables = iter(summarise(tuple(additive), task, clusters, resamples=request.resamples, seed=request.seed))
    for metric, columns, details in zip(metrics, labels, _recipe_details(shards, metrics), strict=True):
        table = (
            summarise_set(metric, shards, clusters, resamples=request.resamples)
            if isinstance(metric, SetMetric)
            else next(tables)
        )
        for system, row in zip(clusters.names, table, strict=True):
            cells[system] |= dict(zip(columns, row, strict=True))
        recipes |= dict.fromkeys(columns, recipe(metric, details))
    scored = [pair for pair in zip(metrics, labels, strict=True) if not isinstance(pair[0], SetMetric)]
    write_items(
        run.folder / f"scores.{request.items}", shards, task, [(place, *pair) for place, pair in enumerate(scored)]
    )  # by place: equal options may hide another fit
    write_json(run.folder / "recipes.json", recipes)
    summary = ScoreSummary(
        n=shards.n,
        cells={s: {c: SummaryCell(**_numbers(cell)) for c, cell in row.items()} for s, row in cells.items()},
        overlap=find_overlap(metrics, shards),
        cautions=_cautions(metrics, request.metrics, shards),
    )
    write_json(run.folder / SUMMARY, summary.to_json())


def _numbers(cell: ScoreCell) -> dict[str, Any]:
    """The fields of a cell, None where a number is undefined."""
    return {name: value if name == "n" else number(value) for name, value in asdict(cell).items()}


def _recipe_details(shards: Shards, metrics: list[Any]) -> list[dict[str, object]]:
    """What the recipe of each metric says of these items: how many references it had, and who speaks with whom."""
    least, most = shards.references
    count = {"refs": str(least) if least == most else f"{least}-{most}"}
    follows = ["after" in getattr(metric, "uses", ()) for metric in metrics]
    form = {"form": _dialogue_form(shards)} if any(follows) else {}
    return [
        {**(count if "reference" in metric.needs else {}), **(form if turning else {})}
        for metric, turning in zip(metrics, follows, strict=True)
    ]


def _dialogue_form(shards: Shards) -> str:
    """``chat`` where others speak between the responses, ``self-play`` where every turn responds to the one before, or ``both``.

    A single response tells nothing: it may be what a shard has of a dialogue.
    """
    kinds: set[bool] = set()
    for corpus in shards.corpora():
        dialogues = conversations(corpus)
        kinds |= set(dialogues.alone[dialogues.counts() > 1].tolist())
        if len(kinds) > 1:
            return "both"
    return "self-play" if kinds == {True} else "chat"


def _cautions(metrics: Sequence[Any], specs: Sequence[str], shards: Shards) -> list[str]:
    """A sentence of each trained metric whose training data are unlike these items, after its spec."""
    cautious = [(metric, spec) for metric, spec in zip(metrics, specs, strict=True) if hasattr(metric, "caution")]
    if not cautious:
        return []
    corpus = shards.corpus(0)
    sample = corpus.take(np.arange(min(len(corpus), FIRST_ITEMS)))
    sentences = ((spec, metric.caution(sample)) for metric, spec in cautious)
    return [f"{spec}: {sentence}" for spec, sentence in sentences if sentence]


def column_names(metrics: list[Any], specs: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Column names; where two metrics share one, the spec goes before it: for a fitted metric the folder that was typed."""
    typed = list(specs or map(_spec, metrics))
    origins = [(repr(metric), _folder(metric, spec)) for metric, spec in zip(metrics, typed, strict=True)]
    for place, (origin, spec) in enumerate(zip(origins, typed, strict=True)):
        if origin in origins[:place]:
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
    """The folder that a fitted metric was read from, however it was typed; two of equal options may have different weights."""
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


def _read(run: Run, request: ScoreRequest) -> ScoreResult:
    summary = read_result(run, SUMMARY, ScoreSummary)
    try:
        recipes = msgspec.json.decode((run.folder / "recipes.json").read_bytes(), type=dict[str, str])
        (run.folder / f"scores.{request.items}").stat()
        shares = dict(zip(request.metrics, summary.overlap, strict=True))
    except (OSError, ValueError) as error:
        raise damaged(run, error) from None
    for caution in summary.cautions:
        _log.warning("%s", caution)
    cells = summary.cells.items()
    return ScoreResult(
        run=str(run.folder),
        n=summary.n,
        systems={
            s: {c: ItemMean(mean=x.mean, low=x.low, high=x.high, n=x.n, floor=x.floor) for c, x in row.items()}
            for s, row in cells
        },
        corpus={s: {c: x.corpus for c, x in row.items()} for s, row in cells},
        corpus_intervals={
            s: {c: CorpusInterval(low=x.corpus_low, high=x.corpus_high) for c, x in row.items()} for s, row in cells
        },
        recipes=recipes,
        overlap={spec: share for spec, share in shares.items() if share},
    )
