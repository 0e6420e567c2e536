"""N-gram kernels against Counters."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.text.corpus import Corpus
from dialometer.text.ngram_matches import bleu_rows, shared_ngrams
from tests.kernels.corpora import corpus_of, pairs


def grams(text, n):
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def bleu_row(response, references, order):
    """BLEU's statistics of one item, straight from the paper."""
    if not references:
        return [0.0] * (3 + 2 * order)
    size = len(response.split())
    closest = min((abs(len(r.split()) - size), len(r.split())) for r in references)[1]
    best = [Counter() for _ in range(order)]
    for reference in references:
        best = [old | grams(reference, n + 1) for n, old in enumerate(best)]
    matches = [sum((grams(response, n + 1) & best[n]).values()) for n in range(order)]
    return [1, size, closest, *matches, *(max(0, size - n) for n in range(order))]


@given(pairs, st.integers(1, 6))
def test_clipped_matches(items, order):
    wanted = [bleu_row(response, references, order) for response, references in items]
    assert bleu_rows(corpus_of(items), "whitespace", order).tolist() == wanted


@given(pairs, st.integers(1, 4))
def test_common_ngrams(items, order):
    wanted = [
        [sum((grams(response, n) & grams(reference, n)).values()) for n in range(1, order + 1)]
        for response, references in items
        for reference in references
    ]
    assert shared_ngrams(corpus_of(items), "whitespace", order).tolist() == wanted


def test_real_items(real_pairs):
    responses, references = real_pairs(1500, many=True)
    wanted = [bleu_row(a, b, 4) for a, b in zip(responses, references, strict=True)]
    assert bleu_rows(Corpus.of(responses, references), "whitespace", 4).tolist() == wanted


@pytest.mark.parametrize("words", [1, 15, 16, 17, 300])
def test_one_word_repeated(words):
    """The table of a response is as full as it gets with distinct words, and one path with equal ones."""
    same, different = " ".join(["a"] * words), " ".join(f"w{i}" for i in range(words))
    for text in (same, different):
        assert bleu_rows(Corpus.of([text], [[text]]), "whitespace", 4).tolist() == [bleu_row(text, [text], 4)]


def test_of_two_equally_close_references_the_shorter_counts():
    corpus = Corpus.of(["a b c d"] * 2, [["a b c d e", "a b c"], ["a b c", "a b c d e"]])
    assert bleu_rows(corpus, "whitespace", 1)[:, 2].tolist() == [3, 3]
