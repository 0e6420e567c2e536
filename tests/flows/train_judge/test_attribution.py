"""Attribution of scores: a judge that is one of the columns, a mixture, holes and columns that say nothing."""

import numpy as np
import pytest

from dialometer.flows.train_judge.attribution import attribute_variance
from dialometer.report.pages.train_judge.figures import attribution_section

RNG = np.random.default_rng(5)
WORDS, LIKENESS, NOISE = RNG.normal(size=(3, 400))


def by_column(found):
    return {row.column: row for row in found.rows}


def test_a_judge_that_counts_words_leans_on_words_and_people_do_not() -> None:
    people = LIKENESS + 0.1 * NOISE
    found = by_column(attribute_variance({"words": WORDS, "likeness": LIKENESS}, 3 * WORDS + 1, people))
    assert found["words"].share_judge == pytest.approx(1, abs=0.02)
    assert found["words"].r_judge == pytest.approx(1)
    assert found["words"].share_people < 0.02 < 0.95 < found["likeness"].share_people


def test_shares_of_independent_columns_are_their_squared_weights() -> None:
    found = attribute_variance({"words": WORDS, "likeness": LIKENESS}, 2 * WORDS + LIKENESS, WORDS)
    assert found.rows[0].share_judge == pytest.approx(0.8, abs=0.05)
    assert found.judge == pytest.approx(1)


def test_holes_take_the_mean_and_flat_columns_are_named_as_left_out() -> None:
    holes = WORDS.copy()
    holes[::2] = np.nan
    found = attribute_variance({"holes": holes, "flat": np.ones(400), "none": np.full(400, np.nan)}, WORDS, WORDS)
    assert [row.column for row in found.rows] == ["holes"]
    assert found.left_out == ["flat", "none"]
    assert 0.3 < found.judge < 0.7  # half of the values are known


def test_items_without_a_prediction_do_not_count() -> None:
    said = WORDS.copy()
    said[:100] = np.nan
    assert attribute_variance({"words": WORDS}, said, WORDS).judge == pytest.approx(1)


def test_of_many_columns_the_twelve_nearest_are_told() -> None:
    many = {f"c{number:02d}": WORDS + number * NOISE for number in range(15)}
    found = attribute_variance(many, WORDS, LIKENESS)
    assert len(found.rows) == 12
    assert found.left_out == ["c12", "c13", "c14"]
    table = attribution_section(found)[0].blocks[0]
    assert "c12, c13, c14" in table.notes[-1]


def test_a_judge_that_says_the_same_of_everything_leans_on_nothing() -> None:
    found = attribute_variance({"words": WORDS}, np.full(400, 3.0), WORDS)
    assert found.rows == []
    assert attribution_section(found) == []
