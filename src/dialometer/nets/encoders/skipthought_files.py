"""The published Skip-Thoughts files: word tables, dictionary and GRU parameters of the Theano release (Kiros et al. 2015).

``r, u = σ(x W + b + h U)``, ``h̃ = tanh(x Wx + bx + (h Ux) ∘ r)``, ``h' = u ∘ h + (1 − u) ∘ h̃``: torch's GRU with the same
order of gates and no second bias.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource
from dialometer.core.files import LARGE, check_regular, read_limited
from dialometer.nets.encoders.sentence_rnn import encode_rows, unit
from dialometer.nets.requirements import check_shapes, shapes_of
from dialometer.nets.training.checkpoints import rebuilt

FILES = {"uni": ("utable.npy", "uni_skip.npz"), "bi": ("btable.npy", "bi_skip.npz")}
WORDS = "dictionary.txt"
UNKNOWN = "UNK"
BLOCK = 1 << 15
_HINT = f"skipthought(model=FOLDER) wants {WORDS} and, by kind, {', '.join(sum(FILES.values(), ()))}"


@dataclass(frozen=True, eq=False)
class Published:
    """One published encoder: a table by memory map, its GRU, and a digest of both."""

    table: np.ndarray
    gru: nn.GRU
    digest: str

    @property
    def width(self) -> int:
        """Of the sentence vector."""
        return self.gru.hidden_size * (2 if self.gru.bidirectional else 1)

    def vectors(self, flat: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Unit vectors of texts given as rows of the table."""
        rows, ids = np.unique(flat, return_inverse=True)
        table = torch.from_numpy(np.asarray(self.table[rows], np.float32))

        def run(block: np.ndarray) -> torch.Tensor:
            _, states = self.gru(table[torch.from_numpy(block)])
            return torch.as_tensor(states).transpose(0, 1).flatten(1)  # directions side by side, forward first

        return unit(encode_rows(ids, starts, self.width, run))


@dataclass(frozen=True, eq=False)
class Release:
    """The encoders of a folder that a kind names, side by side."""

    words: dict[str, int]
    parts: tuple[Published, ...]

    @property
    def width(self) -> int:
        """Of all parts."""
        return sum(part.width for part in self.parts)

    @property
    def digest(self) -> str:
        """Of all parts."""
        return digest(*(part.digest.encode() for part in self.parts))

    @property
    def unknown(self) -> int:
        """The row that stands for unknown words."""
        return self.words[UNKNOWN]

    def numbers(self, words: Sequence[str]) -> np.ndarray:
        """The row of each word."""
        return np.fromiter((self.words.get(word, self.unknown) for word in words), np.int64, len(words))

    def vectors(self, flat: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Unit vectors of each part, side by side."""
        return np.concatenate([part.vectors(flat, starts) for part in self.parts], axis=1)


def read_release(folder: Path, kind: str) -> Release:
    """The published encoders of a kind: uni, bi or combine (both)."""
    words, rows = read_words(folder)
    parts = ("uni", "bi") if kind == "combine" else (kind,)
    return Release(words, tuple(read_published(folder, part, rows) for part in parts))


def stamps(folder: Path) -> tuple[tuple[int, int], ...]:
    """When the files were written and how long they are; nothing for those that are not there."""
    paths = [folder / name for name in (WORDS, *sum(FILES.values(), ()))]
    found = [path.stat() for path in paths if path.is_file()]
    return tuple((stat.st_mtime_ns, stat.st_size) for stat in found)


def shapes(inner: int, dim: int, both: bool) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the published parameters; the release has inner 620 and dim 2400, or 1200 in each direction."""
    one = {"W": (inner, 2 * dim), "U": (dim, 2 * dim), "b": (2 * dim,), "Wx": (inner, dim), "Ux": (dim, dim), "bx": (dim,)}
    sides = ("encoder", "encoder_r") if both else ("encoder",)
    return {f"{side}_{name}": shape for side in sides for name, shape in one.items()}


def read_words(folder: Path) -> tuple[dict[str, int], int]:
    """The dictionary, word → row of the tables, and the number of rows."""
    path = _there(folder, WORDS)
    try:
        lines = read_limited(path, LARGE).decode().split("\n")  # no other sign ends a line: rows of the tables are counted
    except (OSError, UnicodeDecodeError) as error:
        raise MissingResource(f"{path} cannot be read ({error})", _HINT) from None
    words = [line.strip() for line in (lines[:-1] if lines[-1] == "" else lines)]
    if UNKNOWN not in words:
        raise MissingResource(f"{path} has no line {UNKNOWN}, the word that stands for unknown ones", _HINT)
    return {word: row for row, word in enumerate(words)}, len(words)


def read_published(folder: Path, kind: str, words: int) -> Published:
    """The ``uni`` or ``bi`` encoder of a folder, every shape checked."""
    table_name, npz_name = FILES[kind]
    table, weights = _npy(_there(folder, table_name)), _npz(_there(folder, npz_name))
    both = kind == "bi"
    dim = weights["encoder_Ux"].shape[-1] if "encoder_Ux" in weights and weights["encoder_Ux"].ndim else 0
    inner = table.shape[-1] if table.ndim else 0
    check_shapes({table_name: table.shape}, {table_name: (words, inner)}, str(folder))
    wanted = shapes(inner, dim, both)
    check_shapes(shapes_of(weights), wanted, str(folder / npz_name))
    blocks = (table[at : at + BLOCK] for at in range(0, len(table), BLOCK))
    return Published(table, _gru(weights, inner, dim, both), digest(*blocks, *(weights[name] for name in wanted)))


def _gru(weights: Mapping[str, np.ndarray], inner: int, dim: int, both: bool) -> nn.GRU:
    """The same recurrence with torch's names; its second bias is zero."""
    state = {}
    for side, end in (("encoder", ""), ("encoder_r", "_reverse"))[: 2 if both else 1]:
        part = {name: weights[f"{side}_{name}"] for name in ("W", "U", "b", "Wx", "Ux", "bx")}
        state[f"weight_ih_l0{end}"] = np.concatenate([part["W"], part["Wx"]], axis=1).T
        state[f"weight_hh_l0{end}"] = np.concatenate([part["U"], part["Ux"]], axis=1).T
        state[f"bias_ih_l0{end}"] = np.concatenate([part["b"], part["bx"]])
        state[f"bias_hh_l0{end}"] = np.zeros(3 * dim)
    return rebuilt(lambda: nn.GRU(inner, dim, batch_first=True, bidirectional=both), state, "skipthought")


def _npy(path: Path) -> np.ndarray:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise MissingResource(f"{path} cannot be read as an array of numbers ({error})", _HINT) from None


def _npz(path: Path) -> dict[str, np.ndarray]:
    """Arrays that are not plain numbers, such as stored options, are left out."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files if name.startswith("encoder")}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, TypeError, AttributeError) as error:
        raise MissingResource(f"{path} cannot be read as arrays of numbers ({error})", _HINT) from None


def _there(folder: Path, name: str) -> Path:
    if not (folder / name).exists():
        what = f"it holds no {name}" if folder.is_dir() else "there is no such folder"
        raise MissingResource(f"{folder} is no folder of published Skip-Thoughts weights: {what}", _HINT)
    check_regular(folder / name)
    return folder / name
