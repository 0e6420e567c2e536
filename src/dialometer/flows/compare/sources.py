"""What is compared: runs of ``play`` and ``score``, files of conversations or items, and bots that have yet to talk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from dialometer.core.errors import RunError, UsageError
from dialometer.core.files import LARGE, check_regular, read_limited
from dialometer.core.registry import manifest_path
from dialometer.flows.play.play import DIALOGUES
from dialometer.flows.score.result_files import check_files, scores_of
from dialometer.flows.shared.runs import hashes

WAY = "dialometer compare runs/play-… runs/play-…, a FILE with several systems, or --a BOT --a BOT"
ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".txt", ".gz")


@dataclass(frozen=True)
class Source:
    """A file with what was said, under a short name; of a run of ``score`` also the folder with its scores."""

    path: str
    name: str
    scores: str = ""
    format: str = ""


def sort_out(arguments: Sequence[str]) -> tuple[list[Source], list[str]]:
    """The sources among the arguments, and the specs of bots; what is neither a file nor a run must be a bot."""
    sources: list[Source] = []
    bots: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if path.is_dir() and not _is_bot(path):
            sources += _of_run(path)
        elif path.exists() and not path.is_dir():
            check_regular(path)
            sources.append(Source(argument, _stem(path)))
        elif not path.is_dir() and "(" not in argument and ("/" in argument or argument.endswith(ENDINGS)):
            raise UsageError(f"{argument}: there is no such run or file", WAY)
        else:
            bots.append(argument)
    if twice := [path for path, times in Counter(source.path for source in sources).items() if times > 1]:
        raise UsageError(f"{twice[0]} is named twice", "name each run and each file once")
    return sources, bots


def _is_bot(folder: Path) -> bool:
    return any(manifest_path(folder / inside).is_file() for inside in ("", "model"))


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rsplit(".", 1)[0]


def _of_run(folder: Path) -> list[Source]:
    record = _record(folder)
    if (folder / DIALOGUES).is_file():
        check_files(folder)
        return [Source(str(folder / DIALOGUES), folder.name)]
    if str(record["id"]).startswith("score-"):
        scores_of(str(folder))  # refused where it is not finished
        return _scored(folder, record)
    if str(record["id"]).startswith("play-"):
        raise RunError(f"{folder} has no conversations yet", "the same play command again goes on with it")
    raise RunError(f"{folder} is a run of {str(record['id']).partition('-')[0]}: it holds nothing to compare", WAY)


def _record(folder: Path) -> dict[str, Any]:
    try:
        record: dict[str, Any] = orjson.loads(read_limited(folder / "run.json", LARGE))
        record["id"], record["identity"], record["request"]
    except FileNotFoundError:
        raise RunError(f"{folder} is a folder but no run", WAY) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{folder / 'run.json'} cannot be read ({error})", WAY) from None
    return record


def _scored(folder: Path, record: dict[str, Any]) -> list[Source]:
    """The files that were scored: scores name items, and only the items know their contexts."""
    try:
        paths = [str(path) for path in record["request"]["inputs"]]
        known = [digest for _, digest in record["identity"]["inputs"]]
        form = str(record["request"]["format"])
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{folder / 'run.json'} does not say what was scored ({error})", WAY) from None
    for path, digest in zip(paths, known, strict=False):
        if not Path(path).is_file() or hashes([path])[0][1] != digest:
            raise RunError(
                f"{folder} scored {path}, which is gone or was changed since: nobody knows which items share a context",
                "stand where it was scored, or score the file anew",
            )
    if form == "parallel":
        raise RunError(f"{folder} scored parallel text, which is of one system", WAY)
    return [Source(path, f"{folder.name}" if len(paths) == 1 else _stem(Path(path)), str(folder), form) for path in paths]
