"""The closing line names the packages that skipped tests asked for, and the reasons it knows are those that tests give."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.skipped_packages import PACKAGES, package_line

ROOT = Path(__file__).parents[1]


def test_nothing_is_said_where_nothing_is_missing():
    assert package_line([]) == package_line(["Skipped: no shared data: turns", "Skipped: slow"]) == ""


def test_packages_are_counted_in_one_line():
    reasons = ["Skipped: WordNet is not installed"] * 15 + ["there is no chromium here: the report is not looked at"] * 11
    assert package_line([*reasons, "slow"]) == (
        "skipped for want of Debian packages: 26 (wordnet-base 15, chromium 11): apt-get install wordnet-base chromium"
    )
    assert package_line(["no java here", "could not import 'kenlm': No module named 'kenlm'"]) == (
        "skipped for want of Debian packages: 2 (default-jre-headless 1, kenlm 1): "
        "apt-get install default-jre-headless g++; pip install kenlm"
    )


def test_a_run_without_the_packages_ends_with_the_line(tmp_path):
    """With an empty PATH there is neither Java nor a browser."""
    files = ["tests/report/test_browser.py", "tests/text/tokenisers/test_meteor.py"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "jar or browser", *files]
    variables = {name: value for name, value in os.environ.items() if name not in ("CI", "DIALOMETER_REQUIRE_DATA")}
    done = subprocess.run(
        command, cwd=ROOT, env=variables | {"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=300
    )
    line = re.search(
        r"^skipped for want of Debian packages: (\d+) \((.*)\): apt-get install (.*)$", done.stdout, re.MULTILINE
    )
    assert line, done.stdout + done.stderr
    assert "default-jre-headless" in line[3].split()
    assert "chromium" in line[3].split()
    assert int(line[1]) == sum(map(int, re.findall(r" (\d+)(?:,|$)", line[2]))) > 5


def test_ci_and_the_readme_install_the_same_packages():
    script, page = ((ROOT / name).read_text(encoding="utf-8") for name in (".ci/run", "README.md"))
    for debian, pip in PACKAGES.values():
        assert re.search(rf"apt-get install .*{re.escape(debian)}", script)
        assert f"`{debian}`" in page
        assert not pip or (f"pip install --quiet --disable-pip-version-check {pip}" in script and f"`{pip}`" in page)
