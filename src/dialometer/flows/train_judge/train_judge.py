"""A judge from rated items: fitted on all of them, and validated on items that its fits have not seen."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import structs

from dialometer._version import __version__
from dialometer.contracts.result import decode, encode
from dialometer.contracts.train import TrainRequest
from dialometer.contracts.train_judge import DataFile, JudgeResult, JudgeSeconds
from dialometer.contracts.train_judge_bots import BotTables
from dialometer.core.atomic import write_bytes, write_folder
from dialometer.core.errors import DialometerError, UnknownName, UsageError
from dialometer.core.protocols import Progress
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, load_folder, spec_of
from dialometer.flows.shared.rating_options import check_rating_options
from dialometer.flows.shared.runs import build_tables, check_unchanged, hashes, read_result
from dialometer.flows.stress.picture import stress_blocks
from dialometer.flows.train_judge.analysis import Analysis, analyse
from dialometer.flows.train_judge.dataset import RatedDataset, read_dataset, set_scale
from dialometer.flows.train_judge.leave_bot_out import bot_tables, refuse_replies
from dialometer.flows.train_judge.qualities import Notify, quality_names
from dialometer.flows.train_judge.selfplay import check_selfplay, read_selfplay, selfplay_file
from dialometer.report.pages.train_judge.card import card
from dialometer.report.pages.train_judge.conclusions import conclusions
from dialometer.report.pages.train_judge.items import JudgedItems, predictions_csv
from dialometer.report.pages.train_judge.page import write_report
from dialometer.stats.agreement.aggregate import WAYS
from dialometer.store.runs import Run, move_into
from dialometer.text.corpus import Corpus

RESULTS = "judge.json"
FOLDS = 10
TIMED = 200  # replies that are scored to measure the time


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
    """Read, fit, validate, write."""
    progress("reading", 0, 0)
    dataset = read_dataset(request, judge, notify)
    refuse_replies(dataset, judge)
    played = read_selfplay(dataset, request)
    spec, judge = spec_of(judge, judge.name), set_scale(judge, dataset, request.aggregate)
    check_unchanged(run, request.inputs)
    folder = run.work / "made"
    folder.mkdir(exist_ok=True)
    build_tables([judge], progress)
    fitted, seconds = _fit(dataset, judge, request.seed, folder, progress)
    analysis = analyse(dataset, judge, request, request.folds or FOLDS, run.work, progress)
    of_dialogues = judge.unit == "dialogue"
    bots = bot_tables(dataset, judge, request, played, run.work, progress) if of_dialogues else None
    result = _result(
        run, request, dataset, analysis, recipe=recipe(fitted), spec=spec, fitted=fitted.facts, seconds=seconds, bots=bots
    )
    sentences = conclusions(result)
    result = structs.replace(result, summary=[words for words, _ in sentences], tones=[tone for _, tone in sentences])
    progress("writing", 0, 1)
    judged = _judged_items(dataset, analysis)
    write_bytes(folder / "predictions.csv", predictions_csv(judged))
    write_report(result, judged, stress_blocks(analysis.long.reactions), analysis.recipes, folder)
    write_bytes(folder / "card.md", card(judge.name, judge.unit, result).encode())
    write_bytes(folder / RESULTS, encode(result, indent=True))
    move_into(folder, run.folder)
    run.finish()
    progress("writing", 1, 1)


def read_judge(run: Run) -> JudgeResult:
    """The result of a finished training."""
    return read_result(run, RESULTS, JudgeResult)


def _fit(dataset: RatedDataset, judge: Any, seed: int, folder: Path, progress: Progress) -> tuple[Any, JudgeSeconds]:
    """The judge on all items, stored when it is fitted; and how long it took to fit, and to score some."""
    model, times = folder / "model", folder.parent / "seconds.json"
    with suppress(
        DialometerError, OSError, ValueError, KeyError, TypeError
    ):  # nothing there, or it is damaged: fitted again
        return load_folder(type(judge), model), decode(times.read_bytes(), JudgeSeconds)
    started = time.perf_counter()
    fitted = judge.fit(dataset.corpus, dataset.target[dataset.owner], seed=seed, progress=progress)
    fit = time.perf_counter() - started
    write_folder(model, fitted.save)
    some = dataset.examples[:TIMED]
    fresh = Corpus.build(some)  # has no vectors, and keeps none: every text is encoded
    started = time.perf_counter()
    fitted.measure(fresh)
    score = time.perf_counter() - started
    seconds = JudgeSeconds(fit=round(fit, 3), score=round(score, 3), replies=len(some))
    write_bytes(times, encode(seconds))
    return fitted, seconds


def _result(
    run: Run,
    request: TrainRequest,
    dataset: RatedDataset,
    analysis: Analysis,
    *,
    recipe: str,
    spec: str,
    fitted: dict[str, Any],
    seconds: JudgeSeconds,
    bots: BotTables | None,
) -> JudgeResult:
    """Everything but the summary."""
    ratings, long = dataset.rated.ratings.of(dataset.quality), analysis.long
    return JudgeResult(
        quality=dataset.quality,
        n=len(dataset),
        unit=dataset.rated.unit,
        replies=len(dataset.examples),
        contexts=int(dataset.cluster.max()) + 1,
        named_systems=sum(bool(name) for name in set(dataset.system.tolist())),
        judgements=len(ratings),
        raters=len(set(ratings.rater[ratings.rater >= 0].tolist())),
        aggregate=request.aggregate,
        scale=dataset.scale,
        folds_asked=request.folds or FOLDS,
        left_out=dataset.left_out,
        files=[one.row() for one in dataset.files],
        data=[DataFile(file=name, blake2b=digest) for name, digest in run.record["identity"]["inputs"]],
        licence=request.licence,
        seed=request.seed,
        folds=analysis.folds,
        baselines=analysis.baselines,
        best=analysis.best,
        ceiling=analysis.ceiling,
        calibration=analysis.calibration,
        systems=analysis.systems,
        attribution=analysis.attribution,
        overlap=analysis.overlap,
        judges=analysis.judges,
        left_out_analyses=analysis.left_out_analyses,
        left_out_metrics=analysis.left_out_metrics,
        recipe=recipe,
        spec=spec,
        fitted=fitted,
        seconds=seconds,
        summary=[],
        tones=[],
        leave_one_system_out=long.leave_one_system_out,
        amounts=long.amounts,
        stress=long.stress,
        unfitted=long.unfitted,
        bots=bots,
    )


def _judged_items(dataset: RatedDataset, analysis: Analysis) -> JudgedItems:
    """What the report shows item by item."""
    given: list[list[float]] = [[] for _ in dataset.rated.items]
    ratings = dataset.rated.ratings.of(dataset.quality)
    for row, value in zip(ratings.item.tolist(), ratings.value.tolist(), strict=True):
        if row < len(given):
            given[row].append(value)
    return JudgedItems(dataset.rated.items, given, dataset.target, analysis.predictions, analysis.aligned, analysis.columns)
