"""Claims about bots: none on few bots, on an interval that reaches zero, or on a large p."""

import numpy as np
import pytest

from dialometer.contracts.train_judge_bots import MIN_BOTS, BotCorrelation
from dialometer.contracts.train_judge_tables import LENGTH_ONLY, MAX_ATTRIBUTED
from dialometer.flows.train_judge.bot_dialogues import bot_correlations
from dialometer.report.pages.train_judge.bot_conclusions import claim
from dialometer.stats.correlation import system_level
from dialometer.stats.validation import length_bias, shapley


@pytest.mark.parametrize(("count", "word"), [(3, "too few"), (5, "few"), (20, "closely")])
def test_claims_grow_with_bots(count, word):
    rng = np.random.default_rng(7)
    y = rng.normal(size=count)
    words, tone = claim(count, bot_correlations(y + 0.1 * rng.normal(size=count), y, seed=0).pearson)
    assert word in words
    assert tone == ("good" if count == 20 else "caution")


def test_an_interval_that_reaches_zero_is_no_claim():
    rng = np.random.default_rng(8)
    words, tone = claim(10, bot_correlations(rng.normal(size=10), rng.normal(size=10), seed=0).pearson)
    assert tone == "caution"
    assert "reaches 0" in words


def test_a_middling_correlation_is_reported_plainly():
    words, tone = claim(10, BotCorrelation(r=0.7, p=0.01, low=0.13, high=0.92, n=10))
    assert ("roughly" in words, tone) == (True, "plain")


def test_constants_of_the_contract_are_those_of_the_statistics():
    assert (MIN_BOTS, LENGTH_ONLY, MAX_ATTRIBUTED) == (system_level.LEAST, length_bias.LENGTH_ONLY, shapley.MOST)
