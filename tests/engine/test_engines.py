"""Engines: results in order, equal whatever the engine, workers that end with their parent."""

import os
from dataclasses import dataclass

import pytest

from dialometer.core.errors import RunError, UnknownName, UsageError
from dialometer.engine import engine


@dataclass(frozen=True)
class Square:
    """A task with a state that is opened once per worker."""

    offset: int

    def open(self):
        pid = os.getpid()
        return lambda item: (item, item * item + self.offset, pid == os.getpid())


@dataclass(frozen=True)
class Die:
    def open(self):
        return lambda item: os._exit(9)


@pytest.mark.parametrize("spec", ["serial", "processes:1", "processes:2"])
def test_results_come_in_order(spec):
    found = list(engine(spec).map(Square(3), range(20)))
    assert found == [(i, i * i + 3, True) for i in range(20)]


def test_a_dead_worker_is_an_error_with_a_way_out():
    with pytest.raises(RunError, match="worker process died") as caught:
        list(engine("processes:2").map(Die(), range(3)))
    assert "--engine" in caught.value.hint


def test_an_empty_list_of_items_gives_nothing():
    assert list(engine("processes:2").map(Square(0), [])) == []


def test_unknown_engines_are_refused():
    with pytest.raises(UnknownName, match="processes"):
        engine("process")
    with pytest.raises(UsageError, match="cannot read the engine"):
        engine("processes:two")
    with pytest.raises(UsageError, match="is 1 to 1024, not 0"):
        engine("processes:0")


def test_thread_limits_of_workers_do_not_stay_behind(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    list(engine("processes:1").map(Square(0), [1]))
    assert "OMP_NUM_THREADS" not in os.environ
