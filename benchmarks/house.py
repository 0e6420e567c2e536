"""Figures about the source tree itself: import cycles, untyped results, names, sizes.

    python benchmarks/house.py [--runs]

``--runs`` also counts the files in which code runs for three commands (some seconds each). What counts as the JSON edge, where
data are dictionaries by nature, is listed in ``JSON_EDGE``.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import quantiles

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dialometer"
# Files that read or write foreign JSON, TOML or tables: dictionaries are what they are about.
JSON_EDGE = (
    "data/",
    "nets/encoders/bert_folder.py",
    "nets/encoders/skipthought_files.py",
    "core/artifacts.py",
    "store/runs.py",
    "bots/_adapters/",
)
CATALOGUE_ROOMS = ("metrics", "encoders", "judges", "bots")
UNTYPED = {"Any", "dict[str, Any]", "Mapping[str, Any]", "dict[str, dict[str, Any]]", "list[dict[str, Any]]"}
COMMANDS = {
    "score -m bleu": ("score", "samples/smalltalk.jsonl", "-m", "bleu"),
    "meta": ("meta", "samples/rated.jsonl", "-m", "rouge", "-q", "overall", "--resamples", "20", "--permutations", "20"),
    "train autojudge --quick": ("train", "autojudge", "samples/rated.jsonl", "-q", "overall", "-m", "rouge", "--quick"),
}
TRACE = """
import sys, threading
from pathlib import Path
root, seen = sys.argv.pop(1), set()
def profile(frame, event, arg):
    if event == "call" and frame.f_code.co_name != "<module>":
        seen.add(frame.f_code.co_filename)
from dialometer.cli.main import main
sys.setprofile(profile); threading.setprofile(profile)
try:
    main()
except SystemExit as done:
    assert not done.code, done.code
finally:
    sys.setprofile(None)
    print("files", sum(name.startswith(root) for name in seen), file=sys.stderr)
"""


def main() -> None:
    """Print a table of figures."""
    trees = {module(path): (path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(SOURCE.rglob("*.py"))}
    edges = {name: imports(name, path, tree, trees.keys()) for name, (path, tree) in trees.items()}
    plain = {name: {there for there, typing in found.items() if not typing} for name, found in edges.items()}
    rows = {
        "files": len(trees),
        "lines": sum(lines(path) for path, _ in trees.values()),
        "modules in import cycles": sum(map(len, cycles(plain))),
        "modules in import cycles, TYPE_CHECKING included": sum(map(len, cycles({k: set(v) for k, v in edges.items()}))),
        "string-literal subscripts outside the JSON edge": count(trees, subscripts),
        "parameters typed Any or dict[str, Any] outside it": count(trees, untyped_parameters),
        "public class names that occur twice": len(duplicates(trees)),
        "catalogue rooms: files that are entries": catalogue_share(),
        "modules with one importer, in the same folder": lonely(edges),
        "lines of a file, p95": p95([lines(path) for path, _ in trees.values()]),
        "lines of a function, p95": p95(function_lines(trees)),
    }
    if "--runs" in sys.argv:
        rows |= {f"files run by {name}": files_run(arguments) for name, arguments in COMMANDS.items()}
    for name, value in rows.items():
        print(f"{name:52} {value}")
    if "--where" in sys.argv:
        where(trees)


def where(trees) -> None:
    """Where the untyped results are, and which class names occur twice."""
    for title, counter in (("subscripts", subscripts), ("untyped", untyped_parameters)):
        rooms: Counter[str] = Counter()
        for path, tree in trees.values():
            if not edge(path):
                rooms[str(path.relative_to(SOURCE))] += counter(tree)
        print(title, rooms.most_common(25))
    print("twice", duplicates(trees))


def module(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(name: str, path: Path, tree: ast.Module, known) -> dict[str, bool]:
    """The modules of the package that a module imports → whether for type checking alone."""
    found: dict[str, bool] = {}

    def visit(node: ast.AST, typing: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                visit(child, True)
            return
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dialometer"):
            names = [
                f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in known else node.module
                for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith("dialometer")]
        for there in names:
            if there in known and there != name:
                found[there] = found.get(there, True) and typing
        for child in ast.iter_child_nodes(node):
            visit(child, typing)

    visit(tree, False)
    return found


def cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Strongly connected components of two modules or more (Tarjan 1972, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    knots: list[set[str]] = []
    for root in graph:
        if root in number:
            continue
        work = [(root, iter(sorted(graph[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while work:
            node, rest = work[-1]
            there = next(rest, None)
            if there is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    knot = set()
                    while True:
                        knot.add(stack.pop())
                        if node in knot:
                            break
                    if len(knot) > 1:
                        knots.append(knot)
            elif there not in number:
                number[there] = low[there] = len(number)
                stack.append(there)
                work.append((there, iter(sorted(graph.get(there, ())))))
            elif there in stack:
                low[node] = min(low[node], number[there])
    return knots


def edge(path: Path) -> bool:
    """Whether a file is at the JSON edge."""
    return str(path.relative_to(SOURCE)).startswith(JSON_EDGE)


def count(trees, counter) -> int:
    """The sum of a count over all files that are not at the JSON edge."""
    return sum(counter(tree) for path, tree in trees.values() if not edge(path))


def subscripts(tree: ast.Module) -> int:
    """How often something is taken by a string literal: ``x["name"]``; annotations do not count."""
    return sum(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and ast.unparse(node.value) not in ("Literal", "np.ndarray")
        for node in ast.walk(tree)
    )


def untyped_parameters(tree: ast.Module) -> int:
    """Parameters whose type says nothing."""
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            found += sum(one.annotation is not None and ast.unparse(one.annotation) in UNTYPED for one in arguments)
    return found


def duplicates(trees) -> dict[str, list[str]]:
    """Public classes of one name in several modules."""
    places = defaultdict(list)
    for name, (_, tree) in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name.removeprefix("dialometer."))
    return {name: found for name, found in places.items() if len(found) > 1}


def catalogue_share() -> str:
    """Files without an underscore in the four catalogue rooms, and how many of them the catalogue names."""
    sys.path.insert(0, str(SOURCE.parent))
    try:
        from dialometer.core.catalog import CATALOG
    except ImportError:
        from dialometer.core.catalog import CATALOG
    entries = {place.split(":")[0] for kind in CATALOG.values() for place in kind.values()}
    files = [
        f"dialometer.{room}.{path.stem}"
        for room in CATALOGUE_ROOMS
        for path in (SOURCE / room).glob("*.py")
        if path.stem[0] != "_"
    ]
    return f"{sum(name in entries for name in files)} of {len(files)}"


def lonely(edges: dict[str, dict[str, bool]]) -> str:
    """Modules that one other module imports, and that lies in the same folder."""
    importers = defaultdict(set)
    for name, found in edges.items():
        for there in found:
            importers[there].add(name)
    alone = [
        name for name, users in importers.items()
        if len(users) == 1 and next(iter(users)).rpartition(".")[0] == name.rpartition(".")[0]
    ]  # fmt: skip
    return f"{len(alone)} ({100 * len(alone) / len(edges):.0f}%)"


def lines(path: Path) -> int:
    """Lines of a file."""
    return path.read_text(encoding="utf-8").count("\n")


def function_lines(trees) -> list[int]:
    """Lines of every function."""
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for _, tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def p95(values: list[int]) -> int:
    """The 95th percentile."""
    return round(quantiles(values, n=20)[-1])


def files_run(arguments: tuple[str, ...]) -> int:
    """In how many files of the package code runs for a command."""
    import tempfile

    given = [str(SOURCE / one) if one.startswith("samples/") else one for one in arguments]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", TRACE, str(SOURCE), *given], cwd=folder, capture_output=True, text=True, timeout=600
        )
    return int(done.stderr.split("files ")[-1].split()[0])


if __name__ == "__main__":
    main()
