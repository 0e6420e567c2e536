"""Replies from a Hugging Face model, many at a time, each row drawing from a stream of its own."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dialometer.bots._transformers.model import CausalModel
from dialometer.core.seeds import streams

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Choice:
    """How a token is chosen: the likeliest at temperature 0, else drawn among the ``top_k`` (0: all) and the ``top_p`` mass."""

    temperature: float
    top_k: int
    top_p: float


class Draw:
    """Leaves one token per row, drawn by inversion: the first whose cumulated probability exceeds the row's next uniform."""

    def __init__(self, choice: Choice, seeds: Sequence[int]) -> None:
        self.choice, self.streams = choice, streams(seeds)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        import torch

        chances = probabilities(scores, self.choice)
        uniform = torch.tensor([[stream.random()] for stream in self.streams], dtype=torch.float64)
        below = chances.cumsum(1)
        drawn = (below <= uniform * below[:, -1:]).sum(1, keepdim=True).clamp(max=chances.shape[1] - 1)
        return torch.full_like(scores, -torch.inf).scatter_(1, drawn.to(scores.device), 0.0)


def probabilities(scores: Tensor, choice: Choice) -> Tensor:
    """(rows, vocabulary) float64: softmax at a temperature, then cut to top_k and top_p; not normalised again."""
    import torch

    chances = torch.softmax(scores.detach().cpu().double() / choice.temperature, 1)
    if choice.top_k:
        least = chances.topk(min(choice.top_k, chances.shape[1]), 1).values[:, -1:]
        chances = torch.where(chances < least, 0.0, chances)
        chances = chances / chances.sum(1, keepdim=True)
    if choice.top_p < 1:
        ordered, order = chances.sort(dim=1, descending=True, stable=True)
        before = ordered.cumsum(1) - ordered  # the mass of the likelier ones
        chances = chances.scatter(1, order, torch.where(before < choice.top_p, ordered, 0.0))
    return chances


def continued(
    model: CausalModel, prompts: Sequence[list[int]], seeds: Sequence[int], choice: Choice, new: int, batch: int
) -> list[str]:
    """A text for each prompt; prompts of like length share a batch."""
    order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
    texts = [""] * len(prompts)
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        made = _together(model, [prompts[row] for row in rows], [seeds[row] for row in rows], choice, new)
        for row, text in zip(rows, made, strict=True):
            texts[row] = text
    return texts


def _together(model: CausalModel, prompts: list[list[int]], seeds: list[int], choice: Choice, new: int) -> list[str]:
    """One batch, filled up on the left: what follows a prompt must follow at once."""
    import torch

    ids, mask = padded(prompts, model.pad, left=not model.encoder)
    with torch.inference_mode():
        made = model.net.generate(
            input_ids=ids.to(model.device),
            attention_mask=mask.to(model.device),
            generation_config=_settings(model, new),
            logits_processor=[Draw(choice, seeds)] if choice.temperature else [],
        )
    said = made[:, 1 if model.encoder else ids.shape[1] :]
    return [text.strip() for text in model.tokens.batch_decode(said, skip_special_tokens=True)]


def padded(rows: Sequence[list[int]], pad: int, *, left: bool) -> tuple[Tensor, Tensor]:
    """(rows, longest) ids and mask."""
    import torch

    longest = max(map(len, rows))
    fill = [[pad] * (longest - len(row)) for row in rows]
    ids = [more + row if left else row + more for row, more in zip(rows, fill, strict=True)]
    mask = [
        [0] * len(more) + [1] * len(row) if left else [1] * len(row) + [0] * len(more)
        for row, more in zip(rows, fill, strict=True)
    ]
    return torch.tensor(ids), torch.tensor(mask)


def _settings(model: CausalModel, new: int) -> Any:
    """The folder's own settings, but for how tokens are chosen, which is ours, and how many there are."""
    made = deepcopy(model.net.generation_config)
    made.update(
        do_sample=False,
        num_beams=1,
        num_return_sequences=1,
        temperature=None,
        top_k=None,
        top_p=None,
        max_length=None,
        max_new_tokens=new,
        eos_token_id=model.ends or None,
        pad_token_id=model.pad,
    )
    return made
