"""train --reward: a trained bot learns by what a judge says of it, watched by measures that do not pay.

Read bot, judges and openers → look at the bot → let it learn, step by step → look again from the same openers → keep all of it.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

import orjson

from dialometer._version import __version__
from dialometer.contracts.train_policy import RewardRequest
from dialometer.core.atomic import write_folder, write_json
from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Bot, Progress
from dialometer.core.registry import CARD, create
from dialometer.data.row_errors import limits
from dialometer.flows.play.openers import read_openers
from dialometer.flows.shared.runs import carry_out, damaged, read_results
from dialometer.flows.train_policy.early_stopping import Alarm
from dialometer.flows.train_policy.openers import Turns, parted, unseen
from dialometer.flows.train_policy.request import RewardReport
from dialometer.flows.train_policy.result_files import write_curves, write_episodes
from dialometer.flows.train_policy.reward import Panel, label, make_panel
from dialometer.store.runs import Run

FACTS = "training.json"


@dataclass(frozen=True)
class Parts:
    """All that is needed, made and checked before the run is opened."""

    bot: Any
    panel: Panel
    partner: Bot | None
    check: list[Turns]
    openers: list[Turns]
    left_out: int

    def close(self) -> None:
        """End what the partner started."""
        getattr(self.partner, "close", lambda: None)()


def train_reward(request: RewardRequest, *, progress: Progress = lambda stage, done, total: None) -> RewardReport:
    """Learn, or go on with an interrupted learning, or read a finished one."""
    parts = _parts(request)
    try:
        return carry_out(
            "train", request, _identity(request, parts), lambda run: _fill(run, request, parts, progress),
            lambda run: _read(run, parts.bot.name),
        )  # fmt: skip
    finally:
        parts.close()


def _parts(request: RewardRequest) -> Parts:
    limits(request.max_line)
    _ = request.course  # refuses what cannot be
    if len(request.inputs) != 1:
        raise UsageError(
            "learning by reward takes one file of openers",
            f"dialometer train {request.spec} FILE --reward {request.reward}",
        )
    bot = learner_of(request.spec)
    panel = make_panel(
        request.reward, request.watch, column=request.column, lowest=request.lowest, alone=not request.partner
    )
    partner = create("bot", request.partner) if request.partner else None
    found = read_openers(
        request.inputs[0], context=request.context, where=request.where, format=request.format, max_line=request.max_line
    )
    new = unseen(found, [bot, panel.reward])
    if not new:
        raise UsageError(
            f"all {len(found)} openers are known to the bot or to its judge",
            "openers of conversations that neither was trained on",
        )
    return Parts(bot, panel, partner, *parted(new, request.check, request.seed), len(found) - len(new))


def learner_of(spec: str) -> Any:
    """A trained bot with a talking network."""
    bot = create("bot", spec)
    if not hasattr(bot, "net") or not hasattr(bot, "learnt"):
        raise UsageError(
            f"{bot.name} has no network that can learn by reward", "dialometer train hred FILE… and the folder it prints"
        )
    if not bot.fitted:
        raise NeedsError(
            f"{bot.name} has not been trained on conversations, and reward alone teaches nobody to talk",
            f"dialometer train {bot.name} FILE… and the folder it prints",
        )
    return bot


def _identity(request: RewardRequest, parts: Parts) -> dict[str, Any]:
    """All that can change a weight or a number."""
    return {
        "reward": parts.panel.recipes,
        "bot": parts.bot.recipe,
        "partner": parts.partner.recipe if parts.partner else "",
        "openers": _digest(parts),
        "course": asdict(request.course),
        "dialometer": __version__,
        **{key: getattr(request, key) for key in ("column", "lowest", "watch", "stop", "seed")},
    }


def _digest(parts: Parts) -> str:
    return blake2b(orjson.dumps([parts.check, parts.openers]), digest_size=16).hexdigest()


def _fill(run: Run, request: RewardRequest, parts: Parts, progress: Progress) -> None:
    """Look, learn, look again, keep."""
    from dialometer.bots._policy.reinforce import Learner, learn_by_reward

    started = time.perf_counter()
    others = tuple(name for name, _ in parts.panel.others)
    learner = Learner(parts.bot, parts.panel, request.course, parts.partner)
    progress("looking", 0, 0)
    first, before = learner.look(parts.bot, parts.check, request.seed)
    bot, story = learn_by_reward(
        learner, parts.openers, Alarm.of(request.course.steps, others), stop=request.stop, seed=request.seed,
        key=str(run.record["id"]), work=run.work / "fit", progress=progress,
    )  # fmt: skip
    last, after = learner.look(bot, parts.check, request.seed)
    write_curves(
        run.folder, story.records, title=f"{bot.name} learns by {label(request.reward)}", alarm=story.alarm, others=others
    )
    write_episodes(run.folder, {"before": first, "after": last})
    facts = {
        "reward": label(request.reward), "recipe": bot.recipe, "recipes": parts.panel.recipes, "watched": list(others),
        "episodes": len(story.records) * request.batch, "turns": request.turns, "steps": story.step,
        "check": len(parts.check), "openers": len(parts.openers), "left_out": parts.left_out,
        "before": before, "after": after, "alarm": story.alarm, "reasons": story.reasons, "stopped": story.stopped,
        "kept": story.sound if story.stopped else story.step,
    }  # fmt: skip
    write_folder(run.folder / "model", bot.save)
    write_json(run.folder / FACTS, facts | {"seconds": round(time.perf_counter() - started, 2)})
    run.finish()


def _read(run: Run, name: str) -> RewardReport:
    facts = read_results(run, FACTS)
    try:
        (run.folder / "model" / CARD).stat()
        report = RewardReport(str(run.folder), name, facts)
        report.lines()
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise damaged(run, error) from None
    return report
