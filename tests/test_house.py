"""The architecture: imports go down, components do not import each other, heavy packages are confined, words are plain."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import dialometer

SRC = Path(dialometer.__file__).parent
FLOORS = [
    "core contracts _version text kernels nets",
    "data metrics encoders judges bots stats engine store report",
    "flows",
    "cli studio",
    "__main__ __init__",
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms.split()}
ROOMS_OF = {
    "torch": {"nets", "encoders", "judges", "bots"},
    "numba": {"kernels"},
    "ray": {"engine"},
    "django": {"studio"},
    "matplotlib": {"report"},
}
FILES = sorted(SRC.rglob("*.py"))


def room_of(path: Path) -> str:
    """The folder or module right under the package."""
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def imports_of(source: str) -> set[str]:
    """Every module a source imports, inside functions too; imports for type checkers alone do not count."""
    found: set[str] = set()

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names if node.module == "dialometer")
        for child in ast.iter_child_nodes(node):
            walk(child)

    walk(ast.parse(source))
    return found


def violations(room: str, source: str) -> list[str]:
    """What a file of a room may not import."""
    wrong = []
    for module in sorted(imports_of(source)):
        top, *rest = module.split(".")
        if top in ROOMS_OF and room not in ROOMS_OF[top]:
            wrong.append(f"{room} imports {top}, which belongs in {sorted(ROOMS_OF[top])}")
        if top != "dialometer" or not rest or rest[0] == room or rest[0] not in FLOOR:
            continue
        there = rest[0]
        if not (FLOOR[there] < FLOOR[room] or FLOOR[there] == FLOOR[room] == 0):
            wrong.append(f"{room} imports {there}: imports only go down, and skills never import each other")
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_imports_go_down(path):
    assert room_of(path) in FLOOR, f"{path.name}: a room that is on no floor"
    if room_of(path) != "__init__":
        assert violations(room_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("metrics", "from dialometer.stats import resample"),
        ("text", "def f():\n    from dialometer.metrics.bleu import Bleu"),
        ("flows", "import dialometer.cli.main"),
        ("metrics", "import numba"),
        ("stats", "def f():\n    import torch.nn"),
        ("cli", "import matplotlib.pyplot"),
        ("data", "from dialometer import flows"),
    ],
)
def test_a_violation_is_seen(room, source):
    assert violations(room, source)


def test_imports_for_type_checkers_do_not_count():
    assert violations("text", "if TYPE_CHECKING:\n    from dialometer.metrics.bleu import Bleu") == []


def test_kernels_know_no_strings_and_no_numpy_inside():
    for path in sorted((SRC / "kernels").glob("*.py")):
        if path.name in ("__init__.py", "jit.py", "code_cache.py"):
            continue
        ours = {f"dialometer.kernels.{other.stem}" for other in (SRC / "kernels").glob("*.py")}
        assert imports_of(path.read_text()) <= ours | {"math"}, path.name


def test_the_door_is_sorted_and_every_name_opens():
    assert dialometer.__all__ == sorted(dialometer.__all__)
    assert len(dialometer.__all__) <= 50
    for name in dialometer.__all__:
        assert getattr(dialometer, name) is not None
    assert set(dir(dialometer)) == set(dialometer.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dialometer.nothing


MEASURE = """
import resource, sys
{statement}
used = resource.getrusage(resource.RUSAGE_SELF)
heavy = [m for m in ("numpy", "numba", "polars", "pyarrow", "scipy", "torch") if m in sys.modules]
print(used.ru_utime + used.ru_stime, ",".join(heavy))
"""


@pytest.mark.parametrize(
    "statement",
    [
        "import dialometer",
        """from click.testing import CliRunner
from dialometer.cli.main import cli
result = CliRunner().invoke(cli, ["--help"])
assert result.exit_code == 0 and "score" in result.output""",
    ],
    ids=["import", "help"],
)
def test_opening_the_door_is_light(statement):
    """The least of several runs: a busy machine adds to CPU time, it never takes away."""
    runs = []
    for _ in range(4):
        code = MEASURE.format(statement=statement)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
        seconds, _, heavy = done.stdout.strip().partition(" ")
        assert heavy == ""
        runs.append(float(seconds))
    assert min(runs) < 0.3


def test_files_stay_small():
    sizes = sorted(path.read_text(encoding="utf-8").count("\n") for path in FILES)
    assert sizes[len(sizes) // 2] <= 120
    assert sum(size > 400 for size in sizes) == 0


# Packages whose docstrings and comments keep to docs/glossary.md.
PLAIN = ("core", "text", "data", "stats", "metrics", "kernels", "store", "engine", "report")
RETIRED = re.compile(
    r"\b(in any company|nobody|somebody|whoever|anew|guests?|strangers?|dealt|spelt|learnt|heard|puts up with|fitted things?)\b"
)


def prose_of(source: str) -> str:
    """Docstrings and comments of a source, without what is quoted as code."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    comments = [
        token.string for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.COMMENT
    ]
    return re.sub(
        r"``.*?``", "", "\n".join([*(ast.get_docstring(node) or "" for node in nodes), *comments]), flags=re.DOTALL
    )


def plain_files() -> list[Path]:
    return [path for path in FILES if room_of(path) in PLAIN and "pages" not in path.parts]


@pytest.mark.parametrize("path", plain_files(), ids=lambda path: str(path.relative_to(SRC)))
def test_retired_words_stay_out(path):
    assert RETIRED.findall(prose_of(path.read_text(encoding="utf-8"))) == []


def test_a_retired_word_is_seen():
    assert RETIRED.findall(prose_of('"""The same in any company."""\nx = 1  # nobody knows'))
    assert not RETIRED.findall(prose_of('"""``nobody`` is a word of the list."""\nx = "nobody"'))


def test_public_class_names_are_unique_in_these_packages():
    places: dict[str, list[str]] = {}
    for path in plain_files():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(SRC)))
    pending: set[str] = set()
    assert {name: files for name, files in places.items() if len(files) > 1 and name not in pending} == {}
