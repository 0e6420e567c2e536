"""The loader of published weights, with weights of the published shapes made at random, and the words it reads."""

import dataclasses
import json
import sys

import numpy as np
import pytest

from dialometer.core.errors import MissingResource, SpecError
from dialometer.core.protocols import Emotion
from dialometer.core.registry import create
from dialometer.encoders._deepmoji.tokens import AT, BREAK, NUMBER, URL, moji_words
from dialometer.encoders.deepmoji import WEIGHTS, WORDS, Deepmoji
from dialometer.text.vectors.emojis import neutral, weights

VOCABULARY = ["CUSTOM_MASK", "CUSTOM_UNKNOWN", AT, URL, NUMBER, BREAK, "CUSTOM_BLANK_6", "i", "love", "tea", "!", "!!"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torch = pytest.importorskip("torch")
    from dialometer.nets.encoders.deepmoji import DeepMojiSizes

    path, random = tmp_path_factory.mktemp("deepmoji"), torch.Generator().manual_seed(0)
    state = {name: 0.1 * torch.randn(shape, generator=random) for name, shape in DeepMojiSizes().shapes().items()}
    # the old file format: that is how the weights were published in 2017
    torch.save(state, path / WEIGHTS, _use_new_zipfile_serialization=False)
    (path / WORDS).write_text(json.dumps({word: number for number, word in enumerate(VOCABULARY)}))
    return path


@pytest.fixture(scope="module")
def emotion(folder):
    return create("emotion", f'deepmoji(model="{folder}")')


def test_distribution(emotion):
    texts = ["I love tea!", "I love tea!!!!", "tea love i !", "what a day", "", " \n ", "I love tea!"]
    made = emotion.distribution(texts)
    assert isinstance(emotion, Emotion)
    assert made.shape == (7, 64)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(made[0], made[6])
    np.testing.assert_array_equal(made[4], neutral().astype(np.float32))
    assert not np.allclose(made[0], made[1], atol=1e-4)
    assert not np.allclose(made[0], made[2], atol=1e-4)
    np.testing.assert_allclose(emotion.sentiment(texts), made.astype(float) @ weights(), atol=1e-12)
    for row, text in enumerate(texts):
        np.testing.assert_array_equal(emotion.distribution([text])[0], made[row])
    assert emotion.distribution([]).shape == (0, 64)


def test_words_beyond_the_longest_are_not_read(folder, emotion):
    short = Deepmoji(model=str(folder), longest=2)
    np.testing.assert_array_equal(short.distribution(["I love tea!"]), emotion.distribution(["i love"]))
    assert short.recipe.startswith("deepmoji-1(longest=2)@")
    with pytest.raises(SpecError, match="longest"):
        Deepmoji(longest=0)


def test_unknown_words_are_one_word(emotion):
    np.testing.assert_array_equal(*emotion.distribution(["I love cocoa", "I love 🦄"]))


def test_recipe_names_content_not_place(emotion, folder, tmp_path):
    for name in (WEIGHTS, WORDS):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    assert Deepmoji(model=str(tmp_path)).recipe == emotion.recipe
    assert emotion.recipe.startswith("deepmoji-1@")
    (tmp_path / WORDS).write_text(json.dumps({word: number + 1 for number, word in enumerate(VOCABULARY)}))
    assert Deepmoji(model=str(tmp_path)).recipe != emotion.recipe


@pytest.mark.parametrize("spec", ["deepmoji", "deepmoji(model=nowhere)", "deepmoji(model=.)"])
def test_missing_weights(spec):
    with pytest.raises(MissingResource, match="deepmoji") as told:
        create("emotion", spec).distribution(["tea"])
    assert "torchMoji" in told.value.hint


def test_without_torch(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingResource, match="PyTorch") as told:
        Deepmoji(model=str(folder)).distribution(["tea"])
    assert "dialometer[neural]" in told.value.hint


def test_other_shapes(folder, tmp_path):
    torch = pytest.importorskip("torch")
    (tmp_path / WORDS).write_bytes((folder / WORDS).read_bytes())
    emotion = Deepmoji(model=str(tmp_path))
    state = torch.load(folder / WEIGHTS, weights_only=True)
    for change, told in (
        ({"embed.weight": torch.zeros(10, 256)}, r"'embed\.weight' has shape \(10, 256\), and \(50000, 256\) is expected"),
        ({"more": torch.zeros(3)}, "holds 'more', which is no parameter of this network"),
    ):
        torch.save(state | change, tmp_path / WEIGHTS)
        with pytest.raises(MissingResource, match=told):
            dataclasses.replace(emotion).distribution(["tea"])
    torch.save([1, 2], tmp_path / WEIGHTS)
    with pytest.raises(MissingResource, match=r"has no parameter 'embed\.weight' .* it holds nothing"):
        dataclasses.replace(emotion).distribution(["tea"])


class Trap:
    """Unpickling it would write a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_never_unpickles(folder, tmp_path):
    torch = pytest.importorskip("torch")
    (tmp_path / WORDS).write_bytes((folder / WORDS).read_bytes())
    sprung = tmp_path / "sprung"
    torch.save({"embed.weight": Trap(str(sprung))}, tmp_path / WEIGHTS)
    with pytest.raises(MissingResource, match="cannot be read as weights"):
        Deepmoji(model=str(tmp_path)).distribution(["tea"])
    assert not sprung.exists()
    (tmp_path / WEIGHTS).write_bytes(b"no weights")
    with pytest.raises(MissingResource, match="cannot be read as weights"):
        Deepmoji(model=str(tmp_path)).distribution(["tea"])


@pytest.mark.parametrize("words", ["[]", "{}", '{"CUSTOM_MASK": 0, "CUSTOM_UNKNOWN": 50000}', '{"tea": 3}', "{"])
def test_other_vocabularies(folder, tmp_path, words):
    (tmp_path / WEIGHTS).symlink_to(folder / WEIGHTS)
    (tmp_path / WORDS).write_text(words)
    with pytest.raises(MissingResource, match="vocabulary"):
        Deepmoji(model=str(tmp_path))._vocabulary  # noqa: B018


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hi, Bob", ["hi", ",", "bob"]),
        ("coooool !!!", ["cool", "!!"]),
        ("red-haired people_", ["red-haired", "people", "_"]),
        ("it’s “ok”…", ["it's", '"', "ok", '"', ".."]),
        ("<3 </3 :) :-( ;p ^_^", ["<3", "</3", ":)", ":-(", ";p", "^_^"]),
        ("me@x.org #win @me 12.5", [AT, "#win", AT, NUMBER, ".", NUMBER]),
        ("www.x.org/a?b", [URL]),
        ("a<br>b\\nc", ["a", BREAK, "b", BREAK, "c"]),
        ("Mr. Smith, U.S.A.", ["mr.", "smith", ",", "u.s.a."]),
        ("❤️👍", ["❤", "👍"]),
        ("naïve", ["na", "ï", "ve"]),
        ("", []),
    ],
)
def test_words(text, tokens):
    """Worked by hand from the published rules: lower case, runs cut to two, marks."""
    assert moji_words(text) == tokens
