"""Compiled code on disk: read only where it is private and authentic, and compiled again, with one warning, where it is not."""

import os
import pickle
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import logging
import numpy as np
from dialometer.kernels import jit

logging.basicConfig(format="%(levelname)s: %(message)s")


@jit.helper
def twice(number):
    return 2 * number


@jit.kernel("int64(int64[::1], int64[::1])")
def doubled(numbers, out_twice):
    for i in range(len(numbers)):
        out_twice[i] = twice(numbers[i])
    return len(numbers)


@jit.kernel("int64(int64[::1], int64[::1])")
def added(numbers, out_sums):
    for i in range(len(numbers)):
        out_sums[i] = numbers[i] + twice(i)
    return len(numbers)


for kernel in (doubled, added):
    out = np.zeros(3, np.int64)
    jit.compiled(kernel)(np.arange(3), out)
    print(out.tolist())
"""
ANSWER = "[0, 2, 4]\n[0, 3, 6]\n"


class Bomb:
    """Unpickling it makes a file."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A script with two kernels, and a cache that holds them."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "kernels.py").write_text(SCRIPT)
    assert run(folder) == ""
    assert files(folder)
    return folder


@pytest.fixture
def own(warm, tmp_path):
    """A copy of it for one test."""
    return Path(shutil.copytree(warm, tmp_path / "own"))


def run(folder):
    """What the script says on standard error; its numbers are right."""
    done = subprocess.run(
        [sys.executable, folder / "kernels.py"], env=os.environ | {"DIALOMETER_CACHE": str(folder / "cache")},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ANSWER), done.stderr
    return done.stderr


def files(folder):
    return sorted(path for path in (folder / "cache" / "kernels").rglob("*") if path.is_file())


def one_warning(said):
    assert len(said.splitlines()) == 1, said
    assert said.startswith("WARNING: ")
    return said


@pytest.mark.parametrize("damage", ["cut", "noise", "bomb", "swapped", "linked"])
def test_damaged_files_are_compiled_again_and_never_unpickled(own, tmp_path, damage):
    marker, before = tmp_path / "marker", files(own)
    contents = [path.read_bytes() for path in before]
    for path, content, other in zip(before, contents, contents[1:] + contents[:1], strict=True):
        path.unlink()
        bomb = pickle.dumps(Bomb(marker))
        if damage == "linked":
            (tmp_path / path.name).write_bytes(content)
            path.symlink_to(tmp_path / path.name)
        else:
            made = {"cut": content[: len(content) // 2], "noise": os.urandom(999), "bomb": bomb, "swapped": other}
            path.write_bytes(made[damage])
    assert "compiled again" in one_warning(run(own))
    assert not marker.exists()


def test_a_bomb_behind_the_digest_is_not_unpickled(own, tmp_path):
    marker = tmp_path / "marker"
    for path in files(own):
        path.write_bytes(path.read_bytes()[:32] + pickle.dumps(Bomb(marker)))
    one_warning(run(own))
    assert not marker.exists()


def test_a_lost_key_costs_one_compilation(own):
    (own / "cache" / "kernels" / "key").unlink()
    assert "compiled again" in one_warning(run(own))
    assert run(own) == ""


def test_the_folder_and_its_files_are_private(warm):
    folder = warm / "cache" / "kernels"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in files(warm)} == {0o600}


def test_a_folder_that_others_may_write_to_is_not_used(own):
    (own / "cache" / "kernels").chmod(0o770)
    before = {path: path.stat().st_mtime_ns for path in files(own)}
    assert "others may write to it" in one_warning(run(own))
    assert {path: path.stat().st_mtime_ns for path in files(own)} == before


def test_a_folder_behind_a_link_is_not_used(own):
    (own / "cache" / "kernels").rename(own / "elsewhere")
    (own / "cache" / "kernels").symlink_to(own / "elsewhere")
    one_warning(run(own))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_not_used(own):
    os.chown(own / "cache" / "kernels", 12345, 12345)
    assert "belongs to another user" in one_warning(run(own))


def test_a_cache_that_cannot_be_made_is_one_warning(warm, tmp_path):
    (tmp_path / "kernels.py").write_text(SCRIPT)
    (tmp_path / "cache").write_text("a file")
    one_warning(run(tmp_path))
