"""``adem``: a reply scored against its context and a reference (Lowe et al. 2017): ``(cᵀMr̂ + rᵀNr̂ − α)/β``.

Vectors come from any encoder. ``prior=zero`` is the paper's form (PCA, L1, fixed α and β); the default shrinks M and N towards the
dot product instead and adds terms of the reply alone (``dot_form``). ``variant`` drops a side: C-ADEM needs no reference, R-ADEM
no context. By its bare name it scores with the head that comes with the package, an R-ADEM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialometer.judges._bilinear.judge import Bilinear

VARIANTS_OF_SIDES = {
    "full": frozenset({"context", "reference"}),
    "context": frozenset({"context"}),
    "reference": frozenset({"reference"}),
}


@dataclass(frozen=True)
class Adem(Bilinear):
    """``variant``: full, context (C-ADEM) or reference (R-ADEM); one score on the raters' scale."""

    variant: str = "full"

    name: ClassVar[str] = "adem"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._one_of("variant", VARIANTS_OF_SIDES)

    @property
    def sides(self) -> frozenset[str]:
        """Context, reference or both."""
        return VARIANTS_OF_SIDES[self.variant]

    @property
    def beside(self) -> tuple[str, ...]:
        """Specs that belong in every table beside it: the paper's form on the same vectors, and its start."""
        same = f"variant={self.variant},encoder={self.encoder}"
        return (f"adem(prior=zero,{same})", f"adem(prior=zero,solver=start,{same})")
