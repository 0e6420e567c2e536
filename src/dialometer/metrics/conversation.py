"""``conversation``: a dialogue as a whole, by the features of its replies and by what only the whole has.

The columns of ``turns``, each the mean over the system's replies; then ``sentiment-slope``, from the lowest to the highest user
sentiment, ``(highest − lowest) / (turn of the highest − turn of the lowest)`` in user turns (Sentiment Min-Max of Ghandeharioun et
al. 2019, §4.3), where two turns or more have one; and ours: ``own-distinct-1`` and ``own-distinct-2`` of all replies of the system;
``topic``, the mean cosine of each reply with the mean vector of the turns before it; ``balance = 1 − |2s − 1|`` with s the system's
share of the words; and ``replies``, how many there are.

In self-play, where every turn is a reply, the user's part is played by each turn that was answered, and s is the share of every
second reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialometer.core.protocols import Level
from dialometer.metrics._conversation.dialogue_features import balance, own_distinct, slopes, topics, user_turns
from dialometer.metrics._conversation.turn_features import sentiments
from dialometer.metrics.turns import COLUMNS as OF_TURNS
from dialometer.metrics.turns import Turns, column_means, feature_lines, sums_and_counts
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import Conversations, conversation_means, conversations

COLUMNS = (*OF_TURNS, "sentiment-slope", "own-distinct-1", "own-distinct-2", "topic", "balance", "replies")


@dataclass(frozen=True)
class Conversation:
    """A row per dialogue; the options are those of ``turns``."""

    emotion: str = Turns.emotion
    encoder: str = Turns.encoder
    vectors: str = Turns.vectors
    tok: str = Turns.tok

    name: ClassVar[str] = "conversation"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "dialogue"
    needs: ClassVar[frozenset[str]] = Turns.needs
    uses: ClassVar[frozenset[str]] = Turns.uses
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    gaps: ClassVar[tuple[str, ...]] = (*Turns.gaps, *COLUMNS[len(OF_TURNS) : -1])
    floor: ClassVar[float] = Turns.floor

    def recipe_facts(self) -> dict[str, object]:
        """The models' and the tokeniser's own recipes."""
        return self._turns.recipe_facts()

    def measure(self, corpus: Corpus) -> np.ndarray:
        """A value and a count of each column, values first; a row per dialogue, in order of appearance."""
        return sums_and_counts(self.values(corpus, conversations(corpus)))

    def finish(self, totals: np.ndarray, *, level: Level) -> np.ndarray:
        """Means over the dialogues that have a value."""
        return column_means(totals)

    def values(self, corpus: Corpus, found: Conversations) -> np.ndarray:
        """(dialogues, columns), NaN where a dialogue has none."""
        if not len(found):
            return np.zeros((0, len(COLUMNS)))
        turns, table = self._turns, corpus.table(self.tok)
        features = turns.values(corpus)
        users = user_turns(corpus, found)
        scored = conversation_means(np.where(corpus.contexts.counts() > 0, 1.0, np.nan), found.code)
        made = np.column_stack(
            [
                conversation_means(features, found.code),
                slopes(users, sentiments(corpus, turns.feels, users.rows)[0]),
                own_distinct(corpus, table, found),
                conversation_means(topics(corpus, turns.reads), found.code),
                balance(corpus, table, found, users),
                found.counts(),
            ]
        )
        return made * scored[:, None]  # replies without any context are no dialogue

    def seen(self) -> np.ndarray:
        """Hashes of the texts that the encoder was fitted on."""
        return self._turns.seen()

    def explain(self, corpus: Corpus, row: int) -> list[str]:
        """The speakers, and the columns."""
        found = conversations(corpus)
        own = int(found.code[row])
        many = int(found.counts()[own])
        form = (
            "self-play: each turn answers the one before"
            if found.alone[own]
            else "chat: the turns of others are the user's part"
        )
        lines = [
            f"{many} {'reply' if many == 1 else 'replies'} of {corpus.systems[row] or 'a system without a name'}; {form}"
        ]
        if not found.ordered[own]:
            lines.append("its replies answer one context and do not follow each other: no slope, no balance")
        return [*lines, *feature_lines(COLUMNS, self.values(corpus, found)[own])]

    @property
    def _turns(self) -> Turns:
        return Turns(self.emotion, self.encoder, self.vectors, self.tok)
