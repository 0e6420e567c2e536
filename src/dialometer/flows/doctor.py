"""doctor: what is installed, what is missing, and the line to type."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from dialometer.bots.smollm2 import INSTALL as SMOLLM2
from dialometer.bots.smollm2 import packaged
from dialometer.contracts.doctor import Finding
from dialometer.core.cache import cache_root
from dialometer.text.meteor.resources import INSTALL, meteor_folder, meteor_member, paraphrase_file, wordnet_folder

EXTRAS = ("", "report", "stats", "vectors", "neural", "demo", "bots", "serve", "meteor", "oracle")


def doctor() -> list[Finding]:
    """Look at Python, packages, word lists and the cache."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    return [Finding(name="python", found=python, used_for="everything"), *_packages(), *_resources(), _cache()]


def _packages() -> list[Finding]:
    findings: dict[str, Finding] = {}
    listed = [(_extra(line), re.split(r"[^\w.-]", line)[0]) for line in requires("dialometer") or ()]
    for extra, name in sorted((pair for pair in listed if pair[0] in EXTRAS), key=lambda pair: EXTRAS.index(pair[0])):
        if name in ("dialometer", *findings):
            continue
        try:
            found = version(name)
        except PackageNotFoundError:
            found = ""
        install = f'pip install "dialometer[{extra}]"' if extra else f"pip install {name}"
        findings[name] = Finding(name=name, found=found, used_for=extra or "core", install=install)
    return list(findings.values())


def _extra(requirement: str) -> str:
    return "".join(re.findall(r"extra == ['\"](\w+)['\"]", requirement))


def _resources() -> list[Finding]:
    wordnet, paraphrases = wordnet_folder(), paraphrase_file()
    meteor = meteor_folder() if meteor_member("function/english.words") else None
    rows = [
        ("SmolLM2", packaged(), "bot smollm2", SMOLLM2),
        ("WordNet", wordnet, "synonyms of meteor(variant=nltk)", INSTALL),
        ("METEOR files", meteor, "function words and synonyms of meteor", INSTALL),
        ("METEOR paraphrases", paraphrases, "paraphrase stage of meteor", INSTALL),
    ]
    return [Finding(name=name, found=str(path or ""), used_for=use, install=way) for name, path, use, way in rows]


def _cache() -> Finding:
    root = cache_root()
    size = sum(_size(path) for path in root.rglob("*"))
    place = f"{root} ({size / 1e6:.0f} MB; may be deleted)"
    return Finding(name="cache", found=place, used_for="token tables, compiled kernels")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:  # another process is writing there, and renamed it
        return 0
