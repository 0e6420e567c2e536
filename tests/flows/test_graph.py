"""Which command's flow may use which other command's: a declared graph without cycles."""

import ast
from pathlib import Path

import pytest

import dialometer.flows

FLOWS = Path(dialometer.flows.__file__).parent
# Every flow may use ``shared``, which uses none of them.
USES = {
    "agree": set(),
    "chat": {"score"},
    "compare": {"score", "agree", "play"},
    "convert": set(),
    "demo": {"score", "meta", "train", "play", "compare"},
    "doctor": set(),
    "list": set(),
    "meta": {"score", "agree", "stress"},
    "play": {"train"},
    "power": {"score"},
    "score": set(),
    "serve": set(),
    "shared": set(),
    "stress": {"score"},
    "train": {"train_judge", "tune"},
    "train_judge": {"meta", "stress"},
    "train_policy": {"play"},
    "tune": set(),
    "why": set(),
}


def flows_used(source):
    """The flows that a source imports, inside functions and for type checkers too."""
    used = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        used |= {name.split(".")[2] for name in names if name.startswith("dialometer.flows.")}
    return used


def flow_of(path):
    """The command that a file belongs to."""
    return path.relative_to(FLOWS).parts[0].removesuffix(".py")


FILES = [path for path in sorted(FLOWS.rglob("*.py")) if path.parent != FLOWS or path.name != "__init__.py"]


def test_every_flow_is_in_the_graph():
    assert {flow_of(path) for path in FILES} == set(USES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FLOWS)))
def test_a_flow_uses_those_that_it_may(path):
    flow = flow_of(path)
    assert flows_used(path.read_text(encoding="utf-8")) <= USES[flow] | {flow, "shared"}


def test_the_graph_has_no_cycle():
    left = {flow: set(used) for flow, used in USES.items()}
    while free := [flow for flow, used in left.items() if not used & left.keys()]:
        for flow in free:
            del left[flow]
    assert left == {}


def test_a_violation_is_seen():
    assert flows_used("def f():\n    from dialometer.flows.demo import demo") == {"demo"}
    assert not flows_used("import dialometer.flows.demo.demo") <= USES["score"] | {"score", "shared"}
