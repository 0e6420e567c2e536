"""What HRED, VHRED and VHCR share: a context's width, vectors of what is heard, EI regularisation (Ghandeharioun et al. 2019).

``ei`` is empty, or ``both`` heads, ``emotion`` or ``vector`` alone, or ``input``: the context hears the numbers and
predicts nothing. The weights are those of mean distances per utterance beside −log p per symbol; the paper's are in the presets
(table A.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from dialometer.bots._generative.base import WINDOW, Generative
from dialometer.bots._generative.ei_targets import EMOTIONS, ei_targets
from dialometer.bots._generative.presets import take_preset
from dialometer.bots._shared.options import check_one_of
from dialometer.core.protocols import Progress
from dialometer.core.ranges import Nonnegative, TwoWayWidth, Width
from dialometer.core.registry import create
from dialometer.text.table import row_sums

if TYPE_CHECKING:
    from dialometer.nets.dialogue.data import EncodedDialogues
    from dialometer.nets.dialogue.hred import HredNetwork
    from dialometer.nets.dialogue.layers import NetworkSizes
    from dialometer.nets.dialogue.subwords import Vocabulary
    from dialometer.nets.dialogue.training import TrainingOptions

EI = ("", "both", "emotion", "vector", "input")


@dataclass(frozen=True)
class Hierarchical(Generative):
    """Widths of the context and of the heads, and what the heads learn from."""

    context: TwoWayWidth = 256
    ei: str = ""
    emotion: str = "prompted"
    encoder: str = "minilm"
    emotion_weight: Nonnegative = 1.0
    vector_weight: Nonnegative = 100.0
    emotion_head: Width = 64
    vector_head: Width = 128
    preset: str = ""

    keeps: ClassVar[bool] = True  # as an encoder: its vectors are worth a place on disk

    def __post_init__(self) -> None:
        take_preset(self)
        super().__post_init__()
        check_one_of(self, "ei", EI)

    @property
    def width(self) -> int:
        """Numbers of a vector: those of the context's state."""
        return self.context

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(n, width) float32: the context's state after a text alone (Lowe et al. 2017, §4); zeros without a known word."""
        return self.encode_contexts([[text] for text in texts])

    def encode_contexts(self, contexts: Sequence[Sequence[str]]) -> np.ndarray:
        """(n, width) float32: the context's state after the last turn, of as much as a reply would hear; zeros as above."""
        from dialometer.nets.dialogue.context_vectors import context_vectors

        heard = [list(context)[-WINDOW:] for context in contexts]
        covered = self.coverage([text for context in heard for text in context])
        known = row_sums(covered[:, 0], np.cumsum([0, *map(len, heard)])) > 0
        vectors = np.zeros((len(heard), self.width), np.float32)
        if known.any():
            data = self._encoded([heard[row] for row in np.flatnonzero(known).tolist()]).shortened(self.longest)
            vectors[known] = context_vectors(cast("HredNetwork", self.net()), data)
        return vectors

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 2) int64: words of which every piece is known, and words."""
        return self.fitted_state().vocabulary.coverage(texts)

    def _sizes(self, symbols: int, coarse: int, data: EncodedDialogues) -> NetworkSizes:
        sizes = replace(super()._sizes(symbols, coarse, data), context=self.context)
        if not self.ei or data.facts is None:
            return sizes
        heads = (
            self.emotion_head if self.ei in ("both", "emotion") else 0,
            self.vector_head if self.ei in ("both", "vector") else 0,
        )
        facts = (EMOTIONS, data.facts.shape[1] - EMOTIONS)
        return replace(sizes, facts=facts, heads=heads, facts_heard=self.ei == "input")

    def _training_options(self) -> TrainingOptions:
        return replace(super()._training_options(), emotion=self.emotion_weight, vector=self.vector_weight)

    def _training_data(
        self, data: EncodedDialogues, talks: Sequence[Sequence[str]], progress: Progress | None
    ) -> tuple[EncodedDialogues, Vocabulary | None]:
        return self._felt(data, talks, progress) if self.ei else data, None

    def _encoded(self, talks: Sequence[Sequence[str]]) -> EncodedDialogues:
        data = super()._encoded(talks)
        return self._felt(data, talks) if self.ei == "input" else data

    def felt(self, talks: Sequence[Sequence[str]]) -> EncodedDialogues:
        """Conversations with what the heads should say of them, to measure how well they do."""
        return self._felt(super()._encoded(talks), talks)

    def _felt(
        self, data: EncodedDialogues, talks: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> EncodedDialogues:
        texts = [text for talk in talks for text in talk]
        return replace(data, facts=ei_targets(texts, self.emotion, self.encoder, progress))

    def fixed(self) -> list[str]:
        """The parts that are not fitted here, by content: other ones make another bot."""
        if not self.ei:
            return []
        return [create("emotion", self.emotion).recipe, create("encoder", self.encoder).recipe]
