"""Cyclic coordinate descent for the Lasso over a Gram matrix (Friedman, Hastie & Tibshirani 2010, "covariance updates").

What is lowered is ``½ θᵀGθ − mᵀθ + Σ w_j |θ_j|``. The slope ``m − Gθ`` is kept up to date, so that a coordinate that stays costs
one comparison, and one that moves costs a row of G.
"""

from dialometer.kernels.jit import helper, kernel


@helper
def settle(gram, weights, j, theta, slope):
    """Move one coordinate to its minimum, the others held; returns how far its slope was from there."""
    curve = gram[j][j]
    if curve <= 0.0:  # a column of zeros: nothing to gain
        return 0.0
    old = theta[j]
    pull = slope[j] + curve * old
    new = 0.0
    if pull > weights[j]:
        new = (pull - weights[j]) / curve
    elif pull < -weights[j]:
        new = (pull + weights[j]) / curve
    change = new - old
    if change != 0.0:
        theta[j] = new
        row = gram[j]
        for k in range(len(row)):
            slope[k] -= change * row[k]
    return abs(change) * curve


@kernel("int64(float64[:,::1], float64[::1], float64, int64, float64[::1], float64[::1], int64[::1])")
def descend(gram, weights, tolerance, most, out_theta, out_slope, tmp_active):
    """Sweep until no slope was off by more than the tolerance, or ``most`` sweeps are done; returns the sweeps.

    After each sweep over all coordinates come sweeps over those that it left different from 0, until these are settled. The start
    is what ``out_theta`` and ``out_slope`` hold.
    """
    sweeps = 0
    while sweeps < most:
        off = 0.0
        active = 0
        for j in range(len(weights)):
            off = max(off, settle(gram, weights, j, out_theta, out_slope))
            if out_theta[j] != 0.0:
                tmp_active[active] = j
                active += 1
        sweeps += 1
        if off <= tolerance:
            break
        while off > tolerance and sweeps < most:
            off = 0.0
            for a in range(active):
                off = max(off, settle(gram, weights, tmp_active[a], out_theta, out_slope))
            sweeps += 1
    return sweeps
