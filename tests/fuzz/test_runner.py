"""The fuzz can fail: what misbehaves is reported as what it is, and what is new in the catalogue is attacked by itself."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.fuzz.case import Case
from tests.fuzz.runner import ROOT, Runner

WAYS = {
    "raise": ["traceback", "exit code 1"],
    "hang": ["hang"],
    "spin": ["hang"],
    "eat": ["memory"],
    "eat in a child": ["memory"],
    "abort": ["signal 6"],
    "silent": ["exit code 2 without a message"],
    "no way out": ["exit code 2 without a way out"],
    "seven": ["exit code 7"],
    "nothing": [],
}


@pytest.fixture(scope="module")
def broken():
    with Runner(module="tests.fuzz.broken", light=True) as runner:
        yield runner


@pytest.mark.parametrize("way", WAYS)
def test_what_misbehaves_is_reported(broken, way):
    case = Case(0, "by hand", ("broken", way), ())
    ended = broken.run(case, warm=False, seconds=4.0, bytes=1 << 30)
    assert ended.problems == WAYS[way], ended
    if way == "raise":
        assert ended.signature.startswith("ValueError: not caught at dialometer/cli/main.py:")


def test_nothing_of_a_killed_case_lives_on(broken):
    case = Case(0, "by hand", ("broken", "eat in a child"), ())
    assert broken.run(case, warm=False, seconds=20.0, bytes=1 << 29).killed == "memory"
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if _readable(path)]
    assert not any(b"64 << 20" in line for line in running)


def _readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


PLUGIN = '''
"""A metric of another package, which breaks on most numbers."""
from dataclasses import dataclass

from dialometer.metrics.length import Length


@dataclass(frozen=True)
class Fragile(Length):
    """Counts words."""

    size: int = 1

    name = "fragile"

    def __post_init__(self):
        assert self.size == 1, "not an error that a user can read"
'''
SEARCH = """
import json
from tests.fuzz.cases import case
from tests.fuzz.runner import Runner

wanted = "field metric fragile(size=)"
cases = [one for one in map(case, range(1000)) if wanted in one.covers]
numbers = [one for one in map(case, range(10_000)) if wanted in one.covers and "size=-1" in " ".join(one.argv)]
with Runner(light=True) as runner:
    print(json.dumps([len(cases), runner.run(numbers[0], warm=False).signature]))
"""


def test_a_new_metric_is_attacked_without_a_line_here(tmp_path):
    (tmp_path / "fragile_plugin.py").write_text(textwrap.dedent(PLUGIN))
    (tmp_path / "fragile_plugin-1.dist-info").mkdir()
    (tmp_path / "fragile_plugin-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: fragile-plugin\nVersion: 1\n"
    )
    (tmp_path / "fragile_plugin-1.dist-info" / "entry_points.txt").write_text(
        "[dialometer.metrics]\nfragile = fragile_plugin:Fragile\n"
    )
    paths = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", SEARCH],
        env=os.environ | {"PYTHONPATH": paths}, cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    met, signature = json.loads(done.stdout)
    assert met >= 1
    assert signature.startswith("AssertionError: not an error that a user can read")
