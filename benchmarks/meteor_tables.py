"""CPU seconds and peak memory of METEOR's first use: its tables are built in a fresh process with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

FRESH = """
import resource
from dialometer.core.registry import create
from dialometer.text.corpus import Corpus

metric = create("metric", "meteor")
metric.build(lambda stage, done, total: None)
built = resource.getrusage(resource.RUSAGE_SELF)
metric.measure(Corpus.of(["the cat sat on the mat"], [["on the mat sat the cat"]]))
whole = resource.getrusage(resource.RUSAGE_SELF)
for label, used in (("tables", built), ("tables and one score", whole)):
    print(f"{label}: {used.ru_utime + used.ru_stime:.2f} CPU-s, {used.ru_maxrss / 1024:.0f} MB at most")
"""


def main() -> None:
    """Print both figures with an empty cache, then with the cache that this filled."""
    with tempfile.TemporaryDirectory() as cache:
        for state in ("empty cache", "filled cache"):
            started = time.perf_counter()
            print(f"{state}:", flush=True)
            subprocess.run([sys.executable, "-c", FRESH], env={**os.environ, "DIALOMETER_CACHE": cache}, check=True)
            print(f"{time.perf_counter() - started:.1f} s by the clock")


if __name__ == "__main__":
    main()
