"""The paraphrase table: conversion, the cache, and the part a corpus can use."""

import gzip
import json
import logging
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.text.meteor.paraphrases import convert, open_paraphrases
from dialometer.text.meteor.phrase_spans import Spans, find_spans
from dialometer.text.meteor.resources import paraphrase_file

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


def by_dictionary(data):
    """The table of a file's text, by dictionaries of whole phrases."""
    lines = data.split(b"\n")[: data.count(b"\n") + (not data.endswith(b"\n"))]
    phrases = [tuple(line.split()) for place, line in enumerate(lines) if place % 3]
    words = list(dict.fromkeys(word for phrase in phrases for word in phrase))
    number = {word: place for place, word in enumerate(words)}
    prefixes = {phrase[:size] for phrase in phrases for size in range(1, len(phrase) + 1)}
    node, keys = {(): 0}, []
    for size in range(1, max(map(len, prefixes), default=0) + 1):
        level = sorted((node[p[:-1]] * len(words) + number[p[-1]], p) for p in prefixes if len(p) == size)
        for key, prefix in level:
            keys.append(key)
            node[prefix] = len(keys)
    pairs = list(zip(phrases[0::2], phrases[1::2], strict=False))
    order = sorted(range(len(pairs)), key=lambda place: (node[pairs[place][0]], node[pairs[place][1]]))
    return b"\n".join(words), keys, [node[pairs[place][1]] for place in order], order


phrase = st.lists(st.sampled_from([b"a", b"b", b"tea", "caf\u00e9".encode(), b"\x85"]), max_size=4)
gap = st.sampled_from([b" ", b"  ", b"\t", b"\r", b" \x0b"])
line = st.tuples(phrase, gap, st.sampled_from([b"", b" "])).map(lambda parts: parts[2] + parts[1].join(parts[0]))
entry = st.tuples(st.just(b"0.5"), line, line).map(b"\n".join)


@given(st.lists(entry, max_size=12).map(b"\n".join), st.sampled_from([b"", b"\n"]))
def test_the_trie_is_that_of_dictionaries(tmp_path_factory, text, end):
    path = tmp_path_factory.mktemp("table") / "paraphrase-en.gz"
    data = text + end if text else b""
    path.write_bytes(gzip.compress(data))
    made = convert(path)
    words, keys, other, order = by_dictionary(data)
    assert made.words.tobytes() == words
    assert made.keys.tolist() == keys
    assert made.entry_other.tolist() == other
    assert made.entry_order.tolist() == order
    assert len(made.entry_starts) == len(keys) + 2


def test_large_tables_grow(tmp_path, monkeypatch):
    """More words and nodes than the tables begin with, in many blocks."""
    monkeypatch.setattr("dialometer.text.meteor.paraphrases._BLOCK", 100)
    data = b"".join(b"0.1\nw%d x%d\nx%d w%d y\n" % (k, k % 7, k % 11, k) for k in range(300))
    path = tmp_path / "paraphrase-en.gz"
    path.write_bytes(gzip.compress(data))
    made = convert(path)
    words, keys, other, order = by_dictionary(data)
    assert (made.words.tobytes(), made.keys.tolist(), made.entry_other.tolist()) == (words, keys, other)
    assert made.entry_order.tolist() == order


REAL = """
import json, re
from hashlib import blake2b
from dialometer.text.meteor.resources import paraphrase_file
from dialometer.text.meteor.paraphrases import open_paraphrases
table = open_paraphrases(paraphrase_file())
peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) / 1024  # ru_maxrss counts the parent too
names = ("words", "keys", "entry_starts", "entry_other", "entry_order")
digests = {name: blake2b(getattr(table, name).tobytes(), digest_size=8).hexdigest() for name in names}
print(json.dumps({"peak": peak, "digests": digests}))
"""


@pytest.mark.oracle
@pytest.mark.skipif(paraphrase_file() is None, reason="METEOR's paraphrase table is not installed")
def test_the_table_of_meteor_is_built_in_half_a_gigabyte(tmp_path):
    if paraphrase_file().stat().st_size != 61_813_011:
        pytest.skip("another version of the table")
    env = {**os.environ, "DIALOMETER_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", REAL], env=env, capture_output=True, text=True, timeout=300, check=True)
    found = json.loads(done.stdout)
    assert found["peak"] < 500
    assert found["digests"] == {
        "words": "e368f4d2ad6406f4",
        "keys": "bac32b4e86bd92d6",
        "entry_starts": "f1849005f9afda17",
        "entry_other": "33b9791e5522a5ca",
        "entry_order": "8419d66147819c91",
    }
