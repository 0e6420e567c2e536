"""Normalised scores and the cases behind tables 6, 9, 12 and 13 of Lowe et al. 2017, on cases counted by hand."""

import numpy as np
import pytest

from dialometer.stats.correlation.normalised import RatingScale, extremes, most_apart, normalise, partings


def test_normalised_scores_have_the_mean_and_variance_of_people():
    rng = np.random.default_rng(0)
    human = rng.normal(3, 0.4, 400)
    moved = normalise(rng.normal(0.5, 0.1, 400), human, RatingScale(-100, 100))
    assert moved.mean() == pytest.approx(human.mean())
    assert moved.std() == pytest.approx(human.std())


def test_by_hand():
    """Metric mean 0.5, sd 0.5; human mean 3, sd 2: 1 → 5, 0 → the low end, 0.5 → 3; missing stays missing."""
    human, metric = np.array([1.0, 5, 1, 5, 3]), np.array([0.0, 1, 0, 1, np.nan])
    assert normalise(metric, human).tolist()[:4] == [1, 5, 1, 5]
    assert np.isnan(normalise(metric, human)[4])
    people = np.array([2.0, 3, 3, 4])
    wide = normalise(np.array([0.0, 1, 2, 3]), people)
    assert wide[0] == 1.0  # a raw 0, although the formula gives 2.05
    assert normalise(np.array([0.0, 1, 2, 3]), people, zero=None)[0] == pytest.approx(
        3 - 1.5 / np.sqrt(1.25) * np.sqrt(0.5)
    )


def test_a_constant_metric_has_no_normalised_score():
    assert np.isnan(normalise(np.ones(5), np.arange(5.0))).all()


def test_partings_count_by_hand():
    """Scores of 0, 0.5 and 1 become 1, 3 and 5 on the human scale (mean 3, and the spread makes the clip reach both ends)."""
    human = np.array([5, 5, 5, 4, 1, 1, 2, 1.0])
    bleu = np.array([0, 0, 1, 1, 0, 1, 0, 1.0])
    rouge = np.array([0, 1, 1, 0, 0, 1, 0, 1.0])
    trained = np.array([1, 0, 0, 1, 1, 0, 0, 1.0])
    found = partings(human, {"bleu-2": bleu, "rouge": rouge}, trained, RatingScale(1, 5, 0.74, 0.26), sample=2)
    assert found.n == 8
    assert found.good.rows.tolist() == [0, 1, 2, 3]
    assert found.good.among == 8
    assert found.overlap_fails.rows.tolist() == [0]
    assert found.rescued.rows.tolist() == [0]
    assert found.missed.rows.tolist() == [1, 2]
    assert found.missed.among == 4
    assert found.missed_alone.rows.tolist() == [1, 2]
    assert found.fooled_alone.rows.tolist() == [4]
    assert set(found.good.sample) < set(found.good.rows)
    assert len(found.good.sample) == 2


def test_samples_belong_to_their_seed():
    human = np.tile([5.0, 1.0], 200)
    metric = np.arange(400.0)
    draws = [partings(human, {"m": metric}, metric, seed=seed).good.sample.tolist() for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_items_without_a_number_are_in_no_case():
    human = np.array([5, 5, 1, np.nan])
    found = partings(human, {"m": np.array([1, np.nan, 0, 1.0])}, np.array([1, 1, 0, 1.0]))
    assert found.n == 2
    assert found.good.rows.tolist() == [0]


def test_extremes_by_hand():
    metric = np.array([0.9, 0.1, 0.95, 0.05, 0.9, 0.5])
    human = np.array([4.5, 1.5, 1.2, 4.8, 4.9, 4.9])
    spread = np.array([0.2, 0.5, 0.9, 1.0, 1.5, 0.1])
    found = extremes(metric, human, spread, bounds=(0, 1))
    assert {name: cases.rows.tolist() for name, cases in found.items()} == {
        "both good": [0], "both bad": [1], "overrated": [2], "underrated": [3]
    }  # fmt: skip
    assert found["both good"].among == 5
    assert extremes(metric, human, bounds=(0, 1))["both good"].rows.tolist() == [0, 4]
    one_rater = extremes(metric, human, np.full(6, np.nan), bounds=(0, 1))
    assert one_rater["both good"].among == 0


def test_extremes_use_the_range_that_was_seen():
    metric, human = np.array([-3.0, 7.0, 2.0]), np.array([1.0, 5.0, 3.0])
    assert extremes(metric, human)["both good"].rows.tolist() == [1]
    assert len(extremes(np.ones(3), human)["both good"]) == 0
    assert len(extremes(np.full(3, np.nan), human)["both bad"]) == 0


def test_most_apart_goes_both_ways():
    metric, human = np.array([9.0, 1, 5, 5, np.nan]), np.array([1.0, 9, 5, 5, 3])
    over, under = most_apart(metric, human, 3)
    assert over.tolist() == [0]
    assert under.tolist() == [1]
