"""All the ways METEOR 1.5 may match one reference position: by word (exact, stem, synonym) and by paraphrase.

Matches lie in one array of records. Their order matters, for the beam search breaks ties by it: stage by stage, in the response's
order; paraphrases first as entries of the reference's phrase (shorter phrase, place in the table, response position), then as
entries of the response's phrase (response position, shorter phrase, place in the table).
"""

from dialometer.kernels.jit import helper

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


@helper
def word_matches(word, ids, a, b, stages, key, stem, link_starts, links, matches):
    """The response words at ``a`` … ``b`` that match one reference word, by stage; returns how many."""
    n = 0
    if stages[EXACT]:
        for j in range(a, b):
            if key[ids[j]] == key[word]:
                n = add_match(matches, n, j - a, 1, 1, EXACT, 0)
    if stages[STEM]:
        for j in range(a, b):
            if stem[ids[j]] == stem[word] and key[ids[j]] != key[word]:
                n = add_match(matches, n, j - a, 1, 1, STEM, 0)
    if stages[SYNONYM] and link_starts[word] < link_starts[word + 1]:
        for j in range(a, b):
            if linked(word, ids[j], link_starts, links) and key[ids[j]] != key[word]:
                n = add_match(matches, n, j - a, 1, 1, SYNONYM, 0)
    return n


@helper
def phrase_matches(place, a, b, span_starts, span_length, span_phrase, entry_starts, entry_other, entry_order, matches, n):
    """The response phrases that are paraphrases of the reference phrases starting at token ``place``."""
    first = n
    for s in range(span_starts[place], span_starts[place + 1]):
        length = span_length[s]
        for j in range(a, b):
            for t in range(span_starts[j], span_starts[j + 1]):
                width = span_length[t]
                e = entry(span_phrase[s], span_phrase[t], entry_starts, entry_other)
                while e < entry_starts[span_phrase[s] + 1] and entry_other[e] == span_phrase[t]:
                    rank = (length << 54) + (entry_order[e] << 30) + j - a
                    n = add_match(matches, n, j - a, width, length, PARAPHRASE, rank)
                    e += 1
                e = entry(span_phrase[t], span_phrase[s], entry_starts, entry_other)
                while e < entry_starts[span_phrase[t] + 1] and entry_other[e] == span_phrase[s]:
                    rank = REVERSE + ((j - a) << 31) + (width << 25) + entry_order[e]
                    n = add_match(matches, n, j - a, width, length, PARAPHRASE, rank)
                    e += 1
    sort_matches(matches, first, n)
    return n


@helper
def entry(source, other, entry_starts, entry_other):
    """Where the entries of ``source`` for ``other`` start, if there are any."""
    low = entry_starts[source]
    high = entry_starts[source + 1]
    while low < high:
        middle = (low + high) >> 1
        if entry_other[middle] < other:
            low = middle + 1
        else:
            high = middle
    return low


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
