"""The runner: makes the folder of a case, has the server run it, and says what is wrong with how it ended."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.case import Case
from tests.fuzz.scenes import WARM, Scene, prepare, spoil

SECONDS = 20.0
BYTES = 4 << 30
GOOD = {0, 2, 3, 130}
TOLD = 3000  # characters of standard error that are kept
ROOT = Path(__file__).parents[2]
ALONE = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "NUMBA_NUM_THREADS",
    "ARROW_IO_THREADS",
)
UNSET = ("OPENAI_API_KEY", "HF_TOKEN")


@dataclass(frozen=True)
class Outcome:
    """How a case ended."""

    case: Case
    code: int
    killed: str
    seconds: float
    memory: int
    errors: str
    spoilt: str = ""

    @property
    def problems(self) -> list[str]:
        """What may not be: nothing, for a good end."""
        found = [self.killed] if self.killed else []
        if "Traceback (most recent call last)" in self.errors:
            found.append("traceback")
        if not self.killed and self.code < 0:
            found.append(f"signal {-self.code}")
        if self.code >= 0 and self.code not in GOOD:
            found.append(f"exit code {self.code}")
        if self.code == 2 and not re.search(r"^error: ", self.errors, re.MULTILINE):
            found.append("exit code 2 without a message")
        elif self.code == 2 and not re.search(r"^  → \S", self.errors, re.MULTILINE):
            found.append("exit code 2 without a way out")
        return found

    @property
    def signature(self) -> str:
        """What makes two failures the same: the exception, and the last place of this project."""
        places = re.findall(r'File "[^"]*?/(dialometer/[^"]+)", line (\d+), in (\S+)', self.errors)
        raised = re.findall(r"^([\w.]+(?:Error|Exception|Exit|Warning|Interrupt)\b[^\n]{0,90})", self.errors, re.MULTILINE)
        where = f"{places[-1][0]}:{places[-1][1]} {places[-1][2]}" if places else self.case.command
        what = raised[-1] if raised and "traceback" in self.problems else ", ".join(self.problems)
        return f"{what} at {where}"


class Runner:
    """A server and a place for folders; use it as a context."""

    def __init__(self, store: Path | None = None, *, module: str = "dialometer.cli.main", light: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dialometer-fuzz-"))
        self.store = store or self.folder / "store"
        self.module, self.light, self.process = module, light, None

    def __enter__(self) -> Runner:
        jobs, outcomes = os.pipe(), os.pipe()
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        environment = {key: value for key, value in os.environ.items() if key not in UNSET}
        environment |= dict.fromkeys(ALONE, "1") | {
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        environment |= {"DIALOMETER_CACHE": os.environ.get("DIALOMETER_CACHE", str(self.store / ".cache"))}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.server", str(jobs[0]), str(outcomes[1]), *["light"] * self.light],
            pass_fds=(jobs[0], outcomes[1]), env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(jobs[0])
        os.close(outcomes[1])
        self.jobs, self.outcomes = os.fdopen(jobs[1], "wb", 0), os.fdopen(outcomes[0], "rb")
        return self

    def __exit__(self, *error: object) -> None:
        self.jobs.close()
        self.outcomes.close()
        assert self.process is not None
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(
        self,
        argv: tuple[str, ...],
        folder: Path,
        *,
        stdin: str = "",
        stdout: str = "",
        seconds: float = SECONDS,
        **more: Any,
    ) -> dict[str, Any]:
        """Run a command line in a folder; its output goes to files beside the folder."""
        said = folder.parent / f"{folder.name}.stderr"
        said.unlink(missing_ok=True)
        job = {
            "argv": argv, "folder": str(folder), "module": self.module, "stdin": stdin or "/dev/null",
            "stdout": stdout or str(folder.parent / f"{folder.name}.stdout"), "stderr": str(said),
            "seconds": seconds, "bytes": BYTES, "env": {},
        } | more  # fmt: skip
        self.jobs.write(json.dumps(job).encode() + b"\n")
        answer = self.outcomes.readline()
        if not answer:
            raise RuntimeError("the server of the fuzz has ended")
        return json.loads(answer) | {"errors": _told(said)}

    def scene(self, name: str) -> Path:
        """The folder of a scene; made once, without the limits of a case."""

        def run(scene: Scene, folder: Path) -> tuple[int, str]:
            ended = self.send(scene.argv, folder, seconds=300.0, env=dict(scene.env))
            return ended["code"], ended["errors"]

        return prepare(name, self.store, run)

    def lay_out(self, case: Case, folder: Path) -> str:
        """Make the folder of a case; which file of a scene was damaged."""
        folder.mkdir(parents=True)
        for name in case.scenes:
            shutil.copytree(self.scene(name), folder, dirs_exist_ok=True, symlinks=True)
        case.write(folder)
        if not case.damaged_scene:
            return ""
        return spoil(folder / case.scenes[0] / "run", Random(f"scene {case.seed} {case.number}"))

    def run(self, case: Case, *, keep: Path | None = None, warm: bool = True, **limits: Any) -> Outcome:
        """Run a case in a folder of its own, which is removed unless it is to be kept."""
        if warm:
            self.scene(WARM.name)
        folder = keep or self.folder / f"case-{case.number}"
        spoilt = self.lay_out(case, folder)
        ended = self.send(case.argv, folder, stdin=case.stdin, stdout=case.stdout, env=dict(case.env), **limits)
        if not keep:
            for path in folder.parent.glob(f"{folder.name}.std*"):
                path.unlink()
            shutil.rmtree(folder, ignore_errors=True)
        return replace(Outcome(case, **ended), spoilt=spoilt)


def _told(path: Path) -> str:
    """The beginning and the end of what was said."""
    if not path.is_file():
        return ""
    text = path.read_bytes().decode("utf-8", "replace")
    return text if len(text) <= 2 * TOLD else f"{text[:TOLD]}\n…\n{text[-TOLD:]}"
