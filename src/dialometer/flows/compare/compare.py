"""compare: two or more bots or runs side by side; paired tests, effect sizes, a human study written and read back."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import Any

from dialometer._version import __version__
from dialometer.contracts.compare import CompareRequest
from dialometer.contracts.score import ScoreRequest
from dialometer.core.atomic import write_json
from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.core.recipes import recipe
from dialometer.data.row_errors import limits
from dialometer.flows.compare.columns import Columns, check_needs, from_runs, measured
from dialometer.flows.compare.conclusions import conclusions, out_of_reach
from dialometer.flows.compare.default_metrics import Defaults, default_metrics
from dialometer.flows.compare.dependence import dependence
from dialometer.flows.compare.dialogues import Talks, read_talks
from dialometer.flows.compare.human_ratings import human
from dialometer.flows.compare.page import compare_page
from dialometer.flows.compare.pairs import Row, compare_pairs, pairs_of, system_means
from dialometer.flows.compare.self_play import Played, play_unseen
from dialometer.flows.compare.sources import WAY, Source, sort_out
from dialometer.flows.compare.study_files import check_folder, write_study
from dialometer.flows.compare.study_plan import Plan, plan_of
from dialometer.flows.compare.trajectories import turn_by_turn
from dialometer.flows.score.result_files import digest_of
from dialometer.flows.score.score import make_metrics
from dialometer.flows.shared.planned import Pair, check_planned, planned_pairs
from dialometer.flows.shared.rating_options import check_rating_options
from dialometer.flows.shared.runs import check_unchanged, hashes, read_results, run_or_resume
from dialometer.report.page import write_page
from dialometer.stats.testing.contrasts import TESTS
from dialometer.store.runs import Run, move_into

RESULTS = "compare.json"


@dataclass(frozen=True)
class CompareReport:
    """What a run found; ``results`` has every table of the report, ``study`` what was written for raters."""

    run: str
    results: dict[str, Any] = field(default_factory=dict)
    study: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        return {"run": self.run, **self.results, "study": self.study or None}


@dataclass(frozen=True)
class Materials:
    """All that a comparison needs, made and checked before its run is opened."""

    sources: list[Source]
    metrics: dict[str, Any]
    plan: Plan
    played: Played | None = None
    drawn: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def scored(self) -> bool:
        """Whether the numbers are there already."""
        return not self.metrics


def compare(request: CompareRequest, *, progress: Progress = lambda stage, done, total: None) -> CompareReport:
    """Compare, or go on with an interrupted comparison, or read a finished one; the study is written where it is not yet."""
    materials = _prepare(request, progress)
    report = run_or_resume(
        "compare", request, _identity(request, materials), lambda run: _fill(run, request, materials, progress), _read
    )
    if not request.study:
        return report
    talks = read_talks(materials.sources, format=request.format, max_line=request.max_line)
    counts = write_study(request.study, talks, materials.plan)
    return CompareReport(report.run, report.results, {"folder": request.study, **counts, **materials.plan.to_json()})


def _prepare(request: CompareRequest, progress: Progress) -> Materials:
    """Check everything that can be checked, then let bots talk."""
    sources, specs = sort_out(request.inputs)
    bots = [*request.a, *specs]
    _check(request, sources, bots)
    plan = plan_of(request.study, request.quality, request.scale, request.seed, request.checks)
    scored = not request.metrics and not bots and all(source.scores for source in sources)
    usual = Defaults() if scored or request.metrics else default_metrics(sources, request)
    metrics, drawn = (_made(request, some) for some in (request.metrics or usual.metrics, usual.drawn))
    played = None
    if bots:
        check_needs(list(metrics.values()), None)
        played = play_unseen(request, bots, progress)
        sources = [*sources, Source(played.report.dialogues, "played")]
    return Materials(sources, metrics, plan, played, drawn, usual.notes)


def _made(request: CompareRequest, specs: tuple[str, ...]) -> dict[str, Any]:
    if not specs:
        return {}
    wanted = ScoreRequest(("",), specs, tok=request.tok, seed=request.seed, engine=request.engine)
    return dict(zip(specs, make_metrics(wanted), strict=True))


def _check(request: CompareRequest, sources: list[Source], bots: list[str]) -> None:
    if not sources and not bots:
        raise UsageError("nothing was named to compare", WAY)
    if not sources and len(bots) < 2:
        raise UsageError(f"a comparison wants two systems or more, and there is {bots[0]}", f"--a {bots[0]} --a BOT")
    if not bots and (told := [name for name in ("b", "partners", "openers", "where") if getattr(request, name)]):
        raise UsageError(f"--{told[0]} is for bots that talk, and none is named", "--a BOT")
    if request.test not in TESTS:
        raise UsageError(f"--test is mean or rank, not {request.test!r}", "--test mean")
    check_planned(request.planned)
    check_rating_options(request.weights, request.scale, request.where)
    limits(request.max_line)
    hashes(request.ratings)  # files that are not there stop it here
    if request.study:
        check_folder(request.study)


def _identity(request: CompareRequest, materials: Materials) -> dict[str, Any]:
    """All that can change a number or a name: what was said by content, recipes, options; not engine or output."""
    keys = ("against", "planned", "test", "weights", "resamples", "permutations", "format", "seed")
    played = materials.played
    return {
        "inputs": hashes([source.path for source in materials.sources]),
        "sources": [[source.name, *(digest_of(source.scores) if source.scores else ())] for source in materials.sources],
        "recipes": {spec: recipe(metric) for spec, metric in {**materials.metrics, **materials.drawn}.items()},
        "ratings": hashes(request.ratings),
        "plan": materials.plan.to_json() if request.ratings else None,
        "dropped": [played.dropped, played.openers, list(played.judges)] if played else None,
        "versions": {"dialometer": __version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        **{key: getattr(request, key) for key in keys},
    }


def _fill(run: Run, request: CompareRequest, materials: Materials, progress: Progress) -> None:
    """Read, measure, compare, ask people, draw, keep."""
    talks = read_talks(materials.sources, format=request.format, max_line=request.max_line)
    check_unchanged(run, tuple(source.path for source in materials.sources))
    pairs = pairs_of(talks.systems, request.against)  # a name that nobody has stops it here
    _planned(request, talks, pairs)
    if request.metrics:  # the usual ones measure what they can
        check_needs(list(materials.metrics.values()), talks.pieces)
    if materials.scored:
        columns = from_runs(talks, materials.sources)
    else:
        columns = measured(talks, materials.metrics, materials.drawn, request, run.work, progress)
    progress("comparing", 0, 0)
    results = _results(talks, columns, request, materials, run)
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    write_page(compare_page(talks, results), made)
    write_json(made / RESULTS, results)
    move_into(made, run.folder)
    run.record["parents"] = [materials.played.report.run] if materials.played else []
    run.finish()


def _results(talks: Talks, columns: Columns, request: CompareRequest, materials: Materials, run: Run) -> dict[str, Any]:
    """Every table, as plain values."""
    drawn: dict[str, Any] = {"resamples": request.resamples, "seed": request.seed}
    options: dict[str, Any] = {"against": request.against, "test": request.test, "permutations": request.permutations}
    options["planned"] = _planned(request, talks, pairs_of(talks.systems, request.against))
    marks = dependence(talks, {column: told for column, told in columns.recipes.items() if column not in columns.unscored})
    every = compare_pairs(talks, columns, marks, **options, **drawn)
    rows, empty = _with_numbers(every)
    means = system_means(talks, columns, **drawn)
    people = None
    if request.ratings:
        people = human(request.ratings, talks, materials.plan, run.work, weights=request.weights, **options, **drawn)
    shown = list(dict.fromkeys(row.metric for row in rows))
    return {
        "n": len(talks.pieces),
        "unit": talks.unit,
        "systems": {
            name: _system(talks, name, materials) | {"columns": {c: means[name][c] for c in shown}}
            for name in talks.systems
        },
        "pairs": [row.to_json() for row in rows],
        "conclusions": conclusions(rows, marks, noun=talks.unit),
        "notes": [*_notes(talks, materials), *materials.notes, *filter(None, [out_of_reach(rows)])],
        "planned": [sorted(pair) for pair in options["planned"]],
        "independent": {column: not any(column in own for own in marks.values()) for column in shown},
        "depends": marks,
        "unscored": [*columns.unscored, *empty],
        "trajectories": turn_by_turn(talks, columns, request.against),
        "human": people,
        "recipes": {column: columns.recipes[column] for column in shown if columns.recipes.get(column)},
        "play": materials.played.report.run if materials.played else None,
        "openers": {"found": materials.played.openers, "seen": materials.played.dropped} if materials.played else None,
    }


def _planned(request: CompareRequest, talks: Talks, pairs: list[tuple[str, str]]) -> list[Pair]:
    """The planned comparisons, each one of those that are made."""
    found = planned_pairs(request.planned, talks.systems, "system")
    for pair in found:
        if pair not in map(frozenset, pairs):
            raise UsageError(f"--planned {','.join(sorted(pair))} is not among the comparisons", "leave --against out")
    return found


def _with_numbers(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """Without the columns that have no number for any pair; their names are kept."""
    there = {row.metric for row in rows if not math.isnan(row.contrast.difference)}
    gone = dict.fromkeys(row.metric for row in rows if row.metric not in there)
    return [row for row in rows if row.metric in there], list(gone)


def _system(talks: Talks, name: str, materials: Materials) -> dict[str, Any]:
    own = [piece for piece in talks.pieces if piece.system == name]
    return {
        "conversations": len(own),
        "replies": sum(len(piece.replies) for piece in own),
        "stopped": sum("error" in piece.item.extra for piece in own),
        "units": len({piece.block for piece in own}),
        "source": materials.sources[own[0].source].path,
        "recipe": own[0].recipe,
    }


def _notes(talks: Talks, materials: Materials) -> list[str]:
    """What a reader must know before believing a number."""
    notes = []
    played = materials.played
    if played and played.dropped:
        notes.append(
            f"{played.dropped} of {played.openers} openers were left out: {' or '.join(played.judges)} saw them in training."
        )
    if talks.silent:
        notes.append(f"{talks.silent} conversations hold no reply of the system and are left out.")
    if stopped := sum("error" in piece.item.extra for piece in talks.pieces):
        notes.append(f"{stopped} conversations stopped early: a bot failed. They count with what was said.")
    return notes


def _read(run: Run) -> CompareReport:
    return CompareReport(str(run.folder), read_results(run, RESULTS))
