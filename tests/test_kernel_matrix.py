"""The tests marked ``invariance`` under several numeric kernels: those of other processors, and other numbers of threads.

Each setting is a pytest process of its own, for libraries choose their kernels when they are loaded. The environment variables are
OpenBLAS's (NumPy), PyTorch's and Numba's. A setting that this processor cannot run is skipped.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MARK = re.compile(r"mark\.invariance\b")
INSIDE = "DIALOMETER_KERNEL_MATRIX"
NEEDS = {
    "Prescott": (), "Sandybridge": ("avx",), "Haswell": ("avx2", "fma"), "Zen": ("avx2", "fma"),
    "SkylakeX": ("avx512f", "avx512vl"),
    "default": (), "avx2": ("avx2", "fma"), "avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl"),
}  # fmt: skip
# OpenBLAS core, PyTorch's instructions, Numba's processor, threads: each value of each column at least once
SETTINGS = [
    ("Haswell", "avx2", "host", 1),
    ("SkylakeX", "avx512", "host", 2),
    ("Zen", "avx2", "host", 2),
    ("Sandybridge", "default", "generic", 1),
    ("Prescott", "default", "generic", 2),
]
ARCHITECTURE = """
import json, numpy
try:
    from threadpoolctl import threadpool_info
except ImportError:
    raise SystemExit
print(json.dumps([one.get("architecture") for one in threadpool_info() if one["internal_api"] == "openblas"]))
"""


def processor_flags():
    """The instruction sets of this processor; none where the system does not tell."""
    path = Path("/proc/cpuinfo")
    found = re.search(r"^flags\s*:(.*)$", path.read_text(), re.MULTILINE) if path.exists() else None
    return set(found[1].split()) if found else set()


def missing(core, torch_level, flags):
    """What a processor with these flags lacks for a setting, as a reason to skip it, or an empty string.

    >>> missing("SkylakeX", "avx2", {"avx2", "fma"})
    'this processor has no avx512f, avx512vl'
    """
    lacking = [flag for flag in dict.fromkeys(NEEDS[core] + NEEDS[torch_level]) if flag not in flags]
    return f"this processor has no {', '.join(lacking)}" if lacking else ""


def marked_files():
    """Test files with a marked test; the others need not be imported."""
    return sorted(
        str(path) for path in TESTS.rglob("test_*.py") if path != Path(__file__) and MARK.search(path.read_text())
    )


def environment(core, torch_level, numba, threads):
    """The variables of a setting; whatever else a user has set of these is left out."""
    made = {
        name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_CPU", "PYTEST_", "DIALOMETER_REQ"))
    }
    made |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    made |= {"OPENBLAS_CORETYPE": core, "ATEN_CPU_CAPABILITY": torch_level, INSIDE: "1"}
    return made | ({"NUMBA_CPU_NAME": numba} if numba != "host" else {})


@pytest.mark.skipif(INSIDE in os.environ, reason="runs already under one of its settings")
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("core", "torch_level", "numba", "threads"), SETTINGS)
def test_marked_tests_hold(core, torch_level, numba, threads):
    if reason := missing(core, torch_level, processor_flags()):
        pytest.skip(reason)
    files, variables = marked_files(), environment(core, torch_level, numba, threads)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "invariance", *files]
    done = subprocess.run(command, env=variables, cwd=TESTS.parent, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= len(files)


@pytest.mark.parametrize(("core", "known_as"), [("Sandybridge", {"Sandybridge"}), ("Haswell", {"Haswell"})])
def test_a_setting_reaches_the_library(core, known_as):
    """NumPy's own wheels have OpenBLAS; with another library the settings of its core change nothing, and this skips."""
    if reason := missing(core, "default", processor_flags()):
        pytest.skip(reason)
    variables = environment(core, "default", "host", 1)
    done = subprocess.run([sys.executable, "-c", ARCHITECTURE], env=variables, capture_output=True, text=True, timeout=120)
    if not done.stdout.strip() or not json.loads(done.stdout):
        pytest.skip("NumPy has no OpenBLAS here, or threadpoolctl is not installed")
    assert set(json.loads(done.stdout)) <= known_as


def test_what_a_processor_lacks_is_named():
    assert missing("Prescott", "default", set()) == ""
    assert missing("Haswell", "avx512", {"avx2", "avx512f", "avx512bw"}) == "this processor has no fma, avx512dq, avx512vl"


def test_every_value_of_the_matrix_is_tried():
    columns = [set(column) for column in zip(*SETTINGS, strict=True)]
    assert columns[0] | columns[1] == set(NEEDS)
    assert columns[2:] == [{"host", "generic"}, {1, 2}]


def test_marked_tests_are_found():
    names = {Path(path).name for path in marked_files()}
    assert {"test_rowwise.py", "test_batch_invariance.py", "test_fits.py", "test_sentence_rnn.py"} <= names
    assert Path(__file__).name not in names
