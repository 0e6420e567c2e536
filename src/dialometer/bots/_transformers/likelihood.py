"""How probable replies are to a Hugging Face model: teacher forcing, in batches, on masked rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dialometer.bots._transformers.model import CausalModel
from dialometer.bots._transformers.sampling import padded

if TYPE_CHECKING:
    from torch import Tensor

BUDGET = 1 << 26  # scores that are held at a time: rows × longest × vocabulary

Item = tuple[list[int], list[int], int]  # ids of the prompt, ids of the response, how many of these are given


def logprobs(model: CausalModel, items: Sequence[Item], batch: int) -> np.ndarray:
    """Σ ln p of each response after its prompt."""
    import torch

    totals = np.zeros(len(items))
    with torch.inference_mode():
        for rows in _batches(model, items, batch):
            own = [items[row] for row in rows]
            totals[rows] = (_answered if model.encoder else _continued)(model, own).cpu().numpy()
    return totals


def _batches(model: CausalModel, items: Sequence[Item], batch: int) -> Iterator[list[int]]:
    """Rows of like length, no more than fit."""
    lengths = [len(prompt) + len(response) for prompt, response, _ in items]
    rows: list[int] = []
    for row in sorted(range(len(items)), key=lengths.__getitem__):
        if rows and (len(rows) == batch or (len(rows) + 1) * lengths[row] * int(model.net.config.vocab_size) > BUDGET):
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def _continued(model: CausalModel, items: list[Item]) -> Tensor:
    """Prompt and response as one row; position t foretells t + 1. Filled up on the right, where nothing looks."""
    ids, mask = (part.to(model.device) for part in padded([p + r for p, r, _ in items], model.pad, left=False))
    scores = model.net(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1]
    spans = [(len(prompt) + given, len(prompt) + len(response)) for prompt, response, given in items]
    return _sums(scores, ids[:, 1:], [(start - 1, end - 1) for start, end in spans])


def _answered(model: CausalModel, items: list[Item]) -> Tensor:
    """The encoder reads the prompt, the decoder the response, moved on by one."""
    start = model.net.config.decoder_start_token_id
    start = start if start is not None else model.pad
    ids, mask = (part.to(model.device) for part in padded([p for p, _, _ in items], model.pad, left=False))
    said, own = (part.to(model.device) for part in padded([r for _, r, _ in items], model.pad, left=False))
    before, _ = padded([[start, *r[:-1]] for _, r, _ in items], model.pad, left=False)
    scores = model.net(
        input_ids=ids,
        attention_mask=mask,
        decoder_input_ids=before.to(model.device),
        decoder_attention_mask=own,
        use_cache=False,
    ).logits
    return _sums(scores, said, [(given, len(response)) for _, response, given in items])


def _sums(scores: Tensor, wanted: Tensor, spans: list[tuple[int, int]]) -> Tensor:
    """Σ ln p of the wanted ids in the span of each row, in float64."""
    import torch

    chosen = scores.double().log_softmax(2).gather(2, wanted[:, :, None]).squeeze(2)
    place = torch.arange(chosen.shape[1], device=chosen.device)[None]
    start, end = torch.tensor(spans, device=chosen.device).T[:, :, None]
    return torch.where((place >= start) & (place < end), chosen, 0.0).sum(1)
