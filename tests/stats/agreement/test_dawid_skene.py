"""Dawid–Skene against crowd-kit, the likelihood by plain loops, and planted spammers."""

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import DawidSkene as Peer

from dialometer.core.errors import NeedsError
from dialometer.stats.agreement.dawid_skene import dawid_skene
from tests.stats.agreement.test_mace import simulate
from tests.stats.rating_tables import matrix, real, rows, shuffled

pytestmark = pytest.mark.filterwarnings("ignore:::crowdkit")


def peer(ratings, iterations):
    """crowd-kit after so many iterations, whatever its loss does: it counts the prior once per judgement."""
    frame = pd.DataFrame({"task": ratings.item, "worker": ratings.rater, "label": ratings.value})
    return Peer(n_iter=iterations, tol=-np.inf).fit(frame)


@pytest.mark.parametrize("iterations", [1, 2, 20])
def test_equals_crowd_kit(iterations):
    ratings = matrix(simulate()[0])
    found, theirs = dawid_skene(ratings, iterations=iterations, tolerance=-np.inf), peer(ratings, iterations)
    assert found.iterations == iterations
    order = sorted(theirs.probas_.columns)
    np.testing.assert_allclose(found.labels.posterior, theirs.probas_.sort_index()[order], atol=1e-7)
    np.testing.assert_allclose(found.prior, theirs.priors_[order], atol=1e-7)
    for (worker, label), row in theirs.errors_.iterrows():
        np.testing.assert_allclose(found.errors[worker, int(label)], row[order], atol=1e-7)


def test_real_labels_are_crowd_kits(shared_data):
    ratings = real(shared_data("turns/dstc7_task2.jsonl.gz"))[1].of("informativeness")
    found, theirs = dawid_skene(ratings, iterations=10, tolerance=-np.inf), peer(ratings, 10)
    posterior = theirs.probas_.sort_index()[sorted(theirs.probas_.columns)].to_numpy()
    best = np.sort(posterior, axis=1)
    clear = best[:, -1] - best[:, -2] > 0.01
    assert clear.mean() > 0.9
    assert (found.labels.posterior.argmax(axis=1) == posterior.argmax(axis=1))[clear].all()


def test_likelihood_grows():
    ratings = matrix(simulate(seed=2)[0])
    path = [dawid_skene(ratings, iterations=n, tolerance=-np.inf).likelihood for n in range(1, 30)]
    assert np.diff(path).min() > -1e-9
    stopped = dawid_skene(ratings, iterations=1000)
    assert stopped.iterations < 1000
    assert stopped.likelihood >= path[0]


def test_likelihood_by_plain_loops():
    """Σ over items of log Σ over truths of prior Π errors, at the parameters of the majority vote."""
    values = np.array([[1, 1, 2], [2, 2, 2], [1, 2, np.nan]])
    votes = np.array([[2 / 3, 1 / 3], [0, 1], [1 / 2, 1 / 2]])
    errors = np.zeros((3, 2, 2))
    for item, rater in zip(*np.nonzero(~np.isnan(values)), strict=True):
        errors[rater, int(values[item, rater]) - 1] += votes[item]
    errors = np.maximum(errors, 1e-10)
    errors /= errors.sum(axis=1, keepdims=True)
    wanted = 0.0
    for row in values:
        joint = votes.mean(axis=0).copy()
        for rater in np.flatnonzero(~np.isnan(row)):
            joint *= errors[rater, int(row[rater]) - 1]
        wanted += np.log(joint.sum())
    assert dawid_skene(matrix(values), iterations=1).likelihood == pytest.approx(wanted, rel=1e-6)


def test_planted_spammers_have_low_accuracy():
    """A spammer over four labels is right in 25%, the others in 85%; 240 judgements each give standard errors below .03.

    So 0.6 is more than eight of them from either, and 0.8 of the labels more than five of √(.9 · .1 / 600) from the true share.
    """
    values, truth = simulate(items=600, seed=3)
    found = dawid_skene(matrix(values))
    assert found.competence[:3].max() < 0.6 < found.competence[3:].min()
    assert (found.labels.value == truth).mean() > 0.8


def test_order_does_not_matter():
    ratings = matrix(simulate()[0])
    other, items, raters = shuffled(ratings)
    usual, moved = dawid_skene(ratings), dawid_skene(other)
    np.testing.assert_allclose(moved.competence, usual.competence[raters], rtol=1e-6)
    np.testing.assert_allclose(moved.labels.posterior, usual.labels.posterior[items], atol=1e-7)


def test_what_nobody_judged():
    found = dawid_skene(matrix([[10, 10, np.nan], [50, 50, np.nan], [np.nan] * 3]))
    np.testing.assert_array_equal(found.labels.value, [10, 50, np.nan])
    assert np.isnan(found.competence).tolist() == [False, False, True]
    assert dawid_skene(rows("ab", "xy", "q", [0, 0, 1], [0, 1, -1], [1, 1, 2])).unknown == 1
    with pytest.raises(NeedsError, match="Dawid–Skene needs to know who judged"):
        dawid_skene(matrix([[1, 2]], named=False))
