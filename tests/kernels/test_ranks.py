"""Weighted ranks and pairs: plain equal to compiled, inputs kept, and the kernels are those that the statistics call."""

import numpy as np
import pytest

from dialometer.core.types import Example
from dialometer.data.tables.ratings import ratings_of
from dialometer.kernels.kendall import concordance, swapped_concordance
from dialometer.kernels.mace import knowing
from dialometer.kernels.ranks import level_weights, rank_products, swapped_rank_products
from dialometer.stats.agreement.mace import mace
from dialometer.stats.correlation.correlate import draw_correlations
from dialometer.stats.testing.perm_both import perm_test
from tests.kernels.test_jit import both_ways


def statistics(seed=0, levels=5):
    """Call every kernel of the statistics, by what calls them."""
    rng = np.random.default_rng(seed)
    for n in (3, 17, 40):
        x, z, y = rng.integers(0, levels, (3, n)).astype(float)
        clusters = rng.integers(0, 7, n)
        for kind in ("spearman", "kendall"):
            draw_correlations([x, z], y, clusters, kind=kind, resamples=35, seed=n)
            perm_test({"x": x, "z": z}, y, kind=kind, permutations=35, seed=n)
        named = [f"r{number}" for number in range(4)]
        items = [
            Example(f"{number}", (), "", ratings={"q": rng.integers(1, 6, 4).tolist()}, raters=named) for number in range(n)
        ]
        mace(ratings_of(items), restarts=1, iterations=2, seed=n)


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_plain_equals_compiled(levels):
    seen = set()
    with both_ways(seen):
        statistics(levels, levels)
    assert seen == {level_weights, rank_products, swapped_rank_products, concordance, swapped_concordance, knowing}


def test_ranks_of_a_weighted_column_by_hand():
    """Values 1, 2, 2 drawn twice, once, once: ranks (from ½) 1, 3, 3 about their mean 2; with itself Σ w (R − R̄)² = 4."""
    weights, unit, level = np.array([2.0, 1.0, 1.0]), np.arange(3, dtype=np.int32), np.array([0, 1, 1], np.int32)
    xy, xx, *scratch = np.zeros((5, 1))
    rank_products(weights, unit, level, np.array([1, 3]), np.array([-1.0, 1.0]), np.array([2.0]), 1, xy, xx, *scratch)
    assert (xy[0], xx[0]) == (4.0, 4.0)
