"""Row-wise products: near to exact arithmetic, and the same bits in any batch, order, layout and on any processor."""

from fractions import Fraction
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialometer.core.rowwise import row_dots, row_products

pytestmark = pytest.mark.invariance


def numbers(seed, *shape):
    """Dyadic fractions over some orders of magnitude: the same numbers on every machine, whatever its mathematics library."""
    rng = np.random.default_rng(seed)
    return np.ldexp(rng.integers(-(2**40), 2**40, shape).astype(float), rng.integers(-45, -35, shape))


def products(x, w):
    return row_products(x, w)


def dots(x, w):
    return row_dots(x, w[:, 0])


FUNCTIONS = pytest.mark.parametrize("function", [products, dots])


@FUNCTIONS
@settings(max_examples=25)
@given(st.integers(1, 70), st.integers(1, 130), st.integers(1, 60), st.integers(0, 2**32))
def test_a_row_is_the_same_in_any_batch(function, n, k, m, seed):
    x, w = numbers(seed, n, k), numbers(seed + 1, k, m)
    whole = function(x, w)
    order = np.random.default_rng(seed).permutation(n)
    assert function(x[order], w).tobytes() == whole[order].tobytes()
    assert function(np.asfortranarray(x), w).tobytes() == whole.tobytes(), "another layout in memory"
    for row in order[:5]:
        assert function(x[row : row + 1], w).tobytes() == whole[row : row + 1].tobytes()


@given(st.integers(1, 300), st.integers(0, 2**32))
@settings(max_examples=25)
def test_the_order_of_a_sum_is_of_no_matter(k, seed):
    """Nothing is rounded while a product is summed, so a library may add in any order."""
    x, w = numbers(seed, 5, k), numbers(seed + 1, k, 4)
    order = np.random.default_rng(seed).permutation(k)
    assert row_products(x[:, order], w[order]).tobytes() == row_products(x, w).tobytes()


@given(st.integers(1, 40), st.integers(0, 2**32))
@settings(max_examples=25)
def test_near_to_exact_arithmetic(k, seed):
    x, w = numbers(seed, 3, k), numbers(seed + 1, k, 2)
    exact = [[sum(Fraction(a) * Fraction(b) for a, b in zip(row, column, strict=True)) for column in w.T] for row in x]
    bound = k * 2.0**-40 * np.abs(x).max(1)[:, None] * np.abs(w).max(0)
    assert (np.abs(row_products(x, w) - np.array(exact, float)) <= bound).all()
    np.testing.assert_allclose(dots(x, w), np.array(exact, float)[:, 0], rtol=0, atol=bound[:, 0].max() * 1e-3)


def test_the_same_bits_on_every_processor():
    """Known answers: a digest of all bits, of widths around those of the encoders."""
    made = blake2b(digest_size=8)
    for k, m in ((4, 1), (50, 50), (256, 33), (384, 384), (1536, 7)):
        x, w = numbers(k, 40, k), numbers(k + 1, k, m)
        made.update(row_products(x, w).tobytes())
        made.update(row_dots(x, w[:, 0]).tobytes())
        made.update(row_dots(x, x[::-1]).tobytes())
    assert made.hexdigest() == "0658dca70f6a5ad7"


def test_extreme_rows_leave_the_others_alone():
    x, w = numbers(1, 8, 30), numbers(2, 30, 6)
    whole = row_products(x, w)
    odd = x.copy()
    odd[1], odd[3], odd[4, 5] = 0.0, x[3] * 1e300, np.nan
    odd[6] = x[6] * 1e-320
    made = row_products(odd, w)
    kept = [0, 2, 5, 7]
    assert made[kept].tobytes() == whole[kept].tobytes()
    assert not made[1].any()
    np.testing.assert_allclose(made[3], whole[3] * 1e300, rtol=1e-9)
    assert np.isnan(made[4]).all()
    assert np.isfinite(made[6]).all()


@FUNCTIONS
def test_nothing_gives_nothing(function):
    assert function(np.zeros((0, 3)), np.ones((3, 2))).shape[0] == 0
    assert not function(np.zeros((2, 0)), np.ones((0, 2))).any()
    assert row_products(np.zeros((2, 3)), np.ones((3, 0))).shape == (2, 0)


def test_other_types_are_widened():
    x = numbers(3, 9, 20).astype(np.float32)
    assert row_dots(x, x[0]).tobytes() == row_dots(x.astype(float), x[0].astype(float)).tobytes()
    assert row_products(x, x.T).tobytes() == row_products(x.astype(float), x.T.astype(float)).tobytes()


@settings(max_examples=25)
@given(st.integers(2, 60), st.integers(1, 600), st.integers(0, 2**32))
def test_numpy_sums_a_contiguous_row_by_itself(n, k, seed):
    """What ``text.pooling`` relies on: the order of a sum along memory depends on its length alone."""
    x = numbers(seed, n, k)
    whole = (x * x).sum(1)
    assert [float((x[row : row + 1] * x[row : row + 1]).sum(1)[0]) for row in range(n)] == whole.tolist()
    assert [float((x[row] * x[row]).sum()) for row in range(n)] == whole.tolist()
