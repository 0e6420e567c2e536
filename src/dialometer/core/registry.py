"""Names and specs: what exists (``names``) and how it is made (``create``).

A spec is a name with options in brackets, and options may be specs themselves: ``bleu(order=2)``,
``bleu(tok=words(stopwords=drop))``. Guests register through entry points (``dialometer.metrics`` …) with the same
``module:attribute`` spelling and may not shadow a built-in name. A folder that ``dialometer train`` wrote is a spec too.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import orjson

from dialometer.core.catalog import CATALOG, ENTRY_POINTS
from dialometer.core.errors import DialometerError, MissingResource, SpecError, UnknownName
from dialometer.core.files import check_regular
from dialometer.core.ranges import check_options, numbers_of, shown

CARD = "thing.json"  # in the folder of every fitted thing: {"kind", "name", …}
# How things in a folder or a file are used, for those who took one for another.
FOLDERS = {
    "metric": "-m {}",
    "encoder": "-m 'sentence(encoder={})'",
    "likelihood": "-m 'amfm(am=minilm,fm={})'",
    "bot": "dialometer chat {}",
}
# Fitted things of another kind that will do, if they have the method.
SERVES = {"likelihood": ("bot", "logprob"), "encoder": ("bot", "encode")}
FILES = {
    "vector": "glove(path={0}), word2vec(path={0}) or fasttext(path={0})",
    "encoder": "average(vectors=glove(path={}))",
    "likelihood": "ngram(arpa={})",
}
DEPTH = 32  # specs inside each other
Value = Any
_PIECE = re.compile(
    r"""\s*(?:(?P<open>\()|(?P<close>\))|(?P<comma>,)|(?P<is>=)|"(?P<quoted>[^"]*)"|(?P<word>[^\s(),="]+))"""
)


@dataclasses.dataclass(frozen=True)
class Spec:
    """A parsed spec: a name and its options, whose values are texts or specs."""

    name: str
    options: tuple[tuple[str, str | Spec], ...] = ()

    def __str__(self) -> str:
        if not self.options:
            return self.name
        return f"{self.name}({','.join(f'{key}={_spell(value)}' for key, value in self.options)})"


def _spell(value: str | Spec) -> str:
    """An option's value as a spec holds it: quoted where it has signs of its own."""
    return str(value) if isinstance(value, Spec) or re.fullmatch(r'[^\s(),="]+', value) else f'"{value}"'


def parse(text: str) -> Spec:
    """Read a spec.

    >>> str(parse("amfm( am = lsi(k=10), weight=0.8 )"))
    'amfm(am=lsi(k=10),weight=0.8)'
    """
    pieces = _pieces(text)
    spec = _read_value(pieces, text)
    if pieces:
        raise SpecError(f"cannot read the spec {text!r}: unexpected {pieces[0][1]!r} after its end", "name(option=value)")
    made = spec if isinstance(spec, Spec) else Spec(spec)
    if not made.name:
        raise SpecError(f"cannot read the spec {text!r}: a name is missing", "name(option=value)")
    return made


def _pieces(text: str) -> list[tuple[str, str]]:
    pieces, at = [], 0
    while at < len(text.rstrip()):
        found = _PIECE.match(text, at)
        if found is None:
            raise SpecError(f"cannot read the spec {text!r} at {text[at:]!r}", "name(option=value)")
        kind = str(found.lastgroup)
        pieces.append((kind, found[kind]))
        at = found.end()
    return pieces


def _read_value(pieces: list[tuple[str, str]], text: str, depth: int = 0) -> str | Spec:
    kind, word = pieces.pop(0) if pieces else ("end", "")
    if kind not in ("word", "quoted"):
        raise SpecError(f"cannot read the spec {text!r}: a name is missing", "name(option=value)")
    if kind == "quoted" or not pieces or pieces[0][0] != "open":
        return word
    if depth == DEPTH:
        raise SpecError(f"the spec {shown(text)} has more than {DEPTH} levels of brackets", "name(option=value)")
    pieces.pop(0)
    options: dict[str, str | Spec] = {}
    while pieces and pieces[0][0] != "close":
        sort, key = pieces.pop(0)
        if sort != "word" or not pieces or pieces.pop(0)[0] != "is":
            raise SpecError(f"cannot read the spec {text!r}: option {key!r} has no value", f"{word}({key}=…)")
        if key in options:
            raise SpecError(f"the spec {text!r} sets {key!r} twice", "keep one of them")
        options[key] = _read_value(pieces, text, depth + 1)
        if pieces and pieces[0][0] != "close" and pieces.pop(0)[0] != "comma":
            raise SpecError(f"cannot read the spec {text!r}: a comma is missing after {key!r}", f"{word}({key}=…, …)")
    if not pieces:
        raise SpecError(f"cannot read the spec {text!r}: a bracket is not closed", f"{text})")
    pieces.pop(0)
    return Spec(word, tuple(options.items()))


@cache
def _menu(kind: str) -> dict[str, str]:
    if kind not in CATALOG:
        raise UnknownName("kind of thing", kind, CATALOG, hint="dialometer list metrics")
    kinds = ("metric", "judge") if kind == "metric" else (kind,)  # a trained metric is a metric
    own = {name: place for each in kinds for name, place in CATALOG[each].items()}
    guests = {guest.name: guest.value for each in kinds for guest in entry_points(group=ENTRY_POINTS[each])}
    taken = sorted(set(guests) & set(own))
    if taken:
        raise SpecError(f"an installed plugin registers the built-in {kind} name {taken[0]!r}", "rename it in the plugin")
    return {**guests, **own}


def names(kind: str) -> list[str]:
    """All names of a kind, sorted, built in or from plugins."""
    return sorted(_menu(kind))


def find(kind: str, name: str) -> Any:
    """The class behind a name, imported now."""
    menu = _menu(kind)
    if name not in menu:
        raise UnknownName(kind, name, menu)
    module, attribute = menu[name].split(":")
    try:
        return getattr(import_module(module), attribute)
    except ImportError as error:
        raise MissingResource(
            f"{kind} {name!r} needs a package that is not installed ({error})", "dialometer doctor"
        ) from None


def create(kind: str, spec: str | Spec, **defaults: Value) -> Any:
    """Make a thing from its spec; ``defaults`` fill options the spec does not name and the thing has.

    >>> create("metric", "bleu(order=2)").order
    2
    """
    parsed = read_spec(spec) if isinstance(spec, str) else spec
    if _is_folder(kind, parsed.name):
        return load(kind, parsed)
    made = find(kind, parsed.name)
    fields = {f.name: f for f in dataclasses.fields(made) if f.repr}
    options: dict[str, Value] = {key: value for key, value in defaults.items() if key in fields}
    for key, value in parsed.options:
        if key not in fields:
            raise UnknownName(f"option of {parsed.name}", key, fields, hint=f"dialometer list {kind}s {parsed.name}")
        options[key] = convert(option_type(made, fields[key]), value, f"{parsed.name}({key}=…)")
    check_options(made, options, parsed.name)
    return made(**options)


def read_spec(text: str) -> Spec:
    """A spec, or the path of a folder whose signs need no quotes then."""
    return Spec(text) if "/" in text and Path(text).is_dir() else parse(text)


def _is_folder(kind: str, name: str) -> bool:
    """Whether a name is a path, or (where nothing has that name) a folder that ``train`` wrote here."""
    if "/" in name or "\\" in name:
        return True
    return name not in _menu(kind) and _holds_card(Path(name))


def _holds_card(folder: Path) -> bool:
    """Whether something fitted lies in a folder; a name too long for the file system is none."""
    try:
        return any((folder / inside / CARD).is_file() for inside in ("", "model"))
    except OSError:
        return False


def load(kind: str, spec: Spec) -> Any:
    """A fitted thing from the folder that its spec names: ``runs/train-…`` or the ``model`` folder inside it.

    Options may change what its class calls ``adjustable``; what was fitted stays as it was fitted.
    """
    folder = Path(spec.name)
    folder = folder / "model" if (folder / "model").is_dir() else folder
    train = "dialometer train NAME FILE… makes one"
    if folder.is_file():
        use = FILES.get(kind, train).format(spec.name)
        raise SpecError(f"{spec.name} is a file, and a folder of something fitted was wanted", use)
    try:
        check_regular(folder / CARD)
        card = orjson.loads((folder / CARD).read_bytes())
        there, name = card["kind"], card["name"]
        if not isinstance(there, str) or not isinstance(name, str) or there not in CATALOG:
            raise ValueError("it does not say what was fitted")
    except FileNotFoundError:
        what = "there is no such folder" if not folder.is_dir() else f"it holds no {CARD}"
        raise MissingResource(f"{spec.name} is not something fitted: {what}", train) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MissingResource(f"{folder / CARD} cannot be read ({error})", train) from None
    if there != kind and not _serves(kind, there, name):
        hint = FOLDERS.get(there, train).format(spec.name)
        raise SpecError(f"{spec.name} holds {name}, kind {there}; wanted here is one of the kind {kind}", hint)
    return _adjusted(load_folder(find(there, name), folder), spec)


def load_folder(made: Any, folder: Path) -> Any:
    """What a class wrote into a folder; whatever goes wrong on the way is a folder that does not hold what it should."""
    try:
        return made.load(folder)
    except DialometerError:
        raise
    except Exception as error:  # numpy, torch and tokenizers have no list of what a damaged file may raise
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise MissingResource(
            f"the fitted {made.name} in {folder} is damaged ({reason})", f"dialometer train {made.name} FILE… makes it anew"
        ) from None


def _serves(kind: str, there: str, name: str) -> bool:
    """Whether a thing of the kind that is there can be used as one of the kind that is wanted."""
    other, method = SERVES.get(kind, ("", ""))
    return there == other and hasattr(find(there, name), method)


def _adjusted(thing: Any, spec: Spec) -> Any:
    fields = {f.name: f for f in dataclasses.fields(thing) if f.name in getattr(thing, "adjustable", ())}
    for key, value in spec.options:
        if key not in fields:
            can = f"{spec.name}({next(iter(fields))}=…)" if fields else spec.name
            fixed = f"{key}={getattr(thing, key)}" if hasattr(thing, key) else f"no {key}"
            raise SpecError(f"{spec.name} was fitted with {fixed}, which stays as it is", can)
        options = {key: convert(option_type(type(thing), fields[key]), value, f"{thing.name}({key}=…)")}
        check_options(type(thing), options, thing.name)
        thing = dataclasses.replace(thing, **options)
    return thing


def option_type(made: type, field: dataclasses.Field[Any]) -> Any:
    """The type that the text of an option is converted to; a number's range is not part of it."""
    known = numbers_of(made)
    return known[field.name].type if field.name in known else field.type


def convert(wanted: Any, value: str | Spec, where: str) -> Value:
    """Turn an option's text into the type its field declares."""
    kind, text = getattr(wanted, "__name__", str(wanted)), str(value)
    try:
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text)
        if kind == "bool":
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
    except (ValueError, KeyError):
        names = {"int": "a whole number", "float": "a number", "bool": "true or false"}
        raise SpecError(f"{where} wants {names[kind]}, not {shown(text)}", where) from None
    return text


def spec_of(thing: Any, name: str) -> str:
    """The spec that makes an equal thing: fields that differ from their defaults."""
    options = [
        (f.name, getattr(thing, f.name))
        for f in dataclasses.fields(thing)
        if f.repr and getattr(thing, f.name) != f.default
    ]
    return str(Spec(name, tuple((key, _nested(str(value))) for key, value in options)))


def _nested(value: str) -> str | Spec:
    """An option's value as the spec that it spells, if it is one with options of its own."""
    try:
        spec = parse(value)
    except SpecError:
        return value
    return spec if spec.options and str(spec) == value else value
