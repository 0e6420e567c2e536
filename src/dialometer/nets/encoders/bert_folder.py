"""What a sentence-transformers folder of the BERT kind says about itself, read and checked without torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import orjson

from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.files import check_regular, read_limited
from dialometer.nets.requirements import check_shapes

WEIGHTS, TOKENS = "model.safetensors", "tokenizer.json"
POOLINGS = ("mean", "cls", "max")
_HINT = "a sentence-transformers folder of the BERT kind: config.json, tokenizer.json, model.safetensors"


@dataclass(frozen=True)
class BertShape:
    """The sizes that fix the shape of every weight."""

    vocabulary: int
    positions: int
    types: int
    width: int
    inner: int
    layers: int
    heads: int
    epsilon: float

    @classmethod
    def of(cls, config: dict[str, Any]) -> Self:
        """From the fields of ``config.json``."""
        names = ("vocab_size", "max_position_embeddings", "type_vocab_size", "hidden_size", "intermediate_size")
        vocabulary, positions, types, width, inner = (int(config[name]) for name in names)
        layers, heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
        if min(vocabulary, positions, types, width, inner, layers, heads) < 1 or width % heads:
            raise ValueError("sizes are positive, and the heads divide the width")
        epsilon = float(config.get("layer_norm_eps", 1e-12))
        return cls(vocabulary, positions, types, width, inner, layers, heads, epsilon)

    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor, under the names of Hugging Face's BertModel without its pooler."""
        d, inner = self.width, self.inner
        shapes: dict[str, tuple[int, ...]] = {
            "embeddings.word_embeddings.weight": (self.vocabulary, d),
            "embeddings.position_embeddings.weight": (self.positions, d),
            "embeddings.token_type_embeddings.weight": (self.types, d),
        }
        norms = ["embeddings.LayerNorm"]
        dense: dict[str, tuple[int, int]] = {}
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}"
            norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
            dense |= {f"{at}.attention.self.{name}": (d, d) for name in ("query", "key", "value")}
            dense |= {f"{at}.attention.output.dense": (d, d), f"{at}.intermediate.dense": (inner, d)}
            dense[f"{at}.output.dense"] = (d, inner)
        for name in norms:
            shapes |= {f"{name}.weight": (d,), f"{name}.bias": (d,)}
        for name, (rows, columns) in dense.items():
            shapes |= {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}
        return shapes


@dataclass(frozen=True)
class BertFolder:
    """A checked folder: sizes, the longest text in tokens, how tokens become one vector, and a hash of all that."""

    path: Path
    shape: BertShape
    longest: int
    pooling: str
    unit: bool
    lower: bool
    content: str

    @classmethod
    def open(cls, path: Path) -> BertFolder:
        """Read and check; a folder that changed is read again."""
        try:
            marks = tuple((path / name).stat().st_mtime_ns for name in ("config.json", TOKENS, WEIGHTS))
        except OSError as error:
            raise MissingResource(f"the model folder {path} cannot be used ({error.strerror})", _HINT) from None
        for name in (TOKENS, WEIGHTS):
            check_regular(path / name)
        return _open(path, marks)


@cache
def _open(path: Path, marks: tuple[int, ...]) -> BertFolder:
    config = _json(path / "config.json")
    _check_kind(path, config)
    try:
        shape = BertShape.of(config)
    except (KeyError, TypeError, ValueError) as error:
        raise MissingResource(f"{path / 'config.json'} does not describe a BERT ({error})", _HINT) from None
    _check_weights(path / WEIGHTS, shape)
    pooling, unit = _modules(path)
    said = _json(path / "sentence_bert_config.json", optional=True)
    longest = _longest(path, said, shape.positions)
    lower = bool(said.get("do_lower_case", False))
    facts = f"{shape} {longest} {pooling} {unit} {lower}".encode()
    files = [np.fromfile(path / name, np.uint8) for name in (WEIGHTS, TOKENS)]
    return BertFolder(path, shape, longest, pooling, unit, lower, digest(facts, *files))


def _longest(path: Path, said: dict[str, Any], positions: int) -> int:
    """As sentence-transformers has it: its own setting, else the tokeniser's, never above the positions there are."""
    settings = _json(path / "tokenizer_config.json", optional=True)
    for value in (said.get("max_seq_length"), settings.get("model_max_length")):
        if isinstance(value, int) and not isinstance(value, bool) and value > 2:
            return min(value, positions)
    return positions


def _json(path: Path, *, optional: bool = False) -> dict[str, Any]:
    """An object from a file; an optional file that is not there is empty."""
    if optional and not path.exists():
        return {}
    try:
        found = orjson.loads(read_limited(path))
    except (OSError, ValueError) as error:
        raise MissingResource(f"{path} cannot be read ({error})", _HINT) from None
    if not isinstance(found, dict):
        raise MissingResource(f"{path} holds no JSON object", _HINT)
    return found


def _check_kind(path: Path, config: dict[str, Any]) -> None:
    """Another architecture would load and give wrong numbers, so it is refused by name."""
    wanted = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute", "is_decoder": False}
    for key, value in wanted.items():
        found = config.get(key, None if key == "model_type" else value)
        if found != value:
            raise SpecError(f"the model in {path} has {key} {found!r}, and minilm runs {value!r} only", _HINT)


def _modules(path: Path) -> tuple[str, bool]:
    """How token vectors become one (mean where nothing is said), and whether it is made a unit vector."""
    if _json(path / "config_sentence_transformers.json", optional=True).get("default_prompt_name"):
        raise SpecError(f"the model in {path} puts a prompt before every text, which minilm does not", _HINT)
    if not (path / "modules.json").exists():
        return "mean", False
    try:
        modules = orjson.loads(read_limited(path / "modules.json"))
        kinds = {str(module["type"]).rpartition(".")[2]: str(module["path"]) for module in modules}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MissingResource(f"{path / 'modules.json'} cannot be read ({error})", _HINT) from None
    strange = sorted(set(kinds) - {"Transformer", "Pooling", "Normalize"})
    if strange:
        raise SpecError(f"the model in {path} has a part that minilm does not run: {strange[0]}", _HINT)
    config = _json(path / kinds["Pooling"] / "config.json") if "Pooling" in kinds else {"pooling_mode": "mean"}
    return _pooling(path, config), "Normalize" in kinds


def _pooling(path: Path, config: dict[str, Any]) -> str:
    """One of POOLINGS, from the older or the newer spelling of the same setting."""
    old = [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, chosen in config.items()
        if key.startswith("pooling_mode_") and chosen is True
    ]
    said = config.get("pooling_mode", old)
    modes = [said] if isinstance(said, str) else list(said)
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise SpecError(f"the model in {path} pools by {' and '.join(map(str, modes)) or 'nothing'}", "mean, cls or max")
    return str(modes[0])


def _check_weights(path: Path, shape: BertShape) -> None:
    """Every tensor is there in its shape; only the header is read."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "np") as file:
            found = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (OSError, SafetensorError) as error:
        raise MissingResource(f"{path} cannot be read ({error})", _HINT) from None
    check_shapes(found, shape.weights(), str(path), hint=f"weights and config.json of one model, in {_HINT}")
