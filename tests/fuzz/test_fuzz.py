"""A thousand cases: no traceback, no hang, no flood of memory, and whatever is refused is refused in words."""

import os

import pytest

from tests.fuzz.cases import case
from tests.fuzz.runner import Runner

BLOCKS, SIZE = 20, 50  # blocks, so that several processes share the work


@pytest.fixture(scope="session")
def runner(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # the workers damage copies of the same runs
    with Runner(shared / "fuzz-store") as started:
        yield started


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_result_or_a_refusal(runner, block):
    outcomes = [runner.run(case(number)) for number in range(block * SIZE, (block + 1) * SIZE)]
    failed = [one for one in outcomes if one.problems]
    told = [f"python -m tests.fuzz --case {one.case.number}   # {one.signature}" for one in failed]
    assert not failed, "\n".join(told).encode("utf-8", "backslashreplace").decode()
