"""``hred``: the hierarchical recurrent encoder–decoder, trained here (Serban et al. 2016), with EI regularisation if wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialometer.bots._generative.hierarchical import Hierarchical


@dataclass(frozen=True)
class Hred(Hierarchical):
    """Utterance GRU → context GRU → decoder GRU; ``hred(preset=cornell)`` has the sizes of Ghandeharioun et al. 2019."""

    name: ClassVar[str] = "hred"
    network: ClassVar[str] = "dialometer.nets.dialogue.hred:HredNetwork"
