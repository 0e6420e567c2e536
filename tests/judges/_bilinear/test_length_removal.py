"""Censored vectors say nothing of length to a linear probe, and keep the rest."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GroupKFold, cross_val_predict

from dialometer.core.registry import create
from dialometer.judges._bilinear.length_removal import Censor
from dialometer.text.vectors.sentences import sentence_vectors
from tests.judges.rated_sets import rated


def _explained(vectors, lengths, groups):
    """1 − error of a cross-validated linear probe for ln(1 + length) / its variance; the mean has 0, chance no more."""
    logs = np.log1p(lengths)
    probe = RidgeCV(alphas=np.logspace(-1, 3, 5))
    said = cross_val_predict(probe, vectors, logs, groups=groups, cv=GroupKFold(10))
    return 1 - np.mean((said - logs) ** 2) / logs.var()


@pytest.fixture(scope="module")
def responses(shared_data):
    """Sentence vectors of real responses, their words, and their contexts."""
    corpus, _ = rated(shared_data("turns/zhao_dailydialog.jsonl.gz"), "appropriateness")
    vectors = sentence_vectors(corpus, create("encoder", "minilm"), corpus.response)
    return vectors.astype(np.float64), corpus.table("words").lengths()[corpus.response], list(corpus.documents)


def test_a_linear_probe_reads_the_length_before_and_not_after(responses):
    vectors, words, groups = responses
    assert _explained(vectors, words, groups) > 0.6
    assert _explained(Censor.fit(vectors, words).apply(vectors), words, groups) < 0.02


def test_unseen_texts_lose_most_of_it(responses):
    """A censor of one half of the contexts, a probe inside the other half."""
    vectors, words, groups = responses
    number = {name: place % 2 for place, name in enumerate(dict.fromkeys(groups))}
    half = np.array([number[name] == 0 for name in groups])
    rest = np.array(groups)[~half]
    before = _explained(vectors[~half], words[~half], rest)
    after = _explained(Censor.fit(vectors[half], words[half]).apply(vectors[~half]), words[~half], rest)
    assert after < 0.4 * before


def test_little_else_changes(responses):
    vectors, words, _ = responses
    made = Censor.fit(vectors, words).apply(vectors)
    assert np.sum((made - made.mean(0)) ** 2) > 0.9 * np.sum((vectors - vectors.mean(0)) ** 2)
    np.testing.assert_allclose(made.mean(0), vectors.mean(0), atol=1e-12)


def test_twice_is_once_and_covariance_is_gone():
    rng = np.random.default_rng(0)
    vectors, lengths = rng.normal(size=(60, 7)), rng.integers(0, 30, (60, 2))
    censor = Censor.fit(vectors, lengths)
    once = censor.apply(vectors)
    np.testing.assert_allclose(censor.apply(once), once, atol=1e-12)
    assert censor.basis.shape == (7, 2)
    logs = np.log1p(lengths)
    assert np.abs((once - once.mean(0)).T @ (logs - logs.mean(0))).max() < 1e-10


def test_equal_lengths_leave_vectors_alone():
    vectors = np.random.default_rng(1).normal(size=(9, 4))
    np.testing.assert_array_equal(Censor.fit(vectors, np.full(9, 5)).apply(vectors), vectors)
