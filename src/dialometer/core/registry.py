"""Names and specs: which components exist (``names``) and how they are constructed (``create``).

A spec is a name with options in brackets, and options may be specs themselves: ``bleu(order=2)``,
``bleu(tok=words(stopwords=drop))``. Plugins register through entry points (``dialometer.metrics`` …) with the same
``module:attribute`` syntax and may not shadow a built-in name. A folder that ``dialometer train`` wrote is a spec too.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, overload

import orjson

from dialometer.core.capabilities import Adjustable
from dialometer.core.catalog import CATALOG, ENTRY_POINTS
from dialometer.core.errors import DialometerError, MissingResource, SpecError, UnknownName
from dialometer.core.files import check_regular
from dialometer.core.protocols import Emotion, Engine, WordVectors
from dialometer.core.ranges import check_options, numbers_of, shown

CARD = "artifact.json"  # the manifest in the folder of every artifact: {"kind", "name", …}
OLD_MANIFEST = "thing.json"  # its name in folders of older versions, which stay readable
# How artifacts and files are used, for the hint where one was taken for another.
FOLDERS = {
    "metric": "-m {}",
    "encoder": "-m 'sentence(encoder={})'",
    "likelihood": "-m 'amfm(am=minilm,fm={})'",
    "bot": "dialometer chat {}",
}
# Artifacts of another kind that are accepted, if their class has the method.
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
        return f"{self.name}({','.join(f'{key}={_format_value(value)}' for key, value in self.options)})"


def _format_value(value: str | Spec) -> str:
    """An option's value as a spec writes it: quoted where it contains special characters."""
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
    parsed = spec if isinstance(spec, Spec) else Spec(spec)
    if not parsed.name:
        raise SpecError(f"cannot read the spec {text!r}: a name is missing", "name(option=value)")
    return parsed


def _pieces(text: str) -> list[tuple[str, str]]:
    pieces, at = [], 0
    while at < len(text.rstrip()):
        match = _PIECE.match(text, at)
        if match is None:
            raise SpecError(f"cannot read the spec {text!r} at {text[at:]!r}", "name(option=value)")
        kind = str(match.lastgroup)
        pieces.append((kind, match[kind]))
        at = match.end()
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
        raise UnknownName("kind", kind, CATALOG, hint="dialometer list metrics")
    kinds = ("metric", "judge") if kind == "metric" else (kind,)  # a trained metric is a metric
    built_in = {name: target for each in kinds for name, target in CATALOG[each].items()}
    plugins = {plugin.name: plugin.value for each in kinds for plugin in entry_points(group=ENTRY_POINTS[each])}
    taken = sorted(set(plugins) & set(built_in))
    if taken:
        raise SpecError(f"an installed plugin registers the built-in {kind} name {taken[0]!r}", "rename it in the plugin")
    return {**plugins, **built_in}


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


@overload
def create(kind: Literal["vector"], spec: str | Spec, **defaults: Value) -> WordVectors: ...
@overload
def create(kind: Literal["emotion"], spec: str | Spec, **defaults: Value) -> Emotion: ...
@overload
def create(kind: Literal["engine"], spec: str | Spec, **defaults: Value) -> Engine: ...
@overload
def create(kind: str, spec: str | Spec, **defaults: Value) -> Any: ...
def create(kind: str, spec: str | Spec, **defaults: Value) -> Any:
    """Construct a component from its spec; ``defaults`` fill options that its class has and the spec does not name.

    >>> create("metric", "bleu(order=2)").order
    2
    """
    parsed = read_spec(spec) if isinstance(spec, str) else spec
    if _is_folder(kind, parsed.name):
        return load(kind, parsed)
    component = find(kind, parsed.name)
    fields = {f.name: f for f in dataclasses.fields(component) if f.repr}
    options: dict[str, Value] = {key: value for key, value in defaults.items() if key in fields}
    for key, value in parsed.options:
        if key not in fields:
            raise UnknownName(f"option of {parsed.name}", key, fields, hint=f"dialometer list {kind}s {parsed.name}")
        options[key] = convert(option_type(component, fields[key]), value, f"{parsed.name}({key}=…)")
    check_options(component, options, parsed.name)
    return component(**options)


def read_spec(text: str) -> Spec:
    """A parsed spec, or the path of an existing folder, which needs no quotes."""
    return Spec(text) if "/" in text and Path(text).is_dir() else parse(text)


def _is_folder(kind: str, name: str) -> bool:
    """Whether a name is a path, or (where nothing has that name) a folder here that ``train`` wrote."""
    if "/" in name or "\\" in name:
        return True
    return name not in _menu(kind) and _holds_artifact(Path(name))


def _holds_artifact(folder: Path) -> bool:
    """Whether a folder holds an artifact; a name too long for the file system does not."""
    try:
        return any(manifest_path(folder / inside).is_file() for inside in ("", "model"))
    except OSError:
        return False


def manifest_path(folder: Path) -> Path:
    """The manifest of an artifact: ``artifact.json``, or ``thing.json`` where an older version wrote the folder."""
    path, old = folder / CARD, folder / OLD_MANIFEST
    return old if old.exists() and not path.exists() else path


def load(kind: str, spec: Spec) -> Any:
    """The fitted object in the folder that a spec names: ``runs/train-…`` or the ``model`` folder inside it.

    Options of the spec may change only those fields that its class lists as ``adjustable``.
    """
    folder = Path(spec.name)
    folder = folder / "model" if (folder / "model").is_dir() else folder
    train = "dialometer train NAME FILE… makes one"
    if folder.is_file():
        use = FILES.get(kind, train).format(spec.name)
        raise SpecError(f"{spec.name} is a file, and a folder with an artifact was expected", use)
    manifest = manifest_path(folder)
    try:
        check_regular(manifest)
        content = orjson.loads(manifest.read_bytes())
        there, name = content["kind"], content["name"]
        if not isinstance(there, str) or not isinstance(name, str) or there not in CATALOG:
            raise ValueError("it does not say what was fitted")
    except FileNotFoundError:
        what = "there is no such folder" if not folder.is_dir() else f"it holds no {CARD}"
        raise MissingResource(f"{spec.name} is not something fitted: {what}", train) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MissingResource(f"{manifest} cannot be read ({error})", train) from None
    if there != kind and not _serves(kind, there, name):
        hint = FOLDERS.get(there, train).format(spec.name)
        raise SpecError(f"{spec.name} holds {name}, kind {there}; wanted here is one of the kind {kind}", hint)
    return _adjust(load_folder(find(there, name), folder), spec)


def load_folder(component: Any, folder: Path) -> Any:
    """Load what a class saved into a folder; any error while reading is reported as a damaged folder."""
    try:
        return component.load(folder)
    except DialometerError:
        raise
    except Exception as error:  # numpy, torch and tokenizers do not document what they raise on damaged files
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise MissingResource(
            f"the fitted {component.name} in {folder} is damaged ({reason})",
            f"dialometer train {component.name} FILE… fits it again",
        ) from None


def _serves(kind: str, there: str, name: str) -> bool:
    """Whether an artifact of one kind can be used where another kind is expected."""
    other, method = SERVES.get(kind, ("", ""))
    return there == other and hasattr(find(there, name), method)


def _adjust(component: Any, spec: Spec) -> Any:
    """A loaded component with the options of a spec, which must be adjustable ones."""
    adjustable = component.adjustable if isinstance(component, Adjustable) else ()
    fields = {f.name: f for f in dataclasses.fields(component) if f.name in adjustable}
    for key, value in spec.options:
        if key not in fields:
            can = f"{spec.name}({next(iter(fields))}=…)" if fields else spec.name
            fixed = f"{key}={getattr(component, key)}" if hasattr(component, key) else f"no {key}"
            raise SpecError(f"{spec.name} was fitted with {fixed}, which stays as it is", can)
        options = {key: convert(option_type(type(component), fields[key]), value, f"{component.name}({key}=…)")}
        check_options(type(component), options, component.name)
        component = dataclasses.replace(component, **options)
    return component


def option_type(component: type, field: dataclasses.Field[Any]) -> Any:
    """The type that the text of an option is converted to; a number's range is not part of it."""
    known = numbers_of(component)
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


def spec_of(component: Any, name: str) -> str:
    """The spec that constructs an equal component: fields that differ from their defaults."""
    options = [
        (f.name, getattr(component, f.name))
        for f in dataclasses.fields(component)
        if f.repr and getattr(component, f.name) != f.default
    ]
    return str(Spec(name, tuple((key, _parse_nested(str(value))) for key, value in options)))


def _parse_nested(value: str) -> str | Spec:
    """An option's value as a parsed spec, if it is one with options."""
    try:
        spec = parse(value)
    except SpecError:
        return value
    return spec if spec.options and str(spec) == value else value
