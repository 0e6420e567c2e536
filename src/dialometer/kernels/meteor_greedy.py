"""NLTK's METEOR over a corpus: greedy matching, stage by stage, from the end of the response and of the reference.

Lavie & Agarwal (2007) for the formula; the matching order is NLTK's.
"""

from dialometer.kernels.jit import helper, kernel
from dialometer.kernels.meteor_match import EXACT, STEM, SYNONYM, linked


@helper
def same(stage, x, y, key, stem, form, link_starts, links):
    """Whether response word x and reference word y match under a stage."""
    if stage == EXACT:
        return key[x] == key[y]
    if stage == STEM:
        return stem[x] == stem[y]
    return form[x] == form[y] or linked(form[x], form[y], link_starts, links)


@helper
def match_words(ids, a, b, c, d, stages, key, stem, form, link_starts, links, partner, stage_of, taken):
    """Each response word's reference position, −1 if none; returns the number of matches."""
    matches = 0
    for i in range(b - a):
        partner[i] = -1
    for j in range(d - c):
        taken[j] = 0
    for stage in range(SYNONYM + 1):
        if not stages[stage]:
            continue
        for i in range(b - a - 1, -1, -1):
            if partner[i] >= 0:
                continue
            for j in range(d - c - 1, -1, -1):
                if not taken[j] and same(stage, ids[a + i], ids[c + j], key, stem, form, link_starts, links):
                    partner[i] = j
                    stage_of[i] = stage
                    taken[j] = 1
                    matches += 1
                    break
    return matches


@helper
def count_chunks(partner, n):
    """Runs of neighbours that match neighbours."""
    chunks = 0
    for i in range(n):
        if partner[i] >= 0 and (i == 0 or partner[i - 1] < 0 or partner[i] != partner[i - 1] + 1):
            chunks += 1
    return chunks


@helper
def score(matches, chunks, test, ref, params):
    """(1 − γ (chunks / matches)^β) · P R / (α P + (1 − α) R); 0 without a match."""
    if matches == 0:
        return 0.0
    precision = matches / test
    recall = matches / ref
    f_mean = (precision * recall) / (params[0] * precision + (1.0 - params[0]) * recall)
    penalty = params[2] * (chunks / matches) ** params[1]
    return (1.0 - penalty) * f_mean


@kernel(
    "void(int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int32[::1], int32[::1], int64[::1],"
    " int32[::1], int64[::1], float64[::1], float64[::1], int64[::1], int64[::1], int64[::1])"
)
def measure(
    ids,
    starts,
    key,
    stem,
    form,
    link_starts,
    links,
    response,
    ref_starts,
    ref_rows,
    stages,
    params,
    out_best,
    out_partner,
    out_stage,
    tmp_taken,
):
    """Per item the best score over its references; ``out_partner`` and ``out_stage`` keep the last alignment made."""
    for item in range(len(response)):
        a, b = starts[response[item]], starts[response[item] + 1]
        best = -1.0
        for r in range(ref_starts[item], ref_starts[item + 1]):
            c, d = starts[ref_rows[r]], starts[ref_rows[r] + 1]
            matches = match_words(
                ids, a, b, c, d, stages, key, stem, form, link_starts, links, out_partner, out_stage, tmp_taken
            )
            value = score(matches, count_chunks(out_partner, b - a), b - a, d - c, params)
            if value > best or r == ref_starts[item]:
                best = value
        out_best[item] = best
