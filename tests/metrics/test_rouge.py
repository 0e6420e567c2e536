"""ROUGE against rouge-score and the COCO code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import SpecError, UnknownName
from dialometer.metrics.rouge import Rouge
from dialometer.text.corpus import Corpus
from tests.kernels.corpora import corpus_of, pairs, text
from tests.metrics.scoring import assert_close, items, one, whole, with_edges

MANY = pytest.mark.parametrize("many", [False, True], ids=["one reference", "many"])


@pytest.mark.oracle
@MANY
def test_equals_rouge_score(many, real_pairs):
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge1", "rouge2", "rougeL"])
    responses, references = with_edges(real_pairs(5000, many))
    scores = [scorer.score_multi(b, a) for a, b in zip(responses, references, strict=True)]
    theirs = [[score[kind].fmeasure for kind in ("rouge1", "rouge2", "rougeL")] for score in scores]
    assert_close(items("rouge(beta=1,tok=rouge)", responses, references), theirs)


@pytest.mark.oracle
@MANY
def test_equals_coco(many, real_pairs):
    coco = pytest.importorskip("pycocoevalcap.rouge.rouge").Rouge()
    edges = [("a  b ", ["a b", " a  b"]), (" ", ["a"]), ("a", [" "])]  # it cuts at each single space
    responses, references = with_edges(with_edges(real_pairs(5000, many)), edges)
    mean, each = coco.compute_score(dict(enumerate(references)), {i: [r] for i, r in enumerate(responses)})
    spec = "rouge(variant=coco,kinds=l,tok=whitespace)"
    assert_close(items(spec, responses, references)[:, 0], each)
    assert_close(whole(spec, responses, references), [mean])


def test_best_f_is_not_best_p_with_best_r():
    """``a b c d`` against ``a b`` and ``a b c d e f g h``: 0.709 at β 1.2, 0.667 at β 1, and 1.0 in the COCO code."""
    response, references = "a b c d", ("a b", "a b c d e f g h")
    assert round(one(Rouge(), response, *references)[2], 3) == 0.709
    assert round(one(Rouge(beta=1), response, *references)[2], 3) == 0.667
    assert one(Rouge("coco"), response, *references)[2] == 1.0


def test_hand_worked():
    """P = 3/4, R = 3/5 for unigrams and for the LCS ``a c d``; one bigram of 3 and of 4."""
    scores = one(Rouge(beta=1), "a c d x", "a b c e d")
    assert_close(scores, [2 * 0.75 * 0.6 / 1.35, 0.0, 2 * 0.75 * 0.6 / 1.35])
    beta = 1.2**2
    assert_close(one(Rouge(), "a c d x", "a b c e d")[2], (1 + beta) * 0.75 * 0.6 / (0.6 + beta * 0.75))


def test_empty_responses_score_zero_and_are_counted():
    scores = items(Rouge(), ["", "a b", ""], [["a b"]] * 3)
    assert_close(scores, [[0, 0, 0], [1, 1, 1], [0, 0, 0]])
    assert_close(whole(Rouge(), ["", "a b", ""], [["a b"]] * 3), [1 / 3] * 3)
    assert_close(items(Rouge(), [""] * 4, [["a b"]] * 4), np.zeros((4, 3)))


def test_one_empty_response_leaves_the_others_unchanged(real_pairs):
    responses, references = real_pairs(200)
    before = items(Rouge(), responses, references)
    responses[17] = ""
    after = items(Rouge(), responses, references)
    assert after[17].tolist() == [0, 0, 0]
    np.testing.assert_array_equal(np.delete(after, 17, 0), np.delete(before, 17, 0))


@pytest.mark.parametrize("where", [0, 1, 2])
def test_no_reference_is_not_scored(where):
    references = [["a b"], ["a b", "c"], ["x", "a b"]]
    references[where] = []
    scores = items(Rouge(), ["a b"] * 3, references)
    assert np.isnan(scores[where]).all()
    assert_close(np.delete(scores, where, 0), 1.0)
    assert_close(whole(Rouge(), ["a b"] * 3, references), [1.0] * 3)


def test_nobody_has_a_reference():
    assert np.isnan(items(Rouge(), ["a", "b"], [[], []])).all()


@given(pairs, st.sampled_from(["best", "coco"]), st.floats(0.1, 5))
def test_bounds(rows, variant, beta):
    metric = Rouge(variant, beta=beta, tok="whitespace")
    scores = metric.finish(metric.measure(corpus_of(rows)), level="item")
    seen = scores[~np.isnan(scores)]
    assert ((seen >= 0) & (seen <= 1 + 1e-12)).all()


@given(text, st.lists(text, min_size=1, max_size=3), text)
def test_another_reference_never_lowers_the_score(response, references, more):
    before, after = items(Rouge(), [response] * 2, [references, [*references, more]])
    assert (after >= before).all()


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=70).map(" ".join))
def test_identical_pair_is_one(words):
    assert_close(one(Rouge(), words, words), 1.0)


def test_kinds_choose_columns():
    assert Rouge(kinds="l").columns == ("rouge-l",)
    assert Rouge(kinds="2+1").columns == ("rouge-2", "rouge-1")
    both = one(Rouge(), "a b c", "a c b")
    assert_close(one(Rouge(kinds="l+2"), "a b c", "a c b"), both[[2, 1]])


def test_wrong_options_offer_the_right_ones():
    with pytest.raises(UnknownName, match="no variant of rouge named 'coc'; did you mean coco"):
        Rouge("coc")
    with pytest.raises(UnknownName, match="no kind of rouge named '3'; there are: 1, 2, l"):
        Rouge(kinds="1+3")
    with pytest.raises(SpecError, match=r"rouge\(beta=…\) is 1e-12 to"):
        Rouge(beta=0)


def test_explain_names_every_reference():
    lines = Rouge().explain(Corpus.of(["a b c d"], [["a b", "a b c d e f g h"]]), 0)
    assert lines[0].startswith("reference 1: rouge-1 P 2/4 = 0.5000 R 2/2 = 1.0000 F ")
    assert lines[1].startswith("reference 2:")
    assert lines[-1].endswith("rouge-l = 0.709302")
