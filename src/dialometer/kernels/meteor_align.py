"""METEOR 1.5 over a corpus: align each response with each of its references and keep the statistics of the best."""

from dialometer.kernels.jit import helper, kernel
from dialometer.kernels.meteor_beam import (
    BEAM,
    BITS,
    CHUNKS,
    END,
    FREE,
    NODE,
    NODES,
    ORDER,
    PARTIAL,
    SIDE,
    best_of,
    extend,
    impose,
    settle,
)
from dialometer.kernels.meteor_match import LENGTH, MATCH, TEST, WIDTH, mark_phrases, phrase_matches, word_matches
from dialometer.kernels.meteor_score import STATS, count_stats, score

# fmt: off
# The argument lists are long: one argument a line would bury the code.
COUNT, COVER = 4, 5  # per reference position, beside the four fields of its only match
PLACE = 6


@helper
def matches_at(
    i, ids, a, b, c, stages, key, stem, link_starts, links, span_starts, span_token, span_length, span_phrase,
    entry_starts, entry_other, entry_order, head, after, matches,
):
    """All matches of reference position ``i``; returns how many."""
    n = word_matches(ids[c + i], ids, a, b, stages, key, stem, link_starts, links, matches)
    if stages[3]:
        n = phrase_matches(
            c + i, a, span_starts[a], span_starts[b], span_starts, span_token, span_length, span_phrase, entry_starts,
            entry_other, entry_order, head, after, matches, n,
        )
    return n


@helper
def note(i, n, matches, place, cover):
    """Count a position's matches and, on both sides, how many matches cover each word."""
    place[i * PLACE + COUNT] = n
    for m in range(n):
        at = m * MATCH
        for k in range(matches[at + LENGTH]):
            place[(i + k) * PLACE + COVER] += 1
        for k in range(matches[at + TEST], matches[at + TEST] + matches[at + WIDTH]):
            cover[k] += 1
    if n == 1:
        for f in range(4):
            place[i * PLACE + f] = matches[f]


@helper
def is_settled(i, place, cover):
    """Whether the position has one match, and no other match touches the words it covers on either side."""
    at = i * PLACE
    if place[at + COUNT] != 1:
        return False
    for k in range(place[at + LENGTH]):
        if place[(i + k) * PLACE + COVER] != 1:
            return False
    for k in range(place[at + TEST], place[at + TEST] + place[at + WIDTH]):
        if cover[k] != 1:
            return False
    return True


@helper
def first_stage_only(ids, a, b, c, d, key, stages, out):
    """Copy the stages; of identical texts only the first one runs."""
    same = b - a == d - c
    for i in range(b - a if same else 0):
        if key[ids[a + i]] != key[ids[c + i]]:
            same = False
            break
    taken = False
    for stage in range(4):
        out[stage] = 1 if stages[stage] and not (same and taken) else 0
        taken = taken or stages[stage] != 0


@helper
def clear(beam, bits, words):
    """The empty alignment."""
    for f in range(PARTIAL):
        beam[f] = 0
    beam[ORDER] = 0
    beam[END] = -1
    beam[NODE] = -1
    for w in range(words):
        bits[w] = 0


@helper
def pass_by(i, count, beam, at, place):
    """Move the only partial alignment past a position that leaves no choice."""
    if beam[at + FREE] > i:
        return
    if count == 0:
        if beam[at + END] != -1:
            beam[at + CHUNKS] += 1
        beam[at + END] = -1
        beam[at + FREE] = i + 1
        return
    test = place[i * PLACE + TEST]
    if beam[at + END] != -1 and beam[at + END] != test:
        beam[at + CHUNKS] += 1
    beam[at + END] = test + place[i * PLACE + WIDTH]
    beam[at + FREE] = i + place[i * PLACE + LENGTH]
    # its words and distance are the same for every alignment that follows from this one


@helper
def trace(beam, at, nodes, place, cover, n, alignment):
    """Write the chosen match of each reference position; width 0 where there is none."""
    for i in range(n):
        settled = is_settled(i, place, cover)
        for f in range(4):
            alignment[i * 4 + f] = place[i * PLACE + f] if settled else 0
    node = beam[at + NODE]
    while node >= 0:
        i = nodes[node * NODES + 4]
        for f in range(4):
            alignment[i * 4 + f] = nodes[node * NODES + f]
        node = nodes[node * NODES + 5]
    return beam[at + CHUNKS]


@kernel(
    "int64(int32[::1], int64, int64, int64, int64, int64[::1], int64[::1], int64[::1], int64[::1], int32[::1], "
    "int64[::1], int32[::1], int32[::1], int32[::1], int64[::1], int32[::1], int32[::1], int64[::1], int64[::1], "
    "int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)
def align(
    ids, a, b, c, d, stages, key, stem, link_starts, links, span_starts, span_token, span_length, span_phrase,
    entry_starts, entry_other, entry_order, head, after, tmp_alignment, tmp_place, tmp_cover, tmp_matches, tmp_beam,
    tmp_bits, tmp_nodes, tmp_here,
):
    """Align the response ``ids[a:b]`` with the reference ``ids[c:d]``; returns the number of chunks."""
    first_stage_only(ids, a, b, c, d, key, stages, tmp_here)
    n = d - c
    words = (b - a) // BITS + 1
    for k in range(n * PLACE):
        tmp_place[k] = 0
    for k in range(b - a):
        tmp_cover[k] = 0
    for i in range(n):
        found = matches_at(
            i, ids, a, b, c, tmp_here, key, stem, link_starts, links, span_starts, span_token, span_length, span_phrase,
            entry_starts, entry_other, entry_order, head, after, tmp_matches,
        )
        note(i, found, tmp_matches, tmp_place, tmp_cover)
    clear(tmp_beam, tmp_bits, words)
    side, size, used = 0, 1, 0
    for i in range(n):
        count = tmp_place[i * PLACE + COUNT]
        settled = is_settled(i, tmp_place, tmp_cover)
        only = side * SIDE + tmp_beam[ORDER + side * BEAM] * PARTIAL
        if size == 1 and (count == 0 or settled or tmp_beam[only + FREE] > i):
            pass_by(i, count, tmp_beam, only, tmp_place)
            continue
        if settled:
            size = impose(tmp_beam, side, size, i, tmp_place, i * PLACE)
        else:
            if count > 0:
                count = matches_at(
                    i, ids, a, b, c, tmp_here, key, stem, link_starts, links, span_starts, span_token, span_length,
                    span_phrase, entry_starts, entry_other, entry_order, head, after, tmp_matches,
                )
            size = extend(tmp_beam, side, size, i, tmp_matches, count, tmp_bits, words)
        side = 1 - side
        used = settle(tmp_beam, side, size, i, tmp_matches, tmp_bits, words, tmp_nodes, used)
    return trace(tmp_beam, best_of(tmp_beam, side, size), tmp_nodes, tmp_place, tmp_cover, n, tmp_alignment)


@kernel(
    "void(int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int32[::1], int64[::1], int32[::1], "
    "int32[::1], int32[::1], int64[::1], int32[::1], int32[::1], int32[::1], int64[::1], int32[::1], int64[::1], "
    "float64[::1], float64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], "
    "int64[::1], int64[::1], int64[::1], float64[::1])"
)
def measure(
    ids, starts, key, stem, function, link_starts, links, span_starts, span_token, span_length, span_phrase, entry_starts,
    entry_other, entry_order, response, ref_starts, ref_rows, stages, params, out_stats, out_alignment, tmp_head,
    tmp_after, tmp_place, tmp_cover, tmp_matches, tmp_beam, tmp_bits, tmp_nodes, tmp_stages, tmp_stats,
):
    """Per item the statistics of the first best reference; ``out_alignment`` keeps the last alignment made."""
    for item in range(len(response)):
        best = -1.0
        a, b = starts[response[item]], starts[response[item] + 1]
        if stages[3]:
            mark_phrases(span_starts[a], span_starts[b], span_phrase, tmp_head, tmp_after)
        for r in range(ref_starts[item], ref_starts[item + 1]):
            c, d = starts[ref_rows[r]], starts[ref_rows[r] + 1]
            chunks = align(
                ids, a, b, c, d, stages, key, stem, link_starts, links, span_starts, span_token, span_length, span_phrase,
                entry_starts, entry_other, entry_order, tmp_head, tmp_after, out_alignment, tmp_place, tmp_cover,
                tmp_matches, tmp_beam, tmp_bits, tmp_nodes, tmp_stages,
            )
            count_stats(ids, a, b, c, d, function, out_alignment, chunks, tmp_stats)
            value = score(tmp_stats, params)
            if value > best:
                best = value
                for k in range(STATS):
                    out_stats[item * STATS + k] = tmp_stats[k]
