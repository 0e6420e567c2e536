"""``mrrnn``: content words are planned first, then the reply is said around them, trained here (Serban et al. 2017b).

The coarse sequence of an utterance is its content words, in order: no stop words, no punctuation, the commonest ones only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from dialometer.bots._generative.base import Generative
from dialometer.core.protocols import Progress
from dialometer.core.ranges import TwoWayWidth, VocabularySize
from dialometer.text.tokenisers.stopwords import is_punctuation, is_stopword

if TYPE_CHECKING:
    from dialometer.nets.dialogue.data import EncodedDialogues
    from dialometer.nets.dialogue.layers import NetworkSizes
    from dialometer.nets.dialogue.subwords import Vocabulary


@dataclass(frozen=True)
class Mrrnn(Generative):
    """``content`` is the number of content words that can be planned."""

    context: TwoWayWidth = 256
    content: VocabularySize = 2000

    name: ClassVar[str] = "mrrnn"
    network: ClassVar[str] = "dialometer.nets.dialogue.mrrnn:MrrnnNetwork"

    def _sizes(self, symbols: int, coarse: int, data: EncodedDialogues) -> NetworkSizes:
        return replace(super()._sizes(symbols, coarse, data), context=self.context, coarse=coarse)

    def _training_data(
        self, data: EncodedDialogues, talks: Sequence[Sequence[str]], progress: Progress | None
    ) -> tuple[EncodedDialogues, Vocabulary | None]:
        from dialometer.nets.dialogue.subwords import Vocabulary

        coarse = Vocabulary.learn(contents([text for talk in talks for text in talk]), self.content + 2, "words")
        return self._with_coarse(data, talks, coarse), coarse

    def _encoded(self, talks: Sequence[Sequence[str]]) -> EncodedDialogues:
        coarse = self.fitted_state().coarse
        return self._with_coarse(super()._encoded(talks), talks, coarse) if coarse else super()._encoded(talks)

    def _with_coarse(self, data: EncodedDialogues, talks: Sequence[Sequence[str]], coarse: Vocabulary) -> EncodedDialogues:
        from dialometer.nets.dialogue.mrrnn import LONGEST

        planned = iter(contents([text for talk in talks for text in talk]))
        kept = [[" ".join(word for word in next(planned).split() if word in coarse) for _ in talk] for talk in talks]
        return replace(data, coarse=type(data).of(kept, coarse, LONGEST + 1))


def contents(texts: Sequence[str]) -> list[str]:
    """The content words of each text.

    >>> contents(["I would like a cup of tea , please ."])
    ['like cup tea please']
    """
    from dialometer.nets.dialogue.subwords import words_of

    table = words_of(texts)
    spellings = table.spellings()
    kept = [not is_stopword(word) and not is_punctuation(word) for word in spellings]
    rows = zip(table.starts[:-1].tolist(), table.starts[1:].tolist(), strict=True)
    ids = table.ids.tolist()
    return [" ".join(spellings[i] for i in ids[a:b] if kept[i]) for a, b in rows]
