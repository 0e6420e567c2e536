"""Within contexts: against a loop over contexts with scipy, and intervals by simulation."""

import gzip
import json

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.correlation.correlate import KINDS
from dialometer.stats.correlation.within_context import within, within_table

BY_SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def sample(seed=0, n=300, contexts=60):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, (2, n)).astype(float)
    x[rng.random(n) < 0.05] = np.nan
    return x, y + np.nan_to_num(x) / 2, rng.integers(0, contexts, n)


@pytest.mark.parametrize("kind", KINDS)
def test_mean_equals_a_loop_over_contexts(kind):
    x, y, contexts = sample()
    there = ~np.isnan(x)
    values, left_out = [], 0
    for context in np.unique(contexts[there]):
        a, b = x[there & (contexts == context)], y[there & (contexts == context)]
        if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
            left_out += 1
        else:
            values.append(BY_SCIPY[kind](a, b).statistic)
    found = within(x, y, contexts, kind=kind, resamples=100)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert (found.contexts, found.left_out, found.n) == (len(values), left_out, there.sum())
    assert left_out > 0
    assert found.low < found.mean < found.high


@pytest.mark.parametrize("kind", KINDS)
def test_pooled_by_its_definition(kind):
    x, y, contexts = sample(1, 120, 20)
    x[np.isnan(x)] = 1.0
    sides = []
    for values in (x, y):
        side = np.zeros(120)
        for context in np.unique(contexts):
            rows = contexts == context
            part = values[rows] if kind == "pearson" else stats.rankdata(values[rows])
            side[rows] = part - part.mean()
        sides.append(side)
    if kind == "kendall":
        i, j = np.array([(i, j) for i in range(120) for j in range(i) if contexts[i] == contexts[j]]).T
        a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        wanted = (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())
    else:
        wanted = stats.pearsonr(*sides).statistic
    found = within(x, y, contexts, kind=kind)
    assert found.pooled == pytest.approx(wanted, abs=1e-12)
    assert found.pooled_low < wanted < found.pooled_high


@pytest.mark.parametrize("kind", KINDS)
def test_large_contexts_are_counted_as_small_ones_are(kind):
    """Contexts of 100 items take another way for Kendall."""
    x, y, _ = sample(2, 300)
    contexts = np.repeat([0, 1, 2], 100)
    known = ~np.isnan(x)
    values = [BY_SCIPY[kind](x[known & (contexts == c)], y[known & (contexts == c)]).statistic for c in range(3)]
    assert within(x, y, contexts, kind=kind, resamples=0).mean == pytest.approx(np.mean(values), abs=1e-12)


def test_what_contexts_share_does_not_count():
    """Contexts differ much in both, replies not at all alike: a high correlation over items, none within."""
    rng = np.random.default_rng(3)
    base = np.repeat(np.arange(100.0), 5)
    x, y = base + rng.normal(size=(2, 500))
    contexts = np.repeat(np.arange(100), 5)
    found = within_table({"m": x}, y, contexts)["m"]
    assert stats.pearsonr(x, y).statistic > 0.99
    for kind in KINDS:
        assert found[kind].low < 0 < found[kind].high
        assert found[kind].pooled_low < 0 < found[kind].pooled_high


def test_pooled_interval_covers():
    """300 worlds of 50 contexts of 6, correlated 0.4 within: below 255 of 300 is five standard deviations under 92%."""
    rng = np.random.default_rng(5)
    contexts = np.repeat(np.arange(50), 6)
    hits = 0
    for seed in range(300):
        x, other = rng.normal(size=(2, 300))
        y = 0.4 * x + np.sqrt(0.84) * other + np.repeat(rng.normal(size=50), 6)
        found = within(x, y, contexts, resamples=200, seed=seed)
        hits += found.pooled_low <= 0.4 <= found.pooled_high
    assert 255 <= hits < 300


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_correlate(kind):
    for x, y in ((np.full(6, np.nan), np.arange(6.0)), (np.ones(6), np.arange(6.0)), (np.zeros(0), np.zeros(0))):
        found = within(x, y, np.arange(len(x)) // 3, kind=kind)
        assert np.isnan([found.mean, found.low, found.pooled, found.pooled_high]).all()
        assert found.contexts == 0
        assert found.n == np.sum(~np.isnan(x))
    alone = within(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0]), np.zeros(3), kind=kind)
    assert np.isnan(alone.low)
    assert not np.isnan(alone.mean)


@pytest.mark.parametrize("kind", KINDS)
def test_real_ratings_equal_a_loop(kind, shared_data):
    """Zhao et al.'s 100 contexts of 9 replies: the length of a reply against its appropriateness."""
    with gzip.open(shared_data("turns/zhao_dailydialog.jsonl.gz"), "rt", encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    x = np.array([len(item["response"].split()) for item in items], float)
    y = np.array([np.mean(item["ratings"]["appropriateness"]) for item in items])
    contexts = np.array([" / ".join(item["context"]) for item in items])
    parts = [np.flatnonzero(contexts == name) for name in np.unique(contexts)]
    values = [BY_SCIPY[kind](x[rows], y[rows]).statistic for rows in parts if np.ptp(x[rows]) > 0 and np.ptp(y[rows]) > 0]
    found = within(x, y, contexts, kind=kind)
    assert found.contexts == len(values) >= 90
    assert found.contexts + found.left_out == len(parts)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert found.n == 900
