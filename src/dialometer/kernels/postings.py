"""The nearest documents of sparse queries, by postings: rare words are read, and common ones only where they can matter.

Vectors have length 1 and words are numbered from the rarest on; those from ``cut`` on are common. Once the rare words of a query
are read, its common words add at most ‖query's common part‖ · ‖document's common part‖ to a document (Cauchy–Schwarz): few can
still be among the k best, and those are computed to the end, which is quicker than reading the long lists of common words.
Scores are always summed over the document's own words in order, so they do not depend on what was left out.
"""

from math import sqrt

from dialometer.kernels.jit import helper, kernel

OUT = -1e300  # the sum of a document that is not in the pool of a query
SLACK = 1e-9  # sums in another order differ by less


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
    """Add the postings of some words of a query to the sums; gives the number of documents met so far."""
    for p in range(first, last):
        weight = weights[p]
        for i in range(word_starts[words[p]], word_starts[words[p] + 1]):
            document = word_docs[i]
            before = sums[document]
            if before == 0.0:
                touched[met] = document
                met += 1
            sums[document] = before + weight * word_weights[i]
    return met


@helper
def threshold(k, met, reply, doc_starts, doc_words, doc_weights, sums, touched, query, best_docs, best_scores):
    """The least score of the k documents with the highest sums: the k best have no less. OUT if there are not so many."""
    size = 0
    for i in range(met):
        size = offer(touched[i], sums[touched[i]], reply, 0, size, k, best_docs, best_scores)
    least = 2.0 if size == k else OUT
    for i in range(size):
        least = min(least, product(best_docs[i], doc_starts, doc_words, doc_weights, query))
    return least


@helper
def close_ones(met, common, least, tail, by_tail, room, sums, touched):
    """Gather the documents that may score ``least``: first of those met, then of the others; −1 if they are more than ``room``.

    They take the place of the documents met; the sums of those that fall out are set to 0.
    """
    close = 0
    for i in range(met):
        if sums[touched[i]] + common * tail[touched[i]] + SLACK >= least:
            close += 1
    i = 0
    while i < len(by_tail) and common * tail[by_tail[i]] + SLACK >= least and close <= room:
        close += 1
        i += 1
    return close if close <= room else -1


@kernel(
    "int64(int64[::1], int32[::1], float64[::1], int64[::1], int32[::1], float64[::1], int32[::1], int64, float64[::1], int32[::1],"
    " int64[::1], int32[::1], float64[::1], int64[::1], int32[::1], int64, int64[::1], float64[::1], float64[::1], int64[::1],"
    " float64[::1], int64[::1], float64[::1])"
)
def nearest(
    word_starts, word_docs, word_weights, doc_starts, doc_words, doc_weights, reply, cut, tail, by_tail,
    query_starts, query_words, query_weights, left_starts, left_docs, k,
    out_docs, out_scores, tmp_sums, tmp_touched, tmp_query, tmp_docs, tmp_scores,
):  # fmt: skip
    price = len(doc_words) // max(len(doc_starts) - 1, 1) + 4
    for q in range(len(query_starts) - 1):
        first = query_starts[q]
        last = query_starts[q + 1]
        for p in range(left_starts[q], left_starts[q + 1]):
            tmp_sums[left_docs[p]] = OUT
        ahead = 0
        common = 0.0
        rare = first
        for p in range(first, last):
            tmp_query[query_words[p]] = query_weights[p]
            if query_words[p] < cut:
                rare += 1
            else:
                ahead += word_starts[query_words[p] + 1] - word_starts[query_words[p]]
                common += query_weights[p] * query_weights[p]
        common = sqrt(common)
        met = read_words(first, rare, query_words, query_weights, word_starts, word_docs, word_weights, 0, tmp_sums, tmp_touched)
        least = threshold(
            k, met, reply, doc_starts, doc_words, doc_weights, tmp_sums, tmp_touched, tmp_query, tmp_docs, tmp_scores
        )
        others = 0
        if close_ones(met, common, least, tail, by_tail, ahead // price, tmp_sums, tmp_touched) < 0:
            met = read_words(rare, last, query_words, query_weights, word_starts, word_docs, word_weights, met, tmp_sums, tmp_touched)
            least = threshold(
                k, met, reply, doc_starts, doc_words, doc_weights, tmp_sums, tmp_touched, tmp_query, tmp_docs, tmp_scores
            )
            common = 0.0
        size = 0
        for i in range(met):
            document = tmp_touched[i]
            if tmp_sums[document] + common * tail[document] + SLACK >= least:
                score = product(document, doc_starts, doc_words, doc_weights, tmp_query)
                size = offer(document, score, reply, q * k, size, k, out_docs, out_scores)
        i = 0
        while common > 0.0 and i < len(by_tail) and common * tail[by_tail[i]] + SLACK >= least:
            if tmp_sums[by_tail[i]] == 0.0:
                score = product(by_tail[i], doc_starts, doc_words, doc_weights, tmp_query)
                if score > 0.0:
                    size = offer(by_tail[i], score, reply, q * k, size, k, out_docs, out_scores)
            i += 1
        document = 0
        while size < k and document < len(doc_starts) - 1:
            if tmp_sums[document] == 0.0:
                size = offer(document, 0.0, reply, q * k, size, k, out_docs, out_scores)
            document += 1
        for i in range(q * k + size, q * k + k):
            out_docs[i] = -1
        for i in range(met):
            tmp_sums[tmp_touched[i]] = 0.0
        for p in range(left_starts[q], left_starts[q + 1]):
            tmp_sums[left_docs[p]] = 0.0
        for p in range(first, last):
            tmp_query[query_words[p]] = 0.0
    return len(query_starts) - 1
