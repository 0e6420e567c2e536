"""The table of raters and the papers' filter, by hand and on 317 judges."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, UnknownName
from dialometer.stats.agreement.kappa import kappa
from dialometer.stats.agreement.krippendorff import krippendorff
from dialometer.stats.agreement.raters import keep, rater_table
from tests.stats.rating_tables import matrix, real, rows


def crowd(items=60, honest=5, seed=0):
    """Honest raters see the truth of 1 … 5 with a little noise; a last one rolls dice."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, (items, 1))
    seen = np.clip(truth + rng.integers(-1, 2, (items, honest)), 1, 5)
    return np.concatenate([seen, rng.integers(1, 6, (items, 1))], axis=1).astype(float)


@pytest.mark.parametrize("against", ["pairs", "all"])
def test_the_dice_roller_is_dropped(against):
    """κ of dice with one other over 1,000 items has a standard error of 1/√1000 = .03, the mean over others no larger one.

    So 0.2 is six of them off; honest pairs are near .8.
    """
    values = crowd(items=1000)
    table = rater_table(matrix(values), against=against)
    assert [rater.kept for rater in table] == [True] * 5 + [False]
    assert table[-1].why == f"κ {table[-1].kappa:.2f} against the others is below 0.2"
    kept = keep(matrix(values), table)
    assert set(kept.rater.tolist()) == set(range(5))
    assert len(kept) == 5000


def test_kappa_is_the_mean_over_pairs_by_shared_items():
    values = crowd(items=30)
    values[10:, 1] = np.nan  # this one shares 10 items with everybody, the others 30
    values[:, 2] = 3  # constant: no κ with anybody
    table = rater_table(matrix(values))
    scale = np.unique(values[~np.isnan(values)])
    pairs = {other: kappa(values[:, 0], values[:, other], categories=scale) for other in (1, 3, 4, 5)}
    wanted = sum(value * (10 if other == 1 else 30) for other, value in pairs.items()) / 100
    assert table[0].kappa == pytest.approx(wanted)
    assert (table[0].partners, table[0].shared) == (4, 10 + 4 * 30)
    few = rater_table(matrix(values), least=11)
    assert np.isnan(few[1].kappa)
    assert few[0].kappa == pytest.approx(np.mean([pairs[other] for other in (3, 4, 5)]))


def test_who_cannot_be_compared_is_kept_and_says_so():
    values = crowd(items=30)
    values[:, 2] = 3
    extra = np.full((31, 7), np.nan)
    extra[:30, :6], extra[30, 6] = values, 4
    table = rater_table(matrix(extra))
    assert table[2].kept
    assert table[2].why == "κ cannot be computed: too few varied judgements are shared"
    assert np.isnan(table[2].kappa)
    assert table[6].kept
    assert table[6].why == "κ cannot be computed: no item is shared with enough others"
    assert np.isnan(table[6].sd)


def test_attention_checks_drop_and_times_are_medians():
    """Rater y failed one of two checks; z has only checks."""
    ratings = rows(
        "abc", "xyz", ("q",), [0, 1, 2, 0, 1, 2, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1, 2], [1, 2, 3, 1, 2, 3, 9, 9, 9],
        seconds=[4, 5, 9, np.nan, 2, np.nan, 1, 1, 1], check=[np.nan] * 6 + [1, 0, 1],
    )  # fmt: skip
    x, y, z = rater_table(ratings)
    assert (x.n, x.mean, x.sd, x.seconds, x.kept, x.why) == (3, 2, 1, 5, True, "")
    assert (y.n, y.seconds, y.failed, y.checks, y.kept, y.why) == (3, 2, 1, 2, False, "failed 1 of 2 attention checks")
    assert (z.n, z.checks, z.failed, z.kept) == (0, 1, 0, True)
    assert np.isnan([z.mean, z.kappa, z.seconds]).all()
    assert set(keep(ratings, [x, y, z]).rater.tolist()) == {0, 2}


def test_several_qualities_are_weighted_together():
    one, two = crowd(items=20, seed=1), crowd(items=10, seed=2)
    first, second = matrix(one), matrix(two)
    both = rows(
        first.items, first.raters, ("p", "q"), np.r_[first.item, second.item], np.r_[first.rater, second.rater],
        np.r_[first.value, second.value], quality=np.repeat([0, 1], [len(first), len(second)]),
    )  # fmt: skip
    alone = [rater_table(both, qualities=[name]) for name in "pq"]
    for together, a, b in zip(rater_table(both), *alone, strict=True):
        assert together.kappa == pytest.approx((2 * a.kappa + b.kappa) / 3)
        assert together.n == a.n + b.n


def test_rows_without_a_name_stay():
    ratings = rows("ab", "xy", "q", [0, 1, 0, 1, 1], [0, 0, 1, 1, -1], [1, 2, 2, 1, 5])
    table = rater_table(ratings)
    assert not any(rater.kept for rater in table)
    assert keep(ratings, table).value.tolist() == [5]


def test_refusals():
    with pytest.raises(NeedsError, match="not a fixed person"):
        rater_table(matrix([[1, 2]], named=False))
    with pytest.raises(NeedsError, match="two raters or more"):
        rater_table(matrix([[1], [2]]))
    with pytest.raises(NeedsError, match="no two raters judged the same item"):
        rater_table(matrix([[1, np.nan], [np.nan, 2]]))
    with pytest.raises(UnknownName, match="pairs"):
        rater_table(matrix([[1, 2]]), against="none")
    with pytest.raises(UnknownName, match="quality named 'z'"):
        rater_table(matrix([[1, 2]]), qualities=["z"])


@pytest.mark.parametrize("against", ["pairs", "all"])
def test_317_judges(shared_data, against):
    """DSTC7: the filter takes out a good part of the judges, and those left agree far better than all."""
    _, ratings = real(shared_data("turns/dstc7_task2.jsonl.gz"))
    table = rater_table(ratings, against=against)
    assert len(table) == 317
    assert sum(rater.n for rater in table) == len(ratings) == 66_000
    kept = keep(ratings, table)
    before, after = (krippendorff(part.of("relevance"), resamples=0).alpha for part in (ratings, kept))
    assert 0.3 * len(ratings) < len(kept) < 0.7 * len(ratings)
    assert after > 2 * before
