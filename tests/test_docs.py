"""The pages tell the truth: generated ones are fresh, snippets marked ``run`` print what they show, links lead somewhere."""

import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from tests.exam import test_every_bot as bots
from tests.exam import test_every_encoder as encoders
from tests.exam.checks import CHECKS
from tests.metrics.scoring import one

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(?:home|root|tmp|work|usr|opt|var|mnt|srv|etc|Users)\b")
REGISTRY_HOST = re.compile(r"\b(?:pypi|pythonhosted|npmjs|anaconda|huggingface)\.\w+|--(?:extra-)?index-url", re.IGNORECASE)


def name(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page, mark):
    """The bodies of fences whose info string is ``mark``."""
    return [body for info, body in FENCE.findall(page.read_text(encoding="utf-8")) if info.strip() == mark]


def loaded(path, module):
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(module, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[module] = made
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def generate():
    return loaded(ROOT / "docs" / "generate.py", "docs_generate")


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the sample where the pages say it is."""
    samples = "src/dialometer/samples"
    shutil.copytree(ROOT / samples, tmp_path / samples)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_examples_of_the_generator_hold(generate):
    found = doctest.testmod(generate)
    assert found.attempted
    assert not found.failed


def test_stale_missing_and_left_over_pages_are_named(generate, tmp_path):
    made = {"metrics/a.md": "a\n", "cli.md": "help\n"}
    generate.write(tmp_path, made)
    assert generate.stale(tmp_path, made) == []
    (tmp_path / "metrics" / "a.md").write_text("old\n")
    (tmp_path / "metrics" / "gone.md").write_text("left over\n")
    (tmp_path / "cli.md").unlink()
    assert generate.stale(tmp_path, made) == ["cli.md", "metrics/a.md", "metrics/gone.md"]
    generate.write(tmp_path, made)
    assert generate.stale(tmp_path, made) == []
    assert not (tmp_path / "metrics" / "gone.md").exists()


def test_generated_pages_do_not_depend_on_the_machine(tmp_path):
    """On a narrow terminal, without word lists, from another folder: the same pages."""
    lacking = {"DIALOMETER_METEOR": str(tmp_path), "DIALOMETER_WORDNET": str(tmp_path), "COLUMNS": "60"}
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **lacking}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


def shows(shown, said):
    """Whether a page shows an output whole: ``…`` in a line stands for some of it, a line ``…`` for any number of lines."""
    patterns = [
        r"(?:[^\n]*\n)*" if line.strip() == "…" else r"[^\n]*".join(map(re.escape, line.rstrip().split("…"))) + r"\n"
        for line in "\n".join(shown).rstrip().splitlines()
    ]
    return re.fullmatch("".join(patterns), "".join(f"{line.rstrip()}\n" for line in said.rstrip().splitlines())) is not None


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "console run")], ids=name)
def test_commands_print_what_the_page_shows(page, workplace):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for block in blocks(page, "console run"):
        for command, *shown in (part.splitlines() for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]):
            done = subprocess.run(
                command, shell=True, env={**os.environ, "PATH": path}, timeout=120, encoding="utf-8",
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            # what is converted once into a fresh cache is announced, once
            said = re.sub(r"^INFO: .*\n", "", done.stdout, flags=re.MULTILINE)
            assert shows(shown, said), "\n".join([f"$ {command}", *shown, "-- printed:", said])


# Claims that an audit against the papers did not find supported: page → words that would make the claim again
UNSUPPORTED = {
    "README.md": (
        "correlations of AM-FM's table 1 obtained again",
        "the paper's form 0.09",
        "least squares as in the paper",
    ),
    "docs/guide/hybrid.md": ("`ols`: the paper's", "the paper's own chain"),
    "docs/guide/train-bots.md": ("`infersent` as in the paper",),
    "docs/results/README.md": ("the published correlations of AM-FM's table 1",),
    "benchmarks/quality_judges.py": ("vectors of the paper's configuration",),
}


@pytest.mark.parametrize("page", UNSUPPORTED)
def test_unsupported_claims_do_not_come_back(page):
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert [claim for claim in UNSUPPORTED[page] if claim in text] == []


def test_a_page_leaves_lines_out_only_where_it_says_so():
    said = "a 1\nb 2\n\nc 3\n"
    for whole in (
        ["a 1", "b 2", "", "c 3", ""],
        ["a …", "b 2", "", "… 3"],
        ["a 1", "…", "c 3"],
        ["…", "c 3"],
        ["a 1", "…"],
    ):
        assert shows(whole, said)
    for cut in (
        ["a 1", "c 3"],
        ["b 2", "", "c 3"],
        ["a 1", "b 2"],
        ["a 1", "b 2", "c 3"],
        ["a …", "c 3"],
        [],
        ["…", "b 2"],
    ):
        assert not shows(cut, said)
    assert shows([], "")
    assert not shows(["a"], "")


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python run")], ids=name)
def test_python_prints_what_the_page_shows(page, workplace):
    test = doctest.DocTestParser().get_doctest("\n".join(blocks(page, "python run")), {}, name(page), str(page), 0)
    assert test.examples
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """A callable: kind → the name of the example of that kind in CONTRIBUTING.md, its file put where it belongs."""

    def put(kind, mark):
        page = ROOT / "CONTRIBUTING.md"
        (source,) = blocks(page, f"python {kind}")
        (entry,) = re.findall(r'^"(\w+)": "([\w.]+:\w+)",$', "\n".join(blocks(page, mark)), re.MULTILINE)
        module = entry[1].split(":")[0]
        monkeypatch.setitem(CATALOG[kind], *entry)
        monkeypatch.setitem(sys.modules, module, None)
        registry._menu.cache_clear()
        (tmp_path / "example.py").write_text(source, encoding="utf-8")
        assert doctest.testmod(loaded(tmp_path / "example.py", module)).failed == 0
        return entry[0]

    yield put
    monkeypatch.undo()
    registry._menu.cache_clear()


def test_the_example_metric_passes_the_exam(listed, tmp_path):
    metric = listed("metric", "python catalog")
    for check in CHECKS:
        check(registry.create("metric", metric), metric)
    (test,) = blocks(ROOT / "CONTRIBUTING.md", "python test")
    (tmp_path / "test_metric.py").write_text(test, encoding="utf-8")
    tests = loaded(tmp_path / "test_metric.py", "test_metric_of_the_page")
    functions = [value for key, value in vars(tests).items() if key.startswith("test_")]
    assert functions
    for function in functions:
        function()


def test_the_example_encoder_passes_the_exam(listed):
    encoder = listed("encoder", "python encoder catalog")
    encoders.test_encoder(encoder)
    encoders.test_vectors_do_not_depend_on_the_batch(encoder)
    assert one(f"sentence(encoder={encoder})", "tea", "eat")[0] == pytest.approx(1)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    targets = [target for target in LINK.findall(prose) if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("claim", [
    "table 1 obtained again",  # the correlations are computed from the scores printed in the table
    "least squares as in the paper",  # the paper's estimator, but other features
    "the paper's own chain",
    "`infersent` as in the paper",  # never run on the published weights
    "vectors of the paper's configuration",  # a tenth of its width, other text
])  # fmt: skip
def test_claims_of_faithfulness_that_nothing_supports_stay_out(claim):
    pages = [*PAGES, *ROOT.glob("benchmarks/*.py")]
    assert [name(page) for page in pages if claim in " ".join(page.read_text(encoding="utf-8").split())] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pages_name_no_machine_and_no_registry(page):
    text = page.read_text(encoding="utf-8")
    assert MACHINE_PATH.findall(text) == []
    assert REGISTRY_HOST.findall(text) == []


def test_such_names_would_be_seen():
    assert MACHINE_PATH.search("see " + "/ho" + "me/me/file")
    assert REGISTRY_HOST.search("from " + "PyPI" + ".org")
    assert not MACHINE_PATH.search("src/dialometer/work/x and tests/tmp/y")


def test_the_example_bot_passes_the_exam(listed, tmp_path):
    bot = listed("bot", "python bot catalog")
    for check in (
        bots.test_n_texts_for_every_context,
        bots.test_the_same_seed_gives_the_same_replies,
        bots.test_company_and_order_change_nothing,
        bots.test_odd_contexts_are_answered,
        bots.test_random_states_of_the_process_are_left_alone,
        bots.test_spec_and_recipe,
    ):
        check(bot)
    (test,) = blocks(ROOT / "CONTRIBUTING.md", "python bot test")
    (tmp_path / "test_bot.py").write_text(test, encoding="utf-8")
    loaded(tmp_path / "test_bot.py", "test_bot_of_the_page").test_as_often_as_asked_for()
