"""The paraphrase table: conversion, the cache, and the part a corpus can use."""

import gzip
import logging
import multiprocessing

import numpy as np
import pytest

from dialometer.text.paraphrases import convert, open_paraphrases
from dialometer.text.phrase_spans import Spans, find_spans

ENTRIES = [
    ("as soon as", "once"),
    ("once", "as soon as"),
    ("once", "one time"),
    ("large", "big"),
    ("a b", "b a"),
    ("rare", "odd"),
]


@pytest.fixture
def source(tmp_path):
    """A small table in the form of paraphrase-en.gz."""
    path = tmp_path / "paraphrase-en.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for a, b in ENTRIES:
            file.write(f"0.5\n{a}\n{b}\n")
    return path


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A cache folder of the test's own."""
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "paraphrases"


def spans_of(table, *texts):
    words = list(dict.fromkeys(word for text in texts for word in text.split()))
    ids = np.array([words.index(word) for text in texts for word in text.split()], np.int32)
    starts = np.cumsum([0, *(len(text.split()) for text in texts)])
    return find_spans(table, table.numbers(words), ids, starts)


def test_spans_hold_just_the_phrases_with_a_partner(source):
    spans = spans_of(convert(source), "as soon as he came", "once large came")
    assert [(int(t), int(n)) for t, n in zip(spans.token, spans.length, strict=True)] == [(0, 3), (5, 1)]
    assert np.diff(spans.starts).tolist() == [1, 0, 0, 0, 0, 1, 0, 0]
    # "once" is phrase 0; both entries, each seen from both phrases: the place in the file doubled, odd from the far side
    assert spans.phrase.tolist() == [1, 0]
    assert spans.order.tolist() == [2, 1, 0, 3]
    assert spans.other.tolist() == [1, 1, 0, 0]
    assert spans.most_matches(np.array([0, 5, 8])) == 2


def test_phrases_do_not_cross_texts(source):
    assert len(spans_of(convert(source), "a", "b a", "b").phrase) == 0
    assert len(spans_of(convert(source), "a b", "b a").phrase) == 2


def test_nothing_to_find(source):
    table = convert(source)
    assert len(spans_of(table, "quite other words").phrase) == 0
    assert spans_of(table).most_matches(np.array([0])) == 0
    assert Spans.none(3).starts.tolist() == [0, 0, 0, 0]


def test_cache_is_opened_not_rebuilt(source, cache, caplog):
    with caplog.at_level(logging.INFO):
        first = open_paraphrases(source)
        again = open_paraphrases(source)
    assert len([r for r in caplog.records if "converting" in r.message]) == 1
    assert len(list(cache.iterdir())) == 1
    assert isinstance(again.keys, np.memmap)
    for name in ("words", "keys", "entry_starts", "entry_other", "entry_order"):
        np.testing.assert_array_equal(getattr(first, name), getattr(convert(source), name))


@pytest.mark.parametrize("damage", ["short", "gone", "garbage"])
def test_damaged_entry_is_rebuilt_with_one_warning(source, cache, caplog, damage):
    expected = np.array(open_paraphrases(source).keys)
    (folder,) = cache.iterdir()
    if damage == "gone":
        (folder / "keys.npy").unlink()
    elif damage == "short":
        np.save(folder / "keys.npy", expected[:-1])
    else:
        (folder / "keys.npy").write_bytes(b"not an array")
    assert np.array_equal(open_paraphrases(source).keys, expected)
    assert len([r for r in caplog.records if r.levelno == logging.WARNING]) == 1


def _open(path):
    return int(open_paraphrases(path).entry_starts[-1])


def test_two_at_once(source, cache):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_open, [source] * 4) == [len(ENTRIES)] * 4
    assert len(list(cache.iterdir())) == 1
