"""demo: the whole loop offline in about two minutes, from what comes inside wheels.

Bots learn, play themselves and a fixed partner, and answer questions; metrics, a judge and M_H score them; the metrics are set
beside replies whose quality was constructed (nobody rated them); one page shows it all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialometer._version import __version__
from dialometer.contracts.demo import DemoRequest
from dialometer.contracts.score import ScoreResult
from dialometer.core.atomic import write_json
from dialometer.core.protocols import Progress
from dialometer.core.types import Dialogue
from dialometer.data import open_items
from dialometer.flows.demo import results as r
from dialometer.flows.demo import steps as s
from dialometer.flows.demo.corpus import SmallTalk, read_corpus
from dialometer.flows.demo.files import Files, by_heart, write_files
from dialometer.flows.demo.leaders import leads
from dialometer.flows.demo.narration import Words
from dialometer.flows.demo.page import demo_page
from dialometer.flows.demo.pairing import by_opener
from dialometer.flows.demo.partner_gap import gaps
from dialometer.flows.demo.plan import HRED, Plan, make_plan, spelt
from dialometer.flows.play.play import PlayReport
from dialometer.flows.score.result_files import read_summary
from dialometer.flows.shared.runs import read_results, run_or_resume
from dialometer.report.page import write_page
from dialometer.store.runs import Run, move_into

STEPS = 9


@dataclass(frozen=True)
class DemoReport:
    """Where the page lies, and every number on it."""

    run: str
    report: str
    results: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        return {"run": self.run, "report": self.report, **self.results}


def demo(
    request: DemoRequest | None = None,
    *,
    tell: Callable[[str], None] = lambda sentence: None,
    progress: Progress = lambda stage, done, total: None,
) -> DemoReport:
    """Run it, or go on with an interrupted one, or read a finished one; ``tell`` hears a sentence before and after each step."""
    request = request or DemoRequest()
    if request.output:
        spelt(Path(request.output))
    plan = make_plan()
    corpus = read_corpus(chatterbot=plan.chatterbot, held_out=request.questions, seed=request.seed)
    return run_or_resume(
        "demo", request, _identity(request, plan, corpus), lambda run: _fill(run, request, plan, corpus, tell, progress), _read
    )  # fmt: skip


def _identity(request: DemoRequest, plan: Plan, corpus: SmallTalk) -> dict[str, Any]:
    """All that can change a number."""
    return {
        "corpus": corpus.digest,
        "bots": list(plan.bots),
        "metrics": sorted(plan.metrics),
        "recipes": list(plan.recipes),
        "versions": {"dialometer": __version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        **{key: getattr(request, key) for key in ("n", "turns", "questions", "resamples", "seed")},
    }


def _fill(
    run: Run, request: DemoRequest, plan: Plan, corpus: SmallTalk, tell: Callable[[str], None], progress: Progress
) -> None:
    """Learn, talk, score, judge the metrics, compare, draw."""
    steps = STEPS - (len(plan.bots) < 2)  # one bot alone is compared with nobody
    tour = s.Tour(run.folder, plan, request.n, request.turns, request.resamples, request.seed, tell, progress, steps)
    words = Words(plan, request.n, request.turns)
    for line in words.left_out():
        tell(line)
    files = tour.step(
        words.corpus(corpus), lambda: write_files(corpus, run.folder / "data", request.seed), words.wrote_corpus(corpus)
    )
    found, played = _measured(tour, words, files, corpus)
    tour.step("Writing one page about all of it.", lambda: _write(run, found, played), lambda path: str(path))
    run.finish()


def _measured(tour: s.Tour, words: Words, files: Files, corpus: SmallTalk) -> tuple[dict[str, Any], list[str]]:
    """Every number, and the files of conversations to read."""
    trained = tour.step(words.training(), lambda: s.train_all(tour, files), words.trained)
    own = tour.step(words.self_play(), lambda: s.play_all(tour, partner=False), words.played)
    cross = tour.step(words.cross_play(), lambda: s.play_all(tour, partner=True), words.played)
    played = {s.SELF: own, s.CROSS: cross}
    replies = _replies(tour, words, files, corpus)
    talks = _talks(tour, words, played)
    validated = tour.step(words.validating(), lambda: r.of_meta(s.validate(tour, files)), words.validated)
    found = {
        "corpus": r.of_corpus(corpus),
        **r.of_plan(tour.plan),
        "perplexity": getattr(trained.get(HRED), "perplexity", None),
        "play": {side: r.of_play(report) for side, report in played.items()},
        **replies,
        **talks,
        "meta": validated,
        "compare": _compared(tour, words),
        "cautions": replies["cautions"] | talks["cautions"],
        "recipes": replies["recipes"] | talks["recipes"],
    }
    return found, [report.dialogues for report in played.values()]


def _replies(tour: s.Tour, words: Words, files: Files, corpus: SmallTalk) -> dict[str, Any]:
    """What the bots reply to questions with known answers, and how they score."""

    def ask() -> ScoreResult:
        s.answer(tour, files, len(corpus.questions))
        return s.score_answers(tour, files)

    scores = tour.step(words.answering(corpus), ask, lambda report: words.best(report.to_json()["systems"]))
    known = by_heart(files)
    return {
        "answers": scores.to_json()["systems"],
        "by_heart": {bot: known[bot] for bot in tour.plan.bots},
        "cautions": {s.ANSWERS: read_summary(scores.run).cautions},
        "recipes": scores.recipes,
    }


def _talks(tour: s.Tour, words: Words, played: dict[str, PlayReport]) -> dict[str, Any]:
    """How whole conversations score, with itself and with the partner, and the gap between the two."""
    pairs = tour.step(
        words.scoring(),
        lambda: {side: s.score_talks(tour, report, side) for side, report in played.items()},
        lambda pairs: words.best(pairs[s.SELF][0].to_json()["systems"]),
    )
    scores = {side: pair[0] for side, pair in pairs.items()}
    features = {side: pair[1] for side, pair in pairs.items() if pair[1]}
    sides = {side: by_opener(report, played[side].dialogues) for side, report in scores.items()}
    return {
        "talks": {side: report.to_json()["systems"] for side, report in scores.items()},
        "features": {side: report.to_json()["systems"] for side, report in features.items()},
        "leads": leads(sides, seed=tour.seed),
        "gaps": gaps(sides[s.SELF], sides[s.CROSS], resamples=tour.resamples, seed=tour.seed),
        "cautions": {side: read_summary(report.run).cautions for side, report in scores.items()},
        "recipes": {**scores[s.SELF].recipes, **(features[s.SELF].recipes if features else {})},
    }


def _compared(tour: s.Tour, words: Words) -> dict[str, Any]:
    """The bots in pairs, where there are two or more."""
    if len(tour.plan.bots) < 2:
        return {"pairs": 0, "differences": {}, "depends": {}, "notes": []}
    return tour.step(words.comparing(), lambda: r.of_compare(s.compare_bots(tour)), words.compared)


def _write(run: Run, found: dict[str, Any], played: list[str]) -> Path:
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    talks = [[item for item in open_items(path) if isinstance(item, Dialogue)] for path in played]
    write_page(demo_page(found, *talks), made)
    write_json(made / r.RESULTS, found)
    move_into(made, run.folder)
    return run.folder / "report.html"


def _read(run: Run) -> DemoReport:
    return DemoReport(str(run.folder), str(run.folder / "report.html"), read_results(run, r.RESULTS))
