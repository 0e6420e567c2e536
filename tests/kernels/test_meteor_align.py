"""The METEOR kernels: compiled and plain runs agree, the word facts they rest on, and long texts."""

import random
import time

import numpy as np
import pytest

from dialometer.kernels import jit, meteor_align, meteor_greedy
from dialometer.kernels.meteor_match import MATCH, RANK, sort_matches
from dialometer.text.corpus import Corpus
from dialometer.text.meteor import alignment as meteor_pairs
from dialometer.text.meteor.alignment import STAGES, aligned_rows, greedy_rows
from dialometer.text.meteor.words import java_hashes

PARAMS = (0.85, 0.2, 0.6, 0.75, 1.0, 0.6, 0.8, 0.6)
WORDS = "a b the cat cats dog dogs run running runs big large as soon as possible once of course thank you thanks .".split()


def pairs(n, longest=14, seed=3):
    draw = random.Random(seed)

    def text():
        return " ".join(draw.choices(WORDS, k=draw.randint(0, longest)))

    return Corpus.of([text() for _ in range(n)], [[text() for _ in range(draw.randint(0, 3))] for _ in range(n)])


@pytest.fixture
def ways(monkeypatch):
    """The results of a function when its kernels run compiled and when they run plain."""

    def both(function):
        monkeypatch.setattr(meteor_pairs, "run", lambda kernel, *arguments, steps: jit.compiled(kernel)(*arguments))
        fast = function()
        monkeypatch.setattr(meteor_pairs, "run", lambda kernel, *arguments, steps: jit.plain(kernel, *arguments))
        return fast, function()

    return both


@pytest.mark.parametrize("rows", [aligned_rows, greedy_rows])
def test_compiled_equals_plain(ways, rows):
    corpus = pairs(150)
    fast, slow = ways(lambda: rows(corpus, "whitespace", STAGES, PARAMS))
    for mine, theirs in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_wide_responses_use_several_words_of_bits(ways):
    draw = random.Random(8)
    texts = [" ".join(draw.choices(WORDS, k=k)) for k in (130, 60, 90, 61)]
    corpus = Corpus.of(texts[:2], [texts[2:], texts[:1]])
    fast, slow = ways(lambda: aligned_rows(corpus, "whitespace", ("exact", "stem"), PARAMS)[0])
    np.testing.assert_array_equal(fast, slow)
    assert fast[:, 1].max() > 2 * 60


def test_alignment_uses_each_word_once():
    draw = random.Random(4)
    for _ in range(40):
        texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 30))) for _ in range(2)]
        _, alignment = aligned_rows(Corpus.of(texts[:1], [texts[1:]]), "whitespace", STAGES, PARAMS)
        taken = [j for test, width, _, _ in alignment.tolist() for j in range(test, test + width)]
        assert len(taken) == len(set(taken))


def test_sort_matches():
    ranks = random.Random(1).sample(range(10_000), 200)
    records = [[k, 1, 1, 0, rank] for k, rank in enumerate(ranks)]
    flat = [value for record in records for value in record]
    sort_matches(flat, 3, 197)
    assert [flat[k * MATCH + RANK] for k in range(200)] == ranks[:3] + sorted(ranks[3:197]) + ranks[197:]
    assert flat[3 * MATCH] == ranks.index(flat[3 * MATCH + RANK])


def test_java_hashes():
    long = "x" * 60
    expected = 0
    for letter in long:
        expected = (expected * 31 + ord(letter)) % 2**32
    words = ["", "a", "polygenelubricants", "😀", "é", long]
    signed = expected - 2**32 if expected >= 2**31 else expected
    assert java_hashes(words).tolist() == [0, 97, -(2**31), 0xD83D * 31 + 0xDE00, 233, signed]
    assert java_hashes([]).tolist() == []


def test_words_are_equal_when_their_hashes_are():
    # "a}" and "b^" have one Java hash, and the jar compares hashes
    stats, _ = aligned_rows(Corpus.of(["a}"], [["b^"]]), "whitespace", ("exact",), PARAMS)
    assert stats[0, 5:9].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(("rows", "kernel"), [(aligned_rows, meteor_align.measure), (greedy_rows, meteor_greedy.measure)])
def test_thousands_of_tokens(rows, kernel):
    draw = random.Random(2)
    vocabulary = [f"w{k}" for k in range(900)] + ["the"] * 60
    texts = [" ".join(draw.choices(vocabulary, k=2000)) for _ in range(2)]
    same = " ".join(["ha"] * 1500)
    corpus = Corpus.of([texts[0], same], [[texts[1]], [f"{same} ha"]])
    jit.compiled(kernel)
    start = time.process_time()
    result = rows(corpus, "whitespace", STAGES, PARAMS)[0]
    assert time.process_time() - start < 30
    assert np.isfinite(result).all()
