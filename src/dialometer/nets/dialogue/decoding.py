"""Decoding: greedy, beam search or sampling. Rows that have ended are taken out of the batch.

Every row has its own stream of uniform numbers, one per step. UNKNOWN is never generated, and an utterance has at least one symbol
unless the options allow none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dialometer.nets.dialogue.layers import Decoder, State, SymbolEmbedding
from dialometer.nets.training.vocabulary import END, UNKNOWN


@dataclass(frozen=True)
class DecodingOptions:
    """``sample`` draws at a temperature among the ``top_k`` likeliest symbols (0: all) that hold ``top_p`` of the probability."""

    decode: str = "greedy"
    beam: int = 5
    top_k: int = 0
    top_p: float = 1.0
    temperature: float = 1.0
    limit: int = 40
    least: int = 1


def generate(
    decoder: Decoder,
    words: SymbolEmbedding,
    state: State,
    added: torch.Tensor,
    options: DecodingOptions,
    uniforms: np.ndarray | None = None,
) -> list[list[int]]:
    """One utterance per row, without END; ``uniforms`` (rows, limit) decide the draws, without them decoding is greedy."""
    utterances: list[list[int]] = [[] for _ in range(len(added))]
    alive, previous = np.arange(len(added)), torch.full((len(added),), END)
    for step in range(options.limit):
        scores, state = decoder.step(words, previous, state, added)
        mask_symbols(scores, early=step < options.least)
        previous = scores.argmax(1) if uniforms is None else draw(scores, options, uniforms[alive, step])
        stays = previous != END
        for row, symbol in zip(alive.tolist(), previous.tolist(), strict=True):
            if symbol != END:
                utterances[row].append(symbol)
        if not stays.all():
            alive, previous, added = alive[stays.numpy()], previous[stays], added[stays]
            state = tuple(part[stays] for part in state)
        if not len(alive):
            break
    return utterances


def mask_symbols(scores: torch.Tensor, *, early: bool) -> None:
    """Mask UNKNOWN, and END where it would come too early."""
    scores[:, UNKNOWN] = -torch.inf
    if early:
        scores[:, END] = -torch.inf


def draw(scores: torch.Tensor, options: DecodingOptions, uniforms: np.ndarray) -> torch.Tensor:
    """A symbol per row: the one at which the summed probability, likeliest first, passes the row's uniform number.

    >>> draw(torch.tensor([[0.0, 9.0, 8.0]]), DecodingOptions("sample", top_k=1), np.array([0.99])).tolist()
    [1]
    """
    below = scores.double() - scores.amax(1, keepdim=True)  # 0 or less, so that no temperature makes it infinite
    probabilities = torch.softmax(below / options.temperature, dim=1)
    if options.top_k or options.top_p < 1:
        ranked, symbols = probabilities.sort(dim=1, descending=True, stable=True)
        before = ranked.cumsum(1) - ranked
        ranked = ranked.masked_fill(before >= options.top_p, 0.0)
        if options.top_k:
            ranked[:, options.top_k :] = 0.0
    else:
        ranked, symbols = probabilities, None
    running = ranked.cumsum(1)
    wanted = torch.from_numpy(uniforms)[:, None].to(running.dtype) * running[:, -1:]
    place = torch.searchsorted(running, wanted, right=True).clamp_max(ranked.shape[1] - 1)
    chosen = place if symbols is None else symbols.gather(1, place)
    return chosen[:, 0]


def beam_search(
    decoder: Decoder, words: SymbolEmbedding, state: State, added: torch.Tensor, options: DecodingOptions, width: int
) -> list[list[list[int]]]:
    """The ``width`` best utterances per row, by mean log p of their symbols, END included; best first.

    Of all continuations of the hypotheses the best ``width`` are kept; one that ends is set aside, and its place stays empty.
    """
    rows, symbols = len(added), len(words.weight)
    total = torch.full((rows, width), -torch.inf, dtype=added.dtype)
    total[:, 0] = 0.0
    held: list[list[list[int]]] = [[[] for _ in range(width)] for _ in range(rows)]
    done: list[list[tuple[float, list[int]]]] = [[] for _ in range(rows)]
    state = tuple(part.repeat_interleave(width, 0) for part in state)
    added = added.repeat_interleave(width, 0)
    previous = torch.full((rows * width,), END)
    for step in range(options.limit):
        scores, state = decoder.step(words, previous, state, added)
        mask_symbols(scores, early=step < options.least)
        candidates = (torch.log_softmax(scores, dim=1).view(rows, width, symbols) + total[..., None]).flatten(1)
        total, best = candidates.topk(width, dim=1)
        parents, previous = best // symbols, (best % symbols).flatten()
        held = _extend(held, done, parents, previous.view(rows, width), total)
        total = total.masked_fill(previous.view(rows, width) == END, -torch.inf)
        if not torch.isfinite(total).any():
            break
        chosen = (parents + torch.arange(rows)[:, None] * width).flatten()
        state = tuple(part[chosen] for part in state)
    for row in range(rows):
        done[row] += [
            (value / max(len(utterance), 1), utterance)
            for value, utterance in zip(total[row].tolist(), held[row], strict=True)
            if value > -np.inf
        ]
    return [[utterance for _, utterance in sorted(ended, key=lambda entry: -entry[0])][:width] for ended in done]


def _extend(
    held: list[list[list[int]]],
    done: list[list[tuple[float, list[int]]]],
    parents: torch.Tensor,
    symbols: torch.Tensor,
    total: torch.Tensor,
) -> list[list[list[int]]]:
    """The hypotheses after one more symbol; those that ended are set aside with their mean log p."""
    after = []
    for row, (places, next_symbols, values) in enumerate(
        zip(parents.tolist(), symbols.tolist(), total.tolist(), strict=True)
    ):
        extended = []
        for place, symbol, value in zip(places, next_symbols, values, strict=True):
            before = held[row][place]
            if symbol == END and value > -np.inf:
                done[row].append((value / (len(before) + 1), before))
            extended.append([*before, symbol])
        after.append(extended)
    return after
