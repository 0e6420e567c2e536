"""The mean of word vectors as a sentence encoder."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, SpecError
from dialometer.core.registry import create
from dialometer.encoders.average import Average
from dialometer.encoders.wordllama import Wordllama
from dialometer.text.tokenisers.base import tokeniser


def test_it_is_the_mean():
    made = Average().encode(["green tea", "tea", ""])
    tea, green = Wordllama().look_up(["tea", "green"])[0].astype(np.float64)
    np.testing.assert_allclose(made, [(tea + green) / 2, tea, 0 * tea], atol=1e-7)
    assert made.dtype == np.float32


def test_company_changes_nothing(real_texts):
    texts = real_texts(3000)
    together = Average().encode(texts)
    np.testing.assert_array_equal(Average().encode(texts[1000:1010]), together[1000:1010])
    np.testing.assert_array_equal(Average().encode(texts[::-1]), together[::-1])


def test_coverage_counts_words():
    assert Average().coverage(["tea 爱 爱 !", "", "爱"]).tolist() == [[2, 4], [0, 0], [0, 1]]


def test_weights_come_from_a_text(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("the tea\nthe sea\nthe bee\n", encoding="utf-8")
    the, tea = Wordllama().look_up(["the", "tea"])[0].astype(np.float64)
    idf = np.log(4 / 4) + 1, np.log(4 / 2) + 1
    made = Average(weights="idf", text=str(file)).encode(["the tea"])[0]
    np.testing.assert_allclose(made, (idf[0] * the + idf[1] * tea) / sum(idf), atol=1e-6)
    sif = 0.001 / (0.001 + 3 / 6), 0.001 / (0.001 + 1 / 6)
    made = Average(weights="sif", text=str(file)).encode(["the tea"])[0]
    np.testing.assert_allclose(made, (sif[0] * the + sif[1] * tea) / sum(sif), atol=1e-6)
    before = Average(weights="idf", text=str(file)).recipe
    file.write_text("other\n", encoding="utf-8")
    assert Average(weights="idf", text=str(file)).recipe != before


def test_recipe_and_options():
    assert Average().recipe.startswith("average-1@wordllama-1@")
    assert Average().recipe.endswith("+words-1")
    assert Average(tok="whitespace").recipe.endswith("+whitespace-1")
    assert "|" not in Average().recipe
    assert create("encoder", "average(weights=none,tok=whitespace)").tok == "whitespace"
    with pytest.raises(SpecError, match="none, idf, sif"):
        Average(weights="tfidf")
    with pytest.raises(NeedsError, match="no text to count"):
        Average(weights="idf").encode(["a"])


def test_a_whole_vocabulary_of_real_words_is_covered(real_texts):
    texts = real_texts(2000)
    known, words = Average().coverage(texts).sum(0)
    assert words == sum(len(tokeniser("words").tokens(text)) for text in texts)
    assert 0.98 < known / words <= 1
