"""Self-play scored by a fit to rated dialogues of the other bots, compared with the mean rating of the bot left out.

Ghandeharioun et al. 2019, section 4. Systems of the two files are matched by name.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from dialometer.contracts.result import number
from dialometer.contracts.train import TrainRequest
from dialometer.contracts.train_judge_bots import BotMean, BotRow, Coefficients, SelfPlayTable
from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.core.types import Dialogue
from dialometer.data import open_items
from dialometer.flows.train_judge.bot_dialogues import BotDialogues, bot_correlations, bot_mean
from dialometer.flows.train_judge.dataset import RatedDataset
from dialometer.stats.correlation.correlate import COEFFICIENTS, KINDS
from dialometer.stats.correlation.system_level import LEAST
from dialometer.stats.means import system_means
from dialometer.stats.validation.permutation_null import whole_null
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import conversation_systems, conversations

PLAY = "dialogues.jsonl"  # what a run of play holds
ALONE = "dialometer play --a BOT -n 100 --turns 10, and the folder that it prints"
SOME = 5  # names that a message lists


@dataclass(frozen=True, eq=False)
class SelfPlay:
    """Self-play of bots that have rated dialogues: the bot of each dialogue of the corpus, and what is left out."""

    corpus: Corpus
    system: np.ndarray
    only_played: list[str]
    only_rated: list[str]
    silent: list[str]  # bots that never reply twice
    left_out: dict[str, int]


def check_selfplay(request: TrainRequest, judge: Any) -> None:
    """Refuse self-play for a judge of responses, and what is neither a file nor a run of play."""
    if not request.selfplay:
        return
    if judge.unit != "dialogue":
        raise UsageError(f"--selfplay is for a judge of conversations, and {judge.name} judges responses", "train hybrid …")
    if not Path(selfplay_file(request.selfplay)).is_file():
        why = f"a folder without {PLAY}" if Path(request.selfplay).is_dir() else "neither a file nor a run of play"
        raise UsageError(f"--selfplay {request.selfplay} is {why}", ALONE)


def selfplay_file(name: str) -> str:
    """The file of a run of play, or the file itself."""
    return str(Path(name) / PLAY) if Path(name).is_dir() else name


def read_selfplay(dataset: RatedDataset, request: TrainRequest) -> SelfPlay | None:
    """The dialogues of ``--selfplay``, checked and matched with the rated bots; None where nothing is asked for."""
    if not request.selfplay:
        return None
    file = selfplay_file(request.selfplay)
    dialogues = _read_dialogues(file, request)
    _refuse_rated(dialogues, dataset, file)
    played, rated = (
        {name for name in names if name} for names in ({each.system for each in dialogues}, dataset.system.tolist())
    )
    _refuse_unmatched(played, rated, file)
    corpus = replace(Corpus.build([example for each in dialogues for example in each.examples()]), keep=True)
    if not len(corpus):
        raise NeedsError(
            f"{_counted(len(dialogues))} of {file} hold no reply: all turns are by user, or there is one turn",
            "turns of both sides by speakers that are not user, such as a and b",
        )
    system, alone, single = _self_play_systems(corpus, file)
    chosen = np.flatnonzero(alone & np.isin(system, sorted(rated)))
    replying = set(system[alone].tolist())
    left_out = {
        "conversations without a reply": len(dialogues) - len(system), "conversations with a single reply": single,
        "conversations without the name of a bot": int((system[alone] == "").sum()),
    }  # fmt: skip
    if not len(chosen):
        raise NeedsError(f"no bot of {file} that has rated chats replies twice in any conversation", ALONE)
    rows = np.flatnonzero(np.isin(conversations(corpus).code, chosen))
    return SelfPlay(
        corpus=replace(corpus.take(rows), keep=True),
        system=system[chosen],
        only_played=sorted(played - rated),
        only_rated=sorted(rated - played),
        silent=sorted(played & rated - replying),
        left_out={what: count for what, count in left_out.items() if count},
    )


def _read_dialogues(file: str, request: TrainRequest) -> list[Dialogue]:
    items = list(open_items([file], max_line=request.max_line))
    dialogues = [item for item in items if isinstance(item, Dialogue)]
    if len(dialogues) < len(items):
        first = next(item.id for item in items if not isinstance(item, Dialogue))
        count = f"{len(items) - len(dialogues):,} of {len(items):,} items"
        raise UsageError(f"{file} holds replies, not conversations: {count} (first: {first})", ALONE)
    return dialogues


def _refuse_rated(dialogues: Sequence[Dialogue], dataset: RatedDataset, file: str) -> None:
    """Rated dialogues are what is fitted on, and cannot be what the fit is applied to."""
    rated = {_content(item) for item in dataset.rated.items if isinstance(item, Dialogue)}
    if same := [each.id for each in dialogues if _content(each) in rated]:
        count = f"{len(same):,} of {_counted(len(dialogues))} of {file} are among the rated ones (first: {same[0]})"
        raise UsageError(f"{count}, so they are no self-play beside these", ALONE)


def _content(dialogue: Dialogue) -> tuple[str, ...]:
    return (dialogue.id, *(turn.text for turn in dialogue.turns))


def _refuse_unmatched(played: Collection[str], rated: Collection[str], file: str) -> None:
    if len(rated) < 2:
        raise UsageError(
            f"--selfplay scores a bot by a fit to chats of the others, and the rated chats name {_some(rated)}",
            "rated chats of two bots or more, or leave --selfplay out",
        )
    if not set(played) & set(rated):
        raise UsageError(
            f"no bot of {file} has rated chats: it holds {_some(played)}, and the rated chats are of {_some(rated)}",
            f"give a bot the same name in both: dialometer play --a SPEC --name {min(rated)}",
        )


def _self_play_systems(corpus: Corpus, file: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Per dialogue its bot, and whether the bot plays both parts; how many have one reply. Dialogues with others are refused."""
    dialogues = conversations(corpus)
    single = dialogues.counts() == 1
    shared = np.flatnonzero(~dialogues.alone & ~single)
    if len(shared):
        first = list(corpus.ids)[int(dialogues.last[shared[0]])].rpartition("#")[0]
        raise UsageError(
            f"{len(shared):,} of {_counted(len(dialogues))} of {file} are not self-play: somebody else speaks between the bot's "
            f"replies, or one speaker says everything (first: {first})",
            f"{ALONE}; in a file of yours both sides are speakers that are not user, such as a and b",
        )
    return np.array(conversation_systems(corpus)), dialogues.alone, int(single.sum())


def self_play_table(dialogues: BotDialogues, played: SelfPlay, draws: int, progress: Progress) -> SelfPlayTable:
    """Per bot the mean score of its self-play by a fit without it, and its mean rating; correlations over the shared bots."""
    columns = dialogues.judge.look(played.corpus)
    folds = [
        SelfPlayFold.of(dialogues, columns[played.system == name], name) for name in sorted(set(played.system.tolist()))
    ]
    rows = [fold.row(dialogues.target) for fold in folds]
    score, human = (
        np.array(values, float) for values in zip(*((row.score.value, row.human.value) for row in rows), strict=True)
    )
    correlations = bot_correlations(score, human, seed=dialogues.seed)
    if len(folds) >= LEAST:

        def figures(y: np.ndarray) -> list[float]:
            means = zip(*((fold.lead(y).mean(), y[fold.rated].mean()) for fold in folds), strict=True)
            lead, rating = (np.array(values) for values in means)
            return [COEFFICIENTS[kind](lead, rating) for kind in KINDS]

        null = whole_null(
            figures, dialogues.target, dialogues.system, way="bots", draws=draws, seed=dialogues.seed, progress=progress
        )
        correlations = Coefficients(**{
            kind: structs.replace(one, p=number(p), test="dealt")
            for (kind, one), p in zip(correlations.items(), null.p.tolist(), strict=True)
        })  # fmt: skip
    return SelfPlayTable(
        rows=rows,
        over_bots=correlations,
        only_played=played.only_played,
        only_rated=played.only_rated,
        silent=played.silent,
        left_out=played.left_out,
    )


@dataclass(frozen=True, eq=False)
class SelfPlayFold:
    """One bot: the columns of its self-play, the rows of its rated dialogues, and the design of a fit to all others."""

    name: str
    played: np.ndarray
    rated: np.ndarray
    others: np.ndarray
    design: Any

    @classmethod
    def of(cls, dialogues: BotDialogues, played: np.ndarray, name: str) -> SelfPlayFold:
        """What does not depend on the ratings."""
        rated, others = np.flatnonzero(dialogues.system == name), np.flatnonzero(dialogues.system != name)
        design = dialogues.judge.design(dialogues.columns[others], dialogues.system[others].tolist(), seed=dialogues.seed)
        return cls(name, played, rated, others, design)

    def lead(self, y: np.ndarray) -> np.ndarray:
        """How far its self-play is predicted above the mean rating of the others, by a fit to the others."""
        return np.asarray(self.design.solve(y[self.others]).predict(self.played) - y[self.others].mean())

    def row(self, y: np.ndarray) -> BotRow:
        """The row of the table."""
        return BotRow(system=self.name, n=len(self.played), score=_mean(self.lead(y)), human=_mean(y[self.rated]))


def _mean(values: np.ndarray) -> BotMean:
    return bot_mean(system_means(values, [""] * len(values), levels=(0.95,))[""])


def _counted(number: int) -> str:
    return f"{number:,} conversation{'s' * (number != 1)}"


def _some(names: Collection[str]) -> str:
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(sorted(names)[:SOME]) + more if names else "no bot"
