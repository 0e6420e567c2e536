"""Lines of word vectors in text form: where the word ends and what the numbers are; hashes of words.

A decimal of at most 15 digits and a power of ten up to 22 are exact in 64 bits, so one multiplication or division rounds
rightly (Clinger 1990). Every other spelling is left to Python.
"""

from dialometer.kernels.jit import helper, kernel

READ, ODD, SKIPPED, SPACED = 0, 1, 2, 3
FIRST_PRIME, SECOND_PRIME = 2147483629, 2147483587
MOST = 900_719_925_474_098  # ten times this plus nine is still exact in 64 bits


@helper
def word_hash(data, begin, end):
    """62 bits: two remainders of the word's bytes read as a number."""
    first = 1
    second = 1
    for i in range(begin, end):
        first = (first * 257 + data[i]) % FIRST_PRIME
        second = (second * 263 + data[i]) % SECOND_PRIME
    return first * 2147483648 + second


@helper
def is_wanted(value, wanted):
    """Whether a sorted array holds the value."""
    low = 0
    high = len(wanted)
    while low < high:
        middle = (low + high) // 2
        if wanted[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low < len(wanted) and wanted[low] == value


@kernel("int64(uint8[::1], int64[::1], int64[::1])")
def hash_words(data, starts, out_hashes):
    """The hash of each word."""
    for w in range(len(out_hashes)):
        out_hashes[w] = word_hash(data, starts[w], starts[w + 1])
    return len(out_hashes)


@helper
def word_end(data, begin, end, width):
    """Where the last ``width`` fields of a line begin, and how many of them there are."""
    at = end
    fields = 0
    while fields < width and at > begin:
        at -= 1
        if data[at] == 32 or data[at] == 9:
            fields += 1
    return at, fields


@helper
def has_space(data, begin, end):
    """Whether a word has a space or a tab in it."""
    found = False
    for i in range(begin, end):
        if data[i] == 32 or data[i] == 9:
            found = True
    return found


@helper
def read_numbers(data, at, end, tens, state, out_row):
    """The fields from here to the end of a line as numbers; the state of the line, ODD where Python must read one."""
    for k in range(len(out_row)):
        negative = data[at] == 45
        if negative:
            at += 1
        mantissa = 0
        digits = 0
        power = 0
        point = 0
        while at < end and data[at] != 32 and data[at] != 9:
            byte = data[at] * 1
            if 48 <= byte <= 57 and mantissa <= MOST:
                mantissa = mantissa * 10 + (byte - 48)
                digits += 1
                power -= point
            elif byte == 46 and point == 0:
                point = 1
            elif byte == 101 and digits > 0 and at + 2 < end and data[at + 1] == 45 and 48 <= data[at + 2] <= 57:
                exponent = 0
                at += 2
                while at < end and 48 <= data[at] <= 57 and exponent < 1000:
                    exponent = exponent * 10 + (data[at] - 48)
                    at += 1
                power -= exponent
                at -= 1
                point = 1
            else:
                state = ODD
            at += 1
        if digits == 0 or power < -22:
            state = ODD
            power = 0
        value = mantissa / tens[-power]
        out_row[k] = -value if negative else value
        at = min(at + 1, end)
    return state


@kernel(
    "int64(uint8[::1], int64[::1], int64[::1], int64, int64[::1], boolean, float64[::1], int64[::1], int8[::1], float32[:,::1])"
)
def read_vectors(data, begins, ends, width, wanted, choose, tens, out_word_ends, out_states, out_values):
    """The last ``width`` fields of each line as numbers; what is before them is the word."""
    for line in range(len(begins)):
        begin, end = begins[line], ends[line]
        at, fields = word_end(data, begin, end, width)
        out_word_ends[line] = at
        out_states[line] = ODD
        if fields < width:
            continue
        state = SPACED if has_space(data, begin, at) else READ
        if choose and state == READ and not is_wanted(word_hash(data, begin, at), wanted):
            out_states[line] = SKIPPED
            continue
        out_states[line] = read_numbers(data, at + 1, end, tens, state, out_values[line])
    return len(begins)
