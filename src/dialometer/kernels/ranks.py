"""Weighted ranks, many weightings at once: every item of a column counts as often as each of several resamples drew it.

A ``lane`` is one resample or one permutation; ``weights[unit·lanes + lane]`` is how often a unit occurs in it. Items come sorted by
value and a running sum of weights is their rank. Ranks are halves of whole numbers, so their sums stay exact.
"""

from dialometer.kernels.jit import kernel

POSITIVE = 0x7FFFFFFF  # tells the compiler that an index is not negative, without which lanes are not vectorised


@kernel("int64(float64[::1], int32[::1], int32[::1], int64, float64[::1])")
def level_weights(weights, unit, level, lanes, out_total):
    """The weight of each level of a column, added to ``out_total[level·lanes + lane]``."""
    for i in range(len(unit)):
        at = (unit[i] * lanes) & POSITIVE
        to = (level[i] * lanes) & POSITIVE
        for k in range(lanes):
            out_total[to + k] += weights[at + k]
    return len(unit)


@kernel(
    "int64(float64[::1], int32[::1], int32[::1], int64[::1], float64[::1], float64[::1], int64,"
    " float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def rank_products(weights, unit, level, ends, other, mean, lanes, out_xy, out_xx, tmp_below, tmp_tied, tmp_sum):
    """``Σ w (R − R̄) other[level]`` and ``Σ w (R − R̄)²`` per lane, added to zeros.

    ``ends`` are the ends of runs of equal values, whose items share their mean rank; ``other`` holds the other column's centred
    ranks by level; ranks count from ½, and ``mean`` is their mean.
    """
    for k in range(lanes):
        tmp_below[k] = 0.0
    start = 0
    for run in range(len(ends)):
        end = ends[run]
        for k in range(lanes):
            tmp_tied[k] = 0.0
            tmp_sum[k] = 0.0
        for i in range(start, end):
            at = (unit[i] * lanes) & POSITIVE
            by = (level[i] * lanes) & POSITIVE
            for k in range(lanes):
                tmp_tied[k] += weights[at + k]
                tmp_sum[k] += weights[at + k] * other[by + k]
        start = end
        for k in range(lanes):
            rank = tmp_below[k] + 0.5 * tmp_tied[k] - mean[k]
            out_xy[k] += rank * tmp_sum[k]
            out_xx[k] += rank * rank * tmp_tied[k]
            tmp_below[k] += tmp_tied[k]
    return len(ends)


@kernel(
    "int64(float64[::1], int32[::1], int64[::1], float64[::1], int64,"
    " float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def swapped_rank_products(swaps, entry, ends, other, lanes, out_ay, out_aa, out_by, out_bb, tmp_below, tmp_tied, tmp_sum):
    """``Σ (R − R̄) other`` and ``Σ (R − R̄)²`` of two columns a and b after swapping items where ``swaps`` is 1, added to zeros.

    The values of both columns come in one sorted row: ``entry`` is 2·item for a's value and 2·item + 1 for b's, ``ends`` are the
    ends of runs of equal values, ``other`` holds the third column's centred ranks by item. What a does not have, b has.
    """
    mean = len(entry) * 0.25
    for k in range(lanes):
        tmp_below[k] = 0.0
    start = 0
    for run in range(len(ends)):
        end = ends[run]
        whole = 0.0
        for k in range(lanes):
            tmp_tied[k] = 0.0
            tmp_sum[k] = 0.0
        for i in range(start, end):
            at = ((entry[i] >> 1) * lanes) & POSITIVE
            y = other[entry[i] >> 1]
            whole += y
            stays = 1.0 - (entry[i] & 1)
            turn = 1.0 - 2.0 * stays
            for k in range(lanes):
                w = stays + turn * swaps[at + k]
                tmp_tied[k] += w
                tmp_sum[k] += w * y
        for k in range(lanes):
            tied = end - start - tmp_tied[k]
            rank = tmp_below[k] + 0.5 * tmp_tied[k] - mean
            other_rank = start - tmp_below[k] + 0.5 * tied - mean
            out_ay[k] += rank * tmp_sum[k]
            out_aa[k] += rank * rank * tmp_tied[k]
            out_by[k] += other_rank * (whole - tmp_sum[k])
            out_bb[k] += other_rank * other_rank * tied
            tmp_below[k] += tmp_tied[k]
        start = end
    return len(ends)
