"""The nearest documents by postings: what a full matrix product ranks, whatever is left out on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialometer.text.corpus import Rows
from dialometer.text.retrieval import tfidf_index
from dialometer.text.retrieval.tfidf_index import TfidfIndex, TfidfSpace
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from tests.kernels.test_jit import both_ways

COMMON, RARE = "a b c d e".split(), [f"w{i}" for i in range(40)]
word = st.one_of(st.sampled_from(COMMON), st.sampled_from(RARE))
text = st.lists(word, max_size=9).map(" ".join)


def made(texts, replies, how="smooth"):
    """An index of texts, each a conversation of its own."""
    table = build_table(Texts.of(texts), tokeniser("whitespace"))
    rows = Rows(np.arange(len(texts) + 1), np.arange(len(texts), dtype=np.int32))
    space = TfidfSpace.of(table, rows, how)
    return TfidfIndex.of(space, table, rows, np.asarray(replies))


def asked(index, texts):
    table = build_table(Texts.of(texts), tokeniser("whitespace"))
    return index.space.vectors(table, Rows(np.arange(len(texts) + 1), np.arange(len(texts), dtype=np.int32)))


def by_matrix(index, queries, k, left):
    """All products, sorted: the k best documents of different replies and their scores."""
    whole = (queries @ index.by_document.T).toarray()
    found = []
    for row, scores in enumerate(whole):
        gone = set(left.rows[left.starts[row] : left.starts[row + 1]].tolist())
        ranked, replies = [], set()
        for doc in sorted(range(len(scores)), key=lambda doc: (-round(scores[doc], 12), doc)):
            if doc not in gone and int(index.reply[doc]) not in replies:
                replies.add(int(index.reply[doc]))
                ranked.append((doc, scores[doc]))
        found.append(ranked[:k])
    return found


def retrievals():
    """Small searches that reach every branch, for the test that runs all kernels in both ways."""
    index = made(["a a w1", "a b", "b b b a", "w1 w2 a", "c", "w2 a b", ""], [0, 1, 2, 3, 0, 5, 6])
    left = Rows.of([[0], [], [1, 2], [], []])
    return index.search(asked(index, ["w1 a", "a", "b a", "none", "w2 w1 c"]), 3, left)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(text, st.integers(0, 6)), min_size=2, max_size=40),
    st.lists(text, min_size=1, max_size=4),
    st.integers(1, 5),
    st.sampled_from([(0,), (2, 0), (100, 25, 8, 0), (6, 3, 1, 0)]),
    st.data(),
)
def test_the_ranking_is_that_of_the_whole_product(documents, queries, k, levels, data):
    if not any(text for text, _ in documents):
        documents = [*documents, ("a", 0)]
    index = made(*map(list, zip(*documents, strict=True)))
    left = Rows.of([sorted(data.draw(st.sets(st.integers(0, len(documents) - 1), max_size=3))) for _ in queries])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tfidf_index, "COMMON", levels)
        vectors = asked(index, queries)
        docs, scores = index.search(vectors, k, left)
    for row, wanted in enumerate(by_matrix(index, vectors, k, left)):
        found = [(doc, score) for doc, score in zip(docs[row].tolist(), scores[row].tolist(), strict=True) if doc >= 0]
        assert len(found) == len(wanted)
        np.testing.assert_allclose([score for _, score in found], [score for _, score in wanted], atol=1e-12)
        whole = (vectors[row] @ index.by_document.T).toarray()[0]
        assert len({int(index.reply[doc]) for doc, _ in found}) == len(found)
        for (mine, score), (theirs, _) in zip(found, wanted, strict=True):
            assert mine == theirs or abs(whole[mine] - whole[theirs]) < 1e-12, "another document, and not for a tie"
            assert score == pytest.approx(whole[mine], abs=1e-12)


def test_company_and_what_is_left_out_change_no_bit():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(COMMON + RARE, 12, p=[0.15] * 5 + [0.25 / 40] * 40)) for _ in range(400)]
    index = made(texts, np.arange(400))
    queries = asked(index, texts[:50])
    docs, scores = index.search(queries, 4)
    for row in (0, 17, 49):
        alone = index.search(queries[row], 4)
        assert alone[0].tolist() == docs[row : row + 1].tolist()
        assert alone[1].tobytes() == scores[row : row + 1].tobytes()


def test_equal_scores_come_in_order_and_strangers_last():
    index = made(["tea", "tea", "cake", "tea"], [0, 1, 2, 1])
    docs, scores = index.search(asked(index, ["tea", "nothing known"]), 4)
    assert docs.tolist() == [[0, 1, 2, -1], [0, 1, 2, -1]]
    assert scores[0].round(9).tolist() == [1, 1, 0, 0]
    assert not scores[1].any()


def test_both_ways_of_running_agree():
    seen = set()
    with both_ways(seen):
        retrievals()
    assert {function.__name__ for function in seen} == {"nearest"}
