"""BERT's forward pass (Devlin et al. 2019) over packed texts: tokens end to end, no padding, so nothing is computed twice.

Linear layers and LayerNorm see one (tokens, width) matrix; attention sees one group of equally long texts at a time and needs
no mask. Parameters are named as in Hugging Face's BertModel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

from dialometer.nets.encoders.bert_folder import WEIGHTS, BertFolder, BertShape

Runs = Sequence[tuple[int, int]]  # (texts, tokens of each), in the order in which they are packed


class Layer(nn.Module):
    """Self-attention and the two dense layers, each followed by a residual sum and LayerNorm."""

    attention: Any  # module dictionaries, for the names that the checkpoints have
    intermediate: Any
    output: Any

    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        d = shape.width
        self.heads = shape.heads
        projections = nn.ModuleDict({name: nn.Linear(d, d) for name in ("query", "key", "value")})
        self.attention = nn.ModuleDict({"self": projections, "output": _closing(d, d, shape.epsilon)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(d, shape.inner)})
        self.output = _closing(shape.inner, d, shape.epsilon)

    def forward(self, x: Tensor, runs: Runs) -> Tensor:
        """(tokens, width) → the same."""
        x = _close(self.attention["output"], self._attend(x, runs), x)
        return _close(self.output, F.gelu(self.intermediate["dense"](x)), x)

    def _attend(self, x: Tensor, runs: Runs) -> Tensor:
        query, key, value = (self.attention["self"][name](x) for name in ("query", "key", "value"))
        out = torch.zeros_like(query)  # rows past the last run stay 0
        at = 0
        for texts, tokens in runs:
            own = slice(at, at + texts * tokens)
            shape = (texts, tokens, self.heads, -1)
            q, k, v = (part[own].view(shape).transpose(1, 2) for part in (query, key, value))
            out[own] = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(texts * tokens, -1)
            at = own.stop
        return out


class Bert(nn.Module):
    """Embeddings and layers; the pooler of BertModel is left out."""

    embeddings: Any
    encoder: Any

    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(shape.vocabulary, shape.width),
                "position_embeddings": nn.Embedding(shape.positions, shape.width),
                "token_type_embeddings": nn.Embedding(shape.types, shape.width),
                "LayerNorm": nn.LayerNorm(shape.width, shape.epsilon),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(shape) for _ in range(shape.layers))})

    def forward(self, ids: Tensor, runs: Runs) -> Tensor:
        """Last hidden states of packed token ids; rows past the last run are there to fill up and mean nothing."""
        spare = len(ids) - sum(texts * tokens for texts, tokens in runs)
        places = [torch.arange(tokens).repeat(texts) for texts, tokens in runs]
        positions = torch.cat([*places, torch.zeros(spare, dtype=torch.int64)])
        parts = self.embeddings
        x: Tensor = parts["word_embeddings"](ids) + parts["token_type_embeddings"].weight[0]
        x = parts["LayerNorm"](x + parts["position_embeddings"](positions))
        for layer in self.encoder["layer"]:
            x = layer(x, runs)
        return x


def load_bert(folder: BertFolder) -> Bert:
    """The net of a checked folder, in 32 bits, for inference."""
    with torch.device("meta"):  # no random weights are drawn, so nobody's seed moves
        net = Bert(folder.shape)
    weights = load_file(folder.path / WEIGHTS)
    net.load_state_dict({name: weights[name].float() for name in folder.shape.weights()}, assign=True)
    return net.eval().requires_grad_(False)


def _closing(inputs: int, outputs: int, epsilon: float) -> nn.ModuleDict:
    return nn.ModuleDict({"dense": nn.Linear(inputs, outputs), "LayerNorm": nn.LayerNorm(outputs, epsilon)})


def _close(parts: nn.ModuleDict, x: Tensor, before: Tensor) -> Tensor:
    closed: Tensor = parts["LayerNorm"](parts["dense"](x) + before)
    return closed
