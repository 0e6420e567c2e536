"""``vhcr``: VHRED with a latent that the whole conversation shares, and utterance drop, trained here (Park et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from dialometer.bots._generative.variational import Variational
from dialometer.core.ranges import BelowOne

if TYPE_CHECKING:
    from dialometer.nets.dialogue.data import EncodedDialogues
    from dialometer.nets.dialogue.layers import NetworkSizes


@dataclass(frozen=True)
class Vhcr(Variational):
    """A quarter of the utterances go unheard while it learns, so that the shared latent is of use."""

    utterance_drop: BelowOne = 0.25

    name: ClassVar[str] = "vhcr"
    network: ClassVar[str] = "dialometer.nets.dialogue.vhcr:VhcrNetwork"

    def _sizes(self, symbols: int, coarse: int, data: EncodedDialogues) -> NetworkSizes:
        return replace(super()._sizes(symbols, coarse, data), utterance_drop=self.utterance_drop)
