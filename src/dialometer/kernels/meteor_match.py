"""All the ways METEOR 1.5 may match one reference position: by word (exact, stem, synonym) and by paraphrase.

Matches lie in one array of records. Their order matters, for the beam search breaks ties by it: stage by stage, in the response's
order; paraphrases first as entries of the reference's phrase (shorter phrase, place in the table, response position), then as
entries of the response's phrase (response position, shorter phrase, place in the table).
"""

from dialometer.kernels.jit import helper, kernel

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
TEST, WIDTH, LENGTH, STAGE, RANK = range(5)  # a match: place and width in the response, width in the reference, …
MATCH = 5
REVERSE = 1 << 60


@helper
def linked(a, b, starts, links):
    """Whether b is in the ascending list of a."""
    low = starts[a]
    end = starts[a + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if links[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low < end and links[low] == b


@helper
def add_match(matches, n, test, width, length, stage, rank):
    """Append one record."""
    at = n * MATCH
    matches[at + TEST] = test
    matches[at + WIDTH] = width
    matches[at + LENGTH] = length
    matches[at + STAGE] = stage
    matches[at + RANK] = rank
    return n + 1


@kernel("int64(int64, int32[::1], int64, int64, int64[::1], int64[::1], int64[::1], int64[::1], int32[::1], int64[::1])")
def word_matches(word, ids, a, b, stages, key, stem, link_starts, links, tmp_matches):
    """The response words at ``a`` … ``b`` that match one reference word, by stage; returns how many."""
    n = 0
    if stages[EXACT]:
        for j in range(a, b):
            if key[ids[j]] == key[word]:
                n = add_match(tmp_matches, n, j - a, 1, 1, EXACT, 0)
    if stages[STEM]:
        for j in range(a, b):
            if stem[ids[j]] == stem[word] and key[ids[j]] != key[word]:
                n = add_match(tmp_matches, n, j - a, 1, 1, STEM, 0)
    if stages[SYNONYM] and link_starts[word] < link_starts[word + 1]:
        for j in range(a, b):
            if linked(word, ids[j], link_starts, links) and key[ids[j]] != key[word]:
                n = add_match(tmp_matches, n, j - a, 1, 1, SYNONYM, 0)
    return n


@helper
def mark_phrases(first, last, span_phrase, head, after):
    """Chain the occurrences of each phrase of a response, spans ``first`` … ``last``, from its first one (``head``) on."""
    for s in range(last - 1, first - 1, -1):
        phrase = span_phrase[s]
        after[s] = head[phrase] if s < head[phrase] < last else -1
        head[phrase] = s


@kernel(
    "int64(int64, int64, int64, int64, int64[::1], int32[::1], int32[::1], int32[::1], int64[::1], int32[::1], int32[::1], "
    "int64[::1], int64[::1], int64[::1], int64)"
)
def phrase_matches(
    place, start, first, last, span_starts, span_token, span_length, span_phrase, entry_starts, entry_other, entry_order,
    head, after, tmp_matches, n,
):  # fmt: skip
    """The response phrases, spans ``first`` … ``last``, that paraphrase a reference phrase starting at token ``place``."""
    before = n
    for s in range(span_starts[place], span_starts[place + 1]):
        length = span_length[s]
        for e in range(entry_starts[span_phrase[s]], entry_starts[span_phrase[s] + 1]):
            t = head[entry_other[e]]
            if t < first or t >= last:
                continue
            while t >= 0:
                test = span_token[t] - start
                width = span_length[t]
                if entry_order[e] & 1:
                    rank = REVERSE + (test << 31) + (width << 25) + (entry_order[e] >> 1)
                else:
                    rank = (length << 54) + ((entry_order[e] >> 1) << 30) + test
                n = add_match(tmp_matches, n, test, width, length, PARAPHRASE, rank)
                t = after[t]
    sort_matches(tmp_matches, before, n)
    return n


@helper
def sort_matches(matches, first, last):
    """Shell sort of the records from ``first`` to ``last`` by rank; ranks are distinct."""
    gap = 1
    while 3 * gap + 1 < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, last):
            j = i
            while j - gap >= first and matches[(j - gap) * MATCH + RANK] > matches[j * MATCH + RANK]:
                for f in range(MATCH):
                    held = matches[(j - gap) * MATCH + f]
                    matches[(j - gap) * MATCH + f] = matches[j * MATCH + f]
                    matches[j * MATCH + f] = held
                j -= gap
        gap //= 3
