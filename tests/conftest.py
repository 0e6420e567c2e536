"""What every test shares: the outside data, closing lines on what was skipped, a cache folder of its own, repeatable chance.

DIALOMETER_DATA            where the shared data sets are (default: beside the repository)
DIALOMETER_REQUIRE_DATA=1  fail the session when that folder exists and a real-data test was skipped all the same
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests import real
from tests.skipped_packages import package_line

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")
_OWN_CACHE = "DIALOMETER_CACHE" not in os.environ
if _OWN_CACHE:  # set here, before any kernel is loaded; workers of a parallel run inherit it
    os.environ["DIALOMETER_CACHE"] = tempfile.mkdtemp(prefix="dialometer-tests-")


@pytest.fixture(scope="session")
def shared_data():
    """A callable: path inside the shared data → Path, or the test is skipped with the reason."""

    def find(relative: str) -> Path:
        path = real.folder() / relative
        if not path.exists():
            pytest.skip(f"no shared data: {relative} is not in {real.folder()} (DIALOMETER_DATA names the folder)")
        return path

    return find


@pytest.fixture(scope="session")
def real_texts(shared_data):
    """A callable: n → that many distinct real texts, from conversations, films, tweets and forums."""
    return lambda n: real.distinct_texts(shared_data, n)


@pytest.fixture(scope="session")
def real_pairs(shared_data):
    """A callable: n → (responses, references) of distinct real items; ``many=True`` gives several references each."""
    return lambda n, many=False: real.many_references(shared_data, n) if many else real.adjacent_turns(shared_data, n)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker("real_data")
    if "network" not in (config.option.markexpr or ""):
        left_out = [item for item in items if item.get_closest_marker("network")]
        if left_out:
            items[:] = [item for item in items if item not in left_out]
            config.hook.pytest_deselected(items=left_out)


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput") and _missing_but_required(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    ran, skipped = _real_data_reports(config)
    if missing := _missing_but_required(config):
        terminalreporter.write_line(
            f"FAILED: DIALOMETER_REQUIRE_DATA is set and {real.folder()} exists, yet tests were skipped:"
        )
        for report in missing:
            terminalreporter.write_line(f"  {report.nodeid}: {report.longrepr[2]}")
    terminalreporter.write_line(f"real-data tests: {len(ran)} ran, {len(skipped)} skipped")
    reasons = [
        report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()) if isinstance(report.longrepr, tuple)
    ]
    if line := package_line(reasons):
        terminalreporter.write_line(line)


def pytest_unconfigure(config):
    if _OWN_CACHE and not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["DIALOMETER_CACHE"], ignore_errors=True)


def _real_data_reports(config):
    """Reports of real-data tests: those that ran and those that were skipped; workers' reports arrive here too."""
    stats = config.pluginmanager.get_plugin("terminalreporter").stats

    def of(*outcomes):
        return [r for outcome in outcomes for r in stats.get(outcome, ()) if "real_data" in getattr(r, "keywords", ())]

    return of("passed", "failed", "error", "xfailed", "xpassed"), of("skipped")


def _missing_but_required(config):
    """Skipped real-data tests, where that is a failure."""
    required = os.environ.get("DIALOMETER_REQUIRE_DATA") == "1" and real.folder().is_dir()
    return _real_data_reports(config)[1] if required else []
