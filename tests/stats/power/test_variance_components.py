"""Variance components: balanced tables by hand, planted ones recovered through holes, and what cannot be told."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError
from dialometer.stats.power.variance_components import components


def crossed(items, raters, seed, sds=(0.8, 0.5, 0.9), share=1.0, systems=1):
    """Long-form ratings from planted standard deviations of items, raters and the rest."""
    rng = np.random.default_rng(seed)
    item, rater = (grid.ravel() for grid in np.meshgrid(np.arange(items), np.arange(raters), indexing="ij"))
    value = rng.normal(size=items)[item] * sds[0] + rng.normal(size=raters)[rater] * sds[1]
    value = value + rng.normal(size=len(item)) * sds[2] + 2 * (item % systems)
    kept = rng.random(len(item)) < share
    return value[kept], item[kept], rater[kept], np.arange(items) % systems, np.arange(items)


def test_a_balanced_table_equals_the_mean_squares():
    """σ²_item = (MS_item − MS_rest)/raters, σ²_rater = (MS_rater − MS_rest)/items, by the two-way table without replication."""
    value, item, rater, system, group = crossed(12, 5, 0)
    table = value.reshape(12, 5)
    rows, columns, grand = table.mean(axis=1), table.mean(axis=0), table.mean()
    ms_item = 5 * ((rows - grand) ** 2).sum() / 11
    ms_rater = 12 * ((columns - grand) ** 2).sum() / 4
    ms_rest = ((table - rows[:, None] - columns + grand) ** 2).sum() / 44
    found = components(value, item, rater, system, group)
    assert found.residual == pytest.approx(ms_rest)
    assert found.item == pytest.approx((ms_item - ms_rest) / 5)
    assert found.rater == pytest.approx((ms_rater - ms_rest) / 12)
    assert (found.items, found.raters, found.ratings) == (12, 5, 60)


def test_without_names_it_is_the_one_way_analysis():
    value, item, _, system, group = crossed(20, 4, 1)
    table = value.reshape(20, 4)
    within = table.var(axis=1, ddof=1).mean()
    between = (4 * table.mean(axis=1).var(ddof=1) - within) / 4
    found = components(value, item, np.full(80, -1), system, group)
    assert found.residual == pytest.approx(within)
    assert found.item == pytest.approx(between)
    assert np.isnan(found.rater)
    assert found.raters == 0


def test_planted_components_are_recovered_through_holes():
    """Averages over 60 samples of 150 × 12 with 40% missing: the standard error of each mean is below 3%; 20% is far outside."""
    found = [components(*crossed(150, 12, seed, share=0.6, systems=3)) for seed in range(60)]
    assert np.mean([one.item for one in found]) == pytest.approx(0.64, rel=0.1)
    assert np.mean([one.residual for one in found]) == pytest.approx(0.81, rel=0.05)
    assert np.mean([one.rater for one in found]) == pytest.approx(0.25, rel=0.4)  # 12 people know little of people
    assert found[0].sd == pytest.approx(np.sqrt(found[0].item + found[0].rater + found[0].residual))


def test_what_systems_share_in_a_context():
    """Contexts of variance 0.5, answers of 0.3 besides: 2000 contexts of two systems."""
    rng = np.random.default_rng(3)
    group, system = np.tile(np.arange(2000), 2), np.repeat([0, 1], 2000)
    value = rng.normal(size=2000)[group] * np.sqrt(0.5) + rng.normal(size=4000) * np.sqrt(0.3) + system
    found = components(value, np.arange(4000), np.full(4000, -1), system, group)
    assert found.item == pytest.approx(0.8, rel=0.15)
    assert found.context == pytest.approx(0.5, rel=0.2)
    assert np.isnan(found.residual)  # one rating each: items hold everything
    assert found.sd == pytest.approx(np.sqrt(found.item))


def test_constant_items_and_too_few():
    found = components(np.ones(12), np.arange(12) // 2, np.arange(12) % 2, np.zeros(6, int), np.arange(6))
    assert (found.item, found.residual) == (0, 0)
    assert np.isnan(found.context)
    with pytest.raises(NeedsError, match="nothing of spread"):
        components(np.ones(2), np.array([0, 1]), np.full(2, -1), np.array([0, 1]), np.array([0, 1]))
    with pytest.raises(NeedsError):
        components(np.zeros(0), np.zeros(0, int), np.zeros(0, int), np.zeros(3, int), np.zeros(3, int))


def test_one_rater_per_item_throughout_cannot_be_told_from_the_item():
    rng = np.random.default_rng(4)
    found = components(
        rng.normal(size=40), np.arange(20).repeat(2), np.arange(20).repeat(2), np.zeros(20, int), np.arange(20)
    )
    assert np.isnan(found.rater)
    assert not np.isnan(found.residual)
