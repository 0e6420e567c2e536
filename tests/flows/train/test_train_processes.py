"""train in several processes: its own, or those of torchrun; the same run and the same bits."""

import contextlib
import os
import random
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import UsageError
from dialometer.flows.train.ranks import process_options, processes_of, rank_zero, run_worker_if_nonzero_rank
from dialometer.flows.train.train import train

SPEC = "hred(hidden=6,embedding=5,context=6,vocabulary=60,batch=4,epochs=2)"
ALL, ONE = SimpleNamespace(name="hred", parallel=True), SimpleNamespace(name="lsi")
TOLD = {"RANK": "0", "WORLD_SIZE": "6", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1"}


@pytest.fixture
def talks(tmp_path):
    """Invented conversations, an empty line between them."""
    rng, words = random.Random(3), ["tea", "late", "train", "yes", "no", "please", "where", "now"]
    said = [[" ".join(rng.choices(words, k=rng.randint(1, 6))) for _ in range(rng.randint(2, 4))] for _ in range(30)]
    path = tmp_path / "talks.txt"
    path.write_text("\n\n".join("\n".join(talk) for talk in said) + "\n")
    return str(path)


@pytest.fixture
def torchrun(tmp_path):
    """Start a module by torchrun in two processes and give what it printed; whatever still runs at the end is killed."""
    running = []

    def run(*words):
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        running.append(process)
        out, _ = process.communicate(timeout=300)
        return process.returncode, out

    yield run
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


@pytest.mark.timeout(420)
def test_torchrun_and_processes_of_its_own_end_with_the_same_bits(torchrun, talks, tmp_path):
    """The first process of torchrun speaks, the second is silent; a second call in the same processes reprints the run."""
    code, out = torchrun("tests.flows.twice", "train", SPEC, talks, "-o", str(tmp_path / "launched"))
    assert code == 0
    first, second = out[: len(out) // 2], out[len(out) // 2 :]
    assert first == second
    assert first.startswith("hred fitted on")
    own = train(TrainRequest(SPEC, (talks,), processes=2, output=str(tmp_path / "own")))
    left, right = ((tmp_path / name / "model" / "arrays.safetensors").read_bytes() for name in ("launched", "own"))
    assert left == right
    assert train(TrainRequest(SPEC, (talks,), processes=2, output=str(tmp_path / "launched"))).recipe == own.recipe


def test_how_many(monkeypatch):
    assert [processes_of(ALL, 1), processes_of(ALL, 3), processes_of(ONE, 1)] == [1, 3, 1]
    assert [process_options(ALL, 1), process_options(ALL, 3)] == [{}, {"processes": 3}]
    for name, value in TOLD.items():
        monkeypatch.setenv(name, value)
    assert [processes_of(ALL, 1), processes_of(ALL, 6), processes_of(ONE, 1)] == [6, 6, 1]
    assert process_options(ONE, 1) == {}


def test_the_first_process_goes_ahead(monkeypatch):
    assert not run_worker_if_nonzero_rank()
    for name, value in TOLD.items():
        monkeypatch.setenv(name, value)
    assert not run_worker_if_nonzero_rank()


def test_one_alone_lets_nobody_go():
    with rank_zero():
        pass


@pytest.mark.parametrize(
    ("thing", "asked", "says"),
    [(ONE, 2, "lsi is trained by one"), (ONE, 256, "lsi is trained by one")],
)
def test_refusals(thing, asked, says):
    with pytest.raises(UsageError, match=says):
        processes_of(thing, asked)
