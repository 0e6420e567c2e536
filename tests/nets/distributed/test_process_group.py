"""Training by two processes: what one alone would learn, and after any death the same bits."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.core.errors import RunError, UsageError  # noqa: E402
from dialometer.nets.dialogue.data import EncodedDialogues  # noqa: E402
from dialometer.nets.dialogue.training import TrainingOptions, _job, run_worker, train_network  # noqa: E402
from dialometer.nets.distributed.process_group import SINGLE, process_group  # noqa: E402
from dialometer.nets.distributed.rank_info import RankInfo, torchrun_rank  # noqa: E402
from dialometer.nets.threads import one_thread  # noqa: E402
from dialometer.nets.training.loop import FILE  # noqa: E402
from tests.nets import pair  # noqa: E402
from tests.nets.dialogue.small import NETWORKS, SIZES, random_talks  # noqa: E402

pytestmark = pytest.mark.timeout(420)
HEADS = {"facts": (3, 2), "heads": (4, 4)}
SURE = {"hred": HEADS, "lstmlm": {}, "mrrnn": {}, "seq2seq": {}}  # networks that draw nothing
SHORT = TrainingOptions(batch=3, epochs=3, rate=0.01, emotion=1.0, vector=1.0)
FEW = random_talks(25, facts=5, turns=3)  # 24 are learnt from; some batches hold conversations of one turn only
JOBS = {
    **{name: (NETWORKS[name], replace(SIZES, **more), FEW, SHORT) for name, more in SURE.items()},
    "ones": (NETWORKS["hred"], SIZES, random_talks(6), replace(SHORT, batch=1)),
    "drawn": (NETWORKS["hred"], replace(SIZES, dropout=0.5), FEW, SHORT),
    "again": (NETWORKS["hred"], replace(SIZES, dropout=0.5), FEW, SHORT),
    "killed": (pair.VhcrNetwork, pair.SHARED, pair.TALKS, pair.COURSE),
}


@pytest.fixture(scope="module")
def by_two():
    """What this process and a second one learnt together, job by job."""
    with one_thread(), process_group(2, run_worker) as group:  # as ``learn`` has it: on more threads sums round otherwise
        found = {}
        for name, job in JOBS.items():
            group.broadcast(_job(*job, seed=3))
            found[name] = train_network(*job, seed=3, group=group)
    return found


def by_one(name):
    with one_thread():
        return train_network(*JOBS[name], seed=3)


def arrays(net):
    return {name: tensor.numpy().copy() for name, tensor in net.state_dict().items()}


def bits(weights):
    return {name: array.tobytes() for name, array in weights.items()}


@pytest.mark.parametrize("name", [*SURE, "ones"])
def test_two_learn_what_one_learns(name, by_two):
    """Of a batch with one conversation the second process has nothing, and must not count."""
    (alone, here), (both, there) = by_one(name), by_two[name]
    assert there.step == here.step > 0
    assert there.losses == pytest.approx(here.losses, abs=1e-5)
    assert there.validation == pytest.approx(here.validation, abs=1e-5)
    for one, two in zip(arrays(alone).values(), arrays(both).values(), strict=True):
        np.testing.assert_allclose(two, one, atol=1e-5)


def test_processes_draw_apart_and_yet_repeatably(by_two):
    assert bits(arrays(by_two["drawn"][0])) == bits(arrays(by_two["again"][0]))
    assert bits(arrays(by_two["drawn"][0])) != bits(arrays(by_one("drawn")[0]))


def test_corpora_are_handed_over_whole():
    data = EncodedDialogues.from_tensors(FEW.to_tensors())
    for name in ("flat", "starts", "talks", "events", "facts"):
        np.testing.assert_array_equal(getattr(data, name), getattr(FEW, name))
    np.testing.assert_array_equal(data.coarse.flat, FEW.coarse.flat)
    assert EncodedDialogues.from_tensors(replace(FEW, coarse=None, facts=None).to_tensors()).facts is None


def test_a_single_process_needs_no_others():
    with process_group(1, run_worker) as group:
        assert group is SINGLE
        assert group.sum(0.1, 2) == [0.1, 2]
        assert group.broadcast(None) is None


def exit_three(group):
    os._exit(3)


def raise_on_rank_two(group):
    if group.rank == 2:
        raise ValueError("no data")
    group.sum(1)


def refuse(group):
    raise RunError("the loss became nan")


@pytest.mark.parametrize(
    ("worker", "message"),
    [
        (exit_three, r"^the training process of rank [12] died \(exit code 3\)\n"),
        (raise_on_rank_two, r"rank 2 died \(ValueError: no data\)\n"),
    ],
)
def test_the_process_that_failed_is_named_in_one_sentence(worker, message, capfd):
    """Also when the third rank only lost its connection; nothing else is printed."""
    with pytest.raises(RunError, match=message), process_group(3, worker) as group:
        group.sum(1)
    assert capfd.readouterr() == ("", "")


def test_an_error_of_rank_0_is_the_only_one(capfd):
    before = spawned(os.getpid())
    with pytest.raises(RunError, match="rank 0 has this error too"), process_group(2, refuse):
        raise RunError("rank 0 has this error too")
    assert spawned(os.getpid()) == before
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("environment", "info"),
    [
        ({}, None),
        ({"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "here"}, None),
        ({"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "MASTER_ADDR": "here"}, RankInfo(5, 8, 1)),
        ({"RANK": "5", "WORLD_SIZE": "8"}, None),
    ],
)
def test_rank_in_the_environment_of_torchrun(environment, info, monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert torchrun_rank() == info
    if info:
        monkeypatch.setenv("RANK", "first")
        with pytest.raises(UsageError, match="RANK=first"):
            torchrun_rank()


@pytest.fixture
def start(tmp_path):
    """Start the training of ``pair`` in a process of its own; whatever still runs at the end is killed."""
    running = []

    def begin():
        process = subprocess.Popen([sys.executable, "-m", "tests.nets.pair", str(tmp_path)], start_new_session=True)
        running.append(process)
        return process

    yield begin
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def spawned(pid):
    """The ranks that a process has spawned; the resource tracker of multiprocessing, which ends with the process, is none."""
    children = [int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
    return [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def wait_until(true, what, seconds=120):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"no {what} in time"
        time.sleep(0.01)


def alive(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")
def test_killed_processes_go_on_to_the_same_bits(start, tmp_path, by_two):
    """First the parent is killed, then the other process; each time the training goes on where it was."""
    process = start()
    wait_until(lambda: (tmp_path / FILE).exists() or process.poll() is not None, "checkpoint")
    (follower,) = spawned(process.pid)
    process.kill()
    assert process.wait(10) == -signal.SIGKILL, "over before it could be killed"
    wait_until(lambda: not alive(follower), "end of the process whose parent was killed", 10)
    before, told = spawned(os.getpid()), []

    def kill_late(stage, step, total):
        told.append(step)
        if step == pair.STEPS - 3:
            (other,) = [child for child in spawned(os.getpid()) if child not in before]
            os.kill(other, signal.SIGKILL)

    with pytest.raises(RunError, match=r"rank 1 died \(signal 9\)\n  → the same command again"):
        pair.learnt(tmp_path, kill_late)
    assert 1 < told[0] <= told[-1] < pair.STEPS, "it went on from the other process's checkpoint, and was killed"
    told.clear()
    weights, facts = pair.learnt(tmp_path, lambda stage, step, total: told.append(step))
    assert 1 < told[0] <= facts["steps"] == pair.STEPS
    assert bits(weights) == bits(arrays(by_two["killed"][0]))
    assert spawned(os.getpid()) == before, "no process is left behind"
