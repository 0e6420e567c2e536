"""The Porter stemmer against examples of the 1980 paper and against NLTK."""

import pytest

from dialometer.text.meteor.porter import stem
from dialometer.text.tokenisers.base import tokeniser

PAPER = {  # whole words through all steps, where NLTK's form agrees with the paper
    "caresses": "caress", "ponies": "poni", "cats": "cat", "agreed": "agre", "plastered": "plaster", "motoring": "motor",
    "sing": "sing", "hopping": "hop", "falling": "fall", "hissing": "hiss", "failing": "fail", "filing": "file",
    "relational": "relat", "conditional": "condit", "rational": "ration", "vietnamization": "vietnam", "triplicate": "triplic",
    "hopefulness": "hope", "revival": "reviv", "adjustment": "adjust", "adoption": "adopt", "probate": "probat", "rate": "rate",
    "cease": "ceas", "controll": "control", "roll": "roll",
}  # fmt: skip


def test_paper():
    assert {word: stem(word) for word in PAPER} == PAPER


@pytest.mark.parametrize(
    ("word", "expected"),
    [pair.split(":") for pair in "dying:die SKIES:sky dies:die flies:fli spied:spi enjoy:enjoy by:by :".split()],
)
def test_departures_of_nltk(word, expected):
    assert stem(word) == expected


@pytest.mark.oracle
@pytest.mark.real_data
def test_equals_nltk_on_every_word(real_texts):
    theirs = pytest.importorskip("nltk.stem.porter").PorterStemmer().stem
    words = {word for text in real_texts(60_000) for tok in ("words", "meteor") for word in tokeniser(tok).split(text)}
    assert len(words) > 20_000
    assert [word for word in words if stem(word) != theirs(word)] == []
