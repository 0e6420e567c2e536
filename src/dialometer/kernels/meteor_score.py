"""METEOR 1.5's statistics of one alignment, and the score they make (Denkowski & Lavie 2014)."""

from dialometer.kernels.jit import helper, kernel
from dialometer.kernels.meteor_match import LENGTH, STAGE, TEST, WIDTH

# The statistics: how many items, words and function words of response and reference, then matched words by stage:
# content and function words of the response, of the reference; and chunks, 0 for a perfect match.
ITEMS, TEST_WORDS, REF_WORDS, TEST_FUNCTION, REF_FUNCTION, MATCHED, FRAGMENTS, STATS = 0, 1, 2, 3, 4, 5, 21, 22


@kernel("void(int32[::1], int64, int64, int64, int64, int64[::1], int64[::1], int64, float64[::1])")
def count_stats(ids, a, b, c, d, function, alignment, chunks, tmp_stats):
    """The statistics of one alignment."""
    for k in range(STATS):
        tmp_stats[k] = 0.0
    tmp_stats[ITEMS] = 1.0
    tmp_stats[TEST_WORDS] = b - a
    tmp_stats[REF_WORDS] = d - c
    for j in range(a, b):
        tmp_stats[TEST_FUNCTION] += function[ids[j]]
    for i in range(c, d):
        tmp_stats[REF_FUNCTION] += function[ids[i]]
    tests = 0
    refs = 0
    for i in range(d - c):
        test = a + alignment[i * 4 + TEST]
        stage = MATCHED + alignment[i * 4 + STAGE]
        width = alignment[i * 4 + WIDTH]
        length = alignment[i * 4 + LENGTH]
        for j in range(test, test + width):
            tmp_stats[stage + 4 * function[ids[j]]] += 1.0
        for k in range(c + i, c + i + length):
            tmp_stats[stage + 8 + 4 * function[ids[k]]] += 1.0
        tests += width
        refs += length
    perfect = chunks == 1 and tests == b - a and refs == d - c
    tmp_stats[FRAGMENTS] = 0.0 if perfect else chunks


@helper
def weighted(stats, at, params):
    """Matched words of one side, weighted by stage and by content or function word."""
    total = 0.0
    for stage in range(4):
        total += stats[at + stage] * params[4 + stage] * params[3]
    for stage in range(4):
        total += stats[at + 4 + stage] * params[4 + stage] * (1.0 - params[3])
    return total


@helper
def score(stats, params):
    """F-mean times (1 − penalty) from statistics; params are α, β, γ, δ and the weights of the stages."""
    alpha, beta, gamma, delta = params[0], params[1], params[2], params[3]
    test = delta * (stats[TEST_WORDS] - stats[TEST_FUNCTION]) + (1.0 - delta) * stats[TEST_FUNCTION]
    ref = delta * (stats[REF_WORDS] - stats[REF_FUNCTION]) + (1.0 - delta) * stats[REF_FUNCTION]
    matched = weighted(stats, MATCHED, params)
    found = weighted(stats, MATCHED + 8, params)
    if test <= 0.0 or ref <= 0.0 or matched <= 0.0 or found <= 0.0:
        return 0.0
    f_mean = 1.0 / ((1.0 - alpha) / (matched / test) + alpha / (found / ref))
    words = 0.0
    for k in range(MATCHED, FRAGMENTS):
        words += stats[k]
    value = f_mean * (1.0 - gamma * (stats[FRAGMENTS] / (words / 2.0)) ** beta)
    return value if value > 0.0 else 0.0
