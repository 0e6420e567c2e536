"""All conversations of a bot, block by block; those that a remote bot left unanswered are tried again by the next command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dialometer.bots._shared.converse import Start, Step, Talk, converse
from dialometer.flows.play.journal import Journal
from dialometer.flows.play.players import Player, Spent, add_up, less

Heard = Callable[[int], None]  # told how many turns of conversations there are by now


def play_all(
    starts: Sequence[Start], folder: Path, *, turns: int, batch: int, seed: int, tries: int, heard: Heard
) -> tuple[list[Talk], dict[str, Spent]]:
    """The conversations in order, and what each of the bots spent; journals in ``folder`` are gone on with."""
    folder.mkdir(exist_ok=True)
    played: list[Talk] = []
    spent: dict[str, Spent] = {}
    for first in range(0, len(starts), batch):
        block, before = starts[first : first + batch], len(played) * turns
        talks: dict[int, Talk] = {}
        for attempt in range(tries + 1):
            waiting = [row for row in range(len(block)) if row not in talks or unanswered(talks[row])]
            if waiting:
                some = [block[row] for row in waiting]
                journal = Journal(folder / f"{first:07d}-{attempt}.jsonl")
                talks |= zip(waiting, play_block(some, journal, turns, seed, _from(before, len(block), heard)), strict=True)
                for label, cost in journal.spent.items():
                    add_up(spent.setdefault(label, {}), cost)
        played += [talks[row] for row in range(len(block))]
        heard(len(played) * turns)
    return played, spent


def unanswered(talk: Talk) -> bool:
    """Whether a conversation was stopped by a bot that may answer another time."""
    return bool(talk.error) and bool(getattr(talk.start.bot(talk.said), "remote", False))


def play_block(starts: Sequence[Start], journal: Journal, turns: int, seed: int, heard: Heard) -> list[Talk]:
    """The conversations of a block; every turn is on disk before the next is asked for."""
    players = {bot.label: bot for start in starts for bot in (start.a, start.b) if isinstance(bot, Player)}
    before = {label: player.spent() for label, player in players.items()}
    heard(len(journal.steps))

    def keep(number: int, step: Step) -> None:
        now = {label: player.spent() for label, player in players.items()}
        journal.add(step, {label: less(now[label], before[label]) for label in players})
        before.update(now)
        heard(number + 1)

    return converse(starts, turns=turns, seed=seed, told=list(journal.steps), keep=keep)


def _from(before: int, width: int, heard: Heard) -> Heard:
    """Turns of a block as turns of the whole."""
    return lambda turn: heard(before + turn * width)
