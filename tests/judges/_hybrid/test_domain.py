"""Region: its own rows lie inside, others outside."""

import numpy as np

from dialometer.judges._hybrid.domain import INSIDE, Region

RNG = np.random.default_rng(5)


def test_most_of_its_own_lie_inside_and_a_shifted_cloud_outside():
    own = RNG.normal(size=(2000, 40)) * np.linspace(3, 0.1, 40)
    region = Region.fit(own)
    assert abs(region.outside(own) - (1 - INSIDE)) < 0.01
    fresh = RNG.normal(size=(2000, 40)) * np.linspace(3, 0.1, 40)
    assert region.outside(fresh) < 0.12
    assert region.outside(fresh + 15 * np.eye(40)[30]) > 0.9  # along an axis that training hardly used


def test_what_is_kept_gives_the_same_distances():
    own = RNG.normal(size=(100, 8))
    region = Region.fit(own)
    again = Region.of({name: np.atleast_1d(array) for name, array in region.arrays().items()})
    np.testing.assert_array_equal(region.distances(own), again.distances(own))


def test_rows_that_are_all_alike():
    region = Region.fit(np.ones((5, 3)))
    assert region.outside(np.ones((2, 3))) == 0
    assert region.outside(np.zeros((2, 3))) == 1
