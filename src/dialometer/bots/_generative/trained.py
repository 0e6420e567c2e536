"""What bots with a trained network have in common: what they tell once they are trained, and what they say before."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.recipes import short


class Kept(Protocol):
    """What training leaves: a hash of it, hashes of the texts that were seen, and what was found out."""

    @property
    def digest(self) -> str: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def facts(self) -> dict[str, Any]: ...


K = TypeVar("K", bound=Kept)


class Trained(Generic[K]):
    """A bot that holds what training left in ``learnt``."""

    name: ClassVar[str]
    learnt: K | None

    @property
    def recipe(self) -> str:
        """Options and a hash of what was learnt."""
        return short(self, self._learnt().digest)

    @property
    def fitted(self) -> bool:
        """Whether it was trained."""
        return self.learnt is not None

    @property
    def facts(self) -> dict[str, Any]:
        """What its training found out."""
        return self._learnt().facts

    def seen(self) -> np.ndarray:
        """Hashes of the texts it was trained on."""
        return self._learnt().seen

    def _learnt(self) -> K:
        if self.learnt is None:
            raise NeedsError(
                f"{self.name} has not been trained on conversations",
                f"dialometer train {self.name} FILE… and the folder it prints as the spec",
            )
        return self.learnt
