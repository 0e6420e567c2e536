"""Inner folds: whole documents, even, and the same wherever a row stands."""

import numpy as np

from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits

DOCUMENTS = [f"context {i % 23}" for i in range(230)]


def test_a_document_is_never_on_both_sides():
    names = np.array(DOCUMENTS)
    for learn, test in train_test_splits(inner_folds(DOCUMENTS, 5, seed=3)):
        assert not set(names[learn]) & set(names[test])
        assert len(learn) + len(test) == len(names)
        assert 40 <= len(test) <= 50  # 4 or 5 of 23 documents


def test_order_and_seed():
    numbers = inner_folds(DOCUMENTS, 5, seed=3)
    assert inner_folds(DOCUMENTS[::-1], 5, seed=3).tolist() == numbers[::-1].tolist()
    assert inner_folds(DOCUMENTS, 5, seed=4).tolist() != numbers.tolist()


def test_fewer_documents_than_folds():
    assert sorted(set(inner_folds(["a", "b", "a"], 5).tolist())) == [0, 1]
