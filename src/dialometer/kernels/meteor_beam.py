"""METEOR 1.5's beam search for the best alignment of one response with one reference (Denkowski & Lavie 2014; the released jar).

Reference positions are decided from left to right. Partial alignments are ranked by matched words (a match beyond exact counts
half, rounded down), then fewer chunks, then smaller distance; equals keep their order. Distance is the jar's own: a match adds
to the alignment it was taken *from*, not to the one it makes.
"""

from dialometer.kernels.jit import helper
from dialometer.kernels.meteor_match import EXACT, LENGTH, MATCH, STAGE, TEST, WIDTH

BEAM = 40
TOTAL, CHUNKS, DISTANCE, END, FREE, NODE, PARENT, CHOICE = range(8)  # a partial alignment; END: of the last match, −1 none
PARTIAL = 8
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


@helper
def offer(beam, base, size, total, chunks, distance, end, free, parent, choice):
    """Put a candidate behind all that are as good; only the best stay. Returns the new size."""
    if size == BEAM:
        if not precedes(total, chunks, distance, beam, base + (BEAM - 1) * PARTIAL):
            return size
        size -= 1
    at = base + size * PARTIAL
    while at > base and precedes(total, chunks, distance, beam, at - PARTIAL):
        for f in range(PARTIAL):
            beam[at + f] = beam[at - PARTIAL + f]
        at -= PARTIAL
    beam[at + TOTAL] = total
    beam[at + CHUNKS] = chunks
    beam[at + DISTANCE] = distance
    beam[at + END] = end
    beam[at + FREE] = free
    beam[at + PARENT] = parent
    beam[at + CHOICE] = choice
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


@helper
def extend(beam, now, then, size, i, matches, count, bits, words):
    """Decide reference position ``i``: every partial alignment takes each possible match, and none. Returns the new size."""
    new = 0
    side = 0 if now == 0 else BEAM * words
    for p in range(size):
        at = now + p * PARTIAL
        total, chunks, distance, end = beam[at + TOTAL], beam[at + CHUNKS], beam[at + DISTANCE], beam[at + END]
        if beam[at + FREE] > i:
            new = offer(beam, then, new, total, chunks, distance, end, beam[at + FREE], p, -1)
            continue
        for m in range(count):
            test, width, length = matches[m * MATCH + TEST], matches[m * MATCH + WIDTH], matches[m * MATCH + LENGTH]
            if not is_free(bits, side + p * words, test, width):
                continue
            more = total + half_words(width, length, matches[m * MATCH + STAGE])
            new = offer(beam, then, new, more, chunks + breaks(end, test), distance, test + width, i + length, p, m)
            distance += abs(i - test)
        new = offer(beam, then, new, total, chunks + (0 if end == -1 else 1), distance, -1, i + 1, p, -1)
    return new


@helper
def impose(beam, now, then, size, i, place, at):
    """Give every partial alignment the one match of a position that competes with no other. Returns the new size."""
    new = 0
    test, width, length = place[at + TEST], place[at + WIDTH], place[at + LENGTH]
    for p in range(size):
        q = now + p * PARTIAL
        total = beam[q + TOTAL] + half_words(width, length, place[at + STAGE])
        chunks = beam[q + CHUNKS] + breaks(beam[q + END], test)
        new = offer(beam, then, new, total, chunks, beam[q + DISTANCE] + abs(i - test), test + width, i + length, p, -1)
    return new


@helper
def settle(beam, now, then, size, i, matches, bits, words, nodes, used):
    """Make the new partial alignments whole: their taken response words and their chain of choices. Returns nodes used."""
    old = 0 if now == 0 else BEAM * words
    new = 0 if then == 0 else BEAM * words
    for p in range(size):
        at = then + p * PARTIAL
        parent = beam[at + PARENT]
        for w in range(words):
            bits[new + p * words + w] = bits[old + parent * words + w]
        beam[at + NODE] = beam[now + parent * PARTIAL + NODE]
        if beam[at + CHOICE] >= 0:
            m = beam[at + CHOICE] * MATCH
            for k in range(matches[m + TEST], matches[m + TEST] + matches[m + WIDTH]):
                bits[new + p * words + k // BITS] |= 1 << (k % BITS)
            for f in range(4):
                nodes[used * NODES + f] = matches[m + f]
            nodes[used * NODES + 4] = i
            nodes[used * NODES + 5] = beam[at + NODE]
            beam[at + NODE] = used
            used += 1
    return used


@helper
def best_of(beam, now, size):
    """The first of the best, once open chunks are closed."""
    best = 0
    for p in range(size):
        at = now + p * PARTIAL
        if beam[at + END] != -1:
            beam[at + CHUNKS] += 1
        if precedes(beam[at + TOTAL], beam[at + CHUNKS], beam[at + DISTANCE], beam, now + best * PARTIAL):
            best = p
    return best
