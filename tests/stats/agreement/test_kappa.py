"""Cohen's κ against scikit-learn, pairs against plain loops, and what is undefined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from dialometer.core.errors import DataError, NeedsError, UnknownName, UsageError
from dialometer.stats.agreement import kappa as module
from dialometer.stats.agreement.kappa import RaterPairs, kappa, middle, pair_kappas, share_above
from tests.stats.rating_tables import matrix, real, rows

SCALE = [1, 2, 3, 4, 5]
OURS = {"quadratic": "quadratic", "linear": "linear", "none": None}  # our name → scikit-learn's


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30), st.sampled_from(list(OURS)))
def test_equals_scikit_learn(pairs, weights):
    a, b = np.array(pairs).T
    found = kappa(a, b, weights=weights, categories=SCALE)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(cohen_kappa_score(a, b, labels=SCALE, weights=OURS[weights]), abs=1e-12)


def test_the_table_of_cohen_1960():
    """Cohen (1960), "A coefficient of agreement for nominal scales", table 1: proportions out of 200, printed κ .492."""
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    a, b = np.repeat(np.indices((3, 3)).reshape(2, -1), table.ravel(), axis=1)
    assert kappa(a, b, weights="none") == pytest.approx(0.492, abs=5e-4)


def test_places_on_the_scale_count_not_values():
    """Values 1, 2, 10 are the places 0, 1, 2; a declared scale puts other places between."""
    a, b = np.array([1, 2, 10, 10, 1]), np.array([1, 10, 2, 10, 2])
    assert kappa(a, b) == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert kappa(a, b, categories=range(1, 11)) != pytest.approx(kappa(a, b))


def test_undefined():
    assert np.isnan(kappa(np.array([3, 3, 3]), np.array([1, 2, 3])))
    assert np.isnan(kappa(np.array([3, 3, 3]), np.array([3, 3, 3])))  # perfect agreement of constants says nothing
    assert np.isnan(kappa(np.array([1.0, np.nan]), np.array([1.0, 2.0])))
    assert np.isnan(kappa(np.array([]), np.array([])))
    assert kappa(np.array([1, np.nan, 2, 4]), np.array([1, 5, 2, np.nan])) == 1


def holes(items, raters, share, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, (items, raters)).astype(float)
    values[rng.random((items, raters)) > share] = np.nan
    return values


@pytest.mark.parametrize("weights", OURS)
@pytest.mark.parametrize("piece", [module.PIECE, 12])
def test_pairs_equal_plain_loops(weights, piece, monkeypatch):
    """Also when pairs are counted a few at a time."""
    monkeypatch.setattr(module, "PIECE", piece)
    values = holes(40, 9, 0.3)
    found = pair_kappas(matrix(values), weights=weights)
    seen = {(int(a), int(b)): place for place, (a, b) in enumerate(zip(found.a, found.b, strict=True))}
    wanted = {}
    for a in range(9):
        for b in range(a + 1, 9):
            both = ~np.isnan(values[:, [a, b]]).any(axis=1)
            if both.any():
                wanted[a, b] = values[both][:, [a, b]].T
    assert seen.keys() == wanted.keys()
    for pair, (x, y) in wanted.items():
        place = seen[pair]
        assert found.n[place] == len(x)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(found.kappa[place])
            assert np.isnan(found.spearman[place])
        else:
            assert found.kappa[place] == pytest.approx(cohen_kappa_score(x, y, labels=SCALE, weights=OURS[weights]))
            assert found.spearman[place] == pytest.approx(stats.spearmanr(x, y).statistic)


def test_of_repeats_the_first_counts():
    once = rows("ab", "xy", "q", [0, 1, 0, 1], [0, 0, 1, 1], [1, 2, 1, 2])
    twice = rows("ab", "xy", "q", [0, 1, 0, 0, 1], [0, 0, 0, 1, 1], [1, 2, 5, 1, 2])
    assert pair_kappas(twice, categories=SCALE).repeats == 1
    assert pair_kappas(twice, categories=SCALE).kappa == pair_kappas(once, categories=SCALE).kappa == [1.0]


def test_judgements_without_a_name_are_counted_and_left_out():
    some = rows("ab", "xy", "q", [0, 1, 0, 1, 1], [0, 0, 1, 1, -1], [1, 2, 1, 2, 5])
    assert pair_kappas(some).unknown == 1
    assert pair_kappas(some).kappa.tolist() == [1.0]


def test_shares_and_medians():
    values = np.array([0.2, 0.5, np.nan, 0.9])
    shares = share_above(RaterPairs(*np.zeros((3, 4), int), values, values, 0, 0))
    assert [(share.threshold, share.count, share.pairs) for share in shares[:2]] == [(0.2, 2, 3), (0.3, 2, 3)]
    assert shares[-1].share == pytest.approx(1 / 3)
    assert middle(values) == 0.5
    assert np.isnan(middle(np.array([np.nan])))


def test_refusals_name_the_way_out():
    with pytest.raises(NeedsError, match="column i of a rating list is not a fixed person") as caught:
        pair_kappas(matrix([[1, 2], [3, 4]], named=False))
    assert "Krippendorff" in caught.value.hint
    with pytest.raises(NeedsError, match="two raters or more"):
        pair_kappas(matrix([[1], [2]]))
    with pytest.raises(NeedsError, match="none of 2 is such"):
        pair_kappas(matrix([[1, np.nan], [np.nan, 2]]))
    with pytest.raises(NeedsError, match="there are none"):
        pair_kappas(matrix(np.full((2, 2), np.nan)))
    with pytest.raises(DataError, match="a rating of 6 is not on the declared scale"):
        pair_kappas(matrix([[1, 6], [2, 2]]), categories=SCALE)
    with pytest.raises(UnknownName, match="quadratic"):
        kappa(np.array([1, 2]), np.array([1, 2]), weights="cubic")
    two = rows("a", "xy", ("p", "q"), [0, 0], [0, 1], [1, 2], quality=[0, 1])
    with pytest.raises(UsageError, match="2 qualities"):
        pair_kappas(two)


def test_real_pairs(shared_data):
    """Five raters of USR TopicalChat, three on each item: all ten pairs, each as scikit-learn has it."""
    _, ratings = real(shared_data("turns/usr_topicalchat.jsonl.gz"))
    overall = ratings.of("Overall")
    found = pair_kappas(overall)
    assert len(found.a) == 10
    table = np.full((len(ratings.items), 5), np.nan)
    table[overall.item, overall.rater] = overall.value
    for a, b, n, value in zip(found.a, found.b, found.n, found.kappa, strict=True):
        x, y = table[~np.isnan(table[:, [a, b]]).any(axis=1)][:, [a, b]].T
        assert n == len(x)
        assert value == pytest.approx(cohen_kappa_score(x, y, labels=SCALE, weights="quadratic"))
    assert middle(found.kappa) == pytest.approx(0.683, abs=5e-4)
