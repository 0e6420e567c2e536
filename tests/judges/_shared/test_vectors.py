"""Vectors of contexts and exchanges: worked by hand on an encoder whose vectors are known."""

import numpy as np
import pytest

from dialometer.core.types import Example, Turn
from dialometer.judges._bilinear.inputs import views
from dialometer.judges._shared.vectors import context_reply_vectors, context_vectors, reference_vectors, response_vectors
from dialometer.text.corpus import Corpus


class Known:
    """East, north, or nothing; it remembers what it was asked."""

    name, version, width, recipe = "known", 1, 2, "known"

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        return np.array([[text.count("east"), text.count("north")] for text in texts], np.float32).reshape(-1, 2)

    def coverage(self, texts):
        return np.ones((len(texts), 2), np.int64)


class Hearing(Known):
    def encode_contexts(self, contexts):
        return np.array([[len(context), 7] for context in contexts], np.float32)


def corpus(*rows):
    made = [
        Example(str(i), tuple(Turn("u", text) for text in context), response, tuple(references))
        for i, (context, response, references) in enumerate(rows)
    ]
    return Corpus.build(made)


def test_later_turns_count_more_and_lengths_are_kept():
    found = context_vectors(corpus((["north", "east"], "x", []), (["east"], "x", []), ([], "x", [])), Known())
    # weights 1/2 and 1: (1, 1/2) has length √1.25, and single vectors have length 1
    np.testing.assert_allclose(found, [[1 / np.sqrt(1.25), 0.5 / np.sqrt(1.25)], [1, 0], [0, 0]])


def test_only_the_last_turns_are_heard():
    long, short = (corpus((["north"] * n + ["east"] * 5, "x", [])) for n in (9, 0))
    np.testing.assert_array_equal(context_vectors(long, Known()), context_vectors(short, Known()))


def test_an_encoder_that_hears_contexts_is_asked():
    found = context_vectors(corpus((["a", "b"], "x", []), ([], "x", []), (["a", "b"], "y", [])), Hearing())
    np.testing.assert_array_equal(found, [[2, 7], [0, 0], [2, 7]])


def test_an_exchange_is_encoded_once_for_all_folds():
    encoder = Known()
    whole = corpus((["a", "b", "c"], "x", []), (["b", "c"], "x", []), ([], "x", []))
    found = context_reply_vectors(whole, encoder)
    assert encoder.asked == ["b c x", "x"]
    np.testing.assert_array_equal(context_reply_vectors(whole.take(np.array([1])), encoder), found[[1]])
    assert encoder.asked == ["b c x", "x"]


def test_rows_of_references_and_responses():
    made = corpus(([], "east", ["north", "east east"]), ([], "north", []))
    np.testing.assert_array_equal(response_vectors(made, Known()), [[1, 0], [0, 1]])
    np.testing.assert_array_equal(reference_vectors(made, Known()), [[0, 1], [2, 0]])


@pytest.mark.parametrize("references", [["north", "east east east"], ["east east east", "north"]])
def test_the_nearest_reference_is_so_by_cosine(references):
    seen = views(corpus(([], "east", references)), Known(), frozenset({"reference"}))
    np.testing.assert_array_equal(seen.reference, [[3, 0]])
    assert seen.context.shape == (1, 0)
    assert seen.lengths.tolist() == [1]
