"""What VHRED and VHCR share: width and cost of their latents, and draws that estimate a likelihood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dialometer.bots.hierarchical import Hierarchical
from dialometer.bots.options import check_least
from dialometer.errors import SpecError

if TYPE_CHECKING:
    from dialometer.nets.talk.data import Talks
    from dialometer.nets.talk.layers import Sizes
    from dialometer.nets.talk.learning import Course


@dataclass(frozen=True)
class Variational(Hierarchical):
    """``anneal`` steps bring in the KL, of which ``free`` nats a turn cost nothing; ``samples`` draws estimate a likelihood."""

    word_drop: float = 0.25
    latent: int = 32
    anneal: int = 1000
    free: float = 0.0
    samples: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"latent": 1, "anneal": 0, "samples": 1})
        if not 0 <= self.free < 1000:
            raise SpecError(f"{self.name}(free=…) is 0 nats or more, not {self.free}", f"{self.name}(free=0)")

    def _sizes(self, symbols: int, coarse: int, data: Talks) -> Sizes:
        return replace(super()._sizes(symbols, coarse, data), latent=self.latent)

    def _course(self) -> Course:
        return replace(super()._course(), anneal=self.anneal, free=self.free, samples=self.samples)
