"""Texts: strings as bytes and starts, and back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dialometer.text.texts import Texts
from tests.text.nasty import texts as text_lists


@given(text_lists)
def test_round_trip(strings):
    texts = Texts.of(strings)
    assert list(texts) == strings
    assert [texts[row] for row in range(len(texts))] == strings
    assert texts.bytes.tobytes() == "".join(strings).encode()


@given(text_lists)
def test_characters_are_code_points(strings):
    assert Texts.of(strings).characters().tolist() == [len(text) for text in strings]


def test_any_iterable_will_do():
    assert list(Texts.of(word for word in ("a", "é"))) == list(Texts.of({"a": 0, "é": 1})) == ["a", "é"]


@given(st.integers(0, 1200))
def test_numbers(n):
    assert list(Texts.numbers(n)) == [str(i) for i in range(n)]


def test_nothing():
    texts = Texts.of([])
    assert len(texts) == 0
    assert list(texts) == []
    assert texts.characters().shape == (0,)
    assert texts.starts.dtype == np.int64
