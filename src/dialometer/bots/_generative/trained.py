"""Base class of bots with a trained network: recipe, facts and the error of a bot that has not been trained."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from dialometer.core.errors import NeedsError
from dialometer.core.recipes import short


class FittedState(Protocol):
    """The result of a training: its digest, hashes of the training texts, and facts."""

    @property
    def digest(self) -> str: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def facts(self) -> dict[str, Any]: ...


K = TypeVar("K", bound=FittedState)


class TrainedBot(Generic[K]):
    """A bot with the result of its training in ``learnt``."""

    name: ClassVar[str]
    learnt: K | None

    @property
    def recipe(self) -> str:
        """Options and a digest of the fitted state."""
        return short(self, self.fitted_state().digest)

    @property
    def fitted(self) -> bool:
        """Whether it was trained."""
        return self.learnt is not None

    @property
    def facts(self) -> dict[str, Any]:
        """Facts of its training."""
        return self.fitted_state().facts

    def seen(self) -> np.ndarray:
        """Hashes of the texts it was trained on."""
        return self.fitted_state().seen

    def fitted_state(self) -> K:
        """The result of the training; a bot without one is refused."""
        if self.learnt is None:
            raise NeedsError(
                f"{self.name} has not been trained on conversations",
                f"dialometer train {self.name} FILE… and the folder it prints as the spec",
            )
        return self.learnt
