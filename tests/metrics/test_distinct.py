"""Distinct-n against Counters, and its length-adjusted form against the expectation it claims to be."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import SpecError
from dialometer.metrics.distinct import Distinct, rarefy
from dialometer.text.corpus import Corpus
from tests.kernels.corpora import text
from tests.metrics.scoring import assert_close


def score(metric, responses, rows=None):
    corpus = Corpus.of(responses)
    return metric.score(corpus, np.arange(len(responses)) if rows is None else np.asarray(rows))


def grams(responses, n):
    words = [response.split() for response in responses]
    return Counter(tuple(w[i : i + n]) for w in words for i in range(len(w) - n + 1))


@given(st.lists(text, min_size=1, max_size=6))
def test_kinds_over_ngrams(responses):
    wanted = [len(c) / c.total() if c else np.nan for c in (grams(responses, 1), grams(responses, 2))]
    np.testing.assert_array_equal(score(Distinct(), responses)[:2], wanted)


def test_real_responses(real_pairs):
    responses, _ = real_pairs(3000)
    counts = [grams(responses, n) for n in (1, 2)]
    assert_close(score(Distinct(tok="whitespace"), responses)[:2], [len(c) / c.total() for c in counts])


def test_a_duplicated_corpus(real_pairs):
    """Saying everything twice halves distinct-n; the adjusted form of 1000 n-grams hardly moves."""
    responses, _ = real_pairs(3000)
    once, twice = score(Distinct(), responses), score(Distinct(), responses * 2)
    assert_close(twice[:2], once[:2] / 2)
    assert np.abs(twice[2:] / once[2:] - 1).max() < 0.02


def test_adjusted_form_does_not_fall_with_size(real_pairs):
    responses, _ = real_pairs(8000)
    small, large = score(Distinct(), responses[::8]), score(Distinct(), responses)
    assert large[0] < 0.6 * small[0]
    assert np.abs(large[2:] / small[2:] - 1).max() < 0.05


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(1, 6))
def test_adjusted_form_is_the_mean_over_all_samples(counts, sample):
    pool = [kind for kind, count in enumerate(counts) for _ in range(count)]
    if len(pool) < sample:
        assert np.isnan(rarefy(np.array(counts), sample))
    else:
        shares = [len(set(drawn)) / sample for drawn in combinations(pool, sample)]
        assert rarefy(np.array(counts), sample) == pytest.approx(np.mean(shares), abs=1e-12)


def test_adjusted_form_of_very_many_kinds_is_one():
    """Where every n-gram is another, so is every one of a sample; ratios of factorials would lose six digits here."""
    assert rarefy(np.ones(10_000_000), 1000) == pytest.approx(1.0, rel=0, abs=1e-12)


def test_adjusted_form_is_exact_for_large_counts():
    """Against whole-number arithmetic: 1/m Σ [1 − C(N − c, m) / C(N, m)] with N of a million."""
    kinds, m = {1: 400_000, 2: 90_000, 7: 20_000, 1_000: 130, 50_000: 2, 150_000: 1}, 1000
    total = sum(count * times for count, times in kinds.items())
    assert total == 1_100_000
    all_ways = comb(total, m)
    wanted = sum(times * (1 - Fraction(comb(total - count, m), all_ways)) for count, times in kinds.items()) / m
    counts = np.repeat(list(kinds), list(kinds.values()))
    assert rarefy(counts, m) == pytest.approx(float(wanted), rel=0, abs=1e-12)
    assert rarefy(counts.astype(np.float64), m) == rarefy(counts, m)


def test_too_few_ngrams_is_not_a_number():
    assert np.isnan(score(Distinct(), ["a b c"])[2:]).all()
    assert np.isnan(score(Distinct(), ["", ""])).all()
    assert np.isnan(score(Distinct(), ["a"])[1])


def test_rows_choose_responses_and_may_repeat():
    responses = ["a b", "a c", "d"]
    assert_close(score(Distinct(), responses, [0, 2])[0], 1.0)
    assert_close(score(Distinct(), responses, [0, 0])[0], 0.5)
    assert_close(score(Distinct(), responses, [2, 1, 0]), score(Distinct(), responses))


def test_sample_below_one_is_refused():
    with pytest.raises(SpecError, match="is 1 to 1000000000, not 0"):
        Distinct(sample=0)


def test_explain():
    assert Distinct().explain(Corpus.of(["a b a"]), 0) == [
        "order 1: 2 kinds among 3 n-grams",
        "order 2: 2 kinds among 2 n-grams",
    ]
