"""The plan: which case has which number.

Every twenty numbers share out the attacks in the same way, and each attack goes round its targets (in an order of its own, drawn
once), so the first targets of every attack are met by the first thousand cases and all of them, many times, by ten thousand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

from dialometer.cli.main import VERBS
from dialometer.core.registry import names
from tests.fuzz.case import Case
from tests.fuzz.catalogue import Field, classes, fields, places, small_spec
from tests.fuzz.commands import LINES, Option, lines_for, options, without
from tests.fuzz.inputs import ENDINGS, corpus_paths, good_files, written
from tests.fuzz.scenes import scenes, scenes_in
from tests.fuzz.values import NUMBERS, TEXTS, malformed, quoted

ATTACKS = (
    *["numeric option"] * 4, "text option", *["numeric field"] * 5, "text field", "malformed spec", *["damaged file"] * 4,
    *["odd path"] * 2, *["damaged run"] * 2,
)  # fmt: skip
ODD = (
    "folder",
    "missing",
    "full",
    "null",
    "fifo",
    "loop",
    "dangling",
    "empty",
    "unreadable",
    "below a file",
    "standard output",
)
UNUSABLE = ("full", "null", "fifo", "loop", "below a file")  # what no run can be written to: a whole demo takes minutes
ODD_NAMES = (
    "a:b",
    "a\nb",
    "é 日本",
    "a b",
    "-x",
    "--help",
    "a,b=(c)",
    '"',
    "%s{}",
    "a" * 300,
    "",
    ".",
    "processes:2",
    "x.jsonl.gz",
    "~",
    "$HOME",
    "\ud800",
)
STDOUT = "standard output"
OUTPUTS = ("output", "study", "flagged")


def case(number: int, seed: str = "0") -> Case:
    """The case of a number."""
    block, at = divmod(number, len(ATTACKS))
    attack = ATTACKS[at]
    rank = block * ATTACKS.count(attack) + ATTACKS[:at].count(attack)
    targets = _targets(attack)
    order = _order(attack, len(targets), seed)
    chance = Random(f"case {seed} {number}")
    return MAKERS[attack](targets[order[rank % len(targets)]], number, seed, chance, rank // len(targets))


@cache
def _targets(attack: str) -> list:
    return TARGETS[attack]()


@cache
def _order(attack: str, size: int, seed: str) -> list[int]:
    order = list(range(size))
    Random(f"order {attack} {seed}").shuffle(order)
    return order


def _made(number: int, seed: str, attack: str, argv: tuple[str, ...], *covers: str, **more: object) -> Case:
    known = (f"command {argv[0]}", *covers)
    return Case(number, attack, argv, known, scenes=scenes_in(argv), seed=seed, **more)  # type: ignore[arg-type]


def _option_case(option: Option, number: int, seed: str, chance: Random, turn: int) -> Case:
    """An option with a value of the list, typed or from a file of options, on a line of its command."""
    lines = lines_for(option)
    line = without(option, lines[turn % len(lines)])
    value = chance.choice(NUMBERS if option.number else TEXTS)
    if option.label == "demo --output":
        value = f"talk.txt/{value}"  # no run can be written there
    if option.label == "serve --host":
        line = ("serve", "missing-bot", "--port", "0")  # a host may be good, and then it would serve
    attack = "numeric option" if option.number else "text option"
    cover = f"option {option.label}"
    if option.flag:
        return _made(number, seed, attack, (*line, option.spelt), cover)
    if not option.spelt:
        return _made(number, seed, attack, (*line[:1], value, *line[2:]), cover)
    if _has_config(option.command) and chance.random() < 0.15:
        text = value if option.number and value.strip() else json.dumps(value)
        name = option.spelt.lstrip("-")
        return _made(
            number, seed, attack, (*line, "--config", "own.toml"), cover, texts=(("own.toml", f"{name} = {text}\n"),)
        )
    more = (f"{option.spelt}={value}",) if option.spelt.startswith("--") else (option.spelt, value)
    return _made(number, seed, attack, (*line, *more), cover)


@cache
def _has_config(command: str) -> bool:
    return any(option.name == "config" for option in options() if option.command == command)


def _field_case(field: Field, number: int, seed: str, chance: Random, turn: int) -> Case:
    """An option of a class inside a spec; of what learns, also on one that has learnt."""
    value = chance.choice(NUMBERS if field.number else TEXTS)
    lines = places(field.kind, field.name, field.fits)
    line = lines[0] if field.fits and turn % 3 < 2 else lines[turn % len(lines)]
    spec = small_spec(field.kind, field.name, {field.option: value})
    if field.adjustable and turn % 3 == 1:
        line = next(line for line in lines if line[0] != "train")
        spec = f"{field.name}/run({field.option}={quoted(value)})"
    attack = "numeric field" if field.number else "text field"
    argv = _placed(line, spec, field.kind, field.name)
    return _made(number, seed, attack, argv, f"field {field.label}")


def _placed(line: tuple[str, ...], spec: str, kind: str, name: str) -> tuple[str, ...]:
    argv = [part.replace("{}", spec) for part in line]
    if kind == "builder":
        argv[1:2] = corpus_paths(name)
    return tuple(argv)


def _malformed_case(target: tuple[str, str, bool], number: int, seed: str, chance: Random, turn: int) -> Case:
    """A spec that is none, wherever specs are typed."""
    kind, name, fits = target
    lines = places(kind, name, fits)
    spec = malformed(small_spec(kind, name), chance)
    return _made(number, seed, "malformed spec", _placed(chance.choice(lines), spec, kind, name), f"thing {kind} {name}")


def _file_case(target: str, number: int, seed: str, chance: Random, turn: int) -> Case:
    """A damaged file of a form, read by one of the commands that read the form."""
    uses = readers(target)
    argv = uses[turn % len(uses)]
    return _made(number, seed, "damaged file", argv, f"form {target}", *_format_cover(target), hurt=(target,))


def _format_cover(target: str) -> tuple[str, ...]:
    return tuple(f"format {form}" for form in names("format") if target in written(form))


def readers(target: str) -> list[tuple[str, ...]]:
    """Command lines that read a good file."""
    if target.startswith("corpus-"):
        corpus = target.split("/")[0].removeprefix("corpus-")
        return [("convert", *corpus_paths(corpus), "--builder", corpus, "-o", "out.jsonl")]
    named = next((form for form in names("format") if target in written(form)), "")
    if named == "parallel":
        first, *others = written(named)
        pair = ("--hyp", first, *(part for other in others for part in ("--ref", other)))
        return [("score", *pair, "-m", "rouge", "--resamples", "20"), ("convert", *pair, "-o", "out.jsonl")]
    ways = READERS.get(target, [line for lines in LINES.values() for line in lines if target in line])
    if not named and ways:
        return ways
    given = (target,) if named in ENDINGS else (target, "--from", named)
    return [
        ("convert", *given, "-o", "out.jsonl", "--lossy"),
        ("score", *given, "-m", "length", "-m", "bleu", "--resamples", "20", "--skip-incomplete"),
        ("convert", target, "-o", "out.parquet"),
        ("agree", *given, "--resamples", "20"),
        ("meta", *given, "-m", "length", "--resamples", "20", "--permutations", "20"),
        ("train", "tfidf", *given),
    ]


READERS = {
    "items.jsonl": [
        *(line for lines in LINES.values() for line in lines if "items.jsonl" in line),
        ("play", "--a", "parrot", "--openers", "items.jsonl", "-n", "2", "--turns", "2"),
        ("train", "tfidf", "items.jsonl"),
    ],
    "items.jsonl.gz": [
        ("score", "items.jsonl.gz", "-m", "length", "--resamples", "20"),
        ("convert", "items.jsonl.gz", "-o", "out.csv"),
    ],
    "talks.jsonl": [
        ("score", "talks.jsonl", "-m", "length", "--resamples", "20"),
        ("agree", "talks.jsonl", "--resamples", "20"),
        ("train", "human", "talks.jsonl"),
        ("play", "--a", "parrot", "--openers", "talks.jsonl", "-n", "2", "--turns", "2", "--training", "talks.jsonl"),
        ("compare", "talks.jsonl", "-m", "length", "--resamples", "20", "--permutations", "20"),
    ],
    "openers.txt": [("play", "--a", "parrot", "--openers", "openers.txt", "-n", "2", "--turns", "2")],
    "talk.txt": [
        ("train", "ngram", "talk.txt"),
        ("train", "lsi(k=2)", "talk.txt"),
        ("train", "tfidf", "talk.txt"),
        ("play", "--a", "random(text=talk.txt)", "-n", "2", "--turns", "2"),
        ("score", "items.jsonl", "-m", "logprob(text=talk.txt)", "--resamples", "20"),
    ],
    "config.toml": [("score", "items.jsonl", "--config", "config.toml"), ("stress", "items.jsonl", "--config", "config.toml")],
    "ids.txt": [("train", "ngram", "talks.jsonl", "--without", "ids.txt")],
    "ids.json": [("train", "ngram", "talks.jsonl", "--without", "ids.json")],
    "glove.txt": [
        ("score", "items.jsonl", "-m", "embedding(vectors=glove(path=glove.txt))", "--resamples", "20"),
        ("score", "items.jsonl", "-m", "embedding(vectors=word2vec(path=glove.txt))", "--resamples", "20"),
    ],
    "fasttext.vec": [
        ("score", "items.jsonl", "-m", "embedding(vectors=fasttext(path=fasttext.vec))", "--resamples", "20"),
        ("score", "items.jsonl", "-m", "embedding(vectors=word2vec(path=fasttext.vec))", "--resamples", "20"),
    ],
    "model.arpa": [("score", "items.jsonl", "-m", "logprob(model=ngram(arpa=model.arpa))", "--resamples", "20")],
    "said.txt": [("chat", "eliza"), ("chat", "parrot", "-m", "length", "-o", "kept.jsonl", "--json")],
}  # fmt: skip


def _path_case(option: Option, number: int, seed: str, chance: Random, turn: int) -> Case:
    """An option that takes a path, with one that is no good file; or output that cannot be written."""
    lines = lines_for(option)
    line = lines[turn % len(lines)]
    cover = f"path {option.label}"
    if option.name == STDOUT:
        return _made(number, seed, "odd path", line, cover, stdout="full", odd=(("full", "full"),))
    what = chance.choice(UNUSABLE if option.command == "demo" else ODD)
    name = chance.choice(["odd", "odd.jsonl", "odd.csv", "odd.toml", "odd.parquet", "odd.txt"])
    if what == "below a file":
        path, odd = "talk.txt/odd", ()
    elif chance.random() < 0.4 and option.command != "demo":
        path = chance.choice(ODD_NAMES)
        there = bool(path) and path != "." and len(path) < 200 and "\ud800" not in path and option.name not in OUTPUTS
        odd = ((path, "good"),) if there else ()
    else:
        path, odd = name, () if what == "missing" else ((name, what),)
    return _made(number, seed, "odd path", _with_path(option, line, path), cover, odd=odd)


def stdout_of(command: str) -> Option:
    """Standard output, as if it were an option: it may be a full disk."""
    return Option(command, STDOUT, "", False, True, False)


def _with_path(option: Option, line: tuple[str, ...], path: str) -> tuple[str, ...]:
    if option.spelt:
        return (*without(option, line), option.spelt, path)
    at = next((at for at, part in enumerate(line) if part in good_files()), 1)
    return (*line[:at], path, *line[at + 1 :])


def _scene_case(name: str, number: int, seed: str, chance: Random, turn: int) -> Case:
    """A damaged run, printed again or used."""
    scene = scenes()[name]
    made = _made(number, seed, "damaged run", chance.choice(scene.uses), f"scene {name}", damaged_scene=True, env=scene.env)
    return replace(made, scenes=(name,))


TARGETS: dict[str, Callable[[], list]] = {
    "numeric option": lambda: [option for option in options() if option.number],
    "text option": lambda: [option for option in options() if not option.number],
    "numeric field": lambda: [field for field in fields() if field.number],
    "text field": lambda: [field for field in fields() if not field.number],
    "malformed spec": lambda: [(kind, name, hasattr(made, "fit")) for kind, name, made in classes()],
    "damaged file": lambda: sorted(good_files()),
    "odd path": lambda: [option for option in options() if option.path] + [stdout_of(command) for command in VERBS],
    "damaged run": lambda: list(scenes()),
}
MAKERS: dict[str, Callable[..., Case]] = {
    "numeric option": _option_case, "text option": _option_case, "numeric field": _field_case, "text field": _field_case,
    "malformed spec": _malformed_case, "damaged file": _file_case, "odd path": _path_case, "damaged run": _scene_case,
}  # fmt: skip
