"""Deletions: of stop words, of punctuation, of the second half, of everything."""

from __future__ import annotations

import re

from dialometer.core.types import Example
from dialometer.text.perturb.kinds import Others, Perturbation
from dialometer.text.perturb.units import first_units, units
from dialometer.text.tokenisers.stopwords import is_punctuation, is_stopword

_MARKED = re.compile(r"<[\w-]+>|[@#]\w|\w+://")  # marks, mentions, tags and addresses: their signs are part of a name
_CLITIC = re.compile(r"['’](?:m|re|s|ve|ll|d|t)\b", re.IGNORECASE)
_EDGES = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)


def _without_stop_words(item: Example, others: Others, seed: int) -> str | None:
    """Remove stop words; punctuation after one is attached to the word before it."""
    kept: list[str] = []
    for piece in item.response.split():
        edges = _EDGES.match(piece)
        _, core, tail = edges.groups() if edges else ("", piece, "")
        if not (is_stopword(piece) or (core and is_stopword(core))):
            kept.append(piece)
        elif kept and not is_stopword(piece):
            kept[-1] += tail
    if all(map(is_punctuation, kept)):
        return None  # nothing but stop words: that is the empty response, which is another test
    return " ".join(kept) if kept != item.response.split() else None


def _without_punctuation(item: Example, others: Others, seed: int) -> str | None:
    pieces = [_bare(piece) for piece in item.response.split()]
    kept = [piece for piece in pieces if piece]
    return " ".join(kept) if kept and kept != item.response.split() else None


def _bare(piece: str) -> str:
    """A piece without punctuation; what joins letters or digits (don't, 3.5, well-known) stays.

    >>> [_bare(piece) for piece in ("Tea,", "don't", "'m", "3.5", "<url>", "...")]
    ['Tea', "don't", "'m", '3.5', '<url>', '']
    """
    if _MARKED.match(piece):
        return piece
    kept = []
    for at, character in enumerate(piece):
        inside = 0 < at < len(piece) - 1 and piece[at - 1].isalnum() and piece[at + 1].isalnum()
        if inside or not is_punctuation(character) or _CLITIC.match(piece, at):
            kept.append(character)
    return "".join(kept)


def _first_half(item: Example, others: Others, seed: int) -> str | None:
    words = len(units(item.response))
    return first_units(item.response, words // 2) if words > 1 else None


def _nothing(item: Example, others: Others, seed: int) -> str | None:
    return "" if item.response.strip() else None


NO_STOP_WORDS = Perturbation(
    "no-stop-words", "drop", "without articles, pronouns, auxiliaries, prepositions (the list of text/tokenisers/stopwords.py)",
    "it reads like a telegram: fluency falls (Sai et al. 2021, templates for fluency)", _without_stop_words,
)  # fmt: skip
NO_PUNCTUATION = Perturbation(
    "no-punctuation", "same", "without punctuation, except inside words and numbers",
    "many chats are written so, nothing is lost (Sai et al. 2021 count it against fluency alone)", _without_punctuation,
)  # fmt: skip
TRUNCATED = Perturbation(
    "truncated", "drop", "the first half of the words",
    "an answer that breaks off is incomplete (D'Haro et al. 2019, table 4: an incomplete reply that AM-FM misses)", _first_half,
)  # fmt: skip
EMPTY = Perturbation("empty", "drop", "no text at all", "silence is no reply", _nothing)
