"""Power of comparing metrics: Williams' test for many samples, its size, growth with items, clusters."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, UsageError
from dialometer.stats.power.metrics import metric_power, williams_p
from dialometer.stats.testing.williams import williams_r


def scored(n=1500, strength=(0.7, 0.4), seed=0):
    """Two metrics that follow people more and less."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=n)
    shared = rng.normal(size=n)
    return [s * human + 0.5 * shared + 0.7 * rng.normal(size=n) for s in strength] + [human]


def test_many_samples_at_once_equal_the_test_of_one():
    rng = np.random.default_rng(1)
    r = np.stack([np.corrcoef(rng.normal(size=(3, 12)))[[0, 1, 0], [2, 2, 1]] for _ in range(50)])
    n = rng.integers(5, 300, 50)
    wanted = [williams_r(*three, int(size)).p for three, size in zip(r, n, strict=True)]
    np.testing.assert_allclose(williams_p(*r.T, n.astype(float)), wanted, rtol=1e-9)


def test_identical_metrics_have_p_one():
    p = williams_p(np.array([0.5, np.nan]), np.array([0.5, 0.1]), np.array([1.0, 0.2]), np.array([50.0, 50.0]))
    assert p[0] == 1
    assert np.isnan(p[1])


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_power_grows_and_the_correlations_are_those_of_the_data(kind):
    from scipy import stats

    a, b, human = scored()
    found = metric_power(a, b, human, [30, 100, 300], kind=kind)
    assert [cell.items for cell in found.cells] == [30, 100, 300]
    assert found.cells[0].power < found.cells[1].power < found.cells[2].power
    by_scipy = stats.pearsonr if kind == "pearson" else stats.spearmanr
    assert found.r_a == pytest.approx(by_scipy(a, human).statistic)
    assert found.r_ab == pytest.approx(by_scipy(a, b).statistic)
    assert found.needed is not None
    assert found.needed.items < 300


def test_power_equals_drawing_fresh_samples():
    """The same world sampled anew instead of the data resampled: 600 samples of 60 against 4000 resamples of 20,000 items.

    Standard errors 0.02 and 0.008: a gap of 0.11 is five of them together.
    """
    (cell,) = metric_power(*scored(20_000), [60], simulations=4000).cells
    fresh = []
    for seed in range(600):
        r = np.corrcoef(scored(60, seed=seed + 1))
        fresh.append(williams_p(r[:1, 2], r[1:2, 2], r[:1, 1], np.array([60.0]))[0] < 0.05)
    assert cell.power == pytest.approx(np.mean(fresh), abs=0.11)


def test_size_is_five_percent_where_both_are_equally_good():
    """Both metrics with correlations made equal to the last digit: 4000 samples, [0.03, 0.07] is 5.8 standard errors."""
    rng = np.random.default_rng(3)
    basis = np.linalg.qr(rng.normal(size=(3000, 3)) - 0)[0]
    basis = np.linalg.qr(basis - basis.mean(axis=0))[0]
    human = basis[:, 0]
    a, b = (0.5 * human + np.sqrt(0.75) * column for column in (basis[:, 1], basis[:, 2]))
    for cell in metric_power(a, b, human, [50, 400], simulations=4000).cells:
        assert 0.03 < cell.power < 0.07


def test_whole_contexts_are_drawn():
    """Ten copies of each item tell no more than one: with clusters 500 rows are 50 items, without they pass for 500."""
    a, b, human = (np.repeat(column, 10) for column in scored(200, (0.6, 0.5)))
    contexts = np.repeat(np.arange(200), 10)
    (alone,) = metric_power(a, b, human, [500]).cells
    (together,) = metric_power(a, b, human, [500], contexts).cells
    assert together.power != alone.power
    assert metric_power(a, b, human, [500], contexts).n == 2000


def test_what_cannot_be_compared_is_refused():
    a, b, human = scored(100)
    with pytest.raises(NeedsError, match="vary"):
        metric_power(np.ones(100), b, human, [50])
    with pytest.raises(NeedsError, match="10 items"):
        metric_power(a[:10], b[:10], human[:10], [50])
    with pytest.raises(UsageError):
        metric_power(a, b, human, [50], kind="kendall")
    a[:30] = np.nan
    assert metric_power(a, b, human, [50], simulations=100).n == 70
