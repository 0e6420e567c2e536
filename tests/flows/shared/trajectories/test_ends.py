"""Who is at the ends: a hundred or a quarter, ties by lot, and ratings that tell no end."""

import numpy as np

from dialometer.flows.shared.trajectories.ends import ends

NAN = float("nan")


def names(n):
    return [f"d{number}" for number in range(n)]


def test_a_hundred_at_most_and_a_quarter_of_few():
    values = np.random.default_rng(0).permutation(1000).astype(float)
    found = ends(values, names(1000))
    assert set(values[found.high]) == set(range(900, 1000))
    assert set(values[found.low]) == set(range(100))
    few = ends(np.array([4.0, 1.0, NAN, 3.0, 2.0, 8.0, 7.0, 6.0, 5.0]), names(9))
    assert (few.high.tolist(), few.low.tolist(), few.note) == ([5, 6], [1, 4], "")


def test_ties_are_drawn_by_lot_whatever_the_order():
    values = np.array([5.0] * 9 + [1.0, 2.0] + [3.0] * 9)
    ids = names(20)
    found = ends(values, ids)
    assert (len(found.high), len(found.low)) == (5, 5)
    assert found.note == "Drawn by lot: 5 of the 9 rated 5 at the high end, and 3 of the 9 rated 3 at the low end."
    mix = np.random.default_rng(1).permutation(20)
    again = ends(values[mix], [ids[place] for place in mix])
    assert {ids[mix[row]] for row in again.high} == {ids[row] for row in found.high}
    others = [{ids[row] for row in ends(values, ids, seed=seed).high} for seed in range(9)]
    assert any(other != others[0] for other in others)


def test_a_rating_at_both_ends_is_left_out():
    found = ends(np.array([3.0] * 17 + [1.0, 5.0, 4.0]), names(20))
    assert (found.high.tolist(), found.low.tolist()) == ([18, 19], [17])
    assert found.note == "Those rated 3 are at both ends, and left out."


def test_no_ends():
    for values, said in [
        ([3.0] * 20, "rated 3"),
        ([3.0] * 19 + [4.0], "rated 3"),
        ([1.0, 2.0, NAN], "too few"),
        ([], "too few"),
    ]:
        found = ends(np.array(values), names(len(values)))
        assert (len(found.high), len(found.low)) == (0, 0)
        assert said in found.note
