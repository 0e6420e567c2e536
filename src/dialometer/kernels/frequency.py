"""Document frequencies of n-grams as one tree: prepare, merge and look up.

Nodes are numbered from 1 in the order they appear, parents before children; node 0 is the root. ``parent`` and ``word`` spell a
node, ``slots`` finds it.
"""

from dialometer.kernels.jit import helper, kernel

SCATTER = 1640531527  # 2**32 over the golden ratio, below 2**31


@helper
def child_slot(parent, word, parents, words, slots):
    """The slot that holds a child's node, or a free slot (value 0)."""
    h = ((parent * 40503 + word) & 0x7FFFFFFF) * SCATTER
    slot = (h >> 8) & (len(slots) - 1)
    while slots[slot] != 0:
        node = slots[slot]
        if parents[node] == parent and words[node] == word:
            return slot
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@kernel(
    "int64(int32[::1], int64[::1], int64[::1], int32[::1], int64, int64,"
    " int32[::1], int32[::1], int32[::1], int32[::1], int32[::1])"
)
def count_documents(
    ids, starts, doc_starts, doc_rows, order, size, out_parents, out_words, out_counts, out_slots, tmp_last
):
    """Add each document's distinct n-grams to the tree; returns its new size, or −1 when the slots are half full."""
    for doc in range(len(doc_starts) - 1):
        for r in range(doc_starts[doc], doc_starts[doc + 1]):
            end = starts[doc_rows[r] + 1]
            for i in range(starts[doc_rows[r]], end):
                node = 0
                for k in range(i, min(i + order, end)):
                    slot = child_slot(node, ids[k], out_parents, out_words, out_slots)
                    if out_slots[slot] == 0:
                        if 2 * size >= len(out_slots) or size >= len(out_parents):
                            return -1
                        out_slots[slot] = size
                        out_parents[size] = node
                        out_words[size] = ids[k]
                        out_counts[size] = 0
                        tmp_last[size] = -1
                        size += 1
                    node = out_slots[slot]
                    if tmp_last[node] != doc:
                        tmp_last[node] = doc
                        out_counts[node] += 1
    return size


@kernel(
    "int64(int32[::1], int32[::1], int32[::1], int32[::1], int64,"
    " int32[::1], int32[::1], int32[::1], int32[::1], int32[::1])"
)
def add_tree(parents, words, counts, renamed, size, out_parents, out_words, out_counts, out_slots, tmp_node):
    """Add another tree's counts, its words renamed to ours; returns the new size, or −1 when the slots are half full."""
    tmp_node[0] = 0
    for node in range(1, len(parents)):
        parent = tmp_node[parents[node]]
        word = renamed[words[node]]
        slot = child_slot(parent, word, out_parents, out_words, out_slots)
        if out_slots[slot] == 0:
            if 2 * size >= len(out_slots) or size >= len(out_parents):
                return -1
            out_slots[slot] = size
            out_parents[size] = parent
            out_words[size] = word
            out_counts[size] = 0
            size += 1
        tmp_node[node] = out_slots[slot]
        out_counts[out_slots[slot]] += counts[node]
    return size


@kernel(
    "int64(int32[::1], int64[::1], int32[::1], int32[::1], int64,"
    " int32[::1], int32[::1], int32[::1], int32[::1], int64[::1], int32[::1])"
)
def look_up(ids, starts, rows, renamed, order, parents, words, counts, slots, at, out_counts):
    """The document frequency of every n-gram of the given texts: entry ``at[row] + (i·order) + k``; 0 where unknown."""
    for r in range(len(rows)):
        begin = starts[rows[r]]
        end = starts[rows[r] + 1]
        for i in range(begin, end):
            node = 0
            for k in range(i, min(i + order, end)):
                if renamed[ids[k]] < 0:
                    break
                slot = child_slot(node, renamed[ids[k]], parents, words, slots)
                node = slots[slot]
                if node == 0:
                    break
                out_counts[at[r] + (i - begin) * order + k - i] = counts[node]
    return len(rows)
