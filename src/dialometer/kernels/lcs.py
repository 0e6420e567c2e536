"""Length of the longest common subsequence, many positions of the response at a time.

Bits of a block stand for positions of the response; one addition per block and reference word advances a whole row of the
classic table (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"). Blocks hold 62 bits, so that sums stay positive.
"""

from dialometer.kernels.jit import helper, kernel

BITS = 62
FULL = (1 << BITS) - 1


@helper
def ones(bits):
    """How many bits are set."""
    n = 0
    while bits != 0:
        bits &= bits - 1
        n += 1
    return n


@helper
def lcs_length(ids, start, end, ref_start, ref_end, blocks, local, masks, state):
    """LCS of one pair; ``local[word]`` is 1 + the word's number in the response, or 0."""
    for b in range(blocks):
        state[b] = FULL
    for i in range(ref_start, ref_end):
        if local[ids[i]] == 0:
            continue
        base = (local[ids[i]] - 1) * blocks
        carry = 0
        for b in range(blocks):
            row = state[b]
            total = row + (row & masks[base + b]) + carry
            carry = total >> BITS
            state[b] = (total & FULL) | (row & ~masks[base + b])
    length = 0
    for b in range(blocks):
        length += ones(FULL & ~state[b])
    return length


@kernel("int64(int32[::1], int64[::1], int32[::1], int64[::1], int32[::1], int32[::1], int32[::1], int64[::1], int64[::1])")
def common_subsequences(ids, starts, response, ref_starts, refs, out_lcs, tmp_local, tmp_masks, tmp_state):
    """The LCS length of each (response, reference)."""
    for item in range(len(response)):
        start = starts[response[item]]
        end = starts[response[item] + 1]
        blocks = (end - start + BITS - 1) // BITS
        words = 0
        for i in range(start, end):
            if tmp_local[ids[i]] == 0:
                words += 1
                tmp_local[ids[i]] = words
                for b in range(blocks):
                    tmp_masks[(words - 1) * blocks + b] = 0
            at = i - start
            tmp_masks[(tmp_local[ids[i]] - 1) * blocks + at // BITS] |= 1 << (at % BITS)
        for r in range(ref_starts[item], ref_starts[item + 1]):
            out_lcs[r] = lcs_length(
                ids, start, end, starts[refs[r]], starts[refs[r] + 1], blocks, tmp_local, tmp_masks, tmp_state
            )
        for i in range(start, end):
            tmp_local[ids[i]] = 0
    return len(response)
