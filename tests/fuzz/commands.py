"""The commands of the command line as click knows them, and a small valid line of each to attack."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import click

from dialometer.cli.main import VERBS, cli

SHORT = ("--turns", "2", "--check", "1")
FEW = ("--resamples", "20")
META = ("meta", "items.jsonl", "-q", "overall", "-m", "length", *FEW, "--permutations", "20")
POWER = ("power", "items.jsonl", "-q", "overall", "--simulations", "100", "--items", "5,10", "--raters", "1,2")
JUDGE = ("-q", "overall", "--quick", "--folds", "2", "-m", "length")
# An address of documentation, which no machine has: all is checked and loaded, and then the port cannot be opened.
SERVE = ("--host", "192.0.2.1", "--port", "0")
# A valid line of each command, small enough for a second. A command that is not here is run by its bare name.
LINES: dict[str, list[tuple[str, ...]]] = {
    "score": [
        ("score", "items.jsonl", "-m", "bleu", "-m", "length", *FEW),
        ("score", "talks.jsonl", "-m", "distinct", "--shard", "3", *FEW),
        ("score", "--hyp", "hyp.txt", "--ref", "ref.txt", "-m", "rouge", *FEW),
    ],
    "why": [("why", "items.jsonl", "--id", "c0-s0", "-m", "bleu")],
    "agree": [("agree", "items.jsonl", *FEW), ("agree", "ratings.csv", *FEW)],
    "meta": [
        META,
        (*META, "--scores", "scores.csv", "--systems", "systems.toml"),
        (*META, "--preferences", "preferences.csv", "--filter-raters"),
        (*META, "--ratings", "ratings.csv", "--aggregate", "z"),
    ],
    "stress": [("stress", "items.jsonl", "-m", "bleu", "--limit", "6", *FEW)],
    "power": [(*POWER, "--effect", "0.5"), (*POWER, "--scores", "scores.csv", "-m", "mine", "-m", "other")],
    "train": [
        ("train", "ngram", "talk.txt"),
        ("train", "autojudge(encoder=lsi(k=2,text=talk.txt))", "items.jsonl", *JUDGE),
        ("train", "lstmlm(hidden=8,embedding=8,vocabulary=60,epochs=1)", "talk.txt"),
        ("train", "amfm", "talk.txt", "--tune", "items.jsonl", "-q", "overall", "--ks", "2", "--orders", "1", "--folds", "2"),
        ("train", "hred/run", "openers.txt", "--reward", "length", "--episodes", "4", "--batch", "2", *SHORT),
    ],
    "play": [
        ("play", "--a", "parrot", "--b", "constant", "-n", "2", "--turns", "2"),
        ("play", "--a", "eliza", "--openers", "talks.jsonl", "--context", "1", "-n", "2", "--turns", "2"),
    ],
    "chat": [("chat", "eliza"), ("chat", "parrot", "-m", "length")],
    "compare": [
        ("compare", "items.jsonl", "-m", "length", *FEW, "--permutations", "20"),
        ("compare", "--a", "parrot", "--a", "eliza", "-n", "2", "--turns", "2", "-m", "length", *FEW, "--permutations", "20"),
        ("compare", "talks.jsonl", "-m", "length", *FEW, "--permutations", "20", "--study", "study"),
    ],
    "serve": [("serve", "constant", *SERVE)],
    "list": [("list",), ("list", "bots", "eliza")],
    "convert": [
        ("convert", "items.jsonl", "-o", "out.csv", "--lossy"),
        ("convert", "corpus-reddit/comments.jsonl", "--builder", "reddit", "-o", "out.jsonl"),
    ],
    "demo": [("demo", "-o", "talk.txt/demo")],  # a folder that cannot be made: a whole demo takes minutes
}  # fmt: skip
REWARD = LINES["train"][-1]


class Option(NamedTuple):
    """An option or argument of a command."""

    command: str
    name: str
    spelt: str  # as it is typed; an argument has no spelling
    number: bool
    path: bool
    flag: bool
    others: tuple[str, ...] = ()  # all its spellings, where it takes one value only

    @property
    def label(self) -> str:
        """What the coverage calls it."""
        return f"{self.command} {self.spelt or self.name}"


@cache
def options() -> tuple[Option, ...]:
    """Every option and argument of every command."""
    return tuple(_option(name, param) for name in VERBS for param in _command(name).params)


def _command(name: str) -> click.Command:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command


def _option(command: str, param: click.Parameter) -> Option:
    typed = param.opts[-1] if isinstance(param, click.Option) else ""
    default = param.default if type(param.default) in (int, float) else None
    number = isinstance(param.type, click.types.IntParamType | click.types.FloatParamType) or default is not None
    marks = (param.metavar or "").rstrip("…")
    known = () if getattr(param, "multiple", False) or not typed else tuple(param.opts)
    path, flag = marks in ("FILE", "DIR", "RUN"), bool(getattr(param, "is_flag", False))
    return Option(command, str(param.name), typed, number, path, flag, known)


def without(option: Option, line: tuple[str, ...]) -> tuple[str, ...]:
    """A line without an option of one value, which may not be given twice."""
    at = next((at for at, part in enumerate(line) if part in option.others), None)
    return line if at is None else (*line[:at], *line[at + (1 if option.flag else 2) :])


def lines_for(option: Option) -> list[tuple[str, ...]]:
    """The lines of its command on which an option means something."""
    lines = LINES.get(option.command, [(option.command,)])
    if option.command != "train":
        return lines
    from dialometer.cli.train_policy import OPTIONS

    names = {param.name for param in click.command()(_decorated(OPTIONS)).params}
    rewarded = option.name in names
    return [REWARD] if rewarded else lines


def _decorated(decorators: object) -> object:
    def nothing() -> None:
        """Carries the options."""

    for decorate in decorators:  # type: ignore[attr-defined]
        nothing = decorate(nothing)
    return nothing
