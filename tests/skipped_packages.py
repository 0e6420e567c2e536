"""Which packages of the system skipped tests asked for, as a line at the end of a test run."""

from collections import Counter
from collections.abc import Iterable

# What the reason of a skip says → the Debian package to install, and what pip installs with its help.
PACKAGES = {
    "WordNet is not installed": ("wordnet-base", ""),
    "no java": ("default-jre-headless", ""),
    "no chromium": ("chromium", ""),
    "could not import 'kenlm'": ("g++", "kenlm"),
}


def package_line(reasons: Iterable[str]) -> str:
    """The line for these reasons of skips; empty where no package is missing.

    >>> package_line(["Skipped: WordNet is not installed", "Skipped: slow"])
    'skipped for want of Debian packages: 1 (wordnet-base 1): apt-get install wordnet-base'
    """
    found = Counter(said for reason in reasons for said in PACKAGES if said in reason)
    if not found:
        return ""
    named = {said: PACKAGES[said] for said in PACKAGES if found[said]}
    counts = ", ".join(f"{pip or debian} {found[said]}" for said, (debian, pip) in named.items())
    pip_installed = "".join(f"; pip install {pip}" for _, pip in named.values() if pip)
    debian_installed = " ".join(debian for debian, _ in named.values())
    return f"skipped for want of Debian packages: {found.total()} ({counts}): apt-get install {debian_installed}{pip_installed}"
