"""The doctor command: what is there, what is missing, and a line that brings it."""

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def without_extras(monkeypatch):
    """As if nothing but the core were installed."""

    def found(name):
        if name.lower() in ("torch", "safetensors", "nltk", "sacrebleu", "rouge-score", "pycocoevalcap"):
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr("dialometer.flows.doctor.version", found)
    for search in ("wordnet_folder", "meteor_folder", "paraphrase_file"):
        monkeypatch.setattr(f"dialometer.flows.doctor.{search}", lambda: None)


def test_what_is_there_is_shown_with_its_version(cli):
    done = cli("doctor")
    assert (done.code, done.err) == (0, "")
    for name in ("numpy", "click", "orjson"):
        assert re.search(rf"✓ {name} +{re.escape(version(name))}  \(core\)", done.out)
    assert "✓ python" in done.out
    assert "may be deleted" in done.out


def test_what_is_missing_comes_with_a_line_to_type(cli, without_extras):
    done = cli("doctor")
    assert done.code == 0
    missing = {line.split("  ")[0][2:].strip(): line for line in done.out.splitlines() if line.startswith("–")}
    assert 'missing → pip install "dialometer[neural]"' in missing["torch"]
    assert 'missing → pip install "dialometer[oracle]"' in missing["sacrebleu"]
    for name in ("WordNet", "METEOR files", "METEOR paraphrases"):
        assert 'missing → pip install "dialometer[meteor]"' in missing[name]
    assert {"WordNet", "METEOR files", "METEOR paraphrases", "torch", "nltk"} <= missing.keys()


def test_the_extras_it_names_exist(cli, without_extras):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(r"dialometer\[(\w+)\]", cli("doctor").out)
    assert named
    assert set(named) <= extras.keys()


def test_json_is_one_object(cli, without_extras):
    done = cli("doctor", "--json")
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    findings = json.loads(done.out)["findings"]
    assert all(finding.keys() == {"name", "found", "used_for", "install"} for finding in findings)
    by_name = {finding["name"]: finding for finding in findings}
    assert by_name["torch"]["found"] == ""
    assert all(finding["found"] or finding["install"] for finding in findings)
    assert len(by_name) == len(findings), "something is listed twice"


def test_it_works_without_a_cache_or_with_a_strange_one(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path / "none"))
    assert "(0 MB" in cli("doctor").out
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "dangling").symlink_to("nowhere")
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path / "cache"))
    assert cli("doctor").code == 0
