"""The steps of the demo, each a run of its own under the demo's folder: the same command goes on with the one that was stopped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dialometer.contracts.compare import CompareRequest
from dialometer.contracts.meta import MetaRequest
from dialometer.contracts.play import PlayRequest
from dialometer.contracts.score import ScoreRequest, ScoreResult
from dialometer.contracts.train import TrainRequest, TrainResult
from dialometer.core.errors import DialometerError, RunError
from dialometer.core.protocols import Progress
from dialometer.flows.compare.compare import compare
from dialometer.flows.demo.constructed_replies import QUALITY
from dialometer.flows.demo.files import Files, write_answers
from dialometer.flows.demo.plan import AMFM, FEATURES, HRED, PARTNER, RERANK, SMALL, TFIDF, Plan, spec_of_bot, spelt
from dialometer.flows.meta.meta import meta
from dialometer.flows.play.play import PlayReport, play
from dialometer.flows.score.score import score
from dialometer.flows.train.train import train

R = TypeVar("R")
Tell = Callable[[str], None]
CONSTRUCTION = "the construction"  # what stands in place of people when metrics are judged
SELF, CROSS, ANSWERS, META, COMPARE = "self-play", "partner-play", "answers", "meta", "compare"


@dataclass
class Tour:
    """Where the steps lie, what takes part, and who is told; ``taken`` counts the steps."""

    folder: Path
    plan: Plan
    n: int
    turns: int
    resamples: int
    seed: int
    tell: Tell
    progress: Progress
    steps: int
    taken: int = 0

    def step(self, sentence: str, do: Callable[[], R], outcome: Callable[[R], str]) -> R:
        """Say what is done, do it, say what came out; what is done already stays, whatever happens here."""
        self.taken += 1
        self.tell(f"[{self.taken}/{self.steps}] {sentence}")
        try:
            with _hushed(score.__module__):
                done = do()
        except DialometerError as error:
            raise RunError(error.message, error.hint) from None
        self.tell(f"      {outcome(done)}")
        return done

    def place(self, name: str) -> str:
        """The folder of a step."""
        return str(self.folder / name)


def train_all(tour: Tour, files: Files) -> dict[str, TrainResult]:
    """Everything that learns: the bots that retrieve, the network, and the parts of AM-FM."""
    specs = {TFIDF: TFIDF, PARTNER: "tfidf(mode=response)", AMFM: AMFM}
    if HRED in tour.plan.bots:
        specs[HRED] = SMALL
    results = {
        name: train(TrainRequest(spec, (files.talks,), output=tour.place(name), seed=tour.seed), progress=tour.progress)
        for name, spec in specs.items()
    }
    return {name: result for name, result in results.items() if isinstance(result, TrainResult)}


def play_all(tour: Tour, *, partner: bool) -> PlayReport:
    """Every bot with itself, or with the partner that none of them is."""
    against = f"{spelt(tour.folder)}/{PARTNER}" if partner else ""
    request = PlayRequest(
        _specs(tour),
        names=tour.plan.bots,
        b=against,
        n=tour.n,
        turns=tour.turns,
        output=tour.place(CROSS if partner else SELF),
        seed=tour.seed,
    )
    return play(request, progress=tour.progress)


def answer(tour: Tour, files: Files, questions: int) -> int:
    """Every bot's reply to every question that was held out."""
    request = PlayRequest(
        _specs(tour),
        names=tour.plan.bots,
        openers=files.questions,
        n=questions,
        turns=1,
        output=tour.place(ANSWERS),
        seed=tour.seed,
    )
    return write_answers(play(request, progress=tour.progress).dialogues, files)


def score_answers(tour: Tour, files: Files) -> ScoreResult:
    """Replies by metrics that compare them with the known answers, and by the judge."""
    return _score(tour, files.answers, answer_metrics(tour), ANSWERS)


def score_talks(tour: Tour, played: PlayReport, name: str) -> tuple[ScoreResult, ScoreResult | None]:
    """Conversations by counts and judges, and by their features."""
    scores = _score(tour, played.dialogues, tour.plan.of_talks, name)
    if FEATURES not in tour.plan.metrics:
        return scores, None
    return scores, _score(tour, played.dialogues, (FEATURES,), f"{name}-features")


def validate(tour: Tour, files: Files) -> dict[str, Any]:
    """The metrics of replies beside qualities that are known because they were made."""
    request = MetaRequest(
        (files.constructed,), answer_metrics(tour), quality=(QUALITY,), reference=CONSTRUCTION, resamples=tour.resamples,
        permutations=tour.resamples, output=tour.place(META), seed=tour.seed,
    )  # fmt: skip
    return meta(request, progress=tour.progress).to_json()


def compare_bots(tour: Tour) -> dict[str, Any]:
    """The re-ranked bot beside the bots that it chose from, or all pairs where there is none."""
    against = RERANK if tour.plan.reranks else ""
    request = CompareRequest(
        (tour.place(f"scores-{SELF}"),),
        against=against,
        resamples=tour.resamples,
        output=tour.place(COMPARE),
        seed=tour.seed,
    )
    return compare(request, progress=tour.progress).results


def answer_metrics(tour: Tour) -> tuple[str, ...]:
    """Metrics of replies as specs: AM-FM is the folder that was trained."""
    return tuple(f"{spelt(tour.folder)}/{AMFM}" if name == AMFM else name for name in tour.plan.of_answers)


def _specs(tour: Tour) -> tuple[str, ...]:
    return tuple(spec_of_bot(name, tour.folder, tour.plan.bots) for name in tour.plan.bots)


def _score(tour: Tour, path: str, metrics: tuple[str, ...], name: str) -> ScoreResult:
    request = ScoreRequest(
        (path,),
        metrics,
        skip_incomplete=True,
        resamples=tour.resamples,
        output=tour.place(f"scores-{name}"),
        seed=tour.seed,
    )
    return score(request, progress=tour.progress)


@contextmanager
def _hushed(name: str) -> Iterator[None]:
    """Without the warnings of a module: what they say stands on the page, beside the numbers it is about."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
