"""``turns``: features of each reply in its dialogue: sentiment, semantic similarity, engagement and repetition.

With r the reply, q the last turn before it and n the first after it, both of another speaker (Ghandeharioun et al. 2019, §4.3):
``user-sentiment`` of q and ``bot-sentiment`` of r are ``Σ weight · p`` over emojis; ``sentiment-coherence`` is the cosine of their
distributions p and ``sentiment-transition`` the sentiment of n less that of q; ``laughter`` counts the "ha"s of q. ``similarity``
is the cosine of the sentence vectors of q and r; ``average-``, ``extrema-`` and ``greedy-coherence`` compare their words as
``embedding`` does.
``question`` is ½ for a question word in r and ½ for a question mark; ``turn-words`` and ``user-words`` count the words of r and q.
Ours are ``repeats-itself``, 1 − distinct-2 of r, and ``repeats-before``, the share of r's pairs of words that a turn before has.

In a chat q and n are the user's and r the bot's, also where the bot has two turns in a row; in self-play consecutive turns play
both parts. A column without a value (no turn of another speaker before r or after it, no known word in r, r has no pair of words)
is NaN, and its mean rests on the other replies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core.protocols import Emotion, Encoder, Fits, Level, WordVectors
from dialometer.core.registry import create
from dialometer.metrics._conversation.laughter import laughs
from dialometer.metrics._conversation.questions import question_score
from dialometer.metrics._conversation.turn_features import (
    TurnExchanges,
    distinct_rows,
    feelings,
    repetition,
    similarity,
    word_coherence,
)
from dialometer.text.corpus import Corpus
from dialometer.text.tokenisers.base import tokeniser

COLUMNS = (
    *("user-sentiment", "bot-sentiment", "sentiment-coherence", "sentiment-transition", "laughter", "similarity"),
    *("average-coherence", "extrema-coherence", "greedy-coherence", "question", "turn-words", "user-words"),
    *("repeats-itself", "repeats-before"),
)
ALWAYS = ("question", "turn-words")


@dataclass(frozen=True)
class Turns:
    """Fourteen features of a reply; ``emotion``, ``encoder`` and ``vectors`` are specs of the models that they rest on."""

    emotion: str = "prompted"
    encoder: str = "minilm"
    vectors: str = "wordllama"
    tok: str = "words"

    name: ClassVar[str] = "turns"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset({"context"})
    uses: ClassVar[frozenset[str]] = frozenset({"context", "after"})
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    gaps: ClassVar[tuple[str, ...]] = tuple(name for name in COLUMNS if name not in ALWAYS)
    floor: ClassVar[float] = float("nan")  # a feature has no value that means "nothing found"

    def recipe_facts(self) -> dict[str, object]:
        """The models' and the tokeniser's own recipes."""
        return {
            "emotion": self.feels.recipe,
            "encoder": self.reads.recipe,
            "vectors": self.words.recipe,
            "tok": tokeniser(self.tok).recipe,
        }

    def measure(self, corpus: Corpus) -> np.ndarray:
        """A sum and a count of each column, sums first."""
        return sums_and_counts(self.values(corpus))

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over the replies that have a value."""
        return column_means(totals)

    def values(self, corpus: Corpus) -> np.ndarray:
        """(examples, columns): the features of each reply, NaN where it has none."""
        turns = TurnExchanges.of(corpus)
        made = np.full((len(corpus), len(COLUMNS)), np.nan)
        if len(turns.items):
            table = corpus.table(self.tok)
            similar = similarity(corpus, self.reads, turns)  # first: an emotion may make use of the same vectors
            words = np.append(table.lengths(), np.nan)  # the last stands for an absent text
            made[turns.items] = np.column_stack(
                [
                    feelings(corpus, self.feels, turns),
                    _of_texts(corpus, turns.query, laughs),
                    similar,
                    word_coherence(corpus, self.tok, self.words, turns),
                    _of_texts(corpus, turns.reply, question_score),
                    words[turns.reply],
                    words[turns.query],
                    repetition(corpus, table, turns),
                ]
            )
        return made

    def seen(self) -> np.ndarray:
        """Hashes of the texts that the encoder was fitted on; none for one that was not."""
        encoder = self.reads
        return encoder.seen() if isinstance(encoder, Fits) else np.zeros(0, np.uint64)

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """The three turns, and the columns."""
        turns = TurnExchanges.of(corpus.take(np.array([row])))
        if not len(turns.items):
            return ["a reply without a context answers nothing, and has no features"]
        texts = {"q": turns.query[0], "r": turns.reply[0], "n": turns.following[0]}
        lines = [
            f"{sign}: {' '.join(corpus.texts[int(text)].split()) or '(empty)'}" for sign, text in texts.items() if text >= 0
        ]
        if texts["q"] < 0:
            lines.insert(0, "q: nobody else spoke before it, so that it has nothing that needs what it answers")
        if texts["n"] < 0:
            lines.append("n: nobody else spoke after it, so that it has no sentiment-transition")
        values = self.values(corpus.take(np.array([row])))[0]
        return [*lines, *feature_lines(COLUMNS, values)]

    @property
    def feels(self) -> Emotion:
        """The emotion model."""
        made: Emotion = create("emotion", self.emotion)
        return made

    @property
    def reads(self) -> Encoder:
        """The sentence encoder."""
        made: Encoder = create("encoder", self.encoder)
        return made

    @property
    def words(self) -> WordVectors:
        """The word vectors."""
        made: WordVectors = create("vector", self.vectors)
        return made


def sums_and_counts(values: np.ndarray) -> np.ndarray:
    """Values as statistics: themselves with 0 for NaN, then 1 where there is one.

    >>> sums_and_counts(np.array([[2.0, np.nan]])).tolist()
    [[2.0, 0.0, 1.0, 0.0]]
    """
    return np.concatenate([np.nan_to_num(values, nan=0.0), ~np.isnan(values)], axis=1)


def column_means(totals: np.ndarray) -> np.ndarray:
    """Sums / counts of summed statistics; NaN where nothing was counted."""
    sums, counts = np.split(totals, 2, axis=-1)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def feature_lines(columns: tuple[str, ...], values: np.ndarray) -> list[str]:
    """A line per column."""
    return [
        f"{name} = {'absent' if np.isnan(value) else f'{value:.4f}'}" for name, value in zip(columns, values, strict=True)
    ]


def _of_texts(corpus: Corpus, rows: np.ndarray, count: Callable[[str], float]) -> np.ndarray:
    """A number of each text, worked out once for each distinct one; NaN where there is no text."""
    used, places = distinct_rows(rows)
    return np.array([*(count(corpus.texts[row]) for row in used.tolist()), np.nan])[places]
