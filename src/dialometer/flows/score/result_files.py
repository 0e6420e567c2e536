"""Existing scores: a file of the user's own, or the run folder that ``score`` printed."""

from __future__ import annotations

from pathlib import Path

import orjson

from dialometer.contracts.result import decode
from dialometer.contracts.score import ScoreSummary
from dialometer.core.errors import RunError
from dialometer.core.files import LARGE, read_limited
from dialometer.flows.shared.runs import hashes
from dialometer.store.digests import damaged_files

HINT = "name the folder that `dialometer score` printed"


def scores_of(path: str) -> tuple[Path, dict[str, str]]:
    """The file of scores, and the recipe of each column as far as it is known."""
    folder = Path(path)
    if not folder.is_dir():
        return folder, {}
    for name in ("scores.parquet", "scores.jsonl"):
        if (folder / name).exists():
            check_files(folder)
            try:
                recipes = dict(orjson.loads(read_limited(folder / "recipes.json")))
                if not all(isinstance(recipe, str) for recipe in recipes.values()):
                    raise ValueError("recipes.json holds other things than recipes")
                return folder / name, recipes
            except (OSError, ValueError, TypeError) as error:
                raise RunError(f"the run {folder} is damaged ({error})", "score once more, into another folder") from None
    raise RunError(f"{folder} holds no finished scores", HINT)


def check_files(folder: Path) -> None:
    """Refuse a finished run whose files are not what was written, as far as it knows their digests."""
    try:
        lost = damaged_files(folder, orjson.loads((folder / "run.json").read_bytes())["files"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    if lost:
        raise RunError(
            f"the run {folder} is damaged ({lost[0]} is not what was written)", f"rm -r {folder}, and make it anew"
        )


def read_summary(folder: str) -> ScoreSummary:
    """The summary of a finished run of ``score``."""
    try:
        return decode(read_limited(Path(folder) / "summary.json", LARGE), ScoreSummary)
    except (OSError, ValueError) as error:
        raise RunError(f"the run {folder} is damaged ({error})", "score once more, into another folder") from None


def digest_of(path: str) -> list[str]:
    """What identifies scores: the id of a run, or the content of a file."""
    if not Path(path).is_dir():
        return hashes([path])[0]
    try:
        return [str(orjson.loads(read_limited(Path(path) / "run.json", LARGE))["id"])]
    except (OSError, ValueError, KeyError, TypeError):
        raise RunError(f"{path} is a folder but no run", HINT) from None
