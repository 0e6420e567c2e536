"""``autojudge``: a reply scored against its context alone (Deriu and Cieliebak 2019): ``(cᵀMr − α)/β``.

The same two forms as ``adem``; ``negatives`` adds empty, repeated, universal, shuffled replies and those of another context to its
training, all rated as low as the scale goes. By its bare name it scores with the head that comes with the package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialometer.judges._bilinear.judge import Bilinear


@dataclass(frozen=True)
class Autojudge(Bilinear):
    """One score on the raters' scale, without any reference."""

    name: ClassVar[str] = "autojudge"

    @property
    def sides(self) -> frozenset[str]:
        """The context."""
        return frozenset({"context"})

    @property
    def beside(self) -> tuple[str, ...]:
        """Specs that belong in every table beside it: the paper's form on the same vectors, and its start."""
        return (
            f"autojudge(prior=zero,encoder={self.encoder})",
            f"autojudge(prior=zero,solver=start,encoder={self.encoder})",
        )
