"""Chen and Cherry's smoothing methods against NLTK's, item by item."""

import numpy as np
import pytest

from dialometer.metrics._bleu.smoothing import SMOOTHINGS
from dialometer.metrics.bleu import Bleu
from tests.metrics.scoring import assert_close, items, one, with_edges

pytestmark = pytest.mark.filterwarnings("ignore:\\nThe hypothesis contains 0 counts:UserWarning")
MANY = pytest.mark.parametrize("many", [False, True], ids=["one reference", "many"])


def bleu(method):
    return Bleu("nltk-m1", smooth=f"m{method}", tok="whitespace")


def nltk_scores(method, responses, references):
    """NLTK's BLEU-4 per item; NaN where it raises."""
    nltk = pytest.importorskip("nltk.translate.bleu_score")
    smooth = getattr(nltk.SmoothingFunction(), f"method{method}")
    scores = []
    for response, refs in zip(responses, references, strict=True):
        try:
            scores.append(nltk.sentence_bleu([r.split() for r in refs], response.split(), smoothing_function=smooth))
        except AssertionError:
            scores.append(np.nan)
    return np.array(scores, float)


@pytest.mark.oracle
@pytest.mark.parametrize("method", [0, 1, 2, 3, 5])
@MANY
def test_equals_nltk(method, many, real_pairs):
    responses, references = with_edges(real_pairs(5000, many))
    assert_close(items(bleu(method), responses, references)[:, 3], nltk_scores(method, responses, references))


@pytest.mark.oracle
@pytest.mark.parametrize("method", [4, 7])
@MANY
def test_equals_nltk_above_one_word(method, many, real_pairs):
    """ln(1) = 0 makes the smoothed count of a one-word response 0: NLTK leaves such orders out, we score 0."""
    responses, references = with_edges(real_pairs(5000, many))
    longer = np.array([len(response.split()) != 1 for response in responses])
    mine = items(bleu(method), responses, references)[:, 3]
    assert_close(mine[longer], nltk_scores(method, responses, references)[longer])
    assert (~longer).any()
    assert np.isfinite(mine).all()


def test_one_word_under_method_4():
    assert one(bleu(4), "fine", "fine")[3] == 0
    assert one(bleu(4), "fine", "fine")[0] == 1


@pytest.mark.oracle
@MANY
def test_method_6_equals_nltk_where_it_answers(many, real_pairs):
    """NLTK raises where no trigram matches. Ours goes on: the prior from orders 1 and 2 stands in; no bigram, no score."""
    responses, references = with_edges(real_pairs(5000, many))
    theirs, mine = nltk_scores(6, responses, references), items(bleu(6), responses, references)[:, 3]
    answered = ~np.isnan(theirs)
    assert_close(mine[answered], theirs[answered])
    assert (~answered).any()
    assert ((mine >= 0) & (mine <= 1)).all()
    bigrams = items(Bleu("plain", tok="whitespace"), responses, references)[:, 1] > 0
    assert ((mine > 0) == bigrams)[~answered].all()


def test_two_words_under_method_6():
    """p3 = (0 + 5 · 1²/1) / (0 + 5) = 1, and so on."""
    assert one(bleu(6), "a b", "a b")[3] == 1


@pytest.mark.parametrize("name", sorted(SMOOTHINGS))
def test_precisions_are_between_0_and_1_and_unsmoothed_where_all_match(name):
    draw = np.random.default_rng(7)
    length = draw.integers(1, 12, 300).astype(float)
    total = np.maximum(length[:, None] - np.arange(5), 0)
    correct = np.floor(draw.random((300, 5)) * (total + 1)).clip(max=total)
    p = SMOOTHINGS[name](correct, total, length)
    assert np.isfinite(p).all()
    assert (p >= 0).all()
    if name != "m6":  # its prior p(n−1)²/p(n−2) is only bounded for counts that a text can have
        assert (p <= 1).all() or name in ("m5", "m7")
    full = SMOOTHINGS[name](total[length > 6], total[length > 6], length[length > 6])
    if name not in ("m5", "m7"):  # they average with the order below, where 1 + p(1) stands in for it
        assert_close(full, 1.0)


def test_names_of_sacrebleu_are_the_methods():
    for name, method in {"exp": "m3", "floor": "m1", "add-k": "m2", "none": "m0"}.items():
        correct, total = np.array([3.0, 1, 0, 0]), np.array([4.0, 3, 2, 1])
        assert_close(SMOOTHINGS[name](correct, total, np.array(4.0)), SMOOTHINGS[method](correct, total, np.array(4.0)))


def test_method_3_halves_with_each_order_without_a_match():
    p = SMOOTHINGS["m3"](np.array([2.0, 0, 0, 0]), np.array([4.0, 3, 2, 1]), np.array(4.0))
    assert_close(p, [1 / 2, 1 / 2 / 3, 1 / 4 / 2, 1 / 8])
