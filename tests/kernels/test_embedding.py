"""The vector kernels: the pitfalls worked by hand, plain equal to compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.kernels import jit
from dialometer.kernels.embedding import cosines, greedy, text_vectors
from dialometer.text.vectors.words import fixed_units, from_keys, sort_keys

# per dimension (max, min) of two words: .3 .2, .1 −.5, .4 −.4, .6 0, −.1 −.3
COLUMNS = np.array([[0.3, 0.1, 0.4, 0.6, -0.1], [0.2, -0.5, -0.4, 0.0, -0.3]], np.float32)


def fast(kernel, *arguments):
    return jit.compiled(kernel)(*arguments)


WAYS = pytest.mark.parametrize("way", [jit.plain, fast], ids=["plain", "compiled"])


def texts(way, vectors, ids, starts, weights=None, quirk=False):
    count, width = len(starts) - 1, vectors.shape[1]
    means, extrema = np.zeros((count, width), np.float32), np.zeros((count, width), np.int32)
    rows = np.arange(count, dtype=np.int32)
    weights = np.ones(len(vectors)) if weights is None else weights
    space = np.zeros(width), *np.zeros((2, width), np.int32)
    keys = sort_keys(vectors)
    way(
        text_vectors, np.array(ids, np.int32), np.array(starts), rows, vectors, keys, weights, quirk, means, extrema, *space
    )
    return means, from_keys(extrema)


def match(way, vectors, mine, theirs, weights=None):
    ids = np.array([*mine, *theirs], np.int32)
    starts = np.array([0, len(mine), len(ids)])
    out, left, right = np.zeros(1), np.array([0], np.int32), np.array([1], np.int32)
    weights = np.ones(len(vectors)) if weights is None else weights
    way(greedy, ids, starts, left, ids, starts, right, *fixed_units(vectors), weights, out, np.zeros(len(ids)))
    return out[0]


@WAYS
def test_extrema(way):
    extrema = texts(way, COLUMNS, [0, 1], [0, 2])[1][0]
    np.testing.assert_allclose(extrema, [0.3, -0.5, 0.4, 0.6, -0.3], atol=1e-7)
    extrema = texts(way, COLUMNS, [0, 1], [0, 2], quirk=True)[1][0]
    np.testing.assert_allclose(extrema, [0.3, -0.5, -0.4, 0.0, -0.3], atol=1e-7)


@WAYS
def test_means_are_weighted_and_empty_texts_are_zero(way):
    means, extrema = texts(way, COLUMNS, [0, 1, 1], [0, 3, 3], np.array([2.0, 1.0]))
    np.testing.assert_allclose(means[0], COLUMNS.mean(0), atol=1e-7)
    assert not means[1].any()
    assert not extrema[1].any()


@WAYS
def test_greedy(way):
    """X = [(1,0),(0,2)], Y = [(3,0)]: X→Y is (1 + 0)/2, Y→X is 1; together 0.75, whatever the lengths."""
    vectors = np.array([[1, 0], [0, 2], [3, 0]], np.float32)
    assert match(way, vectors, [0, 1], [2]) == pytest.approx(0.75, abs=1e-9)
    assert match(way, vectors, [2], [0, 1]) == match(way, vectors, [0, 1], [2])
    assert match(way, vectors * 1000, [0, 1], [2]) == pytest.approx(0.75, abs=1e-9)
    assert match(way, vectors, [0, 1], []) == 0
    assert match(way, vectors, [0, 1], [2], np.array([3.0, 1.0, 1.0])) == pytest.approx((0.75 + 1) / 2, abs=1e-9)
    assert match(way, vectors, [0, 1], [2], np.zeros(3)) == 0
    assert match(way, vectors, [0], [2]) == pytest.approx(1, abs=1e-12)


def test_cosines():
    rng = np.random.default_rng(3)
    vectors = (rng.normal(size=(50, 67)) * 10.0 ** rng.integers(-15, 15, (50, 1))).astype(np.float32)
    vectors[7] = 0
    left, right = rng.integers(0, 50, (2, 400))
    results = []
    for way in (jit.plain, fast):
        out = np.zeros(400)
        way(cosines, vectors, left, vectors, right, out)
        results.append(out)
    np.testing.assert_array_equal(*results)
    wide = vectors.astype(np.float64)
    unit = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(results[0], (unit[left] * unit[right]).sum(1), atol=1e-12)


def test_units_keep_nine_digits_at_any_scale():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(50, 67)) * 10.0 ** rng.integers(-20, 20, (50, 1))
    vectors[7] = 0
    units, scale = fixed_units(vectors)
    exact = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(units * scale[:, None], exact, atol=1e-9)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=2))
def test_keys_are_ordered_as_the_numbers_are(numbers):
    values = np.array([numbers], np.float32)
    keys = sort_keys(values)
    assert (np.less.outer(keys[0], keys[0]) == np.less.outer(values[0], values[0])).all()
    np.testing.assert_array_equal(from_keys(keys), values)


@pytest.mark.invariance
def test_plain_and_compiled_agree_to_the_last_bit():
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(30, 19)).astype(np.float32)
    weights = rng.random(30)
    ids = rng.integers(0, 30, 60)
    starts = [0, 0, 7, 20, 21, 60]
    for quirk in (False, True):
        plain = texts(jit.plain, vectors, ids, starts, weights, quirk)
        np.testing.assert_array_equal(
            plain, texts(lambda kernel, *rest: jit.compiled(kernel)(*rest), vectors, ids, starts, weights, quirk)
        )
    for size in (1, 5, 12):
        mine, theirs = rng.integers(0, 30, (2, size))
        plain = match(jit.plain, vectors, mine, theirs, weights)
        assert plain == match(fast, vectors, mine, theirs, weights)
