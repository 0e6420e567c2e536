"""Domain: replies of the same kind lie inside, others outside; on real sets too."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from dialometer.core.registry import create
from dialometer.judges._bilinear.domain import INSIDE, Domain, _tail
from dialometer.judges._shared.vectors import response_vectors
from tests.judges.rated_sets import rated

RNG = np.random.default_rng(5)


def cloud(centres: np.ndarray, n: int) -> np.ndarray:
    made = centres[RNG.integers(len(centres), size=n)] + 0.5 * RNG.normal(size=(n, centres.shape[1]))
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_most_of_its_kind_lie_inside_and_another_kind_outside():
    home, abroad = 3 * np.eye(40)[:10], 3 * np.eye(40)[20:]
    domain = Domain.fit(cloud(home, 2000))
    fresh = cloud(home, 2000)
    assert abs(domain.outside(fresh) - (1 - INSIDE)) < 0.03
    assert domain.strange(fresh) == 0
    assert domain.outside(cloud(abroad, 500)) > 0.9
    assert domain.strange(cloud(abroad, 500)) > 0.9


def test_a_few_replies_beyond_the_edge_are_chance():
    domain = Domain(np.eye(2)[:1], 0.5)
    assert domain.strange(np.eye(2)) == 0  # one of two
    assert domain.strange(np.eye(2)[[1, 1, 1, 0]]) == 0.75


def test_what_is_kept_gives_the_same_nearness():
    own = RNG.normal(size=(100, 8))
    domain = Domain.fit(own)
    again = Domain.of({name: np.atleast_1d(array) for name, array in domain.arrays().items()})
    np.testing.assert_array_equal(domain.nearness(own), again.nearness(own))


def test_replies_that_are_all_alike():
    domain = Domain.fit(np.ones((5, 3)))
    assert domain.outside(np.ones((2, 3))) == 0
    assert domain.outside(np.zeros((2, 3))) == 1


@pytest.mark.parametrize(("n", "k"), [(1, 1), (40, 5), (2000, 130), (2000, 2000), (7, 0)])
def test_the_tail_of_the_binomial_is_scipys(n, k):
    assert _tail(n, k, 0.05) == pytest.approx(binom.sf(k - 1, n, 0.05), rel=1e-9)


def test_sets_of_the_same_source_are_inside_and_others_are_told(shared_data):
    pytest.importorskip("torch")
    encoder = create("encoder", "minilm")

    def vectors(name, quality):
        corpus, _ = rated(shared_data(f"turns/{name}.jsonl.gz"), quality)
        return response_vectors(replace(corpus, keep=True), encoder)

    domain = Domain.fit(vectors("engage_dailydialog", "engagement"))
    assert domain.strange(vectors("zhao_dailydialog", "appropriateness")) == 0
    assert domain.strange(vectors("usr_topicalchat", "Overall")) > 0.2
