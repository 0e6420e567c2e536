"""``vhcr``: VHRED with a latent that the whole conversation shares, and utterance drop, trained here (Park et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialometer.bots.variational import Variational


@dataclass(frozen=True)
class Vhcr(Variational):
    """A quarter of the utterances go unheard while it learns, so that the shared latent is of use."""

    utterance_drop: float = 0.25

    name: ClassVar[str] = "vhcr"
    network: ClassVar[str] = "dialometer.nets.talk.vhcr:Vhcr"
