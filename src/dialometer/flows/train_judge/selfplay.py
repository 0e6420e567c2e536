"""The chain of the paper: fit on chats of the other bots, apply to the self-play of the bot left out, set beside its human mean.

Ghandeharioun et al. 2019, section 4. Systems of the two files are matched by name.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.core.types import Dialogue
from dialometer.data import open_items
from dialometer.flows.train_judge.bot_dialogues import Chats
from dialometer.flows.train_judge.dataset import Bench
from dialometer.stats.correlation.correlate import COEFFICIENTS, KINDS
from dialometer.stats.correlation.system_level import LEAST
from dialometer.stats.means import system_means
from dialometer.stats.validation.bot_level import over_bots
from dialometer.stats.validation.permutation_null import whole_null
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import conversation_systems, conversations

if TYPE_CHECKING:
    from dialometer.contracts.train import TrainRequest

PLAY = "dialogues.jsonl"  # what a run of play holds
ALONE = "dialometer play --a BOT -n 100 --turns 10, and the folder that it prints"
SOME = 5  # names that a message lists


@dataclass(frozen=True, eq=False)
class Played:
    """Self-play of bots whose chats were rated: the bot of each conversation of the corpus, and what stays out of the chain."""

    corpus: Corpus
    system: np.ndarray
    names: dict[str, list[str]]  # bots that are only played, only rated, or never reply
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


def read_selfplay(bench: Bench, request: TrainRequest) -> Played | None:
    """The conversations of ``--selfplay``, checked and matched with the rated bots; None where nothing is asked for."""
    if not request.selfplay:
        return None
    file = selfplay_file(request.selfplay)
    talks = _talks(file, request)
    _refuse_rated(talks, bench, file)
    played, rated = ({name for name in names if name} for names in ({talk.system for talk in talks}, bench.system.tolist()))
    _refuse_unmatched(played, rated, file)
    corpus = replace(Corpus.build([example for talk in talks for example in talk.examples()]), keep=True)
    if not len(corpus):
        raise NeedsError(
            f"{_counted(len(talks))} of {file} hold no reply: all turns are by user, or there is one turn",
            "turns of both sides by speakers that are not user, such as a and b",
        )
    system, alone, single = _self_talk(corpus, file)
    kept = np.flatnonzero(alone & np.isin(system, sorted(rated)))
    heard = set(system[alone].tolist())
    names = {
        "only_played": sorted(played - rated), "only_rated": sorted(rated - played), "silent": sorted(played & rated - heard),
    }  # fmt: skip
    left_out = {
        "conversations without a reply": len(talks) - len(system), "conversations with a single reply": single,
        "conversations without the name of a bot": int((system[alone] == "").sum()),
    }  # fmt: skip
    if not len(kept):
        raise NeedsError(f"no bot of {file} that has rated chats replies twice in any conversation", ALONE)
    found = conversations(corpus)
    part = replace(corpus.take(np.flatnonzero(np.isin(found.code, kept))), keep=True)
    return Played(part, system[kept], names, {what: count for what, count in left_out.items() if count})


def _talks(file: str, request: TrainRequest) -> list[Dialogue]:
    items = list(open_items([file], max_line=request.max_line))
    talks = [item for item in items if isinstance(item, Dialogue)]
    if len(talks) < len(items):
        first = next(item.id for item in items if not isinstance(item, Dialogue))
        told = (
            f"{file} holds replies, not conversations: {len(items) - len(talks):,} of {len(items):,} items (first: {first})"
        )
        raise UsageError(told, ALONE)
    return talks


def _refuse_rated(talks: Sequence[Dialogue], bench: Bench, file: str) -> None:
    """What people rated teaches the fit, and cannot be what the fit is applied to."""
    rated = {_content(item) for item in bench.rated.items if isinstance(item, Dialogue)}
    if same := [talk.id for talk in talks if _content(talk) in rated]:
        told = f"{len(same):,} of {_counted(len(talks))} of {file} are among the rated ones (first: {same[0]})"
        raise UsageError(f"{told}, so they are no self-play beside these", ALONE)


def _content(talk: Dialogue) -> tuple[str, ...]:
    return (talk.id, *(turn.text for turn in talk.turns))


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


def _self_talk(corpus: Corpus, file: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Per conversation its bot, and whether the bot plays both parts; how many have one reply. Chats with somebody are refused."""
    found = conversations(corpus)
    single = found.counts() == 1
    company = np.flatnonzero(~found.alone & ~single)
    if len(company):
        first = list(corpus.ids)[int(found.last[company[0]])].rpartition("#")[0]
        raise UsageError(
            f"{len(company):,} of {_counted(len(found))} of {file} are not self-play: somebody else speaks between the bot's "
            f"replies, or one speaker says everything (first: {first})",
            f"{ALONE}; in a file of yours both sides are speakers that are not user, such as a and b",
        )
    return np.array(conversation_systems(corpus)), found.alone, int(single.sum())


def chained(chats: Chats, played: Played, draws: int, progress: Progress) -> dict[str, Any]:
    """Per bot the mean M_H of its self-play by a fit without it, people's mean of its chats; correlations over the shared bots."""
    columns = chats.judge.look(played.corpus)
    links = [Link.of(chats, columns[played.system == name], name) for name in sorted(set(played.system.tolist()))]
    rows = [link.row(chats.target) for link in links]
    score, human = (np.array([row[side]["value"] for row in rows]) for side in ("score", "human"))
    over = over_bots(score, human, seed=chats.seed)
    if len(links) >= LEAST:

        def figures(y: np.ndarray) -> list[float]:
            sides = zip(*((link.lead(y).mean(), y[link.own].mean()) for link in links), strict=True)
            placed, rated = (np.array(side) for side in sides)
            return [COEFFICIENTS[kind](placed, rated) for kind in KINDS]

        null = whole_null(figures, chats.target, chats.system, way="bots", draws=draws, seed=chats.seed, progress=progress)
        over = {kind: replace(over[kind], p=p, test="dealt") for kind, p in zip(KINDS, null.p.tolist(), strict=True)}
    return {
        "rows": rows,
        "over_bots": {kind: asdict(one) for kind, one in over.items()},
        **played.names,
        "left_out": played.left_out,
    }


@dataclass(frozen=True, eq=False)
class Link:
    """One bot of the chain: its self-play, its rated chats, and the fit to the others'."""

    name: str
    played: np.ndarray
    own: np.ndarray
    others: np.ndarray
    design: Any

    @classmethod
    def of(cls, chats: Chats, played: np.ndarray, name: str) -> Link:
        """What does not depend on the ratings."""
        own, others = np.flatnonzero(chats.system == name), np.flatnonzero(chats.system != name)
        design = chats.judge.design(chats.columns[others], chats.system[others].tolist(), seed=chats.seed)
        return cls(name, played, own, others, design)

    def lead(self, y: np.ndarray) -> np.ndarray:
        """How far its self-play is placed above the mean of the others, by a fit to the others."""
        return np.asarray(self.design.solve(y[self.others]).predict(self.played) - y[self.others].mean())

    def row(self, y: np.ndarray) -> dict[str, Any]:
        """As the page shows it."""
        score, human = _mean(self.lead(y)), _mean(y[self.own])
        return {"system": self.name, "n": len(self.played), "score": score, "human": human}


def _mean(values: np.ndarray) -> dict[str, float]:
    one = system_means(values, [""] * len(values), levels=(0.95,))[""]
    return {"value": one.mean, "low": one.intervals[0.95][0], "high": one.intervals[0.95][1]}


def _counted(number: int) -> str:
    return f"{number:,} conversation{'s' * (number != 1)}"


def _some(names: Collection[str]) -> str:
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(sorted(names)[:SOME]) + more if names else "no bot"
