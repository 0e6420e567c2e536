"""Who talks with whom in what is scored: a system with a partner, a system with itself, or some of both."""

from __future__ import annotations

from dialometer.flows.score.shards import Shards
from dialometer.text.dialogues import conversations


def find_form(shards: Shards) -> str:
    """``chat`` where others speak between the replies, ``self-play`` where every turn is a reply to the one before, or ``both``.

    A single reply tells nothing: it may be what a shard has of a conversation.
    """
    kinds: set[bool] = set()
    for corpus in shards.corpora():
        found = conversations(corpus)
        kinds |= set(found.alone[found.counts() > 1].tolist())
        if len(kinds) > 1:
            return "both"
    return "self-play" if kinds == {True} else "chat"
