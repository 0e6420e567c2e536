"""BLEU against sacrebleu, NLTK and the COCO code, and the numbers that toolkits disagree on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import SpecError, UnknownName
from dialometer.metrics.bleu import VARIANTS, Bleu
from dialometer.text.corpus import Corpus
from tests.kernels.corpora import corpus_of, pairs, text
from tests.metrics.scoring import EDGES, assert_close, items, one, whole, with_edges

MANY = pytest.mark.parametrize("many", [False, True], ids=["one reference", "many"])


def sacrebleu(order, **options):
    return pytest.importorskip("sacrebleu.metrics.bleu").BLEU(max_ngram_order=order, **options)


@pytest.mark.oracle
@MANY
def test_items_equal_sacrebleu(many, real_pairs):
    responses, references = with_edges(real_pairs(5000, many))
    mine = items("bleu(tok=13a)", responses, references)
    for order in range(1, 5):
        scorer = sacrebleu(order, effective_order=True)
        theirs = [scorer.sentence_score(a, b).score / 100 for a, b in zip(responses, references, strict=True)]
        assert_close(mine[:, order - 1], theirs)


@pytest.mark.oracle
@MANY
def test_corpus_equals_sacrebleu(many, real_pairs):
    responses, references = with_edges(real_pairs(5000, many))
    most = max(map(len, references))
    streams = [[refs[k] if k < len(refs) else None for refs in references] for k in range(most)]
    mine = whole("bleu(tok=13a)", responses, references)
    assert_close(mine, [sacrebleu(order).corpus_score(responses, streams).score / 100 for order in range(1, 5)])


@pytest.mark.oracle
@MANY
def test_equals_coco(many, real_pairs):
    coco = pytest.importorskip("pycocoevalcap.bleu.bleu").Bleu(4)
    responses, references = with_edges(real_pairs(5000, many))
    corpus, each = coco.compute_score(dict(enumerate(references)), {i: [r] for i, r in enumerate(responses)}, verbose=0)
    spec = "bleu(variant=coco,tok=whitespace)"
    assert_close(items(spec, responses, references), np.array(each).T)
    assert_close(whole(spec, responses, references), corpus)


@pytest.mark.oracle
@MANY
def test_corpus_equals_nltk(many, real_pairs):
    """Method 5 to 7 of NLTK's corpus form look at the last response only, so they are compared item by item."""
    nltk = pytest.importorskip("nltk.translate.bleu_score")
    responses, references = with_edges(real_pairs(5000, many))
    tokens = [r.split() for r in responses], [[r.split() for r in refs] for refs in references]
    weights = [(1 / order,) * order for order in (1, 2, 3, 4)]
    for method in range(5):
        smooth = getattr(nltk.SmoothingFunction(), f"method{method}")
        theirs = nltk.corpus_bleu(tokens[1], tokens[0], weights=weights, smoothing_function=smooth)
        assert_close(whole(f"bleu(variant=nltk-m1,smooth=m{method},tok=whitespace)", responses, references), theirs)


def test_the_row_that_toolkits_disagree_on():
    """BLEU-4 of the exact match "i am fine"."""
    scores = {name: one(Bleu(name), "i am fine", "i am fine")[3] for name in VARIANTS}
    assert {name: round(score, 4) for name, score in scores.items()} == {
        "sacrebleu": 1.0,
        "coco": 0.0316,
        "nltk-m1": 0.5623,
        "parlai": 0.001,
        "plain": 0.0,
    }
    assert whole(Bleu(), ["i am fine"], [["i am fine"]])[3] == 0  # sacrebleu without effective order


@pytest.mark.oracle
def test_that_row_by_the_tools_themselves():
    nltk = pytest.importorskip("nltk.translate.bleu_score")
    tokens = "i am fine".split()
    assert_close(one("bleu(variant=nltk-m1)", "i am fine", "i am fine")[3],
          nltk.sentence_bleu([tokens], tokens, smoothing_function=nltk.SmoothingFunction().method1))  # fmt: skip
    assert sacrebleu(4, effective_order=True).sentence_score("i am fine", ["i am fine"]).score == pytest.approx(100)
    assert sacrebleu(4).corpus_score(["i am fine"], [["i am fine"]]).score == 0


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9).map(" ".join))
def test_identical_pair_is_one_at_any_length(words):
    assert_close(one(Bleu(), words, words), np.ones(4))


def test_closest_reference_length():
    """References of 3 and 5 words, a response of 4: the closest length is 3."""
    rows = Bleu().measure(Corpus.of(["a b c d"], [["a b c d e", "a b c"]]))
    assert rows[0, 2] == 3
    assert one(Bleu(order=1), "a b c d", "a b c x y", "a b c")[0] == 0.75  # no brevity penalty: 4 > 3


def test_an_all_empty_system_scores_zero():
    responses, references = [""] * 5, [["a b c d"]] * 5
    for variant in VARIANTS:
        scores = items(Bleu(variant), responses, references)
        assert scores.shape == (5, 4)
        assert_close(scores, 0.0)
        assert_close(whole(Bleu(variant), responses, references), 0.0)


def test_one_empty_response_leaves_the_others_unchanged(real_pairs):
    responses, references = real_pairs(200)
    before = items(Bleu(), responses, references)
    responses[17] = ""
    after = items(Bleu(), responses, references)
    assert after[17].tolist() == [0, 0, 0, 0]
    np.testing.assert_array_equal(np.delete(after, 17, 0), np.delete(before, 17, 0))


def test_no_reference_is_not_scored():
    scores = items(Bleu(), ["a b", "a b"], [[], ["a b"]])
    assert np.isnan(scores[0]).all()
    assert_close(scores[1], 1.0)
    assert_close(whole("bleu(order=2)", ["a b", "a b"], [[], ["a b"]]), 1.0)  # and does not count in the corpus


@given(pairs, st.sampled_from(sorted(VARIANTS)), st.permutations(range(6)))
def test_bounds_and_order_of_items(rows, variant, order):
    metric, corpus = Bleu(variant, tok="whitespace"), corpus_of(rows)
    rows = metric.measure(corpus)
    order = [i for i in order if i < len(rows)]
    for level, scores in (
        ("item", metric.finish(rows, level="item")),
        ("corpus", metric.finish(rows.sum(0), level="corpus")),
    ):
        seen = scores[~np.isnan(scores)]
        assert ((seen >= 0) & (seen <= 1 + 1e-12)).all(), level
    np.testing.assert_array_equal(
        metric.finish(rows[order].sum(0), level="corpus"), metric.finish(rows.sum(0), level="corpus")
    )


@given(text, st.lists(text, min_size=1, max_size=3), text)
def test_another_reference_never_lowers_matches(response, references, more):
    before, after = Bleu().measure(Corpus.of([response] * 2, [references, [*references, more]]))
    assert (after[3:7] >= before[3:7]).all()


def test_wrong_options_offer_the_right_ones():
    with pytest.raises(UnknownName, match="no variant of bleu named 'cocoa'; did you mean coco"):
        Bleu("cocoa")
    with pytest.raises(UnknownName, match="no smoothing of bleu named 'm8'; did you mean"):
        Bleu(smooth="m8")
    with pytest.raises(SpecError, match="takes no smoothing"):
        Bleu("coco", smooth="exp")
    for order in (0, 10):
        with pytest.raises(SpecError, match=f"is 1 to 9, not {order}"):
            Bleu(order=order)


def test_explain_shows_the_arithmetic():
    lines = Bleu().explain(Corpus.of(["a a b"], [["a b"]]), 0)
    assert lines[0] == "order 1: 3 of 3 n-grams found, 2 after clipping → p1 = 0.666667"
    assert "closest reference 2 → brevity penalty 1.000000" in lines[-2]
    assert lines[-1].startswith("bleu-1 = 0.666667")


@pytest.mark.parametrize("order", [1, 2, 9])
def test_as_many_columns_as_orders(order):
    scores = items(Bleu(order=order), [r for r, _ in EDGES], [refs for _, refs in EDGES])
    assert scores.shape == (len(EDGES), order)
    assert Bleu(order=order).columns == tuple(f"bleu-{n}" for n in range(1, order + 1))
