"""The byte kernel that cuts ASCII text into tokens and interns them in the same pass.

Each row names its rules: tokens already cut and joined by spaces (``PLAIN``), runs of anything but space (``RUNS``), the rules
of mteval-13a (``MTEVAL``) or those of the ``words`` tokeniser (``WORDS``). What a byte is, a table of classes says.
"""

from dialometer.kernels.jit import helper, kernel

PLAIN, RUNS, MTEVAL, WORDS = range(4)
SPACE, WORD, ALONE, POINT, DASH, QUOTE, OPEN, SIGIL = range(8)
BLANK, ZERO, NINE, CLOSE = 32, 48, 57, 62
SCATTER = 1640531527  # 2**32 over the golden ratio, below 2**31
MULTIPLIER = 16777619  # FNV's prime: its product with a 32-bit value stays below 2**56


@helper
def key_of(data, a, b):
    """A short word (up to 7 bytes) packed with its length, exact; a longer one's hash with length 0."""
    if b - a > 7:
        h = 0
        for k in range(a, b):
            h = ((h ^ data[k]) * MULTIPLIER) & 0xFFFFFFFF
        return h << 3
    packed = 0
    for k in range(a, b):
        packed = (packed << 8) | data[k]
    return (packed << 3) | (b - a)


@helper
def intern(data, a, b, key, slots, keys, word_starts, word_bytes, words):
    """The id of the word at ``data[a:b]``; a new word is stored and gets the id ``words``."""
    mask = len(slots) - 1
    h = ((key ^ (key >> 31)) & 0x7FFFFFFF) * SCATTER
    slot = (h >> 24) & mask
    while slots[slot] != 0:
        word = slots[slot] - 1
        if keys[word] == key and (b - a <= 7 or same(data, a, b, word_starts, word_bytes, word)):
            return word
        slot = (slot + 1) & mask
    slots[slot] = words + 1
    keys[words] = key
    start = word_starts[words]
    for k in range(b - a):
        word_bytes[start + k] = data[a + k]
    word_starts[words + 1] = start + b - a
    return words


@helper
def same(data, a, b, word_starts, word_bytes, word):
    """Whether a stored word equals ``data[a:b]``."""
    start = word_starts[word]
    if word_starts[word + 1] - start != b - a:
        return False
    for k in range(b - a):
        if word_bytes[start + k] != data[a + k]:
            return False
    return True


@helper
def end_of_plain(data, i, end):
    """Where the token that starts at ``i`` ends in a row of tokens joined by spaces."""
    while i < end and data[i] != BLANK:
        i += 1
    return i


@helper
def end_of_mteval(data, i, start, end, classes):
    """The end of the token at ``i`` under 13a.

    A symbol stands alone, a dash does after a digit. Points and commas stand alone, except the last of a run before a
    digit when the passes of mteval-v13a leave it unpaired: it then joins the digits.
    """
    if classes[data[i]] == ALONE:
        return i + 1
    if classes[data[i]] == DASH and i > start and ZERO <= data[i - 1] <= NINE:
        return i + 1
    if classes[data[i]] == POINT and not joins_right(data, i, start, end, classes):
        return i + 1
    i += 1
    while i < end:
        c = classes[data[i]]
        if c == WORD:
            i += 1
            continue
        if c == SPACE or c == ALONE:
            return i
        if c == DASH and ZERO <= data[i - 1] <= NINE:
            return i
        if c == POINT and not joins_both(data, i, start, end, classes):
            return i
        i += 1
    return i


@helper
def joins_right(data, i, start, end, classes):
    """Whether the point at ``i`` ends a run, is left unpaired by the first pass, and stands before a digit."""
    if i + 1 >= end or not ZERO <= data[i + 1] <= NINE:
        return False
    first = i
    while first > start and classes[data[first - 1]] == POINT:
        first -= 1
    after_digit = first > start and ZERO <= data[first - 1] <= NINE
    return ((i - first + 1) % 2 == 1) == after_digit


@helper
def joins_both(data, i, start, end, classes):
    """Whether a point inside a token stays there: a single point between digits."""
    return ZERO <= data[i - 1] <= NINE and joins_right(data, i, start, end, classes)


@helper
def end_of_word(data, i, end, classes):
    """The end of the token at ``i`` under ``words``: a word, a number, ``<mark>``, ``@name``, ``#tag`` or one symbol."""
    c = classes[data[i]]
    if c == OPEN:
        j = i + 1
        while j < end and classes[data[j]] == WORD:
            j += 1
        return j + 1 if j > i + 1 and j < end and data[j] == CLOSE else i + 1
    if c == SIGIL:
        if i + 1 >= end or classes[data[i + 1]] != WORD:
            return i + 1
        i += 1
    elif c != WORD:
        return i + 1
    while i < end:
        while i < end and classes[data[i]] == WORD:
            i += 1
        if i + 1 >= end or classes[data[i + 1]] != WORD:
            return i
        digits = ZERO <= data[i - 1] <= NINE and ZERO <= data[i + 1] <= NINE
        if not (classes[data[i]] == QUOTE or (classes[data[i]] == POINT and digits)):
            return i
        i += 1
    return i


@kernel(
    "int64(uint8[::1], int64[::1], int64[::1], uint8[::1], uint8[::1],"
    " int32[::1], int64[::1], int32[::1], int64[::1], int64[::1], uint8[::1])"
)
def split(data, begin, end, rules, classes, out_ids, out_starts, tmp_slots, tmp_keys, out_word_starts, out_word_bytes):
    """Tokens of every row; returns the number of words, or −1 when the slots are half full: come back with more."""
    words = 0
    n = 0
    out_word_starts[0] = 0
    for row in range(len(begin)):
        out_starts[row] = n
        rule = rules[row]
        i = begin[row]
        stop = end[row]
        while i < stop:
            if data[i] == BLANK or (rule != PLAIN and classes[data[i]] == SPACE):
                i += 1
                continue
            if rule == RUNS:
                # the commonest rule: find the end and the key in one go
                j = i
                packed = 0
                while j < stop and classes[data[j]] != SPACE:
                    packed = ((packed & 0xFFFFFFFFFFFF) << 8) | data[j]
                    j += 1
                key = (packed << 3) | (j - i) if j - i <= 7 else key_of(data, i, j)
            else:
                if rule == PLAIN:
                    j = end_of_plain(data, i, stop)
                elif rule == MTEVAL:
                    j = end_of_mteval(data, i, begin[row], stop, classes)
                else:
                    j = end_of_word(data, i, stop, classes)
                key = key_of(data, i, j)
            word = intern(data, i, j, key, tmp_slots, tmp_keys, out_word_starts, out_word_bytes, words)
            if word == words:
                words += 1
                if 2 * words >= len(tmp_slots):
                    return -1
            out_ids[n] = word
            n += 1
            i = j
    out_starts[len(begin)] = n
    return words


@kernel("int64(uint8[::1], boolean, uint8[::1])")
def copy_bytes(data, lower, out_bytes):
    """Copy bytes, ASCII letters lower-cased if asked; returns how many."""
    for i in range(len(data)):
        b = data[i]
        out_bytes[i] = b + 32 if lower and 65 <= b <= 90 else b
    return len(data)
