"""The human row against plain loops, and the reach of a perfect metric against planted truth."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import UnknownName
from dialometer.stats.correlation.ceiling import Halves, ceiling, reach_of
from dialometer.stats.resample import bootstrap_weights, seed_for
from tests.stats.rating_tables import matrix, real, rows

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def by_row(found):
    return {(row.level, row.kind): row for row in found.rows}


def test_halves_hold_every_judgement_once():
    """Judgements are powers of two, so that a sum names its members."""
    values = np.array([[1, 2, 4, 8, 16], [1, 2, 4, 8, np.nan], [1, 2, *[np.nan] * 3], [1, *[np.nan] * 4]])
    halves = Halves.of(matrix(values))
    assert halves.items.tolist() == [0, 1, 2]
    seen = set()
    rng = np.random.default_rng(0)
    for _ in range(200):
        first, second = halves.split(rng)
        np.testing.assert_allclose(first * [2, 2, 1] + second * [3, 2, 1], [31, 15, 3])
        seen.add(round(first[0] * 2))
    assert seen == {
        a + b for a, b in permutations([1, 2, 4, 8, 16], 2)
    }  # missing one of ten has a chance of 10 · .9²⁰⁰ = 7e-9


def test_two_judgements_by_all_splits():
    """Four items with two judgements each have 2⁴ splits; the mean over 4,000 random ones is the mean over all.

    A mean of 4,000 values with standard deviation s is within 5 s/√4000 of it but once in a million.
    """
    values = np.array([[1, 2], [4, 5], [3, 1], [5, 3]], float)
    found = by_row(ceiling(matrix(values), splits=4000, resamples=0))
    flips = np.array([[(n >> item) & 1 for item in range(4)] for n in range(16)])
    for kind, by_scipy in SCIPY.items():
        every = [by_scipy(values[range(4), flip], values[range(4), 1 - flip]).statistic for flip in flips]
        assert found["item", kind].r == pytest.approx(np.mean(every), abs=5 * np.std(every) / np.sqrt(4000))
        assert np.isnan(found["item", kind].low)


def planted(items, raters, ratio, seed, systems=1):
    """Truth of variance ``ratio``, noise of variance 1; systems differ in nothing."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(scale=np.sqrt(ratio), size=items)
    return truth, truth[:, None] + rng.normal(size=(items, raters))


@pytest.mark.parametrize(("raters", "ratio"), [(4, 1.0), (3, 0.5), (5, 0.25)])
def test_reach_is_that_of_a_perfect_metric(raters, ratio):
    """Truth against the mean of all raters, and √(ρ / (ρ + 1/raters)), with equal and unequal halves.

    With 8,000 items the correlation of halves has a standard error below .012, and the reach follows it with a slope below .9:
    0.06 is more than five of them. The truth's own correlation has one below .009.
    """
    truth, values = planted(8000, raters, ratio, seed=raters)
    found = by_row(ceiling(matrix(values), splits=20, resamples=0, kinds=("pearson", "spearman")))
    wanted = np.sqrt(ratio / (ratio + 1 / raters))
    row = found["item", "pearson"]
    assert row.reach == pytest.approx(wanted, abs=0.06)
    assert row.reach == pytest.approx(stats.pearsonr(truth, values.mean(axis=1)).statistic, abs=0.06)
    assert row.reliability == pytest.approx(row.reach**2)
    assert found["item", "spearman"].reach == pytest.approx(wanted, abs=0.09)


def test_reach_with_different_numbers_of_judgements():
    """2 to 6 judgements an item: a perfect metric's correlation with the item means is met all the same (as above)."""
    truth, values = planted(8000, 6, 0.5, seed=9)
    few = np.random.default_rng(1).integers(2, 7, 8000)
    values[np.arange(6) >= few[:, None]] = np.nan
    row = ceiling(matrix(values), splits=20, resamples=0, kinds=("pearson",)).rows[0]
    assert row.reach == pytest.approx(stats.pearsonr(truth, np.nanmean(values, axis=1)).statistic, abs=0.06)


def test_system_level_reach():
    """200 systems of 20 items with 2 judgements, system truth of variance .05, noise 1: ρ / (ρ + 1/40) with ρ = .05 is 2/3.

    The correlation of halves has a standard error of about .06, the reach a slope below .8 on it: 0.25 is five of them.
    """
    rng = np.random.default_rng(4)
    system = np.repeat(np.arange(200), 20)
    truth = rng.normal(scale=np.sqrt(0.05), size=200)
    values = truth[system][:, None] + rng.normal(size=(4000, 2))
    found = by_row(ceiling(matrix(values), systems=system, splits=50, resamples=0))
    assert found["system", "pearson"].n == 200
    assert found["system", "pearson"].reach == pytest.approx(np.sqrt(2 / 3), abs=0.25)
    assert np.isnan(found["system", "kendall"].reach)


def test_spearman_brown():
    """Equal halves of 2 + 2: 2r / (1 + r); no correlation shows no truth; a perfect one shows all."""
    r = np.array([0.0, 0.2, 0.7, 1.0, -0.3, np.nan])
    reliability, reach = reach_of(r, (0.5, 0.5, 0.25))
    np.testing.assert_allclose(reliability, [0, 0.4 / 1.2, 1.4 / 1.7, 1, 0, np.nan])
    np.testing.assert_allclose(reach, np.sqrt(reliability))


def test_interval_covers_the_planted_correlation():
    """100 samples of 150 items with 4 judgements, ρ = 1: halves correlate at 2/3. Intervals of 95% and a little wide.

    At a coverage of .95 fewer than 82 of 100 has a chance of 5e-7 (binomial).
    """
    hits = 0
    for trial in range(100):
        row = ceiling(matrix(planted(150, 4, 1.0, trial)[1]), splits=40, resamples=200, kinds=("pearson",)).rows[0]
        hits += row.low <= 2 / 3 <= row.high
        assert row.reach_low <= row.reach <= row.reach_high
    assert hits >= 82


def test_clusters_widen_the_interval():
    values = np.repeat(planted(20, 4, 1.0, 3)[1], 10, axis=0)
    clusters = np.repeat(np.arange(20), 10)
    alone = ceiling(matrix(values), splits=50, resamples=300, kinds=("spearman",)).rows[0]
    together = ceiling(matrix(values), clusters, splits=50, resamples=300, kinds=("spearman",)).rows[0]
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_too_few():
    """Items with one judgement are left out and counted; without any others there is no row."""
    nothing = ceiling(matrix([[1, np.nan], [2, np.nan]]))
    assert (nothing.rows, nothing.items, nothing.left_out) == ((), 0, 2)
    two = ceiling(matrix([[1, 2], [2, 2], [3, np.nan]]), systems=np.array([0, 0, 1]))
    assert (two.items, two.left_out, len(two.rows)) == (2, 1, 6)
    assert np.isnan([row.r for row in two.rows]).all()
    with pytest.raises(UnknownName, match="kendall"):
        ceiling(matrix([[1, 2]]), kinds=("tau",))


def test_items_without_a_system_count_at_item_level_alone():
    values = planted(50, 4, 1.0, 1)[1]
    systems = np.arange(50) % 6 - 1
    found = by_row(ceiling(matrix(values), systems=systems, splits=10, resamples=10))
    assert (found["item", "pearson"].n, found["system", "pearson"].n) == (50, 5)


def test_seed_decides():
    ratings = matrix(planted(40, 4, 1.0, 1)[1])
    one, again, other = (ceiling(ratings, splits=5, resamples=20, seed=seed) for seed in (1, 1, 2))
    assert one.rows[0] == again.rows[0]
    assert one.rows[0] != other.rows[0]


def test_real_judges(shared_data):
    """DSTC7: ten systems told apart well by halves whose items hardly correlate; names are not needed."""
    items, ratings = real(shared_data("turns/dstc7_task2.jsonl.gz"))
    clusters, systems = (np.unique([getattr(e, key) for e in items], return_inverse=True)[1] for key in ("group", "system"))
    own = ratings.of("relevance")
    anonymous = rows(own.items, (), ("q",), own.item, np.full(len(own), -1), own.value)
    found = by_row(ceiling(anonymous, clusters, systems, splits=20, resamples=100))
    assert 0.2 < found["item", "pearson"].r < 0.32
    assert found["system", "pearson"].r > 0.95
    assert found["system", "pearson"].n == 10


def test_intervals_are_what_repeating_the_items_gives():
    """Two splits, 31 resamples of ten clusters dealt out in turn, at both levels; a system that is not drawn is left out."""
    rng = np.random.default_rng(6)
    values = rng.integers(1, 6, (40, 3)).astype(float)
    clusters, systems = np.repeat(np.arange(10), 4), np.repeat(np.arange(5), 8)
    found = by_row(ceiling(matrix(values), clusters, systems, splits=2, resamples=31, seed=5))
    rng = np.random.default_rng(seed_for(5, "ceiling", "splits"))
    halves = Halves.of(matrix(values))
    splits = [halves.split(rng) for _ in range(2)]
    draws = {key: [] for key in found}
    for number, weight in enumerate(bootstrap_weights(10, 31, seed_for(5, "ceiling", "items"))):
        drawn = np.repeat(np.arange(40), weight[clusters].astype(int))
        for kind, by_scipy in SCIPY.items():
            first, second = splits[number % 2]
            draws["item", kind].append(by_scipy(first[drawn], second[drawn]).statistic)
            own = [drawn[systems[drawn] == s] for s in np.unique(systems[drawn])]
            means = [[half[rows].mean() for rows in own] for half in (first, second)]
            draws["system", kind].append(by_scipy(*means).statistic if len(own) > 2 else np.nan)
    for key, row in found.items():
        assert [row.low, row.high] == pytest.approx(np.nanquantile(draws[key], [0.025, 0.975]), abs=1e-9)
