"""The expectation of MACE in one pass, many starts at once: odds of an item's labels, then what each judgement adds to its cell."""

from dialometer.kernels.jit import kernel

POSITIVE = 0x7FFFFFFFFFFFFFFF  # tells the compiler that an index is not negative, without which lanes are not vectorised


@kernel("int64(int64[::1], int64[::1], int64[::1], float64[::1], int64, float64[::1], float64[::1], float64[::1])")
def knowing(starts, label, cell, raised, lanes, out_right, tmp_odds, tmp_share):
    """Σ of the posterior of the label that a judgement gave, added to ``out_right[cell·lanes + lane]``; a lane is a start.

    ``cell`` is rater × categories + label, ``raised[cell·lanes + lane]`` the factor by which a judgement raises its label's odds.
    """
    size = len(tmp_odds)
    for item in range(len(starts) - 1):
        for k in range(size):
            tmp_odds[k] = 1.0
        for j in range(starts[item], starts[item + 1]):
            to = (label[j] * lanes) & POSITIVE
            at = (cell[j] * lanes) & POSITIVE
            for k in range(lanes):
                tmp_odds[to + k] *= raised[at + k]
        for k in range(lanes):
            tmp_share[k] = 0.0
        for at in range(0, size, lanes):
            for k in range(lanes):
                tmp_share[k] += tmp_odds[at + k]
        for k in range(lanes):
            tmp_share[k] = 1.0 / tmp_share[k]
        for j in range(starts[item], starts[item + 1]):
            to = (label[j] * lanes) & POSITIVE
            at = (cell[j] * lanes) & POSITIVE
            for k in range(lanes):
                out_right[at + k] += tmp_odds[to + k] * tmp_share[k]
    return len(starts) - 1
