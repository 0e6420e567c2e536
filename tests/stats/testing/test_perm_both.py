"""Permutation tests between metrics: against swapping by hand, size and power by simulation, metrics that are the same."""

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.stats.correlation.correlate import COEFFICIENTS, KINDS
from dialometer.stats.testing.perm_both import Coins, perm_test

PERMUTATIONS = 70


def sparse_scores():
    """Seven systems, nine inputs, a tenth of the answers and a score missing, many ties."""
    rng = np.random.default_rng(0)
    systems, inputs = (part.reshape(-1) for part in np.indices((7, 9)))
    there = rng.random(63) < 0.9
    systems, inputs = systems[there], inputs[there]
    y = np.round(rng.normal(size=len(systems)) * 2)
    columns = {name: np.round(0.3 * y + rng.normal(size=len(y)), digits) for name, digits in (("a", 1), ("b", 1), ("c", 0))}
    columns["b"][3] = np.nan
    return columns, y, systems, inputs


def correlation(values, y, systems, kind):
    if systems is not None:
        names = np.unique(systems)
        values, y = (np.array([round(side[systems == s].mean(), 10) for s in names]) for side in (values, y))
    return COEFFICIENTS[kind](values, y)


@pytest.mark.parametrize("level", ["item", "system"])
@pytest.mark.parametrize("swap", ["both", "system", "input"])
@pytest.mark.parametrize("kind", KINDS)
def test_swapping_by_hand_gives_the_same(kind, swap, level):
    columns, y, systems, inputs = sparse_scores()
    how = {"kind": kind, "level": level, "swap": swap, "systems": systems, "inputs": inputs}
    coins = np.concatenate(list(Coins(systems, inputs, swap, 0).blocks(PERMUTATIONS)))
    for found in perm_test(columns, y, permutations=PERMUTATIONS, **how):
        rows = ~np.isnan(columns[found.a]) & ~np.isnan(columns[found.b])
        a, b = (stats.zscore(columns[name][rows]) for name in (found.a, found.b))
        own = systems[rows] if level == "system" else None

        def difference(swapped, a=a, b=b, own=own, rows=rows):
            return correlation(np.where(swapped, b, a), y[rows], own, kind) - correlation(
                np.where(swapped, a, b), y[rows], own, kind
            )

        observed = difference(np.zeros(rows.sum(), bool))
        drawn = np.array([difference(coin[rows] == 1) for coin in coins])
        assert found.difference == pytest.approx(observed, abs=1e-9)
        assert found.p == pytest.approx((1 + (np.abs(drawn) >= abs(observed) - 1e-10).sum()) / (1 + PERMUTATIONS))
        assert found.n == (rows.sum() if own is None else 7)


def test_both_coins_cancel():
    """An item is swapped where one of its system's and its input's coin says so, not where both do."""
    systems, inputs = (part.reshape(-1) for part in np.indices((2, 2)))
    for row in np.concatenate(list(Coins(systems, inputs, "both", 1).blocks(50))):
        assert row.sum() % 2 == 0  # a 2×2 table of s XOR i has an even number of ones
    for row in np.concatenate(list(Coins(systems, inputs, "system", 1).blocks(50))):
        assert row[0] == row[1]
        assert row[2] == row[3]


@pytest.mark.parametrize("level", ["item", "system"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_metric_twice(kind, level):
    columns, y, systems, inputs = sparse_scores()
    found = perm_test({"a": columns["a"], "again": columns["a"]}, y, kind=kind, level=level, systems=systems, inputs=inputs)
    assert (found[0].p, found[0].difference) == (1.0, 0.0)
    rescaled = perm_test({"a": columns["a"], "more": 4 * columns["a"] + 8}, y, kind=kind, level=level, systems=systems)
    assert rescaled[0].p == 1.0


def rejections(gain, worlds, *, liking=0.0, **how):
    """How often metrics of equal (gain 0) or unequal worth are told apart at 5%, 8 systems by 15 inputs.

    ``liking`` is a metric's own liking for single systems, which has nothing to do with quality.
    """
    rng = np.random.default_rng(0)
    systems, inputs = (part.reshape(-1) for part in np.indices((8, 15)))
    count = 0
    for world in range(worlds):
        y = rng.normal(size=8)[systems] + 0.5 * rng.normal(size=15)[inputs] + rng.normal(size=120)
        a, b = (worth * y + liking * rng.normal(size=8)[systems] + rng.normal(size=120) for worth in (0.2 + gain, 0.2))
        found = perm_test({"a": a, "b": b}, y, permutations=99, seed=world, systems=systems, inputs=inputs, **how)
        count += found[0].p <= 0.05
    return count / worlds


@pytest.mark.parametrize("level", ["item", "system"])
@pytest.mark.parametrize("kind", KINDS)
def test_size_and_power(kind, level):
    """Metrics that could be exchanged are told apart in 5% of worlds: of 600, at most 60 (30 expected, five standard deviations)
    and at least one (Pr < 1e-6 at 4%; rank coefficients of 8 systems tie, which makes their tests careful). Power grows: 0.66 and
    more at the larger gain, against less than 0.1, on 200 worlds with a standard error of 0.035."""
    size = rejections(0, 600, kind=kind, level=level)
    assert 0 < size <= 0.1
    some, much = (rejections(gain, 200, kind=kind, level=level) for gain in (0.2, 3.0))
    assert size < some < much
    assert much > size + 0.3


@pytest.mark.parametrize("level", ["item", "system"])
def test_a_liking_for_single_systems_needs_whole_systems_swapped(level):
    """Of 600 worlds, PERM-SYS errs in at most 10%; PERM-BOTH, which mixes a system's scores, in about 30%: a limit it states."""
    assert rejections(0, 600, liking=1.0, level=level, swap="system") <= 0.1
    assert rejections(0, 600, liking=1.0, level=level, swap="both") > 0.15


def test_undefined_is_nan_and_the_rest_is_tested():
    columns, y, systems, inputs = sparse_scores()
    columns |= {
        "flat": np.ones(len(y)),
        "none": np.full(len(y), np.nan),
        "infinite": np.where(columns["a"] > 1, np.inf, 0.0),
    }
    for kind in KINDS:
        for level in ("item", "system"):
            found = perm_test(columns, y, kind=kind, level=level, systems=systems, inputs=inputs, permutations=20)
            by_pair = {(one.a, one.b): one for one in found}
            assert len(found) == 15
            assert np.isnan(by_pair["a", "flat"].p)
            assert np.isnan(by_pair["a", "none"].p)
            assert by_pair["a", "none"].n == 0
            assert by_pair["a", "c"].p > 0
    assert all(np.isnan(one.p) for one in perm_test(columns, np.full(len(y), np.nan), permutations=5))
    three = np.where(systems < 3, y, np.nan)
    assert all(np.isnan(one.p) for one in perm_test(columns, three, level="system", systems=systems, permutations=5))


def test_progress_and_refusals():
    columns, y, systems, _ = sparse_scores()
    told = []
    perm_test(columns, y, permutations=40, progress=lambda *told_of: told.append(told_of))
    assert told[-1] == ("permuting", 80, 80)  # pairs with and without b rest on different items
    with pytest.raises(NeedsError, match="each item's system"):
        perm_test(columns, y, level="system")
    with pytest.raises(UnknownName, match="coefficient"):
        perm_test(columns, y, kind="tau", systems=systems)
    assert perm_test({"a": columns["a"]}, y) == []
