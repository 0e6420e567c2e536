"""``infersent``: the published BiLSTM-max encoder over word vectors, trained on natural language inference (Conneau et al. 2017).

Nothing is trained here. Version 1 of the release lets the padding of a batch take part in the maximum, as zeros, so that a vector
depends on its company; ours is what all but the longest text of a batch get (``pad=zero``). Version 2 leaves the padding out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.protocols import WordVectors
from dialometer.core.ranges import Range, check_fields
from dialometer.core.recipes import short
from dialometer.core.registry import create
from dialometer.nets.requirements import needs_torch
from dialometer.text.table import TokenTable, build_table, row_sums
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser

if TYPE_CHECKING:
    from dialometer.nets.encoders.infersent import BiLstmMax

EDGES = {1: ("<s>", "</s>"), 2: ("<p>", "</p>")}
_MISSING = "they do not come with Dialometer"
_WAY_OUT = (
    "infersent(model=infersent1.pkl, vectors=glove(path=FILE)), "
    "or infersent(model=infersent2.pkl, vectors=fasttext(path=FILE), release=2)"
)
PADS = ("", "zero", "none")  # as the release does; a zero takes part in the maximum; the words alone


@dataclass(frozen=True)
class Infersent:
    """``model`` is the published file, ``vectors`` the word vectors it was trained with: GloVe for version 1, fastText for 2."""

    model: str = field(default="", metadata={"recipe": False})  # the recipe has a hash of its content instead
    vectors: str = field(default="", metadata={"recipe": False})  # likewise
    release: Annotated[int, Range(1, 2)] = 1
    pad: str = ""
    tok: str = "ptb"

    name: ClassVar[str] = "infersent"
    version: ClassVar[int] = 1
    keeps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self)
        if self.pad not in PADS:
            raise SpecError(f"infersent(pad=…) is zero or none, not {self.pad!r}", "infersent(pad=none)")

    @property
    def width(self) -> int:
        """Numbers of a vector: both directions."""
        return 2 * self._net()[0].enc_lstm.hidden_size

    @property
    def recipe(self) -> str:
        """Options, a hash of the weights, and the word vectors' own recipe."""
        return short(self, f"{self._net()[1]}+{self._words().recipe}")

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(n, width) float32; words without a vector are left out, and zeros stand for a text without any word that has one."""
        net, words = self._net()[0], self._words()
        import torch

        from dialometer.nets.encoders.sentence_rnn import encode_rows

        table = self._table(texts)
        vectors, known = words.look_up([*table.spellings(), *EDGES[self.release]])
        if vectors.shape[1] != net.enc_lstm.input_size:
            raise MissingResource(
                f"the weights {self.model} read word vectors of {net.enc_lstm.input_size} numbers, "
                f"and those of {self.vectors} have {vectors.shape[1]}",
                "infersent1 was trained with glove.840B.300d, infersent2 with crawl-300d-2M",
            )
        inputs = torch.from_numpy(np.asarray(vectors, np.float32))
        flat, starts = _framed(table, known)
        return encode_rows(flat, starts, self.width, lambda ids: net(inputs[torch.from_numpy(ids)]))

    def coverage(self, texts: Sequence[str]) -> np.ndarray:
        """Words that have a vector, and words of each text."""
        words, table = self._words(), self._table(texts)
        known = words.look_up(table.spellings())[1][table.ids]
        return np.stack([row_sums(known, table.starts), table.lengths()], axis=1)

    def _table(self, texts: Sequence[str]) -> TokenTable:
        if self.release == 1:
            return build_table(Texts.of(texts), tokeniser(self.tok))
        tok = tokeniser(self.tok)  # the second release cuts "don 't" where the first has "do n't"
        joined = (" ".join(tok.tokens(text)).replace(" n't ", "n 't ") for text in texts)
        return build_table(Texts.of(joined), tokeniser("whitespace"))

    def _words(self) -> WordVectors:
        if not self.vectors:
            raise MissingResource(f"infersent needs the word vectors it was trained with; {_MISSING}", _WAY_OUT)
        made: WordVectors = create("vector", self.vectors)
        return made

    def _net(self) -> tuple[BiLstmMax, str]:
        """The network and a digest of its weights."""
        if not self.model:
            raise MissingResource(f"infersent needs its published weights; {_MISSING}", _WAY_OUT)
        needs_torch(self.name)
        path = Path(self.model)
        stamp = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else (0, 0)
        return _opened(self.model, (self.pad or ("zero" if self.release == 1 else "none")) == "zero", stamp)


def _framed(table: TokenTable, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The known words of each text between those marks that are known; the last two entries of ``known`` are the marks."""
    first, last = len(known) - 2, len(known) - 1
    rows = []
    for start, end in zip(table.starts[:-1], table.starts[1:], strict=True):
        ids = table.ids[start:end]
        ids = ids[known[ids]]
        if len(ids):
            ids = np.concatenate([[first] * int(known[first]), ids, [last] * int(known[last])])
        rows.append(ids.astype(np.int64))
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return np.concatenate([np.zeros(0, np.int64), *rows]), starts


@lru_cache(maxsize=2)
def _opened(path: str, zero: bool, stamp: tuple[int, int]) -> tuple[BiLstmMax, str]:
    """The network of a file, kept in memory; ``stamp`` tells when the file was replaced."""
    from dialometer.nets.encoders.infersent import BiLstmMax, read_weights
    from dialometer.nets.training.checkpoints import rebuilt

    weights = read_weights(Path(path))
    dim, inner = weights["enc_lstm.weight_hh_l0"].shape[1], weights["enc_lstm.weight_ih_l0"].shape[1]
    net = rebuilt(lambda: BiLstmMax(inner, dim, zero), weights, path)
    return net, digest(*(weights[name] for name in sorted(weights)))
