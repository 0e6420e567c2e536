"""What texts feel like: kept as vectors are, and made from known sentence vectors where there are some."""

from dataclasses import replace

import numpy as np
import pytest

from dialometer.core.registry import create
from dialometer.text.corpus import Corpus
from dialometer.text.vectors.emotion import emotion_vectors
from dialometer.text.vectors.sentences import sentence_vectors

TEXTS = ["i am so glad", "this is terrible", "well done 👍👍", "", "我"]


class Counting:
    """An encoder of a few letters that says what it was asked."""

    name, version, width, keeps, recipe = "letters", 1, 6, True, "letters-1"

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        return np.array([[text.lower().count(letter) for letter in "aeilst"] for text in texts], np.float32)

    def coverage(self, texts):
        return np.ones((len(texts), 2), np.int64)


@pytest.fixture
def emotion(monkeypatch, tmp_path):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path))
    made = create("emotion", "prompted")
    made.__dict__["_encoder"] = Counting()
    made.distribution(["x"])  # encodes its own phrases
    made.hears.asked.clear()
    return made


@pytest.mark.parametrize("keep", [False, True])
def test_the_same_as_asking_the_emotion(emotion, keep):
    corpus = replace(Corpus.of(TEXTS), keep=keep)
    felt, known = emotion_vectors(corpus, emotion, np.array([1, 0, 2, 3, 1]))
    np.testing.assert_array_equal(felt, emotion.distribution([TEXTS[row] for row in (1, 0, 2, 3, 1)]))
    assert known.tolist() == [True, True, True, False, True]
    np.testing.assert_allclose(felt.sum(1), 1, atol=1e-6)


def test_vectors_that_are_known_are_not_made_anew(emotion):
    corpus, encoder = Corpus.of(TEXTS), emotion.hears
    sentence_vectors(corpus, encoder, np.arange(len(TEXTS)))
    assert sorted(encoder.asked) == sorted(TEXTS)
    encoder.asked.clear()
    emotion_vectors(corpus, emotion, np.arange(len(TEXTS)))
    assert [text for text in encoder.asked if text] == ["well done Good job, well done!"], "spelt out, it is another text"


def test_distributions_are_kept(emotion):
    first = emotion_vectors(replace(Corpus.of(TEXTS), keep=True), emotion, np.arange(len(TEXTS)))
    emotion.hears.asked.clear()
    again = emotion_vectors(replace(Corpus.of(TEXTS[::-1]), keep=True), emotion, np.arange(len(TEXTS)))
    np.testing.assert_array_equal(again[0], first[0][::-1])
    assert set(emotion.hears.asked) <= {""}, "only what nothing feels like is asked again"
