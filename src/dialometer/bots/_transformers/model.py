"""A Hugging Face model of this machine, with its tokeniser: opened once, checked, never downloaded, never unpickled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, file_digest
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dialometer.core.errors import MissingResource
from dialometer.core.files import open_regular
from dialometer.nets.requirements import needs_torch

if TYPE_CHECKING:
    from torch import device

CONTENT = (".safetensors", ".json", ".jinja", ".model", ".txt", ".gguf")  # endings of files that change replies
INSTALL = 'pip install "dialometer[bots]"'
_FOLDER = "a folder with config.json, the tokeniser's files and weights as .safetensors, as save_pretrained writes it"
_UNLIMITED = 1_000_000  # tokenisers without a limit tell an absurd one

Stamps = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, eq=False)
class CausalModel:
    """A network that continues (or, with ``encoder``, answers) token ids, and the tokeniser between texts and ids."""

    net: Any
    tokens: Any
    where: str

    @property
    def encoder(self) -> bool:
        """Whether it reads the context with an encoder of its own (T5, BART)."""
        return bool(self.net.config.is_encoder_decoder)

    @property
    def device(self) -> device:
        """Where its weights are."""
        return self.net.device

    @property
    def templated(self) -> bool:
        """Whether it knows how chats are spelt."""
        return bool(self.tokens.chat_template)

    @property
    def limit(self) -> int:
        """How many tokens it can look at; 0 if there is no limit."""
        told = getattr(self.net.config, "max_position_embeddings", None) or self.tokens.model_max_length
        return int(told) if told and told < _UNLIMITED else 0

    @property
    def ends(self) -> list[int]:
        """The ids that end a reply; the first is the one that a likelihood counts."""
        told = self.net.generation_config.eos_token_id
        ids = told if isinstance(told, list) else [told]
        own = self.tokens.eos_token_id
        return list(dict.fromkeys(number for number in (own, *ids) if number is not None))

    @property
    def pad(self) -> int:
        """An id to fill rows up with; masks hide it."""
        return next((number for number in (self.tokens.pad_token_id, *self.ends) if number is not None), 0)


def open_model(path: Path, file: str, device: str, dtype: str) -> CausalModel:
    """The model of a folder, or of a GGUF file in it; opened anew when files changed."""
    return _opened(path, file, device, dtype, stamps(path, file))


def needs_packages(name: str) -> None:
    """Refuse with the line to type where torch or transformers are not installed."""
    needs_torch(name)
    if find_spec("transformers") is None:
        raise MissingResource(f"{name} needs transformers, which is not installed", INSTALL)


def stamps(path: Path, file: str = "") -> Stamps:
    """Name, size and time of change of each file that matters."""
    if not path.is_dir():
        raise MissingResource(f"there is no folder {path} with a model", _FOLDER)
    wanted = [path / file] if file else [one for one in path.iterdir() if one.suffix in CONTENT and one.is_file()]
    return tuple((one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in sorted(wanted))


@lru_cache(maxsize=8)
def content(path: Path, files: Stamps) -> str:
    """Eight hexadecimal digits of what the files hold, names included."""
    made = blake2b(digest_size=4)
    for name, _, _ in files:
        with open_regular(path / name) as file:
            made.update(name.encode() + file_digest(file, "blake2b").digest())
    return made.hexdigest()


@lru_cache(maxsize=2)
def _opened(path: Path, file: str, device: str, dtype: str, files: Stamps) -> CausalModel:
    import torch
    import transformers

    where = str(path / file) if file else str(path)
    safe = {"local_files_only": True, "trust_remote_code": False, **({"gguf_file": file} if file else {})}
    with _quiet(transformers, bool(file)):
        try:
            config = transformers.AutoConfig.from_pretrained(path, **safe)
            kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
            tokens = transformers.AutoTokenizer.from_pretrained(path, **safe)
            weights = safe if file else {**safe, "use_safetensors": True}
            net, told = getattr(transformers, kind).from_pretrained(
                path, config=config, dtype=getattr(torch, dtype), output_loading_info=True, **weights
            )
        except Exception as error:  # its loaders raise whatever a file makes them stumble over
            line = " ".join(str(error).split())[:300]
            raise MissingResource(
                f"the model in {where} cannot be opened ({type(error).__name__}: {line})", _FOLDER
            ) from None
    _check(net, tokens, told, where)
    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    return CausalModel(net.to(chosen).eval(), tokens, where)


def _check(net: Any, tokens: Any, told: dict[str, Any], where: str) -> None:
    """Weights that are missing would be random numbers: refused, as is a tokeniser of another model."""
    lacking = sorted(told.get("missing_keys", ())) + sorted(str(key) for key in told.get("mismatched_keys", ()))
    if lacking:
        raise MissingResource(
            f"the weights in {where} are not those of {type(net).__name__}: {lacking[0]} is missing or has another shape",
            _FOLDER,
        )
    rows = net.get_input_embeddings().weight.shape[0]
    if len(tokens) > rows:
        raise MissingResource(
            f"the tokeniser in {where} knows {len(tokens)} tokens, and the weights {rows}: they do not belong together",
            _FOLDER,
        )


@contextmanager
def _quiet(transformers: Any, bars_too: bool) -> Iterator[None]:
    """Without progress bars and advice, which are meant for other readers; some bars only fall silent with all of stderr."""
    log = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()) if bars_too else nullcontext():
            yield
    finally:
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()
