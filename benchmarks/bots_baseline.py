"""HRED as it is usually written, to compare with: utterances padded to one length, decoders that go step by step to the end.

The public code for HRED, VHRED and VHCR pads every utterance to 30 words and runs every decoder 30 steps, whatever is said.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

LONGEST = 30
PAD = 0


class Padded(nn.Module):
    """Encoder GRU, context GRU cell, decoder GRU cell, a softmax over all words at each step."""

    def __init__(self, symbols: int, embedding: int, hidden: int, context: int) -> None:
        super().__init__()
        self.words = nn.Embedding(symbols, embedding)
        self.reader = nn.GRU(embedding, hidden, batch_first=True)
        self.follower = nn.GRUCell(hidden, context)
        self.first = nn.Linear(context, hidden)
        self.speaker = nn.GRUCell(embedding, hidden)
        self.out = nn.Linear(hidden, symbols)

    def forward(self, talks: list[torch.Tensor], lengths: list[torch.Tensor], end: int) -> torch.Tensor:
        """Mean −log p of the words of every utterance after the first; ``talks`` are (turns, LONGEST) matrices."""
        heard, said, sizes = [], [], []
        for words, long in zip(talks, lengths, strict=True):
            states = self.reader(self.words(words))[0]
            read = states[torch.arange(len(words)), long - 1]
            state = read.new_zeros(1, self.follower.hidden_size)
            for turn in range(len(words) - 1):
                state = self.follower(read[turn : turn + 1], state)
                heard.append(state)
            said.append(words[1:])
            sizes.append(long[1:])
        return self._say(torch.cat(heard), torch.cat(said), torch.cat(sizes), end)

    def _say(self, context: torch.Tensor, target: torch.Tensor, sizes: torch.Tensor, end: int) -> torch.Tensor:
        state = torch.tanh(self.first(context))
        before = torch.full((len(target),), end)
        scores = []
        for step in range(LONGEST):
            state = self.speaker(self.words(before), state)
            scores.append(self.out(state))
            before = target[:, step]
        losses = cross_entropy(torch.stack(scores, 1).flatten(0, 1), target.flatten(), reduction="none")
        real = (torch.arange(LONGEST) < sizes[:, None]).flatten()
        return (losses * real).sum() / real.sum()


def padded(talks: list[list[np.ndarray]]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Conversations of symbol arrays as matrices of LONGEST columns."""
    matrices, lengths = [], []
    for talk in talks:
        matrix = np.full((len(talk), LONGEST), PAD, np.int64)
        for row, symbols in enumerate(talk):
            matrix[row, : len(symbols)] = symbols[:LONGEST]
        matrices.append(torch.from_numpy(matrix))
        lengths.append(torch.tensor([min(len(symbols), LONGEST) for symbols in talk]))
    return matrices, lengths


class SlowSpeech:
    """A trained ``hred`` of ours, asked in the plain way: all turns padded and read again, all rows spoken to the last step."""

    def __init__(self, bot: object) -> None:
        self.bot, self.net = bot, bot.net()
        words, reader, follower = self.net.words.weight, self.net.reader.gru, self.net.follower.gru
        self.reader = _torch_gru(reader, words.shape[1], batch_first=True)
        self.follower = _torch_gru(follower, self.net.sizes.hidden, batch_first=True)

    def say(self, contexts: list[list[str]]) -> list[str]:
        """The likeliest reply to each context."""
        data = self.bot.data(contexts).shortened(LONGEST)
        with torch.inference_mode():
            after = self._context(data)
            state, added = self.net.speaker.begin(after)
            before, said = torch.ones(len(after), dtype=torch.long), []
            for step in range(LONGEST):
                scores, state = self.net.speaker.step(self.net.words, before, state, added)
                scores[:, 0] = -torch.inf
                if step == 0:
                    scores[:, 1] = -torch.inf
                before = scores.argmax(1)
                said.append(before)
        vocabulary = self.bot.learnt.vocabulary
        return [vocabulary.decode(row) for row in torch.stack(said, 1).tolist()]

    def _context(self, data: object) -> torch.Tensor:
        turns = np.diff(data.talks)
        matrices, lengths = padded(
            [
                [data.flat[data.starts[row] : data.starts[row + 1]] for row in range(first, first + count)]
                for first, count in zip(data.talks[:-1].tolist(), turns.tolist(), strict=True)
            ]
        )
        read = torch.zeros(len(turns), int(turns.max()), self.net.sizes.hidden)
        states = self.reader(nn.functional.embedding(torch.cat(matrices), self.net.words.weight))[0]
        last = states[torch.arange(len(states)), torch.cat(lengths) - 1]
        at = 0
        for row, count in enumerate(turns.tolist()):
            read[row, :count] = last[at : at + count]
            at += count
        begin = self.net.follower.start.expand(len(turns), -1)[None].contiguous()
        return self.follower(read, begin)[0][torch.arange(len(turns)), torch.from_numpy(turns) - 1]


def _torch_gru(ours: nn.Module, width: int, *, batch_first: bool) -> nn.GRU:
    made = nn.GRU(width, ours.hidden, batch_first=batch_first)
    with torch.no_grad():
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(made, f"{name}_l0").copy_(getattr(ours, name))
    return made.eval()
