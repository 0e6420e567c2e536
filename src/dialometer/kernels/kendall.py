"""Concordant less discordant pairs, many weightings at once (``weights`` and lanes as in ``ranks``).

Items come sorted by one column; a Fenwick tree over the levels of the other counts the weight already passed (Fenwick 1994, "A new
data structure for cumulative frequency tables"). Ratings have few levels, so the tree is a few steps high.
"""

from dialometer.kernels.jit import helper, kernel
from dialometer.kernels.ranks import POSITIVE


@helper
def clear(values, size):
    """Set the first entries to 0."""
    for k in range(size):
        values[k] = 0.0


@helper
def weight_below(tree, level, lanes, less):
    """The weight already passed at lower levels, per lane."""
    for k in range(lanes):
        less[k] = 0.0
    node = level
    while node > 0:
        base = (node * lanes) & POSITIVE
        for k in range(lanes):
            less[k] += tree[base + k]
        node &= node - 1


@helper
def add_weight(tree, level, levels, lanes, weights, at):
    """Let one item pass: its weight joins its level and all above."""
    node = level + 1
    while node <= levels:
        base = (node * lanes) & POSITIVE
        for k in range(lanes):
            tree[base + k] += weights[at + k]
        node += node & -node


@kernel(
    "int64(float64[::1], int32[::1], int32[::1], int64[::1], int64, int64,"
    " float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def concordance(
    weights, unit, level, ends, levels, lanes, out_s, out_xx, out_yy, out_n, tmp_tree, tmp_at, tmp_tied, tmp_less
):
    """Concordant less discordant pairs, sums of squared weights of ties in either column, and the rows drawn, added to zeros."""
    clear(tmp_tree, (levels + 1) * lanes)
    clear(tmp_at, levels * lanes)
    start = 0
    for run in range(len(ends)):
        end = ends[run]
        for i in range(start, end):
            weight_below(tmp_tree, level[i], lanes, tmp_less)
            at = (unit[i] * lanes) & POSITIVE
            by = (level[i] * lanes) & POSITIVE
            for k in range(lanes):
                out_s[k] += weights[at + k] * (2.0 * tmp_less[k] + tmp_at[by + k] - out_n[k])
        clear(tmp_tied, lanes)
        for i in range(start, end):
            at = (unit[i] * lanes) & POSITIVE
            by = (level[i] * lanes) & POSITIVE
            for k in range(lanes):
                tmp_tied[k] += weights[at + k]
                tmp_at[by + k] += weights[at + k]
            add_weight(tmp_tree, level[i], levels, lanes, weights, at)
        for k in range(lanes):
            out_xx[k] += tmp_tied[k] * tmp_tied[k]
            out_n[k] += tmp_tied[k]
        start = end
    for i in range(levels):
        by = (i * lanes) & POSITIVE
        for k in range(lanes):
            out_yy[k] += tmp_at[by + k] * tmp_at[by + k]
    return len(ends)


@helper
def count_below(tree, level):
    """How many entries passed at lower levels."""
    count = 0.0
    while level > 0:
        count += tree[level]
        level &= level - 1
    return count


@helper
def count_one(tree, level, levels):
    """Let one entry pass."""
    node = level + 1
    while node <= levels:
        tree[node] += 1.0
        node += node & -node


@helper
def own_weights(swaps, entry, lanes, weights):
    """Whether column a has this entry, per lane: its own (even) where it is not swapped, b's (odd) where it is."""
    at = ((entry >> 1) * lanes) & POSITIVE
    stays = 1.0 - (entry & 1)
    for k in range(lanes):
        weights[k] = stays + (1.0 - 2.0 * stays) * swaps[at + k]


@kernel(
    "int64(float64[::1], int32[::1], int32[::1], int64[::1], int64, int64, float64[::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def swapped_concordance(
    swaps, entry, level, ends, levels, lanes, out_a, out_aa, out_b, out_bb,
    tmp_tree, tmp_at, tmp_seen, tmp_tied, tmp_less, tmp_all, tmp_own,
):  # fmt: skip
    """``concordance`` of two columns after swapping items where ``swaps`` is 1; entries as in ``swapped_rank_products``.

    What a does not have, b has: b's counts are those of both, which are one number for all lanes, less a's.
    """
    clear(tmp_tree, (levels + 1) * lanes)
    clear(tmp_at, levels * lanes)
    clear(tmp_seen, lanes)
    clear(tmp_all, levels + 1)
    start = 0
    for run in range(len(ends)):
        end = ends[run]
        for i in range(start, end):
            own = level[entry[i] >> 1]
            weight_below(tmp_tree, own, lanes, tmp_less)
            own_weights(swaps, entry[i], lanes, tmp_own)
            both = count_below(tmp_all, own) + count_below(tmp_all, own + 1) - start
            by = (own * lanes) & POSITIVE
            for k in range(lanes):
                mine = 2.0 * tmp_less[k] + tmp_at[by + k] - tmp_seen[k]
                out_a[k] += tmp_own[k] * mine
                out_b[k] += (1.0 - tmp_own[k]) * (both - mine)
        clear(tmp_tied, lanes)
        for i in range(start, end):
            own = level[entry[i] >> 1]
            own_weights(swaps, entry[i], lanes, tmp_own)
            by = (own * lanes) & POSITIVE
            for k in range(lanes):
                tmp_tied[k] += tmp_own[k]
                tmp_at[by + k] += tmp_own[k]
            add_weight(tmp_tree, own, levels, lanes, tmp_own, 0)
            count_one(tmp_all, own, levels)
        for k in range(lanes):
            out_aa[k] += tmp_tied[k] * tmp_tied[k]
            out_bb[k] += (end - start - tmp_tied[k]) * (end - start - tmp_tied[k])
            tmp_seen[k] += tmp_tied[k]
        start = end
    return len(ends)
