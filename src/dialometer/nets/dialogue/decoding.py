"""How a network speaks: greedy, beam, or drawn from its probabilities. Rows that have ended cost nothing more.

Every row has its own stream of uniform numbers, one per step. UNKNOWN is never said, and a reply has one symbol at least, unless
the way of speaking allows none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dialometer.nets.dialogue.layers import Speaker, State, Words
from dialometer.nets.training.vocabulary import END, UNKNOWN

WAYS = ("greedy", "beam", "sample")


@dataclass(frozen=True)
class Way:
    """``sample`` draws at a temperature among the ``top_k`` likeliest symbols (0: all) that hold ``top_p`` of the probability."""

    decode: str = "greedy"
    beam: int = 5
    top_k: int = 0
    top_p: float = 1.0
    temperature: float = 1.0
    limit: int = 40
    least: int = 1


def speak(
    speaker: Speaker, words: Words, state: State, added: torch.Tensor, way: Way, uniforms: np.ndarray | None = None
) -> list[list[int]]:
    """One utterance per row, END left out; ``uniforms`` (rows, limit) decide what is drawn, without them the likeliest is said."""
    said: list[list[int]] = [[] for _ in range(len(added))]
    alive, heard = np.arange(len(added)), torch.full((len(added),), END)
    for step in range(way.limit):
        scores, state = speaker.step(words, heard, state, added)
        forbid(scores, early=step < way.least)
        heard = scores.argmax(1) if uniforms is None else draw(scores, way, uniforms[alive, step])
        stays = heard != END
        for row, symbol in zip(alive.tolist(), heard.tolist(), strict=True):
            if symbol != END:
                said[row].append(symbol)
        if not stays.all():
            alive, heard, added = alive[stays.numpy()], heard[stays], added[stays]
            state = tuple(part[stays] for part in state)
        if not len(alive):
            break
    return said


def forbid(scores: torch.Tensor, *, early: bool) -> None:
    """UNKNOWN may not be said, nor END too early."""
    scores[:, UNKNOWN] = -torch.inf
    if early:
        scores[:, END] = -torch.inf


def draw(scores: torch.Tensor, way: Way, uniforms: np.ndarray) -> torch.Tensor:
    """A symbol per row: the one at which the summed probability, likeliest first, passes the row's uniform number.

    >>> draw(torch.tensor([[0.0, 9.0, 8.0]]), Way("sample", top_k=1), np.array([0.99])).tolist()
    [1]
    """
    below = scores.double() - scores.amax(1, keepdim=True)  # 0 or less, so that no temperature makes it infinite
    probabilities = torch.softmax(below / way.temperature, dim=1)
    if way.top_k or way.top_p < 1:
        ranked, symbols = probabilities.sort(dim=1, descending=True, stable=True)
        before = ranked.cumsum(1) - ranked
        ranked = ranked.masked_fill(before >= way.top_p, 0.0)
        if way.top_k:
            ranked[:, way.top_k :] = 0.0
    else:
        ranked, symbols = probabilities, None
    running = ranked.cumsum(1)
    wanted = torch.from_numpy(uniforms)[:, None].to(running.dtype) * running[:, -1:]
    place = torch.searchsorted(running, wanted, right=True).clamp_max(ranked.shape[1] - 1)
    found = place if symbols is None else symbols.gather(1, place)
    return found[:, 0]


def beams(speaker: Speaker, words: Words, state: State, added: torch.Tensor, way: Way, width: int) -> list[list[list[int]]]:
    """The ``width`` best utterances found per row, by mean log p of their symbols, END included; best first.

    Of all ways to go on from what is held, the best ``width`` are kept; one that ends is put aside, and its place is not filled.
    """
    rows, symbols = len(added), len(words.weight)
    total = torch.full((rows, width), -torch.inf, dtype=added.dtype)
    total[:, 0] = 0.0
    held: list[list[list[int]]] = [[[] for _ in range(width)] for _ in range(rows)]
    done: list[list[tuple[float, list[int]]]] = [[] for _ in range(rows)]
    state = tuple(part.repeat_interleave(width, 0) for part in state)
    added = added.repeat_interleave(width, 0)
    heard = torch.full((rows * width,), END)
    for step in range(way.limit):
        scores, state = speaker.step(words, heard, state, added)
        forbid(scores, early=step < way.least)
        ways = (torch.log_softmax(scores, dim=1).view(rows, width, symbols) + total[..., None]).flatten(1)
        total, best = ways.topk(width, dim=1)
        parents, heard = best // symbols, (best % symbols).flatten()
        held = _go_on(held, done, parents, heard.view(rows, width), total)
        total = total.masked_fill(heard.view(rows, width) == END, -torch.inf)
        if not torch.isfinite(total).any():
            break
        chosen = (parents + torch.arange(rows)[:, None] * width).flatten()
        state = tuple(part[chosen] for part in state)
    for row in range(rows):
        done[row] += [
            (value / max(len(said), 1), said)
            for value, said in zip(total[row].tolist(), held[row], strict=True)
            if value > -np.inf
        ]
    return [[said for _, said in sorted(found, key=lambda entry: -entry[0])][:width] for found in done]


def _go_on(
    held: list[list[list[int]]],
    done: list[list[tuple[float, list[int]]]],
    parents: torch.Tensor,
    said: torch.Tensor,
    total: torch.Tensor,
) -> list[list[list[int]]]:
    """What is held after one more symbol; utterances that ended are put aside with their mean log p."""
    after = []
    for row, (places, symbols, values) in enumerate(zip(parents.tolist(), said.tolist(), total.tolist(), strict=True)):
        mine = []
        for place, symbol, value in zip(places, symbols, values, strict=True):
            before = held[row][place]
            if symbol == END and value > -np.inf:
                done[row].append((value / (len(before) + 1), before))
            mine.append([*before, symbol])
        after.append(mine)
    return after
