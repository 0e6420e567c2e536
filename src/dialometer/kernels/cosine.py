"""Weighted n-gram vectors of texts: their norms, and the products of responses with their references."""

from dialometer.kernels.jit import kernel
from dialometer.kernels.ngrams import ROOT, mark, plant, room_for, seek


@kernel(
    "int64(int32[::1], int64[::1], int32[::1], int64, float64[::1], int64[::1],"
    " float64[::1], int32[::1], int64[::1], int32[::1], int32[::1], int32[::1], int32[::1])"
)
def squared_norms(
    ids, starts, rows, order, weights, at, out_norms, tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places
):
    """For each text and order, Σ (count · weight)² over its distinct n-grams; weights as laid out by ``look_up``."""
    for r in range(len(rows)):
        start = starts[rows[r]]
        end = starts[rows[r] + 1]
        room = room_for((end - start) * order)
        mark(ids, starts, rows, r, r + 1, r + 1, tmp_marks)
        size = plant(
            ids, start, end, order, r + 1, room, tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places
        )
        for node in range(1, size):
            value = tmp_counts[node] * weights[at[r] + tmp_places[node]]
            out_norms[r * order + tmp_places[node] % order] += value * value
    return len(rows)


@kernel(
    "int64(int32[::1], int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], int64, float64[::1], int64[::1], boolean,"
    " float64[::1], int32[::1], int64[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1])"
)
def products(
    ids, starts, response, ref_starts, refs, items, order, weights, at, clip,
    out_products, tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places, tmp_seen,
):  # fmt: skip
    """For each (response, reference) of the items and each order, Σ h·r over shared n-grams, h clipped to r if asked.

    ``at`` says where the weights of an item's response start.
    """
    for n in range(len(items)):
        item = items[n]
        start = starts[response[item]]
        end = starts[response[item] + 1]
        room = room_for((end - start) * order)
        mark(ids, starts, refs, ref_starts[item], ref_starts[item + 1], n + 1, tmp_marks)
        size = plant(
            ids, start, end, order, n + 1, room, tmp_marks, tmp_keys, tmp_stamps, tmp_nodes, tmp_counts, tmp_places
        )
        for r in range(ref_starts[item], ref_starts[item + 1]):
            for node in range(size):
                tmp_seen[node] = 0
            ref_end = starts[refs[r] + 1]
            for i in range(starts[refs[r]], ref_end):
                node = ROOT
                for k in range(i, min(i + order, ref_end)):
                    slot = seek(node, ids[k], n + 1, room, tmp_keys, tmp_stamps)
                    if slot < 0:
                        break
                    node = tmp_nodes[slot]
                    tmp_seen[node] += 1
            for node in range(1, size):
                if tmp_seen[node] > 0:
                    weight = weights[at[n] + tmp_places[node]]
                    theirs = tmp_seen[node] * weight
                    mine = tmp_counts[node] * weight
                    if clip and mine > theirs:
                        mine = theirs
                    out_products[r * order + tmp_places[node] % order] += mine * theirs
    return len(items)
