"""A bucket of tokens, with a clock that is set by hand."""

from dialometer.flows.serve import rate_limit as module
from dialometer.flows.serve.rate_limit import Rate


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_rate_is_kept_over_time():
    clock = Clock()
    rate = Rate(5, clock)
    passed = 0
    for tick in range(1000):  # ten seconds, a hundred tries each
        clock.now = tick / 100
        passed += rate.wait("ann") == 0
    assert 5 + 9 * 5 <= passed <= 5 + 10 * 5


def test_waiting_as_long_as_told_is_enough():
    clock = Clock()
    rate = Rate(0.25, clock)
    assert rate.wait("ann") == 0
    clock.now = 1.0
    assert rate.wait("ann") == 3
    clock.now = 4.0
    assert rate.wait("ann") == 0


def test_clients_do_not_share_and_old_ones_are_forgotten(monkeypatch):
    monkeypatch.setattr(module, "CLIENTS", 2)
    rate = Rate(1, Clock())
    assert [rate.wait(name) for name in "abca"] == [0, 0, 0, 0]
    assert [rate.wait(name) for name in "aa"] == [1, 1]


def test_no_rate_lets_everybody_pass():
    assert {Rate(0).wait("ann") for _ in range(100)} == {0}
