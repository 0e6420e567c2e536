"""The server: a process that has imported everything, and forks a child for every case.

    python -m tests.fuzz.server READ WRITE [light]

Jobs come as JSON lines on the descriptor READ, outcomes go out on WRITE. With ``light`` nothing is imported beforehand. A child
leads a session of its own, stands in the case's folder, and runs the command line as ``dialometer`` does. It is killed, with all
its children, beyond its seconds or its bytes. Seconds are those since its start without those in which it waited for a processor:
a busy machine makes no hang.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

TICK = 0.05
LARGEST_FILE = 2 << 30  # no case may fill the disk
# What commands import when they need it: an import of a second, once instead of in every child.
HEAVY = (
    "numpy", "polars", "pyarrow.parquet", "pandas", "scipy.stats", "scipy.sparse.linalg", "numba", "safetensors.numpy",
    "tokenizers", "torch", "torch._dynamo", "torch.distributed", "torch.optim", "matplotlib.pyplot", "nltk",
    "statsmodels.formula.api",
    "uvicorn", "starlette.applications", "httpx",
)  # fmt: skip


def preload() -> None:
    """Import, but use nothing: a thread pool that has started does not survive a fork."""
    import gc

    import dialometer

    for name in HEAVY:
        with contextlib.suppress(ImportError):  # an extra that is not installed
            importlib.import_module(name)
    for module in pkgutil.walk_packages(dialometer.__path__, "dialometer."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    atexit._clear()  # what packages do at the end on behalf of nobody takes longer than a refusal
    gc.collect()
    gc.freeze()


def serve(read: int, write: int) -> None:
    """Answer jobs until there are no more."""
    with open(read, "rb", buffering=0) as jobs:
        pending = b""
        while chunk := os.read(jobs.fileno(), 1 << 16):
            pending += chunk
            while b"\n" in pending:
                line, _, pending = pending.partition(b"\n")
                os.write(write, json.dumps(attend(json.loads(line), (read, write))).encode() + b"\n")


def attend(job: dict[str, Any], private: tuple[int, int]) -> dict[str, Any]:
    """Run one job: its exit code (negative for a signal), why it was killed, seconds and the largest memory."""
    started = time.monotonic()
    pid = os.fork()
    if not pid:
        for descriptor in private:
            os.close(descriptor)
        _child(job)
    handle = os.pidfd_open(pid)
    killed, peak, used = "", 0, 0.0
    while not select.select([handle], [], [], TICK)[0]:
        used = time.monotonic() - started - _waited(pid)
        memory = sum(map(_memory, _family(pid)))
        peak = max(peak, memory)
        killed = "hang" if used > job["seconds"] else "memory" if memory > job["bytes"] else ""
        if killed:
            _kill(pid)
            break
    os.close(handle)
    _, status, usage = os.wait4(pid, 0)
    _kill(pid)  # what it left behind
    code = os.waitstatus_to_exitcode(status)
    peak = max(peak, usage.ru_maxrss * 1024)
    return {"code": code, "killed": killed, "seconds": max(used, usage.ru_utime + usage.ru_stime), "memory": peak}


def _waited(pid: int) -> float:
    """Seconds that a process was ready to run and had no processor."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def _memory(pid: int) -> int:
    """Resident bytes of a process."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _family(pid: int) -> list[int]:
    """A process and everything it started."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        children = []
    return [pid, *(other for child in children for other in _family(child))]


def _kill(pid: int) -> None:
    """End a process, its session and its children."""
    for other in _family(pid)[1:]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(other, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _child(job: dict[str, Any]) -> None:
    """Become the command; ends as the interpreter ends, without the second that taking torch down costs."""
    code = 1
    try:
        _become(job)
        importlib.import_module(job["module"]).main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        traceback.print_exc()
    os._exit(_closed(code))


def _become(job: dict[str, Any]) -> None:
    """A session, limits, a folder, streams and arguments of its own."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    os.chdir(job["folder"])
    os.environ.update(job["env"])
    for target, path in enumerate((job["stdin"], job["stdout"], job["stderr"])):
        opened = os.open(path, os.O_RDONLY if target == 0 else os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, target)
        os.close(opened)
    sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    sys.argv = ["dialometer", *job["argv"]]


def _closed(code: int) -> int:
    """Wait for threads, run what waits for the end, and write out what is buffered: 120 where that fails, as in Python."""
    with contextlib.suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        code = 120
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    return code & 0xFF


if __name__ == "__main__":
    if "light" not in sys.argv:
        preload()
    serve(int(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)  # as its children: nothing is left to be taken down
