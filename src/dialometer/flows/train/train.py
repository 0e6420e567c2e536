"""train: anything that learns, from text (a bot, an encoder, a language model, amfm) or from ratings (a judge).

What was fitted is kept in a run folder that is a spec.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialometer._version import __version__
from dialometer.contracts.train import TrainRequest
from dialometer.contracts.train_judge import JudgeResult
from dialometer.core.atomic import write_folder, write_json
from dialometer.core.errors import SpecError, UnknownName, UsageError
from dialometer.core.files import LARGE
from dialometer.core.protocols import Progress
from dialometer.core.ranges import whole_numbers
from dialometer.core.recipes import recipe
from dialometer.core.registry import CARD, create, find, names, read_spec, spec_of
from dialometer.flows.shared.runs import carry_out, damaged, hashes, read_results
from dialometer.flows.train.learning_curve import write_learning
from dialometer.flows.train.ranks import processes_of, shared
from dialometer.flows.train.training_text import Talks, read_ids, read_talks
from dialometer.flows.train_judge.train_judge import check_judging, fill_judge, judging_identity, read_judge
from dialometer.flows.tune.amfm import check_tunable, tuned
from dialometer.flows.tune.grid_search import Grid
from dialometer.flows.tune.rated_items import read_rated
from dialometer.report.figures.figure import can_draw
from dialometer.store.runs import Run

KINDS = ("judge", "bot", "encoder", "likelihood", "metric")  # a judge is found as a metric too, and is a judge first
LEVELS = ("item", "system")
FACTS = "training.json"
FOLDS = 5  # of a tuning


@dataclass(frozen=True)
class TrainReport:
    """Where the fitted thing lies and what it says of itself; of a judge, its result."""

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
    """Name → kind of everything that can be fitted, on text or (a judge) on ratings."""
    return {name: kind for kind in reversed(KINDS) for name in names(kind) if hasattr(find(kind, name), "fit")}


def train(
    request: TrainRequest,
    *,
    progress: Progress = lambda stage, done, total: None,
    notify: Callable[[str], None] = lambda line: None,
) -> TrainReport:
    """Train, or go on with an interrupted training, or read a finished one; ``notify`` hears what several rated files have."""
    kind, thing = _thing(request)
    if kind == "judge":
        return carry_out(
            "train",
            request,
            judging_identity(request, thing),
            lambda run: fill_judge(run, request, thing, progress, notify),
            lambda run: _read_judge(run, thing.name),
        )
    identity = {
        "spec": spec_of(thing, thing.name),
        "version": thing.version,
        "fixed": getattr(thing, "fixed", list)(),
        "inputs": hashes(request.inputs),
        "tune": hashes(request.tune),
        "where": list(request.where),
        "without": hashes(request.without, LARGE),
        "processes": processes_of(thing, request.processes),
        "dialometer": __version__,
        "folds": request.folds or FOLDS,
        **{key: getattr(request, key) for key in ("quality", "level", "ks", "orders", "format", "seed")},
    }
    return carry_out(
        "train",
        request,
        identity,
        lambda run: _fill(run, request, thing, progress),
        lambda run: _read(run, kind, thing.name),
    )


def _thing(request: TrainRequest) -> tuple[str, Any]:
    """The unfitted thing; every option is checked before a file is read."""
    name = read_spec(request.spec).name
    kind = next((kind for kind in KINDS if name in names(kind) and hasattr(find(kind, name), "fit")), "")
    fitted = not kind and ("/" in name or Path(name).is_dir())
    if not kind and not fitted:
        if name in names("bot"):
            raise UsageError(f"{name} does not learn from text", f"dialometer chat {name}, or dialometer play --a {name}")
        raise UnknownName("trainable thing", name, trainable(), hint="dialometer train --help")
    if not request.inputs:
        raise UsageError("no file was given", f"dialometer train {name} FILE…")
    thing = create(kind or "metric", request.spec)
    if fitted and thing.name not in names("judge"):
        does = f"dialometer train {thing.name} FILE… fits another"
        raise SpecError(f"{name} holds {thing.name}, which does not learn from ratings", does)
    if kind == "judge" or fitted:  # what was fitted before is fitted anew, with the same options but for the scale
        check_judging(request, thing)
        return "judge", dataclasses.replace(thing, low=0.0, high=0.0) if fitted and hasattr(thing, "low") else thing
    _check_tuning(request, thing)
    return kind, thing


def _check_tuning(request: TrainRequest, thing: Any) -> None:
    if request.level not in LEVELS:
        raise UsageError(f"--level is item or system, not {request.level!r}", "--level item")
    if bool(request.tune) != bool(request.quality):
        raise UsageError("tuning needs rated items and the name of a quality", "--tune RATED.jsonl -q overall")
    if not request.tune:
        if request.ks or request.orders:
            raise UsageError("--ks and --orders are tried while tuning", "--tune RATED.jsonl -q overall")
        return
    if thing.name != "amfm":
        raise UsageError(
            f"{thing.name} has nothing to tune against ratings", "dialometer train amfm FILE… --tune RATED.jsonl -q …"
        )
    check_tunable(thing)
    _grid(request)
    can_draw()
    recipe(create("metric", "embedding"))  # the cross-plots set it beside amfm: its vectors must be here


def _grid(request: TrainRequest) -> Grid:
    grid = Grid()
    if request.ks:
        grid = dataclasses.replace(grid, ks=_numbers(request.ks))
    return dataclasses.replace(grid, orders=_numbers(request.orders)) if request.orders else grid


def _fill(run: Run, request: TrainRequest, thing: Any, progress: Progress) -> None:
    """Read, fit, save."""
    started = time.perf_counter()
    progress("reading", 0, 0)
    talks = read_talks(
        request.inputs, format=request.format, max_line=request.max_line, where=request.where,
        without=read_ids(request.without),
    )  # fmt: skip
    facts: dict[str, Any] = {"conversations": len(talks), "utterances": sum(map(len, talks))}
    if request.tune:
        fitted, tuning = _tuned(run, request, thing, talks, progress)
        facts |= tuning
    else:
        several = shared(thing, request.processes)
        fitted = thing.fit(talks, seed=request.seed, work=run.work / "fit", progress=progress, **several)
        facts |= write_learning(run.folder, thing.name, getattr(fitted, "facts", {}))
    facts |= {"recipe": fitted.recipe if hasattr(fitted, "recipe") else recipe(fitted)}
    write_folder(run.folder / "model", fitted.save)
    write_json(run.folder / FACTS, facts | {"seconds": round(time.perf_counter() - started, 2)})
    run.finish()


def _tuned(run: Run, request: TrainRequest, thing: Any, talks: Talks, progress: Progress) -> tuple[Any, dict[str, Any]]:
    rated = read_rated(
        request.tune, request.quality, level=request.level, folds=request.folds or FOLDS, seed=request.seed,
        format=request.format, max_line=request.max_line,
    )  # fmt: skip
    made = run.work / "tuning"
    made.mkdir(exist_ok=True)
    fitted, found, pictures = tuned(thing, rated, talks, _grid(request), made, progress)
    for path in made.iterdir():  # only now: a refusal on the way leaves an empty run, which is taken back
        path.replace(run.folder / path.name)
    facts = dataclasses.asdict(found)
    facts["chosen"] = dict(zip(("k", "n", "weight"), found.chosen, strict=True))
    return fitted, {
        "tuning": facts
        | {"quality": request.quality, "level": request.level, "pictures": pictures, "left_out": rated.left_out}
    }


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of a list that the request checked, in order."""
    return tuple(sorted({number for number in whole_numbers(text) if number}))


def _read(run: Run, kind: str, name: str) -> TrainReport:
    facts = read_results(run, FACTS)
    _check_model(run)
    return TrainReport(str(run.folder), kind, name, facts)


def _read_judge(run: Run, name: str) -> TrainReport:
    result = read_judge(run)
    _check_model(run)
    return TrainReport(str(run.folder), "judge", name, {}, result)


def _check_model(run: Run) -> None:
    try:
        (run.folder / "model" / CARD).stat()
    except OSError as error:
        raise damaged(run, error) from None
