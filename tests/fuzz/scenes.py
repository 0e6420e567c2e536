"""Scenes: folders with a finished run of every verb and with one of everything that learns, made once, to be damaged and used."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.catalogue import PLACES, classes, places, small_spec
from tests.fuzz.commands import JUDGE, LINES
from tests.fuzz.damage import damaged
from tests.fuzz.inputs import needed

RUN_VERBS = ("score", "agree", "meta", "stress", "power", "play", "compare")


@dataclass(frozen=True)
class Scene:
    """A folder that a command filled; the first of its uses is the same command again."""

    name: str
    argv: tuple[str, ...]
    uses: tuple[tuple[str, ...], ...]
    env: tuple[tuple[str, str], ...] = ()


# METEOR makes the tables of its synonyms and paraphrases once for all runs, too slowly for the limit of a case.
WARM = Scene("warm", ("score", "items.jsonl", "-m", "meteor"), ())


@cache
def scenes() -> dict[str, Scene]:
    """By name; a run lies in NAME/run."""
    found = {}
    for kind, name, made in classes():
        if hasattr(made, "fit"):
            found[name] = _fitted(kind, name)
    for verb in RUN_VERBS:
        argv = (*LINES[verb][0], "-o", f"{verb}/run")
        found[verb] = Scene(verb, argv, (argv, *_readers(verb)))
    line = ("score", "items.jsonl", "-m", "bleu", "-m", "sentence(encoder=average)", "--resamples", "20", "-o")
    found["cache"] = Scene("cache", (*line, "one"), ((*line, "two"),), (("DIALOMETER_CACHE", "cache/run"),))
    return found


def _fitted(kind: str, name: str) -> Scene:
    line = next(line for line in places(kind, name, True) if line[0] == "train")
    if name in ("hybrid",):
        line = tuple("talks.jsonl" if part == "items.jsonl" else part for part in line)
    if name in ("humanlike",):
        line = ("train", "{}", "items.jsonl", "--human", "s2", *JUDGE[2:])
    argv = (*_filled(line, small_spec(kind, name)), "-o", f"{name}/run")
    uses = [_filled(place, f"{name}/run") for place in PLACES[kind] if place[0] != "train"]
    if name in ("hybrid",):
        uses = [use for use in uses if "talks.jsonl" in use]
    return Scene(name, argv, (argv, *uses))


def _filled(line: tuple[str, ...], spec: str) -> tuple[str, ...]:
    return tuple(part.replace("{}", spec) for part in line)


def _readers(verb: str) -> tuple[tuple[str, ...], ...]:
    """Commands that read the run of a verb."""
    if verb == "score":
        more = ("-m", "bleu-1", "-m", "bleu-2", "--simulations", "100")
        return (
            ("compare", "score/run", "--resamples", "20"),
            ("power", "items.jsonl", "-q", "overall", "--scores", "score/run", *more),
        )
    if verb == "play":
        return (
            ("compare", "play/run", "-m", "length", "--resamples", "20", "--permutations", "20"),
            ("score", "play/run/dialogues.jsonl", "-m", "length", "--resamples", "20"),
        )  # fmt: skip
    return ()


def scenes_in(argv: Iterable[str]) -> tuple[str, ...]:
    """The scenes that a command line names."""
    given = "\n".join(argv)
    return tuple(name for name in scenes() if f"{name}/run" in given)


def prepare(name: str, store: Path, run: Callable[[Scene, Path], tuple[int, str]]) -> Path:
    """The folder of a scene, made if nobody has made it yet; ``run`` gives a command's exit code and errors."""
    folder = store / name
    store.mkdir(parents=True, exist_ok=True)
    with (store / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder
        made = store / f".{name}.{os.getpid()}"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        scene = WARM if name == WARM.name else scenes()[name]
        for path, content in needed(scene.argv).items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_bytes(content)
        code, said = run(scene, made)
        if code:
            raise RuntimeError(f"the scene {name} could not be made: {scene.argv} ended with {code}: {said}")
        made.rename(folder)
    return folder


def spoil(folder: Path, chance: Random) -> str:
    """Damage or remove one file of a run; which one, and how."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    weighty = [path for path in files if path.suffix in (".json", ".safetensors", ".parquet", ".jsonl", ".npy", ".csv")]
    path = chance.choice(weighty if weighty and chance.random() < 0.8 else files)
    way = chance.random()
    if way < 0.1:
        path.unlink()
    elif way < 0.15:
        path.unlink()
        path.mkdir()
    elif way < 0.2:
        shutil.copyfile(chance.choice(files), folder / "other")
        (folder / "other").replace(path)
    else:
        path.write_bytes(damaged(path.name, path.read_bytes(), chance))
    return f"{path.relative_to(folder.parent.parent)}"
