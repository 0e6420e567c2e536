"""N-grams of one response as a small tree in a hash table, and how often references walk it.

A node is an n-gram; its key is the pair (node of the first n−1 words, last word), so ids are exact. Slots are valid when they
carry the current stamp: nothing is cleared between responses.
"""

from dialometer.kernels.jit import helper, kernel

SCATTER = 1640531527  # 2**32 over the golden ratio, below 2**31
ROOT = 0


@helper
def room_for(grams):
    """Slots that keep a table of so many n-grams at most a quarter full: a power of two."""
    room = 16
    while room < 4 * grams:
        room *= 2
    return room


@helper
def seek(parent, word, stamp, room, keys, stamps):
    """The slot of a child, or −1 − the free slot where it would go."""
    key = (parent << 32) | word
    h = ((parent * 40503 + word) & 0x7FFFFFFF) * SCATTER
    slot = (h >> 16) & (room - 1)
    while stamps[slot] == stamp:
        if keys[slot] == key:
            return slot
        slot = (slot + 1) & (room - 1)
    return -1 - slot


@helper
def mark(ids, starts, rows, first, last, stamp, marks):
    """Mark the words of some texts: an n-gram with any other word cannot be shared with them."""
    for r in range(first, last):
        for i in range(starts[rows[r]], starts[rows[r] + 1]):
            marks[ids[i]] = stamp


@helper
def plant(ids, start, end, order, stamp, room, marks, keys, stamps, nodes, counts, places):
    """Count the n-grams of marked words, orders 1 to ``order``; returns how many nodes there are (the root is node 0).

    ``places`` keeps where a node came up first: (position in the text) · order + (its order − 1).
    """
    size = 1
    for i in range(start, end):
        node = ROOT
        for k in range(i, min(i + order, end)):
            if marks[ids[k]] != stamp:
                break
            slot = seek(node, ids[k], stamp, room, keys, stamps)
            if slot < 0:
                slot = -1 - slot
                keys[slot] = (node << 32) | ids[k]
                stamps[slot] = stamp
                nodes[slot] = size
                counts[size] = 0
                places[size] = (i - start) * order + k - i
                size += 1
            node = nodes[slot]
            counts[node] += 1
    return size


@helper
def closest(length, starts, rows, first, last):
    """The reference length closest to ``length``; of two equally close ones the shorter."""
    best = -1
    for r in range(first, last):
        size = starts[rows[r] + 1] - starts[rows[r]]
        if (
            best < 0
            or abs(size - length) < abs(best - length)
            or (abs(size - length) == abs(best - length) and size < best)
        ):
            best = size
    return best


@kernel(
    "int64(int32[::1], int64[::1], int32[::1], int64[::1], int32[::1], int64,"
    " float64[::1], int32[::1], int64[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1])"
)
def clipped_matches(
    ids, starts, response, ref_starts, refs, order, out_rows,
    tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places, tmp_seen, tmp_best,
):  # fmt: skip
    """BLEU's statistics: [scored, length, closest reference length, matches 1…order, n-grams 1…order] per response.

    A match counts up to the largest count in any one reference.
    """
    width = 3 + 2 * order
    for item in range(len(response)):
        first = ref_starts[item]
        last = ref_starts[item + 1]
        if first == last:
            continue
        start = starts[response[item]]
        end = starts[response[item] + 1]
        out = item * width
        out_rows[out] = 1
        out_rows[out + 1] = end - start
        out_rows[out + 2] = closest(end - start, starts, refs, first, last)
        for n in range(order):
            out_rows[out + 3 + order + n] = max(0, end - start - n)
        room = room_for((end - start) * order)
        mark(ids, starts, refs, ref_starts[item], ref_starts[item + 1], item + 1, tmp_marks)
        size = plant(
            ids, start, end, order, item + 1, room, tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places
        )
        for node in range(size):
            tmp_best[node] = 0
        for r in range(first, last):
            for node in range(size):
                tmp_seen[node] = 0
            ref_end = starts[refs[r] + 1]
            for i in range(starts[refs[r]], ref_end):
                node = ROOT
                for k in range(i, min(i + order, ref_end)):
                    slot = seek(node, ids[k], item + 1, room, tmp_keys, tmp_stamps)
                    if slot < 0:
                        break
                    node = tmp_nodes[slot]
                    tmp_seen[node] += 1
                    if tmp_seen[node] > tmp_best[node] and tmp_best[node] < tmp_counts[node]:
                        tmp_best[node] += 1
                        out_rows[out + 3 + k - i] += 1
    return len(response)


@kernel(
    "int64(int32[::1], int64[::1], int32[::1], int64[::1], int32[::1], int64,"
    " int32[::1], int32[::1], int64[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1])"
)
def common_ngrams(
    ids, starts, response, ref_starts, refs, order, out_common,
    tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places, tmp_seen,
):  # fmt: skip
    """ROUGE-n's statistics: for each (response, reference) the n-grams in common, orders 1 to ``order``."""
    for item in range(len(response)):
        start = starts[response[item]]
        end = starts[response[item] + 1]
        room = room_for((end - start) * order)
        mark(ids, starts, refs, ref_starts[item], ref_starts[item + 1], item + 1, tmp_marks)
        size = plant(
            ids, start, end, order, item + 1, room, tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places
        )
        for r in range(ref_starts[item], ref_starts[item + 1]):
            for node in range(size):
                tmp_seen[node] = 0
            ref_end = starts[refs[r] + 1]
            for i in range(starts[refs[r]], ref_end):
                node = ROOT
                for k in range(i, min(i + order, ref_end)):
                    slot = seek(node, ids[k], item + 1, room, tmp_keys, tmp_stamps)
                    if slot < 0:
                        break
                    node = tmp_nodes[slot]
                    if tmp_seen[node] < tmp_counts[node]:
                        tmp_seen[node] += 1
                        out_common[r * order + k - i] += 1
    return len(response)
