"""Document frequencies: against a Counter, and the sum of parts against the whole."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.metrics._cider.document_frequency import document_tree, frequencies, merge_trees
from dialometer.text.corpus import Rows
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from tests.text.nasty import word_lists

TOK = tokeniser("whitespace")
documents = st.lists(word_lists, min_size=1, max_size=5)


def tree_of(docs, order):
    """A tree over documents, each a list of texts."""
    texts = [text for doc in docs for text in doc]
    ends = np.cumsum([0, *map(len, docs)]).tolist()
    rows = Rows.of([list(range(a, b)) for a, b in zip(ends[:-1], ends[1:], strict=True)])
    return document_tree(build_table(Texts.of(texts), TOK), rows, order)


def grams(text, n):
    words = text.split()
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def oracle(docs, order):
    counts = Counter()
    for doc in docs:
        counts.update({gram for text in doc for n in range(1, order + 1) for gram in grams(text, n)})
    return counts


def check(tree, docs, asked, order):
    """Look the asked texts up in the tree; every n-gram must have the oracle's count."""
    table = build_table(Texts.of(asked), TOK)
    counts, at = frequencies(tree, table, np.arange(len(asked)), order)
    wanted = oracle(docs, order)
    assert int(tree["documents"][0]) == len(docs)
    for row, text in enumerate(asked):
        for n in range(1, order + 1):
            for i, gram in enumerate(grams(text, n)):
                assert counts[at[row] + i * order + n - 1] == wanted[gram], (text, gram)


@given(documents, word_lists, st.integers(1, 5))
def test_counts(docs, asked, order):
    check(tree_of(docs, order), docs, asked + docs[0] + ["x a x b"], order)


@given(st.lists(documents, min_size=1, max_size=4), word_lists, st.integers(1, 4))
def test_parts_add_up_to_the_whole(parts, asked, order):
    merged = merge_trees([tree_of(docs, order) for docs in parts])
    whole = [doc for docs in parts for doc in docs]
    check(merged, whole, asked + whole[0], order)
    assert len(merged["parents"]) == len(tree_of(whole, order)["parents"])


@pytest.mark.parametrize("order", [1, 4])
def test_real_references_in_parts(order, real_pairs):
    """Enough n-grams that trees outgrow the room they start with."""
    _, docs = real_pairs(3000, many=True)
    merged = merge_trees([tree_of(docs[a : a + 500], order) for a in range(0, 3000, 500)])
    check(merged, docs, [text for doc in docs[:200] for text in doc], order)
