"""What VHRED and VHCR share: width and cost of their latents, and draws that estimate a likelihood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from dialometer.bots._generative.hierarchical import Hierarchical
from dialometer.core.ranges import BelowOne, Count, Range, Width

if TYPE_CHECKING:
    from dialometer.nets.dialogue.data import EncodedDialogues
    from dialometer.nets.dialogue.layers import NetworkSizes
    from dialometer.nets.dialogue.training import TrainingOptions


@dataclass(frozen=True)
class Variational(Hierarchical):
    """``anneal`` steps bring in the KL, of which ``free`` nats a turn cost nothing; ``samples`` draws estimate a likelihood."""

    word_drop: BelowOne = 0.25
    latent: Width = 32
    anneal: Count = 1000
    free: Annotated[float, Range(0, 1000, below=True)] = 0.0
    samples: Annotated[int, Range(1, 10_000)] = 10

    def _sizes(self, symbols: int, coarse: int, data: EncodedDialogues) -> NetworkSizes:
        return replace(super()._sizes(symbols, coarse, data), latent=self.latent)

    def _training_options(self) -> TrainingOptions:
        return replace(super()._training_options(), anneal=self.anneal, free=self.free, samples=self.samples)
