"""Scores that are there already: a file of the user's own, or the run folder that ``score`` printed."""

from __future__ import annotations

from pathlib import Path

import orjson

from dialometer.errors import RunError
from dialometer.flows.running import hashes

HINT = "name the folder that `dialometer score` printed"


def scores_of(path: str) -> tuple[Path, dict[str, str]]:
    """The file of scores, and the recipe of each column as far as it is known."""
    folder = Path(path)
    if not folder.is_dir():
        return folder, {}
    for name in ("scores.parquet", "scores.jsonl"):
        if (folder / name).exists():
            try:
                return folder / name, dict(orjson.loads((folder / "recipes.json").read_bytes()))
            except (OSError, ValueError, TypeError) as error:
                raise RunError(f"the run {folder} is damaged ({error})", "score once more, into another folder") from None
    raise RunError(f"{folder} holds no finished scores", HINT)


def digest_of(path: str) -> list[str]:
    """What identifies scores: the id of a run, or the content of a file."""
    if not Path(path).is_dir():
        return hashes([path])[0]
    try:
        return [str(orjson.loads((Path(path) / "run.json").read_bytes())["id"])]
    except (OSError, ValueError, KeyError, TypeError):
        raise RunError(f"{path} is a folder but no run", HINT) from None
