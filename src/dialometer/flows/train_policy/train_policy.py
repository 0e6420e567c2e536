"""train --reward: fine-tune a trained bot with a reward, while further measures are recorded.

Read the bot, the metrics and the openers → measure the bot → train it, step by step → measure it again from the same openers.
"""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson

from dialometer._version import __version__
from dialometer.bots._policy.episode import Episode
from dialometer.contracts.result import number
from dialometer.contracts.train_policy import PolicyResult, RewardRequest
from dialometer.core.atomic import write_bytes, write_folder
from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Bot, Progress
from dialometer.core.registry import create, manifest_path
from dialometer.core.types import Dialogue, Turn
from dialometer.data.formats.jsonl import Jsonl
from dialometer.data.row_errors import limits
from dialometer.flows.play.openers import Opener, choose, read_openers
from dialometer.flows.shared.located_results import read_located, write_located
from dialometer.flows.shared.runs import damaged, run_or_resume
from dialometer.flows.train_policy.early_stopping import EarlyStopping
from dialometer.flows.train_policy.reward import RewardModel, label, make_reward_model
from dialometer.report.figures.reward import reward_curves
from dialometer.store.runs import Run
from dialometer.text.training_overlap import overlap

RESULT = "training.json"
CURVE, PICTURE, EPISODES = "reward.csv", "reward.png", "episodes.jsonl"
Turns = tuple[str, ...]


@dataclass(frozen=True)
class Setup:
    """All that a training needs, made and checked before the run is opened; ``check`` are the held-out openers."""

    bot: Any
    reward: RewardModel
    partner: Bot | None
    check: list[Turns]
    openers: list[Turns]
    left_out: int

    def close(self) -> None:
        """End what the partner started."""
        getattr(self.partner, "close", lambda: None)()


def train_reward(request: RewardRequest, *, progress: Progress = lambda stage, done, total: None) -> PolicyResult:
    """Train, or go on with an interrupted training, or read a finished one."""
    setup = _set_up(request)
    try:
        return run_or_resume(
            "train", request, _identity(request, setup), lambda run: _fill(run, request, setup, progress),
            lambda run: _read(run, setup.bot.name),
        )  # fmt: skip
    finally:
        setup.close()


def _set_up(request: RewardRequest) -> Setup:
    limits(request.max_line)
    _ = request.options  # refuses what cannot be
    if len(request.inputs) != 1:
        raise UsageError(
            "learning by reward takes one file of openers",
            f"dialometer train {request.spec} FILE --reward {request.reward}",
        )
    bot = load_policy(request.spec)
    reward = make_reward_model(
        request.reward, request.watch, column=request.column, lowest=request.lowest, alone=not request.partner
    )
    partner = create("bot", request.partner) if request.partner else None
    openers = read_openers(
        request.inputs[0], context=request.context, where=request.where, format=request.format, max_line=request.max_line
    )
    unseen = unseen_openers(openers, [bot, reward.reward])
    if not unseen:
        raise UsageError(
            f"all {len(openers)} openers are known to the bot or to its judge",
            "openers of conversations that neither was trained on",
        )
    held_out, rest = split_openers(unseen, request.check, request.seed)
    return Setup(bot, reward, partner, held_out, rest, len(openers) - len(unseen))


def load_policy(spec: str) -> Any:
    """A trained bot with a generative network."""
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


def unseen_openers(openers: Sequence[Opener], artifacts: Sequence[Any]) -> list[Opener]:
    """Those with at least one turn that none of these artifacts was fitted on."""
    unseen = list(openers)
    for artifact in artifacts:
        if not hasattr(artifact, "seen") or not getattr(artifact, "fitted", True):
            continue
        known = artifact.seen()
        unseen = [opener for opener in unseen if not overlap(opener.turns, known).all()]
    return unseen


def split_openers(openers: Sequence[Opener], check: int, seed: int) -> tuple[list[Turns], list[Turns]]:
    """Openers to measure the bot from, before and after, and others to train on; both in an order that the seed decides."""
    if len(openers) <= check:
        raise UsageError(
            f"{check} openers are kept for looking at the bot before and after, and there are {len(openers)} in all",
            f"--check {max(len(openers) // 5, 1)}, or a file with more of them",
        )
    drawn = [opener.turns for opener in choose(openers, len(openers), seed)]
    return drawn[:check], drawn[check:]


def _identity(request: RewardRequest, setup: Setup) -> dict[str, Any]:
    """All that can change a weight or a number."""
    return {
        "reward": setup.reward.recipes,
        "bot": setup.bot.recipe,
        "partner": setup.partner.recipe if setup.partner else "",
        "openers": blake2b(orjson.dumps([setup.check, setup.openers]), digest_size=16).hexdigest(),
        "course": asdict(request.options),
        "dialometer": __version__,
        **{key: getattr(request, key) for key in ("column", "lowest", "watch", "stop", "seed")},
    }


def _fill(run: Run, request: RewardRequest, setup: Setup, progress: Progress) -> None:
    """Measure, train, measure again, save."""
    from dialometer.bots._policy.reinforce import Learner, learn_by_reward

    started = time.perf_counter()
    metrics = [name for name, _ in setup.reward.others]
    learner = Learner(setup.bot, setup.reward, request.options, setup.partner)
    progress("looking", 0, 0)
    first, before = learner.look(setup.bot, setup.check, request.seed)
    bot, story = learn_by_reward(
        learner, setup.openers, EarlyStopping.of(request.options.steps, metrics), stop=request.stop, seed=request.seed,
        key=str(run.record["id"]), work=run.work / "fit", progress=progress,
    )  # fmt: skip
    last, after = learner.look(bot, setup.check, request.seed)
    title = f"{bot.name} learns by {label(request.reward)}"
    _write_curves(run.folder, story.records, title=title, stopping_step=story.alarm, metrics=metrics)
    _write_episodes(run.folder / EPISODES, {"before": first, "after": last})
    write_folder(run.folder / "model", bot.save)
    result = PolicyResult(
        run=str(run.folder),
        name=bot.name,
        reward=label(request.reward),
        recipe=bot.recipe,
        recipes=setup.reward.recipes,
        watched=metrics,
        episodes=len(story.records) * request.batch,
        turns=request.turns,
        steps=story.step,
        check=len(setup.check),
        openers=len(setup.openers),
        left_out=setup.left_out,
        before={name: number(value) for name, value in before.items()},
        after={name: number(value) for name, value in after.items()},
        early_stopping_step=story.alarm,
        reasons=story.reasons,
        stopped=story.stopped,
        weights_step=story.sound if story.stopped else story.step,
        seconds=round(time.perf_counter() - started, 2),
    )
    write_located(run.folder / RESULT, result, without=("run", "kind", "name"))
    run.finish()


def _write_curves(
    folder: Path, records: Sequence[Mapping[str, float]], *, title: str, stopping_step: int, metrics: Sequence[str]
) -> None:
    """A row per step, and the figure where matplotlib is."""
    names = list(dict.fromkeys(name for record in records for name in record))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["step", *names])
    for step, record in enumerate(records, 1):
        values = [record.get(name, math.nan) for name in names]
        rows.writerow([step, *("" if math.isnan(value) else f"{value:.6g}" for value in values)])
    write_bytes(folder / CURVE, text.getvalue().encode())
    if find_spec("matplotlib"):
        reward_curves(folder / PICTURE, records, title=title, stopping_step=stopping_step, others=metrics)


def _write_episodes(path: Path, episodes: Mapping[str, Sequence[Episode]]) -> None:
    """Dialogues from the same openers; the name of the system says when. Ready for ``score``."""
    Jsonl().write([_dialogue(when, place, one) for when, some in episodes.items() for place, one in enumerate(some)], path)


def _dialogue(when: str, place: int, episode: Episode) -> Dialogue:
    opener = [Turn("user", text, extra={"given": True}) for text in episode.opener]
    generated = [Turn("ab"[turn % 2], text) for turn, text in enumerate(episode.said)]
    rated = {} if episode.every == 1 else {"rated_speaker": "a"}
    extra = {"opener_turns": len(opener), "generated_turns": len(generated), **rated}
    return Dialogue(f"{when}-{place:04d}", when, (*opener, *generated), group=f"opener-{place:04d}", extra=extra)


def _read(run: Run, name: str) -> PolicyResult:
    result = read_located(run, RESULT, lambda _: PolicyResult, run=str(run.folder), kind="bot", name=name)
    try:
        manifest_path(run.folder / "model").stat()
    except OSError as error:
        raise damaged(run, error) from None
    return result
