"""MACE against crowd-kit from the same start, the likelihood by plain loops, planted spammers, and orders that do not matter."""

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import MACE

from dialometer.core.errors import NeedsError, UnknownName, UsageError
from dialometer.stats.agreement import mace as module
from dialometer.stats.agreement.consensus import labels_of
from dialometer.stats.agreement.mace import MaceModel, mace, random_start
from tests.stats.rating_tables import matrix, real, rows, shuffled

pytestmark = pytest.mark.filterwarnings("ignore:::crowdkit")


def simulate(items=150, raters=10, per_item=4, size=4, spammers=3, seed=0):
    """Raters who know the truth 80% of the time; the first few never do."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, size, items)
    values = np.full((items, raters), np.nan)
    for item in range(items):
        for rater in rng.choice(raters, per_item, replace=False):
            knows = rng.random() < (0.8 if rater >= spammers else 0.0)
            values[item, rater] = truth[item] if knows else rng.integers(0, size)
    return values, truth


def by_first_seen(ratings):
    """Raters and values renamed in the order of their first rows.

    crowd-kit numbers them so, but puts the habits of an M-step in sorted order: only where both orders are the same are the
    two halves of its model about the same people.
    """
    rater, value = (pd.factorize(column)[0] for column in (ratings.rater, ratings.value))
    names = tuple(f"r{n:04d}" for n in range(rater.max() + 1))
    return rows(ratings.items, names, ratings.qualities, ratings.item, rater, value)


def peer(ratings, method, iterations):
    """crowd-kit's model after so many iterations, its start, its log likelihood, and its posteriors."""
    frame = pd.DataFrame({"task": ratings.item, "worker": ratings.rater, "label": ratings.value.astype(int)})
    model = MACE(n_restarts=1, n_iter=iterations, method=method, random_state=5)
    size = int(ratings.value.max()) + 1
    model._initialize(len(ratings.raters), size)
    start = model.spamming_.copy(), model.thetas_.copy()
    model.fit(frame)
    codes = [pd.factorize(frame[name]) for name in ("task", "worker", "label")]
    joint = model._e_step(frame, *(names for _, names in codes), *(code for code, _ in codes))[1]
    likelihood = np.log(joint.to_numpy().sum(axis=1)).sum()  # crowd-kit adds 1e-8 to each; with many raters that matters
    return model, start, likelihood, model.probas_.sort_index()[list(range(size))].to_numpy()


@pytest.mark.parametrize("method", ["vb", "em"])
@pytest.mark.parametrize("iterations", [0, 1, 20])
def test_the_same_start_leads_where_crowd_kit_goes(method, iterations):
    ratings = by_first_seen(matrix(simulate()[0]))
    theirs, start, likelihood, posterior = peer(ratings, method, iterations)
    model = MaceModel(labels_of(ratings, "MACE"), method)
    ((found, at),) = model.climb([start], iterations)
    assert found == pytest.approx(likelihood, rel=1e-9)
    np.testing.assert_allclose(at[0], theirs.spamming_, rtol=1e-6)
    np.testing.assert_allclose(at[1], theirs.thetas_, rtol=1e-6)
    np.testing.assert_allclose(model.posterior(at), posterior, atol=1e-9)


@pytest.mark.parametrize("method", ["vb", "em"])
def test_real_labels_are_crowd_kits(shared_data, method):
    """317 judges of DSTC7: the same likelihood, and the same label wherever the two best differ by more than 0.01."""
    ratings = by_first_seen(real(shared_data("turns/dstc7_task2.jsonl.gz"))[1].of("relevance"))
    _, start, likelihood, posterior = peer(ratings, method, 15)
    model = MaceModel(labels_of(ratings, "MACE"), method)
    ((found, at),) = model.climb([start], 15)
    assert found == pytest.approx(likelihood, rel=1e-9)
    ours = model.posterior(at)
    best = np.sort(posterior, axis=1)
    clear = best[:, -1] - best[:, -2] > 0.01
    assert clear.mean() > 0.95
    assert (ours.argmax(axis=1) == posterior.argmax(axis=1))[clear].all()


def test_likelihood_by_plain_loops():
    """Σ over items of log Σ over labels of 1/K Π over judgements of (1 − θ) ξ(a) + θ [a = t]; one label nobody ever gave."""
    values = np.array([[1, 1, 3], [3, np.nan, 1], [np.nan, 3, 3], [1, 3, np.nan]])
    ratings = matrix(values)
    model = MaceModel(labels_of(ratings, "MACE", [1, 2, 3]), "em")
    knows, habit = random_start(np.arange(3), 3, 9)
    wanted = 0.0
    for row in values:
        joint = np.full(3, 1 / 3)
        for rater in np.flatnonzero(~np.isnan(row)):
            label = int(row[rater]) - 1
            joint *= knows[rater, 0] * habit[rater, label] + knows[rater, 1] * (np.arange(3) == label)
        wanted += np.log(joint.sum())
    assert model.likelihood((knows, habit)) == pytest.approx(wanted, rel=1e-12)
    assert model.posterior((knows, habit)).sum(axis=1) == pytest.approx(np.ones(4))


def test_products_and_sums_of_logs_are_the_same(monkeypatch):
    ratings = matrix(simulate()[0])
    usual = mace(ratings, restarts=2)
    monkeypatch.setattr(module, "LARGE", -1.0)
    other = mace(ratings, restarts=2)
    assert other.likelihood == pytest.approx(usual.likelihood, rel=1e-12)
    np.testing.assert_allclose(other.labels.posterior, usual.labels.posterior, atol=1e-9)


def test_a_crowd_that_agrees_does_not_overflow():
    """2,000 judges who all say the same of an item: odds far beyond a float."""
    values = np.repeat([[1.0], [2.0]], 2000, axis=1)
    found = mace(matrix(values), restarts=1)
    assert found.labels.value.tolist() == [1, 2]
    assert np.isfinite(found.likelihood)
    assert found.labels.entropy == pytest.approx([0, 0])


@pytest.mark.parametrize("method", ["vb", "em"])
def test_planted_spammers_get_low_competence(method):
    """With about 480 judgements each, θ has a standard error of √(.85 · .15 / 480) / .75 = .02 at .8 and .03 at 0.

    So 0.6 and 0.3 are nine of them off or more. The labels gain 6 points over the majority of four (mean of eight seeds); they
    differ from it in a tenth of 1,200 items, so that the gain has a standard error of √(.1 / 1200) = .009.
    """
    values, truth = simulate(items=1200, seed=3)
    found = mace(matrix(values), method=method)
    assert found.competence[:3].max() < 0.3
    assert found.competence[3:].min() > 0.6
    majority = np.array([np.bincount(row[~np.isnan(row)].astype(int), minlength=4).argmax() for row in values])
    assert (found.labels.value == truth).mean() > (majority == truth).mean()


def test_order_does_not_matter():
    ratings = matrix(simulate()[0])
    other, items, raters = shuffled(ratings)
    usual, moved = mace(ratings, restarts=3), mace(other, restarts=3)
    np.testing.assert_allclose(moved.competence, usual.competence[raters], rtol=1e-6)
    np.testing.assert_allclose(moved.labels.posterior, usual.labels.posterior[items], atol=1e-8)


def test_seed_decides_and_the_best_of_several_starts_is_kept():
    ratings = matrix(simulate(items=40, per_item=3)[0])
    one, again, other = (mace(ratings, restarts=1, iterations=3, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.competence, again.competence)
    assert one.likelihood != other.likelihood
    few, many = (mace(ratings, restarts=n, iterations=3, seed=1).likelihood for n in (1, 10))
    assert many > few


def test_what_nobody_judged_has_no_label():
    """Values need not be 0 … K − 1; an item without judgements, and a rater without, have NaN."""
    values = np.array([[10, 10, np.nan], [50, 50, np.nan], [np.nan] * 3])
    found = mace(matrix(values))
    np.testing.assert_array_equal(found.labels.value, [10, 50, np.nan])
    assert np.isnan(found.competence).tolist() == [False, False, True]
    assert np.isnan(found.labels.entropy).tolist() == [False, False, True]
    some = rows("ab", "xy", "q", [0, 0, 1], [0, 1, -1], [1, 1, 2])
    assert np.isnan(mace(some).labels.value).tolist() == [False, True]
    assert mace(some).unknown == 1


def test_refusals():
    with pytest.raises(NeedsError, match="MACE needs to know who judged"):
        mace(matrix([[1, 2]], named=False))
    with pytest.raises(UnknownName, match="vb"):
        mace(matrix([[1, 2]]), method="gibbs")
    with pytest.raises(UsageError, match="one start"):
        mace(matrix([[1, 2]]), restarts=0)
