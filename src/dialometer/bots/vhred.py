"""``vhred``: HRED with a latent for each utterance, trained here (Serban et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialometer.bots._generative.variational import Variational


@dataclass(frozen=True)
class Vhred(Variational):
    """What is to be said is drawn first, then said; the KL of the latents is reported."""

    name: ClassVar[str] = "vhred"
    network: ClassVar[str] = "dialometer.nets.dialogue.vhred:VhredNetwork"
