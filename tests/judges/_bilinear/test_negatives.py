"""Negatives: what they are, what they keep of the row they were made from, and that chance belongs to (seed, id)."""

from collections import Counter

import numpy as np
import pytest

from dialometer.core.errors import UnknownName, UsageError
from dialometer.core.types import Example, Turn
from dialometer.judges._bilinear.negatives import NEGATIVES, UNIVERSAL, with_negatives
from dialometer.text.corpus import Corpus
from dialometer.text.perturb.copies import GENERIC
from dialometer.text.vectors.sentences import sentence_vectors
from tests.judges.rated_sets import rated


def _examples(n=20):
    return [
        Example(
            f"item-{i}",
            (Turn("a", f"do you like number {i // 2} ?"),),
            f"i do like the number {i} very much .",
            (f"yes , {i} .",),
            f"system-{i % 3}",
            f"talk-{i // 2}",
        )
        for i in range(n)
    ]


def _told(corpus, row):
    """A row in words."""
    texts = list(corpus.texts)
    lists = [
        tuple(texts[t] for t in kind.rows[kind.starts[row] : kind.starts[row + 1]])
        for kind in (corpus.contexts, corpus.references)
    ]
    names = (corpus.ids[row], corpus.systems[row], corpus.documents[row])
    return (*names, texts[corpus.response[row]], *lists)


def test_rows_stay_and_negatives_come_behind_them():
    corpus = Corpus.build(_examples())
    target = np.linspace(1, 5, 20)
    made, y = with_negatives(corpus, target, list(NEGATIVES), share=0.5, low=1.0, seed=4)
    assert len(made) == len(y) == 30
    assert y[:20].tolist() == target.tolist()
    assert y[20:].tolist() == [1.0] * 10
    before = {e.id: _told(corpus, row) for row, e in enumerate(_examples())}
    for row in range(20):
        assert _told(made, row) == _told(corpus, row)
    for row in range(20, 30):
        name, system, document, response, context, references = _told(made, row)
        origin, kind = name.split("~")
        assert (system, document, context, references) == tuple(before[origin][k] for k in (1, 2, 4, 5))
        assert response != before[origin][3]
        assert kind in NEGATIVES
    assert Counter(made.ids[row].split("~")[1] for row in range(20, 30)) == dict.fromkeys(NEGATIVES, 2)
    assert len(set(made.ids)) == 30


def _by_kind(kind, seed=0):
    corpus = Corpus.build(_examples())
    made, _ = with_negatives(corpus, np.ones(20), [kind], share=1, low=1, seed=seed)
    return [
        (_told(corpus, list(corpus.ids).index(made.ids[row].split("~")[0])), _told(made, row))
        for row in range(20, len(made))
    ]


def test_each_kind_is_what_it_says():
    assert {now[3] for _, now in _by_kind("empty")} == {""}
    assert all(now[3] in UNIVERSAL for _, now in _by_kind("universal"))
    for was, now in _by_kind("shuffled"):
        assert sorted(now[3].split()) == sorted(was[3].split())
    other = {e.response: e.document for e in _examples()}
    for was, now in _by_kind("other"):
        assert other[now[3]] != was[2]
    repeated = _by_kind("repeated")
    parrots = [now for was, now in repeated if now[3] == was[4][-1]]
    assert 2 < len(parrots) < 18
    for was, now in repeated:
        if now[3] != was[4][-1]:
            counts = Counter(now[3].split())
            assert min(counts.values()) >= 3
            assert set(counts) <= set(was[3].split())


def test_what_many_contexts_got_is_universal():
    """One reply to 18 of 20 documents joins the 14 phrases: among 200 draws it has a chance of 1 − (14/15)^200 to come."""
    items = [Example(f"i{k}", (Turn("a", f"so {k}"),), "fine by me ." if k % 10 else f"no {k}") for k in range(200)]
    made, _ = with_negatives(Corpus.build(items), np.ones(200), ["universal"], share=1, low=1)
    assert "fine by me ." in {_told(made, row)[3] for row in range(200, len(made))}


def test_phrases_are_not_those_of_the_stress_test():
    assert not set(UNIVERSAL) & set(GENERIC)


def test_seed_and_ids_decide():
    items, target = _examples(), np.arange(20.0)
    order = np.random.default_rng(0).permutation(20)

    def names(examples, y, seed):
        made, values = with_negatives(Corpus.build(examples), y, list(NEGATIVES), share=0.5, low=-1, seed=seed)
        return {_told(made, row) for row in range(20, 30)} if values[-1] == -1 else set()

    once = names(items, target, 1)
    assert len(once) == 10
    assert names([items[i] for i in order], target[order], 1) == once
    assert names(items, target, 2) != once


def test_unrated_rows_have_no_negatives():
    target = np.where(np.arange(20) < 4, 3.0, np.nan)
    made, y = with_negatives(Corpus.build(_examples()), target, ["empty"], share=1, low=1)
    assert len(made) == 24
    assert {name.split("~")[0] for name in list(made.ids)[20:]} == {f"item-{i}" for i in range(4)}
    assert np.isnan(y[4:20]).all()


def test_bare_responses_have_ids_and_documents_too():
    made, _ = with_negatives(Corpus.of(["tea ?", "no thanks ."]), np.array([1.0, 2.0]), ["empty"], share=1, low=0)
    assert sorted(made.ids)[:2] == ["0", "0~empty"]
    assert sorted(made.documents) == ["0", "0", "1", "1"]


def test_no_kinds_or_no_share_change_nothing():
    corpus = Corpus.build(_examples())
    for kinds, share in (([], 1.0), (["empty"], 0.0)):
        made, y = with_negatives(corpus, np.ones(20), kinds, share=share, low=1)
        assert len(made) == len(y) == 20


class Counting:
    """An encoder of letters that remembers what it was asked."""

    name, version, width, recipe = "counting", 1, 3, "counting-1"

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked.extend(texts)
        return np.array([[text.count(letter) for letter in "aei"] for text in texts], np.float32).reshape(-1, 3)

    def coverage(self, texts):
        return np.ones((len(texts), 2), np.int64)


def test_what_was_encoded_is_known(shared_data):
    """Real rows: the second time the encoder sees new texts alone, and vectors are those of their texts."""
    corpus, target = rated(shared_data("turns/zhao_dailydialog.jsonl.gz"), "appropriateness")
    encoder = Counting()
    before = sentence_vectors(corpus, encoder, corpus.response)
    encoder.asked.clear()
    made, y = with_negatives(corpus, target, list(NEGATIVES), share=0.25, low=1, seed=0)
    assert len(y) == len(made) == 1000
    vectors = sentence_vectors(made, encoder, made.response)
    texts = [made.texts[row] for row in made.response.tolist()]
    assert not set(encoder.asked) & set(texts[:800])
    assert 0 < len(encoder.asked) < 200
    np.testing.assert_array_equal(vectors[:800], before)
    np.testing.assert_array_equal(vectors, encoder.encode(texts))
    assert len(sentence_vectors(corpus, encoder, corpus.response)) == 800  # the old corpus is as it was


def test_wrong_names_and_shares():
    with pytest.raises(UnknownName, match="did you mean empty"):
        with_negatives(Corpus.of(["a"]), np.ones(1), ["emtpy"], low=1)
    with pytest.raises(UsageError, match="between 0 and 10"):
        with_negatives(Corpus.of(["a"]), np.ones(1), ["empty"], share=-1, low=1)
