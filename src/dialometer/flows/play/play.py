"""play: bots talk with themselves, with each other or with a fixed pool of partners; conversations ready to score and to rate."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from dialometer._version import __version__
from dialometer.contracts.play import PlayRequest
from dialometer.core.atomic import write_json
from dialometer.core.errors import DialometerError, RunError, UsageError
from dialometer.core.protocols import Progress
from dialometer.core.types import Dialogue
from dialometer.data.formats.jsonl import Jsonl
from dialometer.data.row_errors import limits
from dialometer.flows.play.blocks import play_all, unanswered
from dialometer.flows.play.dialogues import dialogue
from dialometer.flows.play.openers import Opener, choose, read_openers
from dialometer.flows.play.page import play_page
from dialometer.flows.play.players import Player, make_players, meetings
from dialometer.flows.play.summary import numbers, read_training, recipes
from dialometer.flows.shared.runs import check_unchanged, damaged, hashes, read_results, run_or_resume
from dialometer.report.page import write_page
from dialometer.store.runs import Run, move_into

_log = logging.getLogger(__name__)
DIALOGUES, SUMMARY = "dialogues.jsonl", "summary.json"


@dataclass(frozen=True)
class PlayReport:
    """Where the conversations lie, and what each bot's are like."""

    run: str
    dialogues: str
    bots: dict[str, dict[str, Any]]
    recipes: dict[str, str] = field(default_factory=dict)

    def total(self, column: str) -> int:
        """Over all bots."""
        return sum(found[column] for found in self.bots.values())

    def to_json(self) -> dict[str, Any]:
        """The promised form."""
        return {
            "run": self.run,
            **{column: self.total(column) for column in ("conversations", "turns", "failed")},
            "overlap": {label: found["overlap"] for label, found in self.bots.items()},
            "bots": {
                label: {key: value for key, value in found.items() if key != "overlap"}
                for label, found in self.bots.items()
            },
            "recipes": self.recipes,
            "dialogues": self.dialogues,
        }


@dataclass(frozen=True)
class Cast:
    """All that a run needs, made and checked before it is opened."""

    players: list[Player]
    partners: list[Player]
    openers: list[Opener]

    def close(self) -> None:
        """End what the bots started."""
        for player in {id(player): player for player in [*self.players, *self.partners]}.values():
            player.close()


def play(request: PlayRequest, *, progress: Progress = lambda stage, done, total: None) -> PlayReport:
    """Play, or go on with an interrupted run, or read a finished one; conversations that a bot's failure ended are counted in a
    warning.
    """
    _check(request)
    found = read_openers(
        request.openers, context=request.context, where=request.where, format=request.format, max_line=request.max_line
    )
    openers = choose(found, request.n, request.seed, repeat=request.repeat)
    players, partners = make_players(request.a, request.partners or ((request.b,) if request.b else ()), request.names)
    cast = Cast(players, partners, openers)
    try:
        report = run_or_resume(
            "play", request, _identity(request, cast), lambda run: _fill(run, request, cast, progress), _read
        )
    finally:
        cast.close()
    _warn_of_failures(report)
    return report


def _warn_of_failures(report: PlayReport) -> None:
    failed = [bot for bot in report.bots.values() if bot["failed"]]
    if failed:
        reason = next(iter(failed[0]["reasons"]), "")
        _log.warning(
            "%d of %d conversations stopped early because a bot failed; the first is %s: %s",
            report.total("failed"), report.total("conversations"), failed[0]["first_failed"], reason,
        )  # fmt: skip


def _check(request: PlayRequest) -> None:
    """Refuse what cannot be played before anything is read."""
    if request.b and request.partners:
        raise UsageError("the partner is one bot (--b) or a pool of them (--partners)", "name one of the two")
    if request.training_where and not request.training:
        raise UsageError("--training-where chooses among the items of --training", "--training FILE")
    limits(request.max_line)


def _identity(request: PlayRequest, cast: Cast) -> dict[str, Any]:
    """All that can change a turn or a number: bots by content, openers by text, seed and cuts; not where it is written."""
    return {
        "bots": [[player.label, player.recipe] for player in cast.players],
        "partners": [[player.label, player.recipe] for player in cast.partners],
        "openers": _digest(cast.openers),
        "inputs": hashes(request.training),
        "recipes": recipes(),
        "versions": {"dialometer": __version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        **{key: getattr(request, key) for key in ("training_where", "format", "turns", "batch", "seed")},
    }


def _digest(openers: Sequence[Opener]) -> str:
    """Openers by content and source, in order: their file may have changed, or hold them twice."""
    spelt = orjson.dumps([[opener.source, opener.name] for opener in openers])
    return blake2b(spelt, digest_size=16).hexdigest()


def _fill(run: Run, request: PlayRequest, cast: Cast, progress: Progress) -> None:
    """Play; once somebody has talked, no error takes the run back: the same command goes on from its journals."""
    try:
        _play(run, request, cast, progress)
    except DialometerError as error:
        if any((run.folder / "work").glob("*/*.jsonl")):
            raise RunError(error.message, error.hint) from None
        raise


def _play(run: Run, request: PlayRequest, cast: Cast, progress: Progress) -> None:
    """Read the training set, play, count, write; a run with conversations that may be answered later stays open."""
    training = read_training(
        request.training, where=request.training_where, format=request.format, max_line=request.max_line
    )
    check_unchanged(run, request.training)
    tried = run.work / "tries.json"
    tries = _tries(tried)
    played: list[Dialogue] = []
    bots: dict[str, dict[str, Any]] = {}
    for number, player in enumerate(cast.players):
        talks, spent = play_all(
            meetings(player, cast.partners, cast.openers), run.work / f"{number:03d}", turns=request.turns,
            batch=request.batch, seed=request.seed, tries=tries, heard=_bar(progress, player.label, request),
        )  # fmt: skip
        own = [
            dialogue(talk, opener, request.seed, mirror=not cast.partners)
            for talk, opener in zip(talks, cast.openers, strict=True)
        ]
        later = sum(map(unanswered, talks))
        bots[player.label] = numbers(own, training) | {"unanswered": later, "recipe": player.recipe, "spent": spent}
        played += own
    _write(run, played, bots)
    if any(found["unanswered"] for found in bots.values()):
        write_json(tried, tries + 1)
    else:
        run.finish()


def _tries(path: Path) -> int:
    """How often unanswered conversations were tried again; where the file is damaged, as often as there are journals of it."""
    try:
        found = orjson.loads(path.read_bytes())
        if type(found) is int and 0 <= found < 2**63:
            return found
    except (OSError, ValueError):
        pass
    attempts = (journal.stem.rpartition("-")[2] for journal in path.parent.glob("*/*.jsonl"))
    return max((int(attempt) for attempt in attempts if attempt.isdigit()), default=0)


def _bar(progress: Progress, label: str, request: PlayRequest) -> Callable[[int], None]:
    return lambda turns: progress(label, turns, request.n * request.turns)


def _write(run: Run, played: Sequence[Dialogue], bots: dict[str, dict[str, Any]]) -> None:
    made = run.work / "made"
    made.mkdir(exist_ok=True)
    Jsonl().write(played, made / DIALOGUES)
    write_page(play_page(bots, played, recipes()), made)
    write_json(made / SUMMARY, {"bots": bots, "recipes": recipes()})
    move_into(made, run.folder)


def _read(run: Run) -> PlayReport:
    try:
        kept = read_results(run, SUMMARY)
        path = run.folder / DIALOGUES
        path.stat()
        report = PlayReport(str(run.folder), str(path), kept["bots"], kept["recipes"])
        report.to_json()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(run, error) from None
    return report
