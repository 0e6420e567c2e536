"""``lstmlm``: an LSTM language model over whole conversations, trained here (Liu et al. 2016, §4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialometer.bots._generative.base import Generative


@dataclass(frozen=True)
class Lstmlm(Generative):
    """Everything that was said is one stream; a reply is what the stream goes on with."""

    name: ClassVar[str] = "lstmlm"
    network: ClassVar[str] = "dialometer.nets.dialogue.lstmlm:LstmlmNetwork"
