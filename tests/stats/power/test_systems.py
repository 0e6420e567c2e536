"""Power by simulation: against statsmodels on normal data, its size, what more items, raters and pairing do."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestIndPower, TTestPower

from dialometer.core.errors import NeedsError, UsageError
from dialometer.stats.power.rating_pool import make_pool
from dialometer.stats.power.systems import _p_values, power_grid, wilson


def plain(n=3000, seed=0):
    """Independent normal items with one rating, mean 0 and deviation 1 to the last digit."""
    value = np.random.default_rng(seed).normal(size=n)
    value = (value - value.mean()) / value.std()
    return make_pool(value, np.arange(n), np.full(n, -1), ["s"] * n, [f"g{i}" for i in range(n)])


def study(seed=0, contexts=150, raters=4, context=0.6, item=0.6, rest=0.9, leniency=0.0):
    """Two systems on the same contexts, rated by the same people."""
    rng = np.random.default_rng(seed)
    group, system = np.tile(np.arange(contexts), 2), np.repeat(["a", "b"], contexts)
    rows, rater = np.repeat(np.arange(2 * contexts), raters), np.tile(np.arange(raters), 2 * contexts)
    base = context * rng.normal(size=contexts)[group] + item * rng.normal(size=2 * contexts)
    value = base[rows] + rest * rng.normal(size=len(rows)) + leniency * np.arange(raters)[rater]
    return value, rows, rater, system.tolist(), [f"g{number}" for number in group]


def powers(found):
    return {(cell.items, cell.raters): cell.power for cell in found.cells}


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_independent_normal_items_equal_statsmodels(test):
    """4000 studies: the standard error is at most 0.0079; 5 of them, and 0.01 for a pool that is not quite normal."""
    found = power_grid(plain(), 0.4, [20, 60, 120], [1], simulations=4000, test=test)
    for cell in found.cells:
        assert cell.power == pytest.approx(TTestIndPower().power(0.4, cell.items, 0.05), abs=0.05)
        assert cell.low < cell.power < cell.high
        assert cell.method == "resampled"
    wanted = TTestIndPower().solve_power(0.4, power=0.8, alpha=0.05)
    assert found.needed[1].items == pytest.approx(wanted, rel=0.1)


def test_normal_components_equal_statsmodels():
    """More raters than anybody has: item means are normal with the components' variance."""
    pool = make_pool(*study(raters=2))
    parts = pool.components
    sd = np.sqrt(parts.item + (np.nansum([parts.rater]) + parts.residual) / 6)
    (cell,) = power_grid(pool, 0.4, [50], [6], simulations=4000).cells
    assert cell.method == "components"
    assert cell.power == pytest.approx(TTestIndPower().power(0.4 / sd, 50, 0.05), abs=0.05)
    apart = np.sqrt(2 * (parts.item - parts.context) + 2 * (np.nansum([parts.rater]) + parts.residual) / 6)
    (cell,) = power_grid(pool, 0.4, [50], [6], paired=True, simulations=4000).cells
    assert cell.power == pytest.approx(TTestPower().power(0.4 / apart, 50, 0.05), abs=0.05)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("test", ["t", "permutation"])
def test_nothing_is_found_in_five_percent_where_there_is_nothing(paired, test):
    """4000 studies at 5%: a standard error of 0.0034; [0.03, 0.07] is 5.8 of them."""
    pool = make_pool(*study(), a="a", b="b")
    for cell in power_grid(pool, 0.0, [30, 100], [1, 4, 9], paired=paired, test=test, simulations=4000).cells:
        assert 0.03 < cell.power < 0.07


def test_power_grows_with_items_raters_and_pairing():
    pool = make_pool(*study(), a="a", b="b")
    apart, paired = (powers(power_grid(pool, 0.3, [20, 60, 180], [1, 4], paired=p)) for p in (False, True))
    for found in (apart, paired):
        assert found[20, 1] < found[60, 1] < found[180, 1]
        assert found[60, 1] < found[60, 4]
    assert paired[60, 4] > apart[60, 4] + 0.05


def test_resampled_and_simulated_agree_where_both_can_be_done():
    """All four ratings drawn for real, against the normal model of four raters: the same variance, so nearly the same power.

    Components are estimates: their error moves the power by a few hundredths.
    """
    value, rows, rater, systems, groups = study(contexts=600)
    (real,) = power_grid(make_pool(value, rows, rater, systems, groups), 0.25, [100], [3]).cells
    few = rater < 2  # from two ratings each, three can only be simulated
    (made,) = power_grid(make_pool(value[few], rows[few], rater[few], systems, groups), 0.25, [100], [3]).cells
    assert (real.method, made.method) == ("resampled", "components")
    assert real.power == pytest.approx(made.power, abs=0.1)


def test_a_panel_needs_fewer_items_where_people_differ():
    rated = study(leniency=1.0)
    fresh, panel = (power_grid(make_pool(*rated, panel=p), 0.4, [60], [1]).cells[0].power for p in (False, True))
    assert panel > fresh + 0.1


def test_the_smallest_study_lies_between_grid_points():
    pool = plain()
    found = power_grid(pool, 0.4, [20, 400], [1])
    assert 80 < found.needed[1].items < 120
    assert found.needed[1].power >= 0.8
    assert power_grid(pool, 0.4, [10, 20], [1]).needed[1] is None
    assert power_grid(pool, 3.0, [50], [1]).needed[1].items < 10


def test_the_same_seed_gives_the_same_numbers():
    pool = plain(500)
    grids = [power_grid(pool, 0.2, [50], [1], seed=seed) for seed in (1, 1, 2)]
    assert grids[0] == grids[1] != grids[2]


def test_p_values_equal_scipy():
    from scipy import stats

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6, 15)) * [[[1.0]], [[2.0]]]
    np.testing.assert_allclose(_p_values((x, y), "t", rng), stats.ttest_ind(y, x, axis=1, equal_var=False).pvalue)
    np.testing.assert_allclose(_p_values((x,), "t", rng), stats.ttest_1samp(x, 0, axis=1).pvalue)
    assert _p_values((np.zeros((1, 5)), np.zeros((1, 5))), "t", rng) == 1
    assert _p_values((np.zeros((1, 5)), np.ones((1, 5))), "t", rng) == 0


def test_wilson_stays_inside():
    from statsmodels.stats.proportion import proportion_confint

    for hits in (0, 3, 100):
        assert wilson(hits, 100) == pytest.approx(proportion_confint(hits, 100, method="wilson"), abs=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [{"items": []}, {"items": [2]}, {"raters": [0]}, {"test": "z"}, {"level": 0}, {"goal": 1.0}, {"simulations": 5}],
)
def test_plans_that_mean_nothing_are_refused(wrong):
    options = {"items": [50], "raters": [1]} | wrong
    with pytest.raises(UsageError):
        power_grid(plain(100), 0.3, options.pop("items"), options.pop("raters"), **options)


def test_what_the_data_cannot_say_is_refused():
    with pytest.raises(NeedsError, match="one rating"):
        power_grid(plain(100), 0.3, [50], [3])
    with pytest.raises(NeedsError, match="paired"):
        power_grid(plain(100), 0.3, [50], [1], paired=True)
