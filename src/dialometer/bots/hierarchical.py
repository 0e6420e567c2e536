"""What HRED, VHRED and VHCR share: a context's width, and EI regularisation (Ghandeharioun et al. 2019, §3.1).

``ei`` is empty, or ``both`` heads, ``emotion`` or ``vector`` alone, or ``input``: the context hears the numbers and
predicts nothing. The weights are those of mean distances per utterance beside −log p per symbol; the paper's are in the presets
(table A.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dialometer.bots.feelings import EMOTIONS, feelings
from dialometer.bots.generative import Generative
from dialometer.bots.options import check_least, check_one_of
from dialometer.bots.presets import take_preset
from dialometer.protocols import Progress
from dialometer.registry import create

if TYPE_CHECKING:
    from dialometer.nets.talk.data import Talks
    from dialometer.nets.talk.layers import Sizes
    from dialometer.nets.talk.learning import Course
    from dialometer.nets.talk.vocabulary import Vocabulary

EI = ("", "both", "emotion", "vector", "input")


@dataclass(frozen=True)
class Hierarchical(Generative):
    """Widths of the context and of the heads, and what the heads learn from."""

    context: int = 256
    ei: str = ""
    emotion: str = "prompted"
    encoder: str = "minilm"
    emotion_weight: float = 1.0
    vector_weight: float = 100.0
    emotion_head: int = 64
    vector_head: int = 128
    preset: str = ""

    def __post_init__(self) -> None:
        take_preset(self)
        super().__post_init__()
        check_least(self, {"context": 2, "emotion_head": 1, "vector_head": 1})
        check_one_of(self, "ei", EI)

    def _sizes(self, symbols: int, coarse: int, data: Talks) -> Sizes:
        sizes = replace(super()._sizes(symbols, coarse, data), context=self.context)
        if not self.ei or data.facts is None:
            return sizes
        heads = (
            self.emotion_head if self.ei in ("both", "emotion") else 0,
            self.vector_head if self.ei in ("both", "vector") else 0,
        )
        facts = (EMOTIONS, data.facts.shape[1] - EMOTIONS)
        return replace(sizes, facts=facts, heads=heads, facts_heard=self.ei == "input")

    def _course(self) -> Course:
        return replace(super()._course(), emotion=self.emotion_weight, vector=self.vector_weight)

    def _prepared(
        self, data: Talks, talks: Sequence[Sequence[str]], progress: Progress | None
    ) -> tuple[Talks, Vocabulary | None]:
        return self._felt(data, talks, progress) if self.ei else data, None

    def _heard(self, talks: Sequence[Sequence[str]]) -> Talks:
        data = super()._heard(talks)
        return self._felt(data, talks) if self.ei == "input" else data

    def felt(self, talks: Sequence[Sequence[str]]) -> Talks:
        """Conversations with what the heads should say of them, to measure how well they do."""
        return self._felt(super()._heard(talks), talks)

    def _felt(self, data: Talks, talks: Sequence[Sequence[str]], progress: Progress | None = None) -> Talks:
        texts = [text for talk in talks for text in talk]
        return replace(data, facts=feelings(texts, self.emotion, self.encoder, progress))

    def fixed(self) -> list[str]:
        """The parts that are not fitted here, by content: other ones make another bot."""
        if not self.ei:
            return []
        return [create("emotion", self.emotion).recipe, create("encoder", self.encoder).recipe]
