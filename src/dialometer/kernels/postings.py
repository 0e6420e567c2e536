"""The nearest documents of sparse queries, by postings: rare words are read, and common ones only where they can matter.

Vectors have length 1 and words are numbered from the rarest on; those from ``cuts[level]`` on are the common ones of a level. Once
the rarer words of a query are read, its common words add at most ‖query's common part‖ · ‖document's common part‖ to a document
(Cauchy–Schwarz): often few can still be among the k best, and computing those is quicker than reading the long lists of the common
words. Scores are always summed over the document's own words in order, so they do not depend on what was left out: the sums of
postings only say which documents to look at, and single precision does for them.
"""

from math import sqrt

from dialometer.kernels.jit import helper, kernel
from dialometer.kernels.ranks import POSITIVE

OUT = -1e300  # the sum of a document that is not in the pool of a query
SLACK = 1e-4  # sums in single precision differ by less


@helper
def offer(document, score, reply, first, size, k, docs, scores):
    """Keep a document if it is among the k best with different replies, from place ``first`` on; gives their number.

    The higher score comes first, then the lower number.
    """
    if size == k and score < scores[first + k - 1]:
        return size
    for j in range(first, first + size):
        if reply[docs[j]] == reply[document]:
            if scores[j] > score or (scores[j] == score and docs[j] < document):
                return size
            size -= 1
            for i in range(j, first + size):
                docs[i] = docs[i + 1]
                scores[i] = scores[i + 1]
            break
    j = first + size
    while j > first and (scores[j - 1] < score or (scores[j - 1] == score and docs[j - 1] > document)):
        j -= 1
    if j == first + k:
        return size
    if size < k:
        size += 1
    for i in range(first + size - 1, j, -1):
        docs[i] = docs[i - 1]
        scores[i] = scores[i - 1]
    docs[j] = document
    scores[j] = score
    return size


@helper
def product(document, doc_starts, doc_words, doc_weights, query):
    """Σ query · document."""
    total = 0.0
    for p in range(doc_starts[document], doc_starts[document + 1]):
        total += query[doc_words[p]] * doc_weights[p]
    return total


@helper
def read_words(first, last, words, weights, word_starts, word_docs, word_weights, met, sums, touched):
    """Add the postings of some words of a query to the sums; returns the number of documents found so far."""
    for p in range(first, last):
        weight = weights[p]
        for i in range(word_starts[words[p]], word_starts[words[p] + 1]):
            document = word_docs[i] & POSITIVE
            before = sums[document]
            touched[met] = document  # stays if this is the first time, without an unpredictable branch
            met += before == 0.0
            sums[document] = before + weight * word_weights[i]
    return met


@helper
def threshold(k, met, reply, doc_starts, doc_words, doc_weights, sums, touched, query, best_docs, best_scores):
    """The least score of the k documents with the highest sums: the k best have no less. OUT if there are not so many."""
    size = 0
    for i in range(met):
        document = touched[i] & POSITIVE
        size = offer(document, sums[document], reply, 0, size, k, best_docs, best_scores)
    least = 2.0 if size == k else OUT
    for i in range(size):
        least = min(least, product(best_docs[i], doc_starts, doc_words, doc_weights, query))
    return least


@helper
def long_tails(base, number, common, least, tails, by_tail):
    """How many documents, from the longest tail on, can score ``least`` by common words alone (found by halving)."""
    low = 0
    high = number
    while low < high:
        middle = (low + high) // 2
        if common * tails[base + by_tail[base + middle]] >= least:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def can_reach(met, base, common, least, tails, sums, touched):
    """How many of the documents found can score ``least``."""
    close = 0
    for i in range(met):
        document = touched[i] & POSITIVE
        close += sums[document] + common * tails[(base + document) & POSITIVE] >= least
    return close


@helper
def collect(
    first, met, common, least, base, unmet, reply, doc_starts, doc_words, doc_weights, tails, by_tail, k,
    docs, scores, sums, touched, query,
):  # fmt: skip
    """The k best of the documents that can score ``least``; then those without a word of the query in order, then −1."""
    size = 0
    for i in range(met):
        if sums[touched[i]] + common * tails[base + touched[i]] >= least:
            score = product(touched[i], doc_starts, doc_words, doc_weights, query)
            size = offer(touched[i], score, reply, first, size, k, docs, scores)
    for i in range(unmet):
        if sums[by_tail[base + i]] == 0.0:
            score = product(by_tail[base + i], doc_starts, doc_words, doc_weights, query)
            size = offer(by_tail[base + i], score, reply, first, size, k, docs, scores)
    document = 0
    while size < k and document < len(doc_starts) - 1:
        if sums[document] == 0.0:
            size = offer(document, 0.0, reply, first, size, k, docs, scores)
        document += 1
    for i in range(first + size, first + k):
        docs[i] = -1


@helper
def begin(q, query_starts, query_words, query_weights, left_starts, left_docs, word_starts, sums, query):
    """Lay out a query and mark what is left out; gives the number of postings of its words."""
    for p in range(left_starts[q], left_starts[q + 1]):
        sums[left_docs[p]] = OUT
    ahead = 0
    for p in range(query_starts[q], query_starts[q + 1]):
        query[query_words[p]] = query_weights[p]
        ahead += word_starts[query_words[p] + 1] - word_starts[query_words[p]]
    return ahead


@helper
def end(q, met, query_starts, query_words, left_starts, left_docs, sums, touched, query):
    """Make sums and query zeros again."""
    for i in range(met):
        sums[touched[i]] = 0.0
    for p in range(left_starts[q], left_starts[q + 1]):
        sums[left_docs[p]] = 0.0
    for p in range(query_starts[q], query_starts[q + 1]):
        query[query_words[p]] = 0.0


@helper
def answer(
    q, number, price, word_starts, word_docs, word_weights, doc_starts, doc_words, doc_weights, reply, cuts, tails, by_tail,
    query_starts, query_words, query_weights, query_light, left_starts, left_docs, k, docs, scores, sums, touched, query,
    best_docs, best_scores,
):  # fmt: skip
    """The k best of one query; ``price`` is what computing a document costs, in postings."""
    ahead = begin(q, query_starts, query_words, query_weights, left_starts, left_docs, word_starts, sums, query)
    rest = 1.0
    met = 0
    at = query_starts[q]
    for level in range(len(cuts)):
        start = at
        while at < query_starts[q + 1] and query_words[at] < cuts[level]:
            ahead -= word_starts[query_words[at] + 1] - word_starts[query_words[at]]
            rest -= query_weights[at] * query_weights[at]
            at += 1
        met = read_words(start, at, query_words, query_light, word_starts, word_docs, word_weights, met, sums, touched)
        if ahead > 0 and 2 * met > ahead:  # checking those found would cost more than reading on
            continue
        base = level * number
        common = sqrt(max(rest, 0.0))
        least = threshold(
            k, met, reply, doc_starts, doc_words, doc_weights, sums, touched, query, best_docs, best_scores
        ) - SLACK  # fmt: skip
        unmet = long_tails(base, number, common, least, tails, by_tail) if ahead > 0 else 0
        if unmet * price >= ahead > 0:
            continue
        close = unmet + can_reach(met, base, common, least, tails, sums, touched)
        if ahead == 0 or close * price < ahead:
            break
    collect(
        q * k, met, common, least, base, unmet, reply, doc_starts, doc_words, doc_weights, tails, by_tail, k,
        docs, scores, sums, touched, query,
    )  # fmt: skip
    end(q, met, query_starts, query_words, left_starts, left_docs, sums, touched, query)


@kernel(
    "int64(int64[::1], int32[::1], float32[::1], int64[::1], int32[::1], float64[::1], int32[::1], int64[::1], float32[::1],"
    " int32[::1], int64[::1], int32[::1], float64[::1], float32[::1], int64[::1], int32[::1], int64, int64[::1], float64[::1],"
    " float32[::1], int64[::1], float64[::1], int64[::1], float64[::1])"
)
def nearest(
    word_starts, word_docs, word_weights, doc_starts, doc_words, doc_weights, reply, cuts, tails, by_tail,
    query_starts, query_words, query_weights, query_light, left_starts, left_docs, k,
    out_docs, out_scores, tmp_sums, tmp_touched, tmp_query, tmp_docs, tmp_scores,
):  # fmt: skip
    """The k best documents of each query with different replies, those of ``left_docs`` left out.

    ``query_light`` are the same weights as ``query_weights`` in single precision, as those of postings and tails are.
    ``tails`` holds for each level the length of each document's common part, ``by_tail`` the documents from the longest on; the
    last level has no common words. Documents that share no word with the query come last, with score 0; −1 stands where there are
    no more. ``tmp_sums`` and ``tmp_query`` come as zeros, and are left so.
    """
    number = len(doc_starts) - 1
    price = len(doc_words) // max(number, 1) + 4
    for q in range(len(query_starts) - 1):
        answer(
            q, number, price, word_starts, word_docs, word_weights, doc_starts, doc_words, doc_weights, reply, cuts, tails,
            by_tail, query_starts, query_words, query_weights, query_light, left_starts, left_docs, k, out_docs, out_scores,
            tmp_sums, tmp_touched, tmp_query, tmp_docs, tmp_scores,
        )  # fmt: skip
    return len(query_starts) - 1
