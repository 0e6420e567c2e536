"""meta: do metrics say what people say? Correlation, ceiling, which metric is better, what it leans on; a report to read."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import msgspec

from dialometer._version import __version__
from dialometer.contracts.meta import MetaRequest, MetaResult
from dialometer.contracts.result import encode
from dialometer.core.atomic import write_bytes
from dialometer.core.errors import UnknownName, UsageError
from dialometer.core.files import SMALL
from dialometer.core.protocols import Progress
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.engine import engine
from dialometer.flows.meta.analyses import analyse
from dialometer.flows.meta.item_table import item_table
from dialometer.flows.meta.open_study import open_study
from dialometer.flows.meta.page_data import page_data
from dialometer.flows.meta.reanalyses import ALSO
from dialometer.flows.meta.study import LEVELS
from dialometer.flows.score.result_files import digest_of
from dialometer.flows.shared.planned import check_planned
from dialometer.flows.shared.rating_options import check_rating_options
from dialometer.flows.shared.runs import check_unchanged, hashes, read_result, run_or_resume
from dialometer.report.page import write_page
from dialometer.report.pages.meta.page import meta_page
from dialometer.stats.agreement.aggregate import WAYS
from dialometer.store.runs import Run, move_into

RESULTS = "meta.json"


def meta(request: MetaRequest, *, progress: Progress = lambda stage, done, total: None) -> MetaResult:
    """Set metrics beside people, or read a finished comparison."""
    _check(request)
    metrics = [create("metric", spec, **({"tok": request.tok} if request.tok else {})) for spec in request.metrics]
    return run_or_resume("meta", request, _identity(request, metrics), lambda run: _fill(run, request, progress), _read)


def _check(request: MetaRequest) -> None:
    """Every option, before a file is read."""
    if not request.inputs:
        raise UsageError("no file was given", "dialometer meta RATED.jsonl -m bleu -q overall")
    if len(set(request.level)) < len(request.level):
        raise UsageError("a level is named twice", "name each --level once")
    for name in request.level:
        if name not in LEVELS:
            raise UnknownName("level", name, LEVELS, hint=f"--level one of: {', '.join(LEVELS)} (item: turns or dialogues)")
    if request.aggregate not in WAYS:
        raise UnknownName("way to aggregate", request.aggregate, WAYS, hint=f"--aggregate one of: {', '.join(WAYS)}")
    for name in request.also:
        if name not in (*ALSO, "all"):
            raise UnknownName("analysis", name, (*ALSO, "all"), hint=f"--also one of: {', '.join(ALSO)}, all")
    if request.reference and request.filter_raters:
        raise UsageError(f"{request.reference} has no raters to filter", "leave filter_raters out")
    check_planned(request.planned)
    check_rating_options(request.weights, request.scale, request.where)
    engine(request.engine)


def _identity(request: MetaRequest, metrics: list[Any]) -> dict[str, Any]:
    """All that can change a number: recipes, inputs by content, options; not engine or output."""
    given = asdict(request)
    silent = ("inputs", "metrics", "scores", "ratings", "preferences", "systems", "engine", "output", "max_line", "fresh")
    beside = {name: given[name] for name in ("ratings", "preferences", "systems")}
    return {
        "inputs": hashes(request.inputs),
        "beside": {name: hashes([path], SMALL if name == "systems" else 0) for name, path in beside.items() if path},
        "scores": [digest_of(path) for path in request.scores],
        "recipes": [recipe(metric) for metric in metrics],
        "versions": {"dialometer": __version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        **{key: value for key, value in given.items() if key not in silent},
    }


def _fill(run: Run, request: MetaRequest, progress: Progress) -> None:
    """Read, score, compare, draw, keep."""
    study = open_study(request, run.work, progress)
    result = analyse(study, request, run.work, progress)
    check_unchanged(run, request.inputs)
    progress("drawing", 0, 1)
    folder = run.work / "made"
    folder.mkdir(exist_ok=True)
    write_bytes(folder / "items.csv", item_table(study, result))
    write_page(meta_page(result, page_data(study, result, request)), folder)
    write_bytes(folder / RESULTS, encode(result))
    move_into(folder, run.folder)  # only now: a refusal on the way leaves an empty run, which is taken back
    run.finish()
    progress("drawing", 1, 1)


def _read(run: Run) -> MetaResult:
    return msgspec.structs.replace(read_result(run, RESULTS, MetaResult), run=str(run.folder))
