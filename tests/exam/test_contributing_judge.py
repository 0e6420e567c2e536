"""The judge of CONTRIBUTING.md is one: it passes the exam of metrics, its own test, and its folder is a spec."""

import doctest
import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.protocols import Judge
from dialometer.text.corpus import Corpus
from tests.exam.checks import CHECKS, EXAMPLES, numbers

PAGE = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def block(mark):
    """The body of the only fence with this info string."""
    (body,) = [body for info, body in FENCE.findall(PAGE.read_text(encoding="utf-8")) if info.strip() == mark]
    return body


def load_module(folder, source, name):
    path = folder / f"{name.rpartition('.')[2]}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def name(tmp_path, monkeypatch):
    """The example's name, registered in the catalogue."""
    entry = re.fullmatch(r'"(\w+)": "([\w.]+:\w+)",', block("python judge catalog").strip()).groups()
    module = entry[1].split(":")[0]
    monkeypatch.setitem(CATALOG["judge"], *entry)
    monkeypatch.setitem(sys.modules, module, None)
    registry._menu.cache_clear()
    assert doctest.testmod(load_module(tmp_path, block("python judge"), module)) == (0, 3)
    yield entry[0]
    monkeypatch.undo()
    registry._menu.cache_clear()


def test_the_example_judge_passes_the_exam(name, tmp_path):
    judge = registry.create("metric", name).fit(Corpus.build(EXAMPLES), np.arange(len(EXAMPLES)) % 2.0)
    assert isinstance(judge, Judge)
    for check in CHECKS:
        check(judge, name)
    judge.save(tmp_path / "model")
    loaded = registry.create("metric", str(tmp_path / "model"))
    np.testing.assert_array_equal(numbers(loaded, EXAMPLES), numbers(judge, EXAMPLES))
    np.testing.assert_array_equal(loaded.seen(), judge.seen())


def test_its_own_test_passes(name, tmp_path):
    load_module(tmp_path, block("python judge test"), "judge_test_of_the_page").test_the_line_is_numpys()
