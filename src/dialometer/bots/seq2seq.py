"""``seq2seq``: the last utterances are read by one GRU, the reply is said by another, trained here (Vinyals & Le 2015)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from dialometer.bots._generative.base import Generative
from dialometer.core.ranges import Turns

if TYPE_CHECKING:
    from dialometer.nets.dialogue.data import EncodedDialogues
    from dialometer.nets.dialogue.layers import NetworkSizes


@dataclass(frozen=True)
class Seq2seq(Generative):
    """``turns`` utterances are read as one."""

    turns: Turns = 2

    name: ClassVar[str] = "seq2seq"
    network: ClassVar[str] = "dialometer.nets.dialogue.seq2seq:Seq2seqNetwork"

    def _sizes(self, symbols: int, coarse: int, data: EncodedDialogues) -> NetworkSizes:
        return replace(super()._sizes(symbols, coarse, data), turns=self.turns)
