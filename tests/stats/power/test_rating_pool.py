"""The pool of rated items: centred sides, pairs within contexts, means of drawn ratings."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.stats.power import rating_pool as pools
from dialometer.stats.power.rating_pool import make_pool, ready_means


def rated(seed=0, contexts=30, systems=("a", "b", "c"), raters=4):
    rng = np.random.default_rng(seed)
    n = contexts * len(systems)
    item = np.repeat(np.arange(n), raters)
    value = rng.normal(size=n)[item] + rng.normal(size=len(item)) + 0.5 * (item % len(systems))
    groups = [f"g{number // len(systems)}" for number in range(n)]
    return value, item, np.tile(np.arange(raters), n), [systems[number % len(systems)] for number in range(n)], groups


def test_every_side_is_centred_and_the_difference_told():
    value, item, rater, systems, groups = rated()
    pool = make_pool(value, item, rater, systems, groups, a="a", b="b")
    means = np.nanmean(pool.ratings, axis=1)
    assert means[pool.a].mean() == pytest.approx(0, abs=1e-12)
    assert means[pool.b].mean() == pytest.approx(0, abs=1e-12)
    by_hand = {name: np.mean([v for v, i in zip(value, item, strict=True) if systems[i] == name]) for name in "ab"}
    assert pool.observed == pytest.approx(by_hand["b"] - by_hand["a"])
    assert len(pool.ratings) == 60


def test_pairs_are_of_two_systems_in_one_context():
    value, item, rater, systems, groups = rated()
    named = make_pool(value, item, rater, systems, groups, a="a", b="c")
    assert len(named.pairs) == 30
    everybody = make_pool(value, item, rater, systems, groups)
    assert len(everybody.pairs) == 30 * 3 * 2
    for one, other in everybody.pairs:
        assert groups[one] == groups[other]
        assert systems[one] != systems[other]
    assert np.isnan(everybody.observed)


def test_large_contexts_are_sampled(monkeypatch):
    monkeypatch.setattr(pools, "PAIRS", 50)
    value, item, rater, systems, _ = rated()
    pool = make_pool(value, item, rater, systems, ["one"] * 90)
    assert 20 < len(pool.pairs) <= 50
    assert all(systems[one] != systems[other] for one, other in pool.pairs)


def test_means_are_of_distinct_ratings_of_one_item():
    value, item, rater, systems, groups = rated(contexts=10)
    kept = ~((item == 3) & (rater > 0))
    pool = make_pool(value[kept], item[kept], rater[kept], systems, groups)
    rng = np.random.default_rng(0)
    assert np.isnan(ready_means(pool, 2, rng)[3]).all()
    assert not np.isnan(ready_means(pool, 1, rng)[3]).any()
    np.testing.assert_allclose(ready_means(pool, 4, rng)[5], pool.ratings[5].mean())
    possible = {round((x + y) / 2, 9) for k, x in enumerate(pool.ratings[7]) for y in pool.ratings[7][k + 1 :]}
    assert {round(float(mean), 9) for mean in ready_means(pool, 2, rng)[7]} == possible


def test_a_panel_takes_leniency_out():
    value, item, rater, systems, groups = rated()
    lenient = value + 5.0 * rater
    plain = make_pool(lenient, item, rater, systems, groups)
    panel = make_pool(lenient, item, rater, systems, groups, panel=True)
    assert np.nanvar(panel.ratings) < 0.2 * np.nanvar(plain.ratings)
    with pytest.raises(NeedsError, match="names"):
        make_pool(value, item, np.full(len(value), -1), systems, groups, panel=True)


def test_systems_that_are_not_there():
    value, item, rater, systems, groups = rated()
    with pytest.raises(UnknownName):
        make_pool(value, item, rater, systems, groups, a="a", b="z")
    with pytest.raises(NeedsError):
        make_pool(value, item, rater, systems, groups, a="a")


def test_ratings_that_do_not_vary_plan_nothing():
    _, item, rater, systems, groups = rated()
    with pytest.raises(NeedsError, match="the same"):
        make_pool(np.array([3.0 + (i % 3) for i in item]), item, rater, systems, groups)
