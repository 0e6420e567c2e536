"""Texts without what says nothing: stop words and punctuation, or the tokens that preprocessing left behind.

Liu et al. (2016, table 4) score again without stop words and punctuation; Lowe et al. (2017, table 10) without the speaker tokens
that open every utterance of those data. The rest is unchanged, and blanks replace what was removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, pairwise

from dialometer.core.errors import UsageError
from dialometer.core.types import Example, Turn
from dialometer.text.tokenisers.stopwords import is_punctuation, is_stopword
from dialometer.text.tokenisers.words import UnicodeWords

SPEAKER_TOKENS = (
    *("<first_speaker>", "<second_speaker>", "<third_speaker>", "<at>", "<user>", "@user"),
    *("<url>", "<number>", "<numbers>"),
)
_WORDS = UnicodeWords()


def without_stopwords(text: str, *, punctuation: bool = True) -> str:
    """The words with content; ``punctuation=False`` keeps punctuation. Words are those of the tokeniser ``words``.

    >>> without_stopwords("Well, I like the 3.5-star Tea <url> !")
    'Well like 3.5 star Tea <url>'
    """
    pieces = (_content(chunk, punctuation) for chunk in text.split())
    return " ".join(piece for piece in pieces if piece)


def without_tokens(text: str, tokens: Sequence[str] = SPEAKER_TOKENS) -> str:
    """The text without these tokens, in either case, wherever they stand as tokens.

    >>> without_tokens("<first_speaker> see <URL>, @user @username")
    'see , @username'
    >>> without_tokens("A: yes <eot>", (*SPEAKER_TOKENS, "A:", "<eot>"))
    'yes'
    """
    pattern = _pattern(tuple(tokens))
    while pattern.search(text):  # a token of several words may form once another is gone
        text = " ".join(pattern.sub(" ", text).split())
    return text


def stripped(example: Example, strip: Callable[[str], str]) -> Example:
    """The item with response, references and turns around it stripped; it still belongs to the document it belonged to.

    A response of which nothing is left is empty, and is scored so; a reference of which nothing is left is dropped, for there
    is nothing to compare with, and an item that loses all its references is not scored.
    """
    return replace(
        example,
        context=_turns(example.context, strip),
        response=strip(example.response),
        references=tuple(text for text in map(strip, example.references) if text),
        group=example.document,
        after=_turns(example.after, strip),
    )


def _turns(turns: tuple[Turn, ...], strip: Callable[[str], str]) -> tuple[Turn, ...]:
    return tuple(replace(turn, text=strip(turn.text)) for turn in turns)


def _content(chunk: str, punctuation: bool) -> str:
    """What is left of a piece without white space."""
    words = _WORDS.split(chunk)
    gone = [is_stopword(word) or (punctuation and is_punctuation(word)) for word in words]
    if not any(gone):
        return chunk if words else ""
    exact = "".join(words) == chunk.lower() and len(chunk) == len(chunk.lower())
    if exact:  # the tokens cover the piece: cut it there, and what touched still touches
        words = [chunk[start:end] for start, end in pairwise(accumulate(map(len, words), initial=0))]
    kept = ("" if exact else " ").join(" " if goes else word for word, goes in zip(words, gone, strict=True))
    return " ".join(kept.split())


@cache
def _pattern(tokens: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the tokens, the longest first; one that begins or ends as words do is no part of a longer word."""
    if not tokens or not all(map(str.strip, tokens)):
        raise UsageError(
            "of the tokens to remove one is empty, or none was named", f"name tokens such as {SPEAKER_TOKENS[0]}"
        )
    spelt = [
        ("(?<!\\w)" if token[0] == "@" or token[0].isalnum() else "")
        + re.escape(token)
        + ("(?!\\w)" if token[-1].isalnum() else "")
        for token in sorted(map(str.strip, tokens), key=len, reverse=True)
    ]
    return re.compile("|".join(spelt), re.IGNORECASE)
