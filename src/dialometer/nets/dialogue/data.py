"""Dialogues as symbols end to end, and batches of them packed for recurrent layers: no step is spent on padding.

Utterance i is ``flat[starts[i]:starts[i+1]]``, END included; dialogue j is the utterances ``talks[j]`` to ``talks[j+1]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch

from dialometer.nets.dialogue.subwords import Vocabulary
from dialometer.nets.training.batches import bucketed
from dialometer.nets.training.vocabulary import END

ARRAYS = ("flat", "starts", "talks", "events", "facts")
COARSE = "coarse."


@dataclass(frozen=True, eq=False)
class EncodedDialogues:
    """Dialogues; ``events`` counts words and the end of each utterance, ``facts`` has further numbers of each utterance."""

    flat: np.ndarray
    starts: np.ndarray
    talks: np.ndarray
    events: np.ndarray
    facts: np.ndarray | None = None  # (utterances, width): distribution of emotions, sentence vector
    coarse: EncodedDialogues | None = None  # the same utterances in fewer words

    @classmethod
    def of(cls, talks: Sequence[Sequence[str]], vocabulary: Vocabulary, longest: int = 0) -> EncodedDialogues:
        """Read texts; of an utterance with more than ``longest`` symbols the first ones are kept."""
        flat, starts, events = vocabulary.encode([text for talk in talks for text in talk])
        data = cls(flat, starts, np.concatenate([[0], np.cumsum([len(talk) for talk in talks], dtype=np.int64)]), events)
        return data.shortened(longest) if longest else data

    def shortened(self, longest: int) -> EncodedDialogues:
        """Every utterance cut to ``longest`` symbols, its END among them."""
        lengths = np.diff(self.starts)
        place = np.arange(len(self.flat)) - np.repeat(self.starts[:-1], lengths)
        cut = np.repeat(lengths > longest, lengths)
        flat = np.where(cut & (place == longest - 1), END, self.flat)[place < longest]
        return replace(self, flat=flat, starts=np.concatenate([[0], np.cumsum(np.minimum(lengths, longest))]))

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, torch.Tensor]) -> EncodedDialogues:
        """The inverse of ``to_tensors``."""
        arrays = {name: tensor.numpy() for name, tensor in tensors.items() if name in ARRAYS}
        coarse = {name.removeprefix(COARSE): tensor for name, tensor in tensors.items() if name.startswith(COARSE)}
        return cls(**arrays, coarse=cls.from_tensors(coarse) if coarse else None)

    def to_tensors(self) -> dict[str, torch.Tensor]:
        """Every array as a named tensor, to be sent to another process; those of the coarse form have a prefix."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        tensors = {
            name: torch.as_tensor(np.ascontiguousarray(array)) for name, array in arrays.items() if array is not None
        }
        coarse = self.coarse.to_tensors() if self.coarse else {}
        return tensors | {f"{COARSE}{name}": tensor for name, tensor in coarse.items()}

    def __len__(self) -> int:
        return len(self.talks) - 1

    @cached_property
    def sizes(self) -> np.ndarray:
        """Symbols of each dialogue."""
        return np.asarray(self.starts[self.talks[1:]] - self.starts[self.talks[:-1]])

    @cached_property
    def replies(self) -> np.ndarray:
        """Which utterances have a context."""
        answers = np.ones(len(self.starts) - 1, bool)
        answers[self.talks[:-1]] = False
        return answers

    def some(self, numbers: np.ndarray) -> EncodedDialogues:
        """Dialogues by number, as a corpus of their own."""
        chosen = Batch(self, numbers)
        rows, lengths = chosen.rows, np.diff(self.starts)[chosen.rows]
        ends = np.cumsum(lengths)
        flat = self.flat[
            np.repeat(self.starts[rows] - ends + lengths, lengths) + np.arange(int(ends[-1]) if len(ends) else 0)
        ]
        return EncodedDialogues(
            flat,
            np.concatenate([[0], ends]),
            np.concatenate([[0], np.cumsum(chosen.turns)]),
            self.events[rows],
            None if self.facts is None else self.facts[rows],
            None if self.coarse is None else self.coarse.some(numbers),
        )

    def parts(self, numbers: np.ndarray, symbols: int = 1 << 14) -> list[np.ndarray]:
        """Some dialogues by size, in parts of about as many symbols."""
        order = numbers[np.argsort(self.sizes[numbers], kind="stable")]
        part = (np.cumsum(self.sizes[order]) - self.sizes[order]) // symbols
        return [order[part == number] for number in np.unique(part)]

    def plan(self, numbers: np.ndarray, size: int, *, seed: int, epoch: int) -> list[np.ndarray]:
        """Some dialogues in batches of ``size`` alike ones, in random order."""
        return [numbers[batch] for batch in bucketed(self.sizes[numbers], size, seed=seed, epoch=epoch)]


@dataclass(frozen=True, eq=False)
class Packed:
    """Sequences side by side, the longest first: step t holds ``sizes[t]`` of them; ``index`` tells where an element comes from."""

    index: np.ndarray
    sizes: list[int]
    order: torch.Tensor  # the sequence at each place
    place: torch.Tensor  # the place of each sequence
    first: np.ndarray  # whether an element opens its sequence
    owner: torch.Tensor  # the place whose sequence each element belongs to

    @classmethod
    def of(cls, begins: np.ndarray, lengths: np.ndarray) -> Packed:
        """Sequences of ``lengths`` elements from ``begins`` on; none is empty."""
        order = np.argsort(-lengths, kind="stable")
        long = lengths[order]
        real = np.arange(int(long[0])) < long[:, None]
        step, owner = np.nonzero(real.T)
        return cls(
            begins[order][owner] + step,
            real.sum(axis=0).tolist(),
            torch.as_tensor(order),
            torch.as_tensor(np.argsort(order, kind="stable")),
            step == 0,
            torch.as_tensor(owner),
        )


@dataclass(frozen=True, eq=False)
class Batch:
    """Some dialogues of a corpus; their utterances are numbered through, dialogue by dialogue."""

    data: EncodedDialogues
    numbers: np.ndarray
    seeds: tuple[int, ...] = field(default=())

    @cached_property
    def turns(self) -> np.ndarray:
        """How many utterances each dialogue has."""
        return np.asarray(self.data.talks[self.numbers + 1] - self.data.talks[self.numbers])

    @cached_property
    def rows(self) -> np.ndarray:
        """The corpus's number of each utterance."""
        begins = np.repeat(self.data.talks[self.numbers] - np.cumsum(self.turns) + self.turns, self.turns)
        return np.asarray(begins + np.arange(int(self.turns.sum())))

    @cached_property
    def owner(self) -> np.ndarray:
        """The dialogue (of this batch) of each utterance."""
        return np.repeat(np.arange(len(self.numbers)), self.turns)

    @cached_property
    def opens(self) -> np.ndarray:
        """Which utterances begin a dialogue."""
        return np.concatenate([[True], self.owner[1:] != self.owner[:-1]])

    @cached_property
    def words(self) -> Packed:
        """The symbols of each utterance."""
        return Packed.of(self.data.starts[self.rows], self.data.starts[self.rows + 1] - self.data.starts[self.rows])

    @cached_property
    def talk(self) -> Packed:
        """The utterances of each dialogue."""
        return Packed.of(np.cumsum(self.turns) - self.turns, self.turns)

    @cached_property
    def coarse(self) -> Batch:
        """The same dialogues in fewer words."""
        if self.data.coarse is None:
            raise ValueError("these dialogues have no coarse form")
        return Batch(self.data.coarse, self.numbers, self.seeds)

    def extended(self, utterances_after: Sequence[Sequence[int]]) -> Batch:
        """The same dialogues with one more utterance each, given as symbols without their END."""
        utterances, counts = [], []
        for number, more in zip(self.numbers.tolist(), utterances_after, strict=True):
            rows = range(int(self.data.talks[number]), int(self.data.talks[number + 1]))
            utterances += [self.data.flat[self.data.starts[row] : self.data.starts[row + 1]] for row in rows]
            utterances.append(np.array([*more, END], np.int64))
            counts.append(len(rows) + 1)
        starts = np.concatenate([[0], np.cumsum([len(one) for one in utterances])])
        events = np.diff(starts)
        longer = EncodedDialogues(np.concatenate(utterances), starts, np.concatenate([[0], np.cumsum(counts)]), events)
        return Batch(longer, np.arange(len(counts)), self.seeds)

    def symbols(self) -> torch.Tensor:
        """The symbols of the utterances, packed."""
        return torch.as_tensor(self.data.flat[self.words.index])

    def decoder_inputs(self) -> torch.Tensor:
        """The input of the decoder before each symbol: END first, then the symbol before."""
        return torch.as_tensor(np.where(self.words.first, END, self.data.flat[self.words.index - 1]))

    def facts(self) -> torch.Tensor:
        """Further numbers of each utterance."""
        if self.data.facts is None:
            raise ValueError("these dialogues have no further numbers")
        return torch.as_tensor(self.data.facts[self.rows])

    def by_talk(self, values: torch.Tensor) -> torch.Tensor:
        """Sums over the utterances of each dialogue."""
        return torch.zeros(len(self.numbers), dtype=values.dtype).index_add(0, torch.as_tensor(self.owner), values)
