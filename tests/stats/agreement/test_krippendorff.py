"""Krippendorff's α: the published example, the definition by plain loops, real sets, and its interval."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import UnknownName
from dialometer.stats.agreement import krippendorff as module
from dialometer.stats.agreement.krippendorff import LEVELS, krippendorff
from dialometer.stats.resample import bootstrap_weights, seed_for
from tests.stats.rating_tables import matrix, real

_ = np.nan
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12 units, holes.
PUBLISHED = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]).T  # fmt: skip


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example(level, value):
    """Observers need no names; the last unit has one value, which cannot be paired."""
    found = krippendorff(matrix(PUBLISHED, named=False), level=level, resamples=0)
    assert found.alpha == pytest.approx(value, abs=5e-4)
    assert (found.items, found.judgements, found.left_out) == (11, 40, 1)


def by_definition(values, level):
    """α by its definition: coincidences counted pair by pair, distances category by category."""
    units = [row[~np.isnan(row)] for row in values]
    units = [unit for unit in units if len(unit) > 1]
    scale = sorted({v for unit in units for v in unit})
    o = dict.fromkeys(((a, b) for a in scale for b in scale), 0.0)
    for unit in units:
        for a, b in permutations(unit, 2):
            o[a, b] += 1 / (len(unit) - 1)
    n = {c: sum(o[c, k] for k in scale) for c in scale}

    def distance(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = sorted((a, b))
        return (sum(n[g] for g in scale if low <= g <= high) - (n[a] + n[b]) / 2) ** 2

    seen = sum(o[a, b] * distance(a, b) for a, b in o)
    chance = sum(n[a] * n[b] * distance(a, b) for a, b in o)
    return 1 - (sum(n.values()) - 1) * seen / chance if chance else np.nan


cell = st.sampled_from([1.0, 2.0, 3.5, 7.0, np.nan])


@given(st.lists(st.lists(cell, min_size=4, max_size=4), min_size=1, max_size=8), st.sampled_from(LEVELS))
def test_equals_the_definition(values, level):
    values = np.array(values)
    found = krippendorff(matrix(values), level=level, resamples=0).alpha
    np.testing.assert_allclose(found, by_definition(values, level), atol=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_a_resample_is_what_repeating_the_items_gives(level, monkeypatch):
    rng = np.random.default_rng(3)
    values = rng.integers(1, 6, (30, 4)).astype(float)
    clusters = np.repeat(np.arange(10), 3)
    draws = []
    monkeypatch.setattr(module, "percentile_interval", lambda x: draws.append(x) or (np.zeros(1), np.zeros(1)))
    monkeypatch.setattr(module, "PIECE", 300)  # some resamples at a time
    krippendorff(matrix(values), level=level, clusters=clusters, resamples=25, seed=4)
    weights = bootstrap_weights(10, 25, seed_for(4, "alpha"))
    for draw, weight in zip(draws[0][:, 0], weights, strict=True):
        repeated = np.repeat(values, weight[clusters].astype(int), axis=0)
        assert draw == pytest.approx(by_definition(repeated, level))


REAL = {  # interval α as the data's description prints it
    "grade_dailydialog": {"coherence": 0.08},
    "grade_empatheticdialogues": {"coherence": 0.03},
    "usr_topicalchat": {"Overall": 0.66},
    "fed_turn": {"Overall": 0.33},
    "dstc7_task2": {"relevance": 0.19, "informativeness": 0.16},
    "zhao_dailydialog": {"content": 0.25, "grammar": 0.38, "relevance": 0.47, "appropriateness": 0.43},
    "holistic_context": {"*": 0.44},
    "holistic_fluency": {"*": 0.52},
    "engage_dailydialog": {"engagement": 0.76},
}


@pytest.mark.parametrize("name", REAL)
def test_real_sets(shared_data, name):
    _, ratings = real(shared_data(f"turns/{name}.jsonl.gz"))
    for quality, value in REAL[name].items():
        own = ratings.of(ratings.qualities[0] if quality == "*" else quality)
        assert round(krippendorff(own, resamples=0).alpha, 2) == value, quality


def test_interval_covers_a_planted_alpha():
    """True variance 1, noise 1: α of 4 raters is 1/2. In 200 trials of 80 items a percentile interval covers 91 to 95%.

    At .91 fewer than 160 of 200 has a chance of 5e-7 (binomial); intervals of half the width cover about 67%, and reach 160 once
    in 30,000.
    """
    rng = np.random.default_rng(8)
    hits = 0
    for trial in range(200):
        values = rng.normal(size=(80, 1)) + rng.normal(size=(80, 4))
        found = krippendorff(matrix(values.round(1)), resamples=200, seed=trial)
        hits += found.low <= 0.5 <= found.high
    assert 160 <= hits < 200


def test_undefined():
    same = krippendorff(matrix([[3, 3], [3, 3]]))
    assert np.isnan([same.alpha, same.low, same.high]).all()
    nothing = krippendorff(matrix([[1, _], [_, 2]]))
    assert np.isnan(nothing.alpha)
    assert (nothing.items, nothing.left_out) == (0, 2)
    one = krippendorff(matrix([[1, 2, 1], [4, 4, 5]]), clusters=np.zeros(2, int))
    assert one.alpha > 0.7
    assert np.isnan(one.low)  # one cluster tells nothing of the spread
    with pytest.raises(UnknownName, match="ratio"):
        krippendorff(matrix([[1, 2]]), level="ratio")
