"""Contexts as chat messages, and contexts made shorter: what chat models are asked with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from dialometer.core.types import BOTS, USERS, Turn

Context = tuple[Turn, ...]
Message = dict[str, str]
OPENING = "Start a conversation with me: say the first sentence."  # asked where nobody has said anything yet
_SYSTEM = "system"


def messages(context: Context, system: str = "") -> list[Message]:
    """Roles and texts, ending with the user; turns of one role that follow each other become one message.

    >>> for message in messages((Turn("ann", "hi"), Turn("bob", "hello"), Turn("ann", "tea?"), Turn("ann", "now?"))):
    ...     print(message)
    {'role': 'user', 'content': 'hi'}
    {'role': 'assistant', 'content': 'hello'}
    {'role': 'user', 'content': 'tea?\\nnow?'}
    """
    said = [(role, sendable(turn.text)) for role, turn in zip(roles(context), context, strict=True)]
    if all(role == _SYSTEM for role, _ in said):
        said.append(("user", OPENING))
    if system:
        said.insert(0, (_SYSTEM, system))
    groups = groupby(said, key=lambda pair: pair[0])
    return [{"role": role, "content": "\n".join(text for _, text in group)} for role, group in groups]


def roles(context: Context) -> list[str]:
    """The part of each turn: whoever speaks last is the user, the others are the assistant.

    Known names (user, human; bot, assistant, model) are taken at their word unless a bot speaks last. Where no turn names its
    speaker, they alternate. ``system`` is an instruction if it speaks only before everybody else.

    >>> roles((Turn("", "hi"), Turn("", "hello"), Turn("", "tea?")))
    ['user', 'assistant', 'user']
    >>> roles((Turn("bot", "hi"), Turn("eve", "hello"), Turn("bot", "tea?")))
    ['user', 'assistant', 'user']
    """
    if not any(turn.speaker for turn in context):
        return ["assistant" if i % 2 else "user" for i in range(len(context))][::-1]
    names = [turn.speaker.lower() for turn in context]
    told = _instructions(names)
    at_its_word = names[-1] not in BOTS
    found = [_SYSTEM] * told
    for name in names[told:]:
        user = name == names[-1] or (at_its_word and name in USERS)
        found.append("user" if user else "assistant")
    return found


def _instructions(names: Sequence[str]) -> int:
    """How many turns at the start are instructions; a ``system`` that speaks later too is a partner."""
    first = next((i for i, name in enumerate(names) if name != _SYSTEM), len(names))
    return 0 if _SYSTEM in names[first:] else first


def sendable(text: str) -> str:
    """A text that UTF-8 can hold: half a surrogate pair becomes a question mark.

    >>> sendable("tea \\ud83d")
    'tea ?'
    """
    return text.encode("utf-8", "replace").decode()


def cut(context: Context, *, turns: int = 0, characters: int = 0) -> Context:
    """The latest turns, at most so many and so long; of a last turn that is too long by itself, its end. 0 is no limit.

    >>> [turn.text for turn in cut((Turn("", "one"), Turn("", "two"), Turn("", "three")), characters=8)]
    ['two', 'three']
    """
    kept = context[-turns:] if turns else context
    if not characters:
        return kept
    while len(kept) > 1 and sum(len(turn.text) for turn in kept) > characters:
        kept = kept[1:]
    if kept and len(kept[-1].text) > characters:
        kept = (replace(kept[-1], text=kept[-1].text[-characters:]),)
    return kept


def halved(context: Context) -> Context | None:
    """The later half of the turns, or of the one turn's text; None where nothing is left to take away."""
    if len(context) > 1:
        return context[len(context) // 2 :]
    if not context or len(context[0].text) < 2:
        return None
    return (replace(context[0], text=context[0].text[len(context[0].text) // 2 :]),)
