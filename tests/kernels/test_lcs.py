"""The bit-parallel LCS against the classic table, across the borders of its blocks."""

import random

import pytest
from hypothesis import given

from dialometer.text.corpus import Corpus
from dialometer.text.ngram_matches import shared_subsequences
from tests.kernels.corpora import corpus_of, pairs


def lcs(a, b):
    """The classic table, row by row."""
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for j, y in enumerate(b):
            new.append(row[j] + 1 if x == y else max(row[j + 1], new[j]))
        row = new
    return row[-1]


@given(pairs)
def test_short_texts(items):
    wanted = [lcs(response.split(), reference.split()) for response, references in items for reference in references]
    assert shared_subsequences(corpus_of(items), "whitespace").tolist() == wanted


@pytest.mark.parametrize("size", [1, 2, 61, 62, 63, 123, 124, 125, 186, 187, 400])
@pytest.mark.parametrize("words", [1, 2, 5, 50])
def test_long_texts(size, words):
    draw = random.Random(size * 1000 + words)
    texts = [" ".join(str(draw.randrange(words)) for _ in range(n)) for n in (size, size, 7, 2 * size, 62, 0)]
    corpus = Corpus.of(texts, [texts] * len(texts))
    wanted = [lcs(a.split(), b.split()) for a in texts for b in texts]
    assert shared_subsequences(corpus, "whitespace").tolist() == wanted


def test_real_pairs(real_pairs):
    responses, references = real_pairs(2000)
    wanted = [lcs(a.split(), b[0].split()) for a, b in zip(responses, references, strict=True)]
    assert shared_subsequences(Corpus.of(responses, references), "whitespace").tolist() == wanted
