"""``transformers``: a causal or sequence-to-sequence language model of Hugging Face, from a folder of this machine.

Nothing is downloaded, nothing unpickled, no code of the folder is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from dialometer.bots._shared.messages import Context, cut
from dialometer.bots._shared.options import check_one_of
from dialometer.bots._shared.outcome import Outcome, settled
from dialometer.bots._transformers.likelihood import Item, logprobs
from dialometer.bots._transformers.model import CausalModel, content, needs_packages, open_model, stamps
from dialometer.bots._transformers.prompts import prompt_ids, response_ids
from dialometer.bots._transformers.sampling import Choice, continued
from dialometer.core.artifacts import digest
from dialometer.core.errors import BotError, SpecError
from dialometer.core.ranges import Batch, Count, Fraction, Range, check_fields
from dialometer.core.recipes import short
from dialometer.core.seeds import derived, seeds_for
from dialometer.core.types import Turn

_UNSHOWN = {"recipe": False}
DTYPES = ("float32", "float64", "bfloat16", "float16")


@dataclass(frozen=True)
class Transformers:
    """``path`` is the model's folder. The chat template is used if there is one; else turns are joined by the end token.

    At ``temperature`` 0 the likeliest token is taken, and n replies are n times the same; else they are n draws. Each context
    draws from its own stream; a batch moves probabilities by rounding only (``batch=1`` by nothing).
    """

    path: str = field(default="", metadata=_UNSHOWN)  # the recipe has a hash of its content instead
    system: str = field(default="", metadata=_UNSHOWN)
    temperature: Annotated[float, Range(1e-9, 1e9, unset=0)] = 0.7
    top_p: Fraction = 0.9
    top_k: Count = 0
    max_tokens: Annotated[int, Range(1, 1_000_000)] = 64
    window: Count = 0
    dtype: str = "float32"
    batch: Batch = field(default=16, metadata=_UNSHOWN)
    device: str = field(default="", metadata=_UNSHOWN)

    name: ClassVar[str] = "transformers"
    version: ClassVar[int] = 1
    contextual: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self)
        check_one_of(self, "dtype", DTYPES)

    @property
    def recipe(self) -> str:
        """Options, and a hash of weights, tokeniser, settings and system prompt."""
        path, file = self._place()
        held = content(path, stamps(path, file))
        return short(self, digest(held.encode(), self.system.encode()) if self.system else held)

    def reply(self, contexts: Sequence[Context], *, n: int = 1, seed: int | Sequence[int] = 0) -> list[list[str]]:
        """n replies each; an empty context is opened by the model."""
        model, seeds = self._model(), seeds_for(seed, contexts)
        new, room = self._share(model)
        outcomes: list[Outcome] = []
        prompts: dict[int, list[int]] = {}
        for row, context in enumerate(contexts):
            outcomes.append([])
            try:
                prompts[row] = prompt_ids(model, cut(context, turns=self.window), self.system, room)
            except BotError as error:
                outcomes[row] = error.message
        choice = Choice(self.temperature, self.top_k, self.top_p)
        draws = n if self.temperature else 1
        rows = [(row, k) for row in prompts for k in range(draws)]
        own = [derived(seeds[row], k) for row, k in rows]
        said = continued(model, [prompts[row] for row, _ in rows], own, choice, new, self.batch)
        for i, row in enumerate(prompts):
            outcomes[row] = said[i * draws : (i + 1) * draws] * (n // draws)
        return settled(outcomes, self._way)

    def logprob(self, contexts: Sequence[Sequence[str]], responses: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Σ ln p of each response's tokens and its end, and how many these are; NaN and 0 for one that does not fit."""
        model = self._model()
        totals, events = np.full(len(responses), np.nan), np.zeros(len(responses), np.int64)
        items: dict[int, Item] = {}
        for row, (texts, response) in enumerate(zip(contexts, responses, strict=True)):
            ids, given = response_ids(model, response)
            room = model.limit - (0 if model.encoder else len(ids)) if model.limit else 0
            context = tuple(Turn("", text) for text in texts)
            if model.limit and (room < 1 or len(ids) > model.limit):
                continue
            items[row] = (prompt_ids(model, cut(context, turns=self.window), self.system, room), ids, given)
            events[row] = len(ids) - given
        totals[list(items)] = logprobs(model, list(items.values()), self.batch)
        return totals, events

    def _place(self) -> tuple[Path, str]:
        """The folder, and the file in it where that is all."""
        if not self.path:
            raise SpecError(f"{self.name}(path=…) is missing: the folder of which model?", self._way)
        return Path(self.path), ""

    def _model(self) -> CausalModel:
        needs_packages(self.name)
        return open_model(*self._place(), self.device, self.dtype)

    def _share(self, model: CausalModel) -> tuple[int, int]:
        """How many new tokens there may be, and how many of a prompt."""
        if not model.limit or model.encoder:
            return min(self.max_tokens, model.limit or self.max_tokens), model.limit
        room = max(model.limit - self.max_tokens, model.limit // 2)
        return min(self.max_tokens, model.limit - room), room

    @property
    def _way(self) -> str:
        return f"{self.name}(path=FOLDER)"
