"""A judge from rated items: fitted on all of them, and told how it does on what it has not seen."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from dialometer._version import __version__
from dialometer.core.atomic import write_bytes, write_folder, write_json
from dialometer.core.errors import DialometerError, UnknownName, UsageError
from dialometer.core.protocols import Progress
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, load_folder, spec_of
from dialometer.flows.shared.rating_options import check_rating_options
from dialometer.flows.shared.runs import build_tables, check_unchanged, hashes
from dialometer.flows.train_judge.analysis import analyse
from dialometer.flows.train_judge.card import card
from dialometer.flows.train_judge.conclusions import conclusions
from dialometer.flows.train_judge.dataset import Bench, on_scale, open_bench
from dialometer.flows.train_judge.leave_bot_out import left_out_bots, refuse_replies
from dialometer.flows.train_judge.page import write_report
from dialometer.flows.train_judge.predictions import predictions_csv
from dialometer.flows.train_judge.qualities import Notify, quality_names
from dialometer.flows.train_judge.selfplay import check_selfplay, read_selfplay, selfplay_file
from dialometer.stats.agreement.aggregate import WAYS
from dialometer.store.runs import Run, move_into
from dialometer.text.corpus import Corpus

if TYPE_CHECKING:
    from dialometer.contracts.train import TrainRequest

RESULTS = "judge.json"
FOLDS = 10
TIMED = 200  # replies that are scored to tell the time


def check_judging(request: TrainRequest, judge: Any) -> None:
    """Every option of a judge's training, before a file is read."""
    if request.tune or request.ks or request.orders or request.level != "item" or request.processes != 1:
        raise UsageError(
            "--tune, --ks, --orders, --level and --processes are for other things than judges",
            "dialometer train JUDGE RATED.jsonl -q QUALITY",
        )
    if request.without:
        raise UsageError("--without leaves out conversations, not rated items", '--where "field!=value"')
    if request.human and (request.quality or request.ratings or request.scale):
        raise UsageError(
            "--human marks items by who wrote them, so no ratings are read", "leave out -q, --ratings and --scale"
        )
    if request.aggregate not in WAYS:
        raise UnknownName("way to aggregate", request.aggregate, WAYS, hint=f"--aggregate one of: {', '.join(WAYS)}")
    check_rating_options("quadratic", request.scale, request.where)
    quality_names(request.quality)
    check_selfplay(request, judge)
    for spec in request.metrics:
        create("metric", spec)


def judging_identity(request: TrainRequest, judge: Any) -> dict[str, Any]:
    """All that can change a number, and the licence that the card quotes."""
    keys = (
        "where",
        "quality",
        "human",
        "aggregate",
        "drop_references_equal",
        "scale",
        "metrics",
        "beside",
        "quick",
        "format",
        "seed",
    )
    return {
        "spec": spec_of(judge, judge.name),
        "version": judge.version,
        "recipes": [recipe(each) for each in (judge, *(create("metric", spec) for spec in (*request.metrics, *request.beside)))],
        "inputs": hashes(request.inputs),
        "ratings": hashes([request.ratings] if request.ratings else []),
        "selfplay": hashes([selfplay_file(request.selfplay)] if request.selfplay else []),
        "folds": request.folds or FOLDS,
        "licence": request.licence,
        "starts": "aligned",
        "dialometer": __version__,
        **{key: getattr(request, key) for key in keys},
    }  # fmt: skip


def fill_judge(run: Run, request: TrainRequest, judge: Any, progress: Progress, notify: Notify) -> None:
    """Read, fit, look, write."""
    progress("reading", 0, 0)
    bench = open_bench(request, judge, notify)
    refuse_replies(bench, judge)
    played = read_selfplay(bench, request)
    spec, judge = spec_of(judge, judge.name), on_scale(judge, bench, request.aggregate)
    check_unchanged(run, request.inputs)
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    build_tables([judge], progress)
    fitted, seconds = _fitted(bench, judge, request.seed, made, progress)
    analysis = analyse(bench, judge, request, request.folds or FOLDS, run.work, progress)
    found = _data(bench, request, run) | analysis.found
    found |= left_out_bots(bench, judge, request, played, run.work, progress) if judge.unit == "dialogue" else {}
    found |= {"recipe": recipe(fitted), "spec": spec, "learnt": fitted.facts, "seconds": seconds}
    said = conclusions(found)
    found |= {"summary": [words for words, _ in said], "tones": [tone for _, tone in said]}
    progress("writing", 0, 1)
    write_bytes(made / "predictions.csv", predictions_csv(bench, analysis))
    write_report(bench, analysis, found, request, made)
    write_bytes(made / "card.md", card(judge, found).encode())
    write_json(made / RESULTS, found)
    move_into(made, run.folder)
    run.finish()
    progress("writing", 1, 1)


def _fitted(bench: Bench, judge: Any, seed: int, made: Path, progress: Progress) -> tuple[Any, dict[str, float]]:
    """The judge on all items, kept as soon as it is there; and how long it took to fit, and to score some."""
    folder, times = made / "model", made.parent / "seconds.json"
    with suppress(
        DialometerError, OSError, ValueError, KeyError, TypeError
    ):  # nothing there, or it is damaged: fitted anew
        seconds = orjson.loads(times.read_bytes())
        return load_folder(type(judge), folder), {key: float(seconds[key]) for key in ("fit", "score", "replies")}
    started = time.perf_counter()
    fitted = judge.fit(bench.corpus, bench.target[bench.owner], seed=seed, progress=progress)
    fit = time.perf_counter() - started
    write_folder(folder, fitted.save)
    some = bench.examples[:TIMED]
    fresh = Corpus.build(some)  # knows no vectors, and keeps none: every text is encoded
    started = time.perf_counter()
    fitted.measure(fresh)
    score = time.perf_counter() - started
    seconds = {"fit": round(fit, 3), "score": round(score, 3), "replies": len(some)}
    write_json(times, seconds)
    return fitted, seconds


def _data(bench: Bench, request: TrainRequest, run: Run) -> dict[str, Any]:
    """What it was trained on."""
    judged = bench.rated.ratings.of(bench.quality)
    return {
        "quality": bench.quality,
        "n": len(bench),
        "unit": bench.rated.unit,
        "replies": len(bench.examples),
        "contexts": int(bench.cluster.max()) + 1,
        "named_systems": sum(bool(name) for name in set(bench.system.tolist())),
        "judgements": len(judged),
        "raters": len(set(judged.rater[judged.rater >= 0].tolist())),
        "aggregate": request.aggregate,
        "scale": list(bench.scale),
        "folds_asked": request.folds or FOLDS,
        "left_out": bench.left_out,
        "files": [one.to_json() for one in bench.files],
        "data": [{"file": name, "blake2b": digest} for name, digest in run.record["identity"]["inputs"]],
        "licence": request.licence,
        "seed": request.seed,
    }
