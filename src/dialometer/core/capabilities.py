"""Optional capabilities of metrics, judges, encoders and bots, each a protocol of one attribute.

A class that has the attribute has the capability, and callers ask ``isinstance(metric, HasFloor)``. Each says what is assumed where
the attribute is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np

    from dialometer.core.protocols import Progress
    from dialometer.text.corpus import Corpus


@runtime_checkable
class UsesFields(Protocol):
    """``uses``: fields of an example that are read where there are some. Default: those that it ``needs``."""

    @property
    def uses(self) -> frozenset[str]: ...


@runtime_checkable
class HasRecipeFacts(Protocol):
    """``recipe_facts()``: what its recipe says in addition to the options, such as the recipe of an encoder. Default: nothing."""

    def recipe_facts(self) -> dict[str, object]: ...


@runtime_checkable
class KnowsTrainingTexts(Protocol):
    """``seen()``: hashes of the texts that it or its parts were fitted on (uint64). Default: none."""

    def seen(self) -> np.ndarray: ...


@runtime_checkable
class Builds(Protocol):
    """``build(progress)``: computes the tables that it caches on disk, before it measures. Default: no such tables."""

    def build(self, progress: Progress) -> None: ...


@runtime_checkable
class HasFloor(Protocol):
    """``floor``: the value of a response without any match; NaN where there is none. Default: 0."""

    @property
    def floor(self) -> float: ...


@runtime_checkable
class HasVariants(Protocol):
    """``variants``: names of the published definitions that its option ``variant`` selects from. Default: none."""

    @property
    def variants(self) -> tuple[str, ...]: ...


@runtime_checkable
class Adjustable(Protocol):
    """``adjustable``: options that may still be changed when a fitted object is loaded. Default: none."""

    @property
    def adjustable(self) -> tuple[str, ...]: ...


@runtime_checkable
class Cautions(Protocol):
    """``caution(corpus)``: a warning if the corpus is unlike the training data, else an empty text. Default: no warning."""

    def caution(self, corpus: Corpus) -> str: ...


@runtime_checkable
class HasBaselines(Protocol):
    """``beside``: specs of judges that are reported in every table together with it. Default: none."""

    @property
    def beside(self) -> tuple[str, ...]: ...


@runtime_checkable
class HasTrainingNeeds(Protocol):
    """``sides``: fields that training needs in addition to those that scoring ``needs``. Default: none."""

    @property
    def sides(self) -> frozenset[str]: ...


@runtime_checkable
class HasCentre(Protocol):
    """``centre``: the mean of all word vectors of a source. Default: unknown."""

    @property
    def centre(self) -> np.ndarray: ...


@runtime_checkable
class CachesVectors(Protocol):
    """``keeps``: whether an encoder's vectors are cached on disk, because reading is faster than encoding. Default: no."""

    @property
    def keeps(self) -> bool: ...


@runtime_checkable
class Contextual(Protocol):
    """``contextual``: whether a likelihood depends on the context. Default: no; a response is then scored once for all contexts."""

    @property
    def contextual(self) -> bool: ...


@runtime_checkable
class Remote(Protocol):
    """``remote``: whether a bot runs outside of this process, so that the same call may give other replies. Default: no."""

    @property
    def remote(self) -> bool: ...


@runtime_checkable
class HasUsage(Protocol):
    """``usage()``: requests, tokens and money that a bot's calls have cost so far. Default: nothing is counted."""

    def usage(self) -> Mapping[str, Any]: ...


@runtime_checkable
class Closes(Protocol):
    """``close()``: ends processes and connections that a bot started. Default: there are none."""

    def close(self) -> None: ...


@runtime_checkable
class TrainsInParallel(Protocol):
    """``parallel``: whether training can be distributed over several processes. Default: no."""

    @property
    def parallel(self) -> bool: ...
