"""Tf-idf vectors and rankings against scikit-learn, on real conversations."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError
from dialometer.text.corpus import Rows
from dialometer.text.retrieval.tfidf_index import TfidfIndex, TfidfSpace, cosines
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from tests.real import lines

TOK = tokeniser("words")


@pytest.fixture(scope="module")
def talks(shared_data):
    rows = lines(shared_data("corpora/dailydialog.jsonl.gz"))[:300]
    return [[turn["text"] for turn in row["turns"]] for row in rows]


@pytest.fixture(scope="module")
def parts(talks):
    texts = [text for talk in talks for text in talk]
    starts = np.concatenate([[0], np.cumsum([len(talk) for talk in talks])])
    return texts, build_table(Texts.of(texts), TOK), Rows(starts, np.arange(len(texts), dtype=np.int32))


def by_sklearn(talks, how):
    """A vectoriser of the same tokens and frequencies; the paper's formula is scikit-learn's plain one less 1."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    made = text.TfidfVectorizer(
        tokenizer=TOK.tokens, token_pattern=None, lowercase=False, smooth_idf=how == "smooth", dtype=np.float64
    ).fit([" ".join(talk) for talk in talks])
    if how == "paper":
        made.idf_ = made.idf_ - 1
    return made


@pytest.mark.oracle
@pytest.mark.parametrize("how", ["paper", "smooth"])
def test_cosines_and_rankings_are_scikit_learns(talks, parts, how):
    from sklearn.metrics.pairwise import linear_kernel

    texts, table, rows = parts
    theirs = by_sklearn(talks, how)
    space = TfidfSpace.of(table, rows, how)
    single = Rows(np.arange(len(texts) + 1), np.arange(len(texts), dtype=np.int32))
    index = TfidfIndex.of(space, table, single, np.arange(len(texts)))
    contexts = Rows.of([range(start, start + 3) for start in range(0, 600, 2)])
    joined = [" ".join(texts[row] for row in contexts.rows[a : a + 3]) for a in contexts.starts[:-1]]
    wanted = linear_kernel(theirs.transform(joined), theirs.transform(texts))
    vectors = space.vectors(table, contexts)
    np.testing.assert_allclose((vectors @ index.by_document.T).toarray(), wanted, atol=1e-12)
    docs, scores = index.search(vectors, 10)
    order = np.argsort(-wanted.round(12), axis=1, kind="stable")[:, :10]
    np.testing.assert_allclose(scores, np.take_along_axis(wanted, order, axis=1), atol=1e-12)
    assert (docs == order).mean() > 0.999  # equal cosines may differ in their last digit
    np.testing.assert_allclose(np.take_along_axis(wanted, docs, axis=1), scores, atol=1e-12)
    which = np.stack([np.arange(300), np.arange(300) + 7], axis=1)
    np.testing.assert_allclose(
        cosines(vectors, index.by_document, which), np.take_along_axis(wanted, which, axis=1), atol=1e-12
    )


def test_by_hand():
    """N = 2; tea is in both conversations and weighs nothing, cup ln 2; (2 ln 2, ln 2) / (√5 ln 2) for two cups and a saucer."""
    table = build_table(Texts.of(["tea cup cup saucer", "tea"]), TOK)
    space = TfidfSpace.of(table, Rows.of([[0], [1]]))
    assert sorted(space.words) == ["cup", "saucer"]
    assert space.idf.round(6).tolist() == [0.693147, 0.693147]
    matrix = space.vectors(table, Rows.of([[0], [1], []])).toarray()
    assert dict(zip(space.words, matrix[0].round(6).tolist(), strict=True)) == {"cup": 0.894427, "saucer": 0.447214}
    assert not matrix[1:].any()


def test_one_conversation_weighs_nothing_and_says_so():
    table = build_table(Texts.of(["tea", "cake"]), TOK)
    with pytest.raises(NeedsError, match="all of the 1 conversations") as refused:
        TfidfSpace.of(table, Rows.of([[0, 1]]))
    assert "idf=smooth" in str(refused.value)
    assert len(TfidfSpace.of(table, Rows.of([[0, 1]]), "smooth").words) == 2
