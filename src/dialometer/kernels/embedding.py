"""Vectors of texts, cosines of pairs, greedy matching of words.

What is summed or compared most comes as whole numbers: unit vectors as 2³⁰ times their components, and sort keys that are ordered
as the numbers are. Whole numbers may be added in any order, so the compiler may use wide registers and the plain and the
compiled form still agree to the last bit. A sum of products of two unit vectors stays below 2⁶¹.
"""

from math import sqrt  # pow(x, 0.5) would differ in the last bit between Python and compiled code

from dialometer.kernels.jit import helper, kernel

NOTHING = -2.0  # below every cosine


@helper
def dot(x, y):
    """Σ xᵢ yᵢ over whole numbers."""
    total = 0
    for k in range(len(x)):
        total += x[k] * y[k]
    return total


@kernel(
    "int64(int32[::1], int64[::1], int32[::1], float32[:,::1], int32[:,::1], float64[::1], boolean,"
    " float32[:,::1], int32[:,::1], float64[::1], int32[::1], int32[::1])"
)
def text_vectors(
    ids, starts, rows, vectors, keys, weights, zero_minimum, out_means, out_extrema, tmp_sum, tmp_high, tmp_low
):  # fmt: skip
    """The weighted mean of each text's word vectors, and per dimension the key of the value of largest magnitude.

    The key of −x is −1 − key of x. A tie goes to the maximum; with ``zero_minimum``, as nlg-eval has it, to the minimum, and a
    minimum of 0 gives 0.
    """
    width = len(tmp_sum)
    for r in range(len(rows)):
        start = starts[rows[r]]
        end = starts[rows[r] + 1]
        if start == end:
            continue
        first = keys[ids[start]]
        for k in range(width):
            tmp_sum[k] = 0.0
            tmp_high[k] = first[k]
            tmp_low[k] = first[k]
        total = 0.0
        for i in range(start, end):
            vector = vectors[ids[i]]
            key = keys[ids[i]]
            weight = weights[ids[i]]
            total += weight
            for k in range(width):
                tmp_sum[k] += weight * vector[k]
            for k in range(width):
                tmp_high[k] = key[k] if key[k] > tmp_high[k] else tmp_high[k]
                tmp_low[k] = key[k] if key[k] < tmp_low[k] else tmp_low[k]
        mean = out_means[r]
        extreme = out_extrema[r]
        share = 1.0 / total if total > 0 else 0.0
        for k in range(width):
            mean[k] = tmp_sum[k] * share
        for k in range(width):
            high = tmp_high[k]
            low = tmp_low[k]
            lower = (low == 0 or (low < 0 and high <= -1 - low)) if zero_minimum else high < -1 - low
            extreme[k] = low if lower else high
    return len(rows)


@kernel("int64(float32[:,::1], int64[::1], float32[:,::1], int64[::1], float64[::1])")
def cosines(left_vectors, left, right_vectors, right, out_cosines):
    """The cosine of each pair of rows; 0 where one is zero."""
    for p in range(len(left)):
        x = left_vectors[left[p]]
        y = right_vectors[right[p]]
        product = 0.0
        squares = 0.0
        others = 0.0
        for k in range(len(x)):
            a = x[k] * 1.0
            b = y[k] * 1.0
            product += a * b
            squares += a * a
            others += b * b
        if squares > 0 and others > 0:
            out_cosines[p] = product / sqrt(squares * others)
    return len(left)


@kernel(
    "int64(int32[::1], int64[::1], int32[::1], int32[::1], int64[::1], int32[::1],"
    " int32[:,::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def greedy(ids, starts, left, other_ids, other_starts, right, units, scale, weights, out_scores, tmp_best):
    """Weighted mean over words of the best cosine on the other side, both ways, averaged; 0 where a side has no word."""
    for p in range(len(left)):
        begin = other_starts[right[p]]
        end = other_starts[right[p] + 1]
        for j in range(begin, end):
            tmp_best[j - begin] = NOTHING
        there = 0.0
        there_weight = 0.0
        for i in range(starts[left[p]], starts[left[p] + 1]):
            word = ids[i]
            best = NOTHING
            for j in range(begin, end):
                other = other_ids[j]
                cosine = dot(units[word], units[other]) * scale[word] * scale[other]
                best = max(best, cosine)
                tmp_best[j - begin] = max(tmp_best[j - begin], cosine)
            there += weights[word] * best
            there_weight += weights[word]
        back = 0.0
        back_weight = 0.0
        for j in range(begin, end):
            back += weights[other_ids[j]] * tmp_best[j - begin]
            back_weight += weights[other_ids[j]]
        if there_weight > 0 and back_weight > 0:
            out_scores[p] = (there / there_weight + back / back_weight) / 2
    return len(left)
