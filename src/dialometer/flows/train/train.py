"""train: fit a bot, an encoder, a language model or amfm on text, or a judge on ratings.

The run folder of a fitted artifact is a spec.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from dialometer._version import __version__
from dialometer.contracts.result import plain
from dialometer.contracts.train import (
    GenerativeTrainResult,
    RetrievalTrainResult,
    TrainRequest,
    TrainResult,
    TunedTrainResult,
    TuningResult,
)
from dialometer.contracts.train_judge import JudgeResult
from dialometer.core.atomic import write_bytes, write_folder
from dialometer.core.errors import SpecError, UnknownName, UsageError
from dialometer.core.files import LARGE
from dialometer.core.protocols import Progress
from dialometer.core.ranges import whole_numbers
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, find, manifest_path, names, read_spec, spec_of
from dialometer.flows.shared.located_results import read_located, write_located
from dialometer.flows.shared.runs import damaged, hashes, run_or_resume
from dialometer.flows.train.ranks import process_options, processes_of
from dialometer.flows.train.training_text import Talks, read_ids, read_talks
from dialometer.flows.train_judge.train_judge import check_judging, fill_judge, judging_identity, read_judge
from dialometer.flows.tune.amfm import check_tunable, tune_amfm
from dialometer.flows.tune.grid_search import Grid
from dialometer.flows.tune.rated_items import read_rated
from dialometer.report.figures.figure import can_draw
from dialometer.report.figures.learning import learning_curve
from dialometer.store.runs import Run

KINDS = ("judge", "bot", "encoder", "likelihood", "metric")  # a judge is found as a metric too, and is a judge first
LEVELS = ("item", "system")
RESULT = "training.json"
COMMON = frozenset(TrainResult.__struct_fields__)
FOLDS = 5  # of a tuning


@dataclass(frozen=True)
class TrainReport:
    """A judge: where it lies, and its result."""

    run: str
    kind: str
    name: str
    facts: dict[str, Any]
    judge: JudgeResult | None = None

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        facts = self.facts if self.judge is None else self.judge.to_json()
        return {"run": self.run, "kind": self.kind, "name": self.name, **facts}


def trainable() -> dict[str, str]:
    """Name → kind of every artifact that can be fitted, on text or (a judge) on ratings."""
    return {name: kind for kind in reversed(KINDS) for name in names(kind) if hasattr(find(kind, name), "fit")}


def train(
    request: TrainRequest,
    *,
    progress: Progress = lambda stage, done, total: None,
    notify: Callable[[str], None] = lambda line: None,
) -> TrainResult | TrainReport:
    """Train, or go on with an interrupted training, or read a finished one; ``notify`` hears what several rated files have."""
    kind, artifact = _unfitted(request)
    if kind == "judge":
        return run_or_resume(
            "train",
            request,
            judging_identity(request, artifact),
            lambda run: fill_judge(run, request, artifact, progress, notify),
            lambda run: _read_judge(run, artifact.name),
        )
    identity = {
        "spec": spec_of(artifact, artifact.name),
        "version": artifact.version,
        "fixed": getattr(artifact, "fixed", list)(),
        "inputs": hashes(request.inputs),
        "tune": hashes(request.tune),
        "where": list(request.where),
        "without": hashes(request.without, LARGE),
        "processes": processes_of(artifact, request.processes),
        "dialometer": __version__,
        "folds": request.folds or FOLDS,
        **{key: getattr(request, key) for key in ("quality", "level", "ks", "orders", "format", "seed")},
    }
    return run_or_resume(
        "train",
        request,
        identity,
        lambda run: _fill(run, request, kind, artifact, progress),
        lambda run: _read(run, kind, artifact.name),
    )


def _unfitted(request: TrainRequest) -> tuple[str, Any]:
    """Its kind, and the artifact before fitting; every option is checked before a file is read."""
    name = read_spec(request.spec).name
    kind = next((kind for kind in KINDS if name in names(kind) and hasattr(find(kind, name), "fit")), "")
    fitted = not kind and ("/" in name or Path(name).is_dir())
    if not kind and not fitted:
        if name in names("bot"):
            raise UsageError(f"{name} does not learn from text", f"dialometer chat {name}, or dialometer play --a {name}")
        raise UnknownName("trainable thing", name, trainable(), hint="dialometer train --help")
    if not request.inputs:
        raise UsageError("no file was given", f"dialometer train {name} FILE…")
    artifact = create(kind or "metric", request.spec)
    if fitted and artifact.name not in names("judge"):
        does = f"dialometer train {artifact.name} FILE… fits another"
        raise SpecError(f"{name} holds {artifact.name}, which does not learn from ratings", does)
    if kind == "judge" or fitted:  # what was fitted before is fitted anew, with the same options but for the scale
        check_judging(request, artifact)
        return "judge", dataclasses.replace(artifact, low=0.0, high=0.0) if fitted and hasattr(
            artifact, "low"
        ) else artifact
    _check_tuning(request, artifact)
    return kind, artifact


def _check_tuning(request: TrainRequest, artifact: Any) -> None:
    if request.level not in LEVELS:
        raise UsageError(f"--level is item or system, not {request.level!r}", "--level item")
    if bool(request.tune) != bool(request.quality):
        raise UsageError("tuning needs rated items and the name of a quality", "--tune RATED.jsonl -q overall")
    if not request.tune:
        if request.ks or request.orders:
            raise UsageError("--ks and --orders are tried while tuning", "--tune RATED.jsonl -q overall")
        return
    if artifact.name != "amfm":
        raise UsageError(
            f"{artifact.name} has nothing to tune against ratings", "dialometer train amfm FILE… --tune RATED.jsonl -q …"
        )
    check_tunable(artifact)
    _grid(request)
    can_draw()
    recipe(create("metric", "embedding"))  # the cross-plots set it beside amfm: its vectors must be here


def _grid(request: TrainRequest) -> Grid:
    grid = Grid()
    if request.ks:
        grid = dataclasses.replace(grid, ks=_numbers(request.ks))
    return dataclasses.replace(grid, orders=_numbers(request.orders)) if request.orders else grid


def _fill(run: Run, request: TrainRequest, kind: str, artifact: Any, progress: Progress) -> None:
    """Read, fit, save."""
    started = time.perf_counter()
    progress("reading", 0, 0)
    dialogues = read_talks(
        request.inputs, format=request.format, max_line=request.max_line, where=request.where,
        without=read_ids(request.without),
    )  # fmt: skip
    details: dict[str, Any] = {}
    if request.tune:
        fitted, tuning = _tune(run, request, artifact, dialogues, progress)
        details = {"tuning": tuning}
    else:
        options = process_options(artifact, request.processes)
        fitted = artifact.fit(dialogues, seed=request.seed, work=run.work / "fit", progress=progress, **options)
        details = getattr(fitted, "facts", {})
        _write_learning_curve(run.folder, artifact.name, details)
    write_folder(run.folder / "model", fitted.save)
    result_class = _class_of(set(details))
    content = {name: details[name] for name in result_class.__struct_fields__ if name in details and name not in COMMON} | {
        "run": str(run.folder),
        "kind": kind,
        "name": artifact.name,
        "conversations": len(dialogues),
        "utterances": sum(map(len, dialogues)),
        "recipe": fitted.recipe if hasattr(fitted, "recipe") else recipe(fitted),
        "seconds": round(time.perf_counter() - started, 2),
    }
    result = msgspec.convert(plain(content), result_class)
    write_located(run.folder / RESULT, result, without=("run", "kind", "name"))
    run.finish()


def _class_of(keys: set[str]) -> type[TrainResult]:
    """The result class that has these fields beside the common ones."""
    classes: tuple[type[TrainResult], ...] = (TunedTrainResult, GenerativeTrainResult, RetrievalTrainResult)
    return next((one for one in classes if set(one.__struct_fields__) - COMMON <= keys), TrainResult)


def _tune(run: Run, request: TrainRequest, metric: Any, dialogues: Talks, progress: Progress) -> tuple[Any, TuningResult]:
    rated = read_rated(
        request.tune, request.quality, level=request.level, folds=request.folds or FOLDS, seed=request.seed,
        format=request.format, max_line=request.max_line,
    )  # fmt: skip
    folder = run.work / "tuning"
    folder.mkdir(exist_ok=True)
    fitted, result = tune_amfm(metric, rated, dialogues, _grid(request), folder, progress)
    for path in folder.iterdir():  # only now: a refusal on the way leaves an empty run, which is taken back
        path.replace(run.folder / path.name)
    return fitted, result


def _write_learning_curve(folder: Path, name: str, training: Mapping[str, Any]) -> None:
    """``curve.csv`` (and ``curve.png``, where matplotlib is) of a training that recorded its losses."""
    curve, validation = training.get("curve", ()), training.get("validation", ())
    if not curve:
        return
    epochs = len(validation)  # equally long
    points = [(training["steps"] * (epoch + 1) // epochs, loss) for epoch, loss in enumerate(validation)]
    rows = [f"{step},training,{loss}" for step, loss in curve] + [f"{step},validation,{loss}" for step, loss in points]
    write_bytes(folder / "curve.csv", ("step,part,loss\n" + "\n".join(rows) + "\n").encode())
    if find_spec("matplotlib"):
        learning_curve(folder / "curve.png", curve, points, title=f"{name} learns")


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of a list that the request checked, in order."""
    return tuple(sorted({number for number in whole_numbers(text) if number}))


def _read(run: Run, kind: str, name: str) -> TrainResult:
    result = read_located(run, RESULT, _class_of, run=str(run.folder), kind=kind, name=name)
    _check_model(run)
    return result


def _read_judge(run: Run, name: str) -> TrainReport:
    result = read_judge(run)
    _check_model(run)
    return TrainReport(str(run.folder), "judge", name, {}, result)


def _check_model(run: Run) -> None:
    try:
        manifest_path(run.folder / "model").stat()
    except OSError as error:
        raise damaged(run, error) from None
