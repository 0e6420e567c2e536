"""METEOR 1.5's beam search for the best alignment of one response with one reference (Denkowski & Lavie 2014; the released jar).

Reference positions are decided from left to right. Partial alignments are ranked by matched words (a match beyond exact counts
half, rounded down), then fewer chunks, then smaller distance; equals keep their order. Distance is the jar's own: a match adds
to the alignment it was taken *from*, not to the one it makes.

The beam has two sides, the partial alignments before and after a position. A side is a store of records and, at ``ORDER``, the
slots of that store from best to worst, so that ranking moves one number, not a record.
"""

from dialometer.kernels.jit import helper, kernel
from dialometer.kernels.meteor_match import EXACT, LENGTH, MATCH, STAGE, TEST, WIDTH

BEAM = 40
TOTAL, CHUNKS, DISTANCE, END, FREE, NODE, PARENT, CHOICE = range(8)  # a partial alignment; END: of the last match, −1 none
PARTIAL = 8
SIDE = BEAM * PARTIAL
ORDER = 2 * SIDE
ROOM = ORDER + 2 * BEAM
NODES = 6  # a chosen match: the four fields of a match, its reference position, the node before it
BITS = 60


@helper
def half_words(width, length, stage):
    """What a match adds to the rank."""
    if stage == EXACT:
        return width + length
    return (width >> 1) + (length >> 1)


@helper
def precedes(total, chunks, distance, beam, at):
    """Whether a candidate is strictly better than the partial alignment at ``at``."""
    if total != beam[at + TOTAL]:
        return total > beam[at + TOTAL]
    if chunks != beam[at + CHUNKS]:
        return chunks < beam[at + CHUNKS]
    return distance < beam[at + DISTANCE]


@kernel("int64(int64[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def offer(tmp_beam, side, size, total, chunks, distance, end, free, parent, choice):
    """Insert a candidate after all that are as good; only the best are kept. Returns the new size."""
    base = side * SIDE
    order = ORDER + side * BEAM
    slot = size
    if size == BEAM:
        slot = tmp_beam[order + BEAM - 1]
        if not precedes(total, chunks, distance, tmp_beam, base + slot * PARTIAL):
            return size
        size -= 1
    low = order
    high = order + size
    while low < high:
        middle = (low + high) >> 1
        if precedes(total, chunks, distance, tmp_beam, base + tmp_beam[middle] * PARTIAL):
            high = middle
        else:
            low = middle + 1
    for k in range(order + size, low, -1):
        tmp_beam[k] = tmp_beam[k - 1]
    tmp_beam[low] = slot
    at = base + slot * PARTIAL
    tmp_beam[at + TOTAL] = total
    tmp_beam[at + CHUNKS] = chunks
    tmp_beam[at + DISTANCE] = distance
    tmp_beam[at + END] = end
    tmp_beam[at + FREE] = free
    tmp_beam[at + PARENT] = parent
    tmp_beam[at + CHOICE] = choice
    return size + 1


@helper
def breaks(end, test):
    """1 when a match at response position ``test`` does not continue the chunk that ends at ``end``."""
    return 1 if end != -1 and end != test else 0


@helper
def is_free(bits, at, test, width):
    """Whether none of the response words of a match is taken."""
    for k in range(test, test + width):
        if (bits[at + k // BITS] >> (k % BITS)) & 1:
            return False
    return True


@kernel("int64(int64[::1], int64, int64, int64, int64[::1], int64, int64[::1], int64)")
def extend(tmp_beam, side, size, i, matches, count, bits, words):
    """Decide reference position ``i``: every partial alignment takes each possible match, and none. Returns the new size."""
    new = 0
    for k in range(size):
        p = tmp_beam[ORDER + side * BEAM + k]
        at = side * SIDE + p * PARTIAL
        total, chunks, distance = tmp_beam[at + TOTAL], tmp_beam[at + CHUNKS], tmp_beam[at + DISTANCE]
        end, free = tmp_beam[at + END], tmp_beam[at + FREE]
        if free > i:
            new = offer(tmp_beam, 1 - side, new, total, chunks, distance, end, free, p, -1)
            continue
        for m in range(count):
            test, width, length = matches[m * MATCH + TEST], matches[m * MATCH + WIDTH], matches[m * MATCH + LENGTH]
            if not is_free(bits, (side * BEAM + p) * words, test, width):
                continue
            more = total + half_words(width, length, matches[m * MATCH + STAGE])
            new = offer(tmp_beam, 1 - side, new, more, chunks + breaks(end, test), distance, test + width, i + length, p, m)
            distance += abs(i - test)
        new = offer(tmp_beam, 1 - side, new, total, chunks + (0 if end == -1 else 1), distance, -1, i + 1, p, -1)
    return new


@kernel("int64(int64[::1], int64, int64, int64, int64[::1], int64)")
def impose(tmp_beam, side, size, i, place, at):
    """Give every partial alignment the one match of a position that competes with no other. Returns the new size."""
    new = 0
    test, width, length = place[at + TEST], place[at + WIDTH], place[at + LENGTH]
    for k in range(size):
        p = tmp_beam[ORDER + side * BEAM + k]
        q = side * SIDE + p * PARTIAL
        total = tmp_beam[q + TOTAL] + half_words(width, length, place[at + STAGE])
        chunks = tmp_beam[q + CHUNKS] + breaks(tmp_beam[q + END], test)
        distance = tmp_beam[q + DISTANCE] + abs(i - test)
        new = offer(tmp_beam, 1 - side, new, total, chunks, distance, test + width, i + length, p, -1)
    return new


@kernel("int64(int64[::1], int64, int64, int64, int64[::1], int64[::1], int64, int64[::1], int64)")
def settle(tmp_beam, side, size, i, matches, tmp_bits, words, tmp_nodes, used):
    """Make the partial alignments of a side whole: their taken response words, their chain of choices. Returns nodes used."""
    for p in range(size):
        at = side * SIDE + p * PARTIAL
        parent = tmp_beam[at + PARENT]
        new, old = (side * BEAM + p) * words, ((1 - side) * BEAM + parent) * words
        for w in range(words):
            tmp_bits[new + w] = tmp_bits[old + w]
        tmp_beam[at + NODE] = tmp_beam[(1 - side) * SIDE + parent * PARTIAL + NODE]
        if tmp_beam[at + CHOICE] >= 0:
            m = tmp_beam[at + CHOICE] * MATCH
            for k in range(matches[m + TEST], matches[m + TEST] + matches[m + WIDTH]):
                tmp_bits[new + k // BITS] |= 1 << (k % BITS)
            for f in range(4):
                tmp_nodes[used * NODES + f] = matches[m + f]
            tmp_nodes[used * NODES + 4] = i
            tmp_nodes[used * NODES + 5] = tmp_beam[at + NODE]
            tmp_beam[at + NODE] = used
            used += 1
    return used


@helper
def best_of(beam, side, size):
    """Where the first of the best is, once open chunks are closed."""
    best = side * SIDE + beam[ORDER + side * BEAM] * PARTIAL
    for k in range(size):
        at = side * SIDE + beam[ORDER + side * BEAM + k] * PARTIAL
        if beam[at + END] != -1:
            beam[at + CHUNKS] += 1
        if precedes(beam[at + TOTAL], beam[at + CHUNKS], beam[at + DISTANCE], beam, best):
            best = at
    return best
