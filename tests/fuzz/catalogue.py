"""Everything of the catalogue with its options, and the command lines on which a spec of each kind can stand."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from dialometer.core.catalog import CATALOG
from dialometer.core.registry import find, names
from tests.fuzz.commands import FEW, JUDGE, META, SERVE
from tests.fuzz.values import quoted

PLAY = ("-n", "2", "--turns", "2")
METRIC = [
    ("score", "items.jsonl", "-m", "{}", *FEW),
    ("why", "items.jsonl", "--id", "c0-s0", "-m", "{}"),
    ("stress", "items.jsonl", "-m", "{}", "--limit", "4", "--perturb", "empty", *FEW),
    ("score", "talks.jsonl", "-m", "{}", *FEW),
    (*META, "-m", "{}"),
    ("chat", "parrot", "-m", "{}"),
    ("compare", "items.jsonl", "-m", "{}", *FEW, "--permutations", "20"),
]
# Where a spec of a kind is typed. A kind without a line here fails the coverage test.
PLACES: dict[str, list[tuple[str, ...]]] = {
    "metric": METRIC,
    "judge": [("train", "{}", "items.jsonl", *JUDGE), *METRIC],
    "vector": [
        ("score", "items.jsonl", "-m", "embedding(vectors={})", *FEW),
        ("score", "items.jsonl", "-m", "sentence(encoder=average(vectors={}))", *FEW),
    ],
    "encoder": [
        ("score", "items.jsonl", "-m", "sentence(encoder={})", *FEW),
        ("train", "autojudge(encoder={})", "items.jsonl", *JUDGE),
    ],
    "likelihood": [
        ("score", "items.jsonl", "-m", "logprob(model={},text=talk.txt)", *FEW),
        ("score", "items.jsonl", "-m", "amfm(am=lsi(k=2),fm={},text=talk.txt)", *FEW),
    ],
    "emotion": [("score", "talks.jsonl", "-m", "turns(emotion={})", *FEW)],
    "bot": [
        ("play", "--a", "{}", *PLAY),
        ("chat", "{}"),
        ("play", "--a", "parrot", "--b", "{}", *PLAY),
        ("serve", "{}", *SERVE),
        ("compare", "--a", "parrot", "--a", "{}", *PLAY, "-m", "length", *FEW, "--permutations", "20"),
        ("play", "--a", "rerank(bot={},metric=length,k=2)", *PLAY),
    ],
    "tokeniser": [
        ("score", "items.jsonl", "-m", "bleu(tok={})", *FEW),
        ("score", "items.jsonl", "-m", "rouge", "--tok", "{}", *FEW),
    ],
    "engine": [("score", "items.jsonl", "-m", "length", "--engine", "{}", *FEW)],
    "format": [
        ("convert", "items.jsonl", "--to", "{}", "-o", "out.x", "--lossy"),
        ("score", "items.jsonl", "--from", "{}", "-m", "length", *FEW),
    ],
    "builder": [("convert", "corpus-{name}", "--builder", "{}", "-o", "out.jsonl")],
}  # fmt: skip
# What keeps a training small, by the name of the option.
SMALL: dict[str, object] = {
    "hidden": 8, "embedding": 8, "vocabulary": 60, "epochs": 1, "context": 8, "batch": 4, "dim": 8, "inner": 8, "k": 2,
    "latent": 4, "emotion_head": 4, "vector_head": 4, "limit": 5, "longest": 10, "content": 10, "pool": 50, "anneal": 2,
    "samples": 1, "patience": 1,
}  # fmt: skip
# What keeps one thing small or quick, by its name.
OWN: dict[str, dict[str, str]] = {
    "stack": {"features": "length"},
    "adem": {"encoder": "lsi(k=2,text=talk.txt)"},
    "autojudge": {"encoder": "lsi(k=2,text=talk.txt)"},
    "humanlike": {"encoder": "lsi(k=2,text=talk.txt)"},
    "openai": {"model": "m", "url": "http://127.0.0.1:9/v1", "key": "HOME", "retries": "0"},
    "command": {"argv": "cat", "timeout": "1"},
    "rerank": {"bot": "parrot", "metric": "length", "k": "2"},
    "callable": {"target": "builtins:str"},
}


class Field(NamedTuple):
    """An option of a class of the catalogue."""

    kind: str
    name: str
    option: str
    number: bool
    fits: bool  # its class learns
    adjustable: bool  # and what it learnt stays good when the option changes

    @property
    def label(self) -> str:
        """What the coverage calls it."""
        return f"{self.kind} {self.name}({self.option}=)"


@cache
def fields() -> tuple[Field, ...]:
    """Every option of every class; a judge stands under its own kind alone."""
    return tuple(
        _field(kind, name, made, field)
        for kind, name, made in classes()
        if dataclasses.is_dataclass(made)
        for field in dataclasses.fields(made)
        if field.repr and field.init
    )


def classes() -> list[tuple[str, str, Any]]:
    """(kind, name, class) of everything, built in or from plugins."""
    judges = set(names("judge"))
    return [
        (kind, name, find(kind, name)) for kind in CATALOG for name in names(kind) if kind != "metric" or name not in judges
    ]


def _field(kind: str, name: str, made: Any, field: dataclasses.Field[Any]) -> Field:
    number = type(field.default) in (int, float) or field.type in ("int", "float", int, float)
    adjustable = field.name in (getattr(made, "adjustable", None) or ())
    return Field(kind, name, field.name, number, hasattr(made, "fit"), adjustable)


def places(kind: str, name: str, fits: bool) -> list[tuple[str, ...]]:
    """Command lines with ``{}`` where the spec stands; what learns from text is trained too, most often."""
    known = [tuple(part.replace("{name}", name) for part in line) for line in PLACES.get(kind, [])]
    return [("train", "{}", "talk.txt"), *known] if fits and kind != "judge" else known


def settings(name: str, kind: str) -> dict[str, str]:
    """Options that keep a thing small."""
    own = [field for field in fields() if (field.kind, field.name) == (kind, name)]
    small = {
        field.option: str(SMALL[field.option]) for field in own if field.number and field.fits and field.option in SMALL
    }
    return {**small, **OWN.get(name, {})}


def small_spec(kind: str, name: str, changed: Mapping[str, str] = MappingProxyType({})) -> str:
    """A spec with small settings, and with others that are attacked."""
    if kind == "engine":
        return ":".join([name, *changed.values()])
    given = {key: value if value.endswith(")") else quoted(value) for key, value in settings(name, kind).items()}
    given |= {key: quoted(value) for key, value in changed.items()}
    return f"{name}({','.join(f'{key}={value}' for key, value in given.items())})" if given else name
