"""Retrieved references: the rule by hand, scikit-learn's tf-idf as oracle, and real items in any order."""

import numpy as np
import pytest

from dialometer.core.types import Example, Turn
from dialometer.data import examples
from dialometer.text.retrieval.pseudo_references import retrieve_references
from dialometer.text.tokenisers.base import tokeniser


def item(name, context, *references, response="no idea", group=""):
    turns = tuple(Turn("", text) for text in context.split("|") if text)
    return Example(name, turns, response, references, "s", group)


def test_the_rule_by_hand():
    items = [
        item("a", "do you like tea ?", "yes , tea", response="Of  course"),
        item("b", "do you like green tea ?", "of course", "green tea , yes"),  # its first text is a's response
        item("c", "do you like tea and milk ?", "yes , tea", "milk , please"),  # its first text is a's reference
        item("d", "where is the station ?", "over there"),  # shares the question mark only
        item("e", "rain again", "terrible"),  # shares nothing
    ]
    found = retrieve_references(items, 4)
    assert found.references[0] == ("green tea , yes", "milk , please", "over there")
    assert found.sources[0] == ("b", "c", "d")
    assert list(found.similarities[0]) == sorted(found.similarities[0], reverse=True)
    assert found.references[4] == ()
    assert (found.no_context, found.short) == (0, 5)
    assert retrieve_references(items, 1).references[0] == ("green tea , yes",)


def test_ties_go_by_id_and_a_context_gives_one_text_once():
    asks = item("x", "good morning", "morning")
    others = [item(name, "good evening", f"text of {name}", "shared", group=name) for name in "dbca"]
    found = retrieve_references([asks], 3, pool=others)
    assert found.sources == (("a", "b", "c"),)
    assert found.references == (("text of a", "text of b", "text of c"),)
    assert len(retrieve_references([asks], 3, pool=[item("a", "good evening", "one", "two")]).references[0]) == 1


def test_nothing_comes_from_the_items_own_document():
    items = [item("1", "good morning", "hi", group="g"), item("2", "good morning|hi", "hello", group="g")]
    assert retrieve_references(items, 2).references == ((), ())
    assert retrieve_references(items, 2).short == 2


def test_items_without_a_context_get_nothing_and_are_counted():
    items = [item("1", "", "hi"), item("2", " ", "hi"), item("3", "hi there", "hello"), item("4", "hi", "hey")]
    found = retrieve_references(items, 1)
    assert found.references == ((), (), ("hey",), ("hello",))
    assert (found.no_context, found.short) == (2, 0)
    assert retrieve_references(items, 0).references == ((), (), (), ())
    assert retrieve_references([], 3).references == ()


@pytest.fixture(scope="module")
def rated(shared_data):
    return list(examples(shared_data("turns/zhao_dailydialog.jsonl.gz")))


@pytest.mark.oracle
def test_similarities_are_scikit_learns(rated):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    contexts = {e.document: [turn.text for turn in e.context] for e in rated}
    vectors = text.TfidfVectorizer(tokenizer=tokeniser("words").split, lowercase=False, token_pattern=None)
    matrix = vectors.fit_transform(["\n".join(turns) for turns in contexts.values()])
    cosines = (matrix @ matrix.T).toarray()
    np.fill_diagonal(cosines, 0)  # one context, one document
    row = {document: number for number, document in enumerate(contexts)}
    by_id = {e.id: e for e in rated}
    found = retrieve_references(rated, 3)
    for e, sources, values in zip(rated, found.sources, found.similarities, strict=True):
        theirs = [cosines[row[e.document], row[by_id[source].document]] for source in sources]
        np.testing.assert_allclose(values, theirs, atol=1e-8)
        assert len(values) == 3
    best = np.sort(cosines, axis=1)[:, -1]
    firsts = {e.document: values[0] for e, values in zip(rated, found.similarities, strict=True)}
    # A reference of the nearest context can be barred as one of the item's own; that is rare.
    assert np.mean([abs(firsts[d] - best[row[d]]) < 1e-8 for d in contexts]) > 0.9


def test_real_items_never_meet_themselves_and_their_order_is_nothing(rated):
    found = retrieve_references(rated, 5)
    by_id = {e.id: e for e in rated}
    for e, texts, sources in zip(rated, found.references, found.sources, strict=True):
        assert e.document not in {by_id[source].document for source in sources}
        assert e.response not in texts
        assert not set(e.references) & set(texts)
        assert len(set(texts)) == len(texts)
        assert all(text in by_id[source].references for text, source in zip(texts, sources, strict=True))
    order = np.random.default_rng(0).permutation(len(rated))
    again = retrieve_references([rated[row] for row in order], 5)
    assert again.references == tuple(found.references[row] for row in order)
    assert again.similarities == tuple(found.similarities[row] for row in order)
    assert again.short == found.short == 0


def test_real_items_without_contexts(shared_data):
    items = [e for _, e in zip(range(200), examples(shared_data("turns/dstc7_task2.jsonl.gz")), strict=False)]
    found = retrieve_references(items, 3)
    assert (found.no_context, found.short) == (200, 0)
    assert not any(found.references)
