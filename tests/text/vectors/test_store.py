"""Kept vectors: the same bits come back, damage is mended, several writers get along."""

import fcntl
import logging
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from dialometer.text.corpus import Corpus
from dialometer.text.vectors import sentences as module
from dialometer.text.vectors import store as vector_store
from dialometer.text.vectors.sentences import sentence_coverage, sentence_vectors
from dialometer.text.vectors.store import VectorStore, text_keys


@pytest.fixture
def store(tmp_path):
    return VectorStore(tmp_path / "store", 5)


def rows_of(n, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 5)).astype(np.float32)


def names(n, label="text"):
    return text_keys(f"{label} {i}" for i in range(n))


def read(store, keys):
    out = np.zeros((len(keys), store.width), np.float32)
    return store.find(keys, out), out


def test_the_same_bits_come_back(store):
    vectors = rows_of(100)
    store.add(names(60), vectors[:60])
    store.add(names(100)[60:], vectors[60:])
    for reader in (store, VectorStore(store.folder, 5)):
        found, out = read(reader, names(120)[::-1])
        assert found.tolist() == [False] * 20 + [True] * 100
        np.testing.assert_array_equal(out[20:], vectors[::-1])
        assert not out[:20].any()


def test_keys_are_of_the_very_text():
    keys = text_keys(["tea", "Tea", "tea ", "", "\u00e9", "e\u0301"])
    assert keys.shape == (6, 2)
    assert len(np.unique(keys, axis=0)) == 6
    np.testing.assert_array_equal(keys[:1], text_keys(["tea"]))


def test_only_the_second_half_of_a_hash_differs(store):
    keys = np.array([[7, 1], [7, 2], [9, 1]], np.uint64)
    store.add(keys[[0, 2]], rows_of(2))
    assert read(store, keys)[0].tolist() == [True, False, True]


def test_what_a_killed_writer_left_is_taken_away(store):
    store.add(names(1), rows_of(1))
    old, new = (store.folder / f".5-ab.vec.{name * 16}.part" for name in "01")
    for part in (old, new):
        part.write_bytes(b"half")
    code = (
        "import sys; from pathlib import Path; from tests.text.vectors.test_store import *; "
        "VectorStore(Path(sys.argv[1]), 5).add(names(1), rows_of(1))"
    )
    with new.open("rb") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        subprocess.run([sys.executable, "-c", code, store.folder], check=True, timeout=60)
    assert (old.exists(), new.exists()) == (False, True)


def test_no_store_yet(store):
    assert not read(store, names(3))[0].any()
    store.add(names(0), rows_of(0))
    assert not store.folder.exists()


def test_small_segments_are_merged(store):
    vectors = rows_of(300)
    for i in range(300):
        store.add(names(300)[i : i + 1], vectors[i : i + 1])
    assert len(list(store.folder.iterdir())) <= 3 * vector_store.MANY
    found, out = read(VectorStore(store.folder, 5), names(300))
    assert found.all()
    np.testing.assert_array_equal(out, vectors)


def test_full_segments_are_left_alone(store, monkeypatch):
    monkeypatch.setattr(vector_store, "FULL", 4)
    for i in range(20):
        store.add(names(4, f"part {i}"), rows_of(4, i))
    assert len(list(store.folder.iterdir())) == 20


def flip(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


DAMAGES = {
    "cut": lambda data: data[:-3],
    "nothing left": lambda data: b"",
    "header only": lambda data: data[:10],
    "another kind": lambda data: b"x" * len(data),
    "a hash": lambda data: flip(data, 70),
    "a number": lambda data: flip(data, len(data) - 2),
    "too long": lambda data: data + b"more",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_costs_one_warning_and_is_mended(store, damage, caplog):
    vectors = rows_of(30)
    store.add(names(30)[:20], vectors[:20])
    store.add(names(30)[20:], vectors[20:])
    whole = next(path for path in store.folder.iterdir() if path.name.startswith("20-"))
    whole.write_bytes(DAMAGES[damage](whole.read_bytes()))
    with caplog.at_level(logging.WARNING):
        again = VectorStore(store.folder, 5)
        found, out = read(again, names(30))
        assert found.tolist() == [False] * 20 + [True] * 10
        assert not whole.exists()
        read(again, names(30))
        read(VectorStore(store.folder, 5), names(30))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    again.add(names(20), vectors[:20])
    found, out = read(again, names(30))
    assert found.all()
    np.testing.assert_array_equal(out, vectors)


def test_a_folder_that_cannot_be_written(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    store = VectorStore(tmp_path / "file" / "store", 5)
    with caplog.at_level(logging.WARNING):
        store.add(names(2), rows_of(2))
    assert "going on without" in caplog.text


WRITER = """
import sys
import numpy as np
from pathlib import Path
from dialometer.text.vectors.store import VectorStore, text_keys
store, who = VectorStore(Path(sys.argv[1]), 5), int(sys.argv[2])
for i in range(60):
    texts = [f"own {who} {i}", f"shared {i}"]
    rows = np.stack([np.full(5, 100 * who + i), np.full(5, i)]).astype(np.float32)
    store.add(text_keys(texts), rows)
"""


def test_several_processes_write_at_once(tmp_path):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "s"), str(who)]) for who in (1, 2, 3)]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    store = VectorStore(tmp_path / "s", 5)
    found, out = read(store, text_keys(f"own {who} {i}" for who in (1, 2, 3) for i in range(60)))
    assert found.all()
    np.testing.assert_array_equal(out[:, 0], [100 * who + i for who in (1, 2, 3) for i in range(60)])
    assert read(store, text_keys(f"shared {i}" for i in range(60)))[0].all()
    assert not list((tmp_path / "s").glob(".*"))


class Counting:
    """An encoder that counts what it is given."""

    name, width, recipe, keeps = "counting", 3, "counting-1@0", True

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        return np.array([[len(text), text.count("a") / 3, 1] for text in texts], np.float32)

    def coverage(self, texts):
        return np.array([[len(text.split()), 99_999] for text in texts])


@pytest.fixture
def corpus(monkeypatch, tmp_path):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path))

    def make(keep):
        made = Corpus.of(["a b", "tea", "a b"], [["banana"], ["a b", "tea ?"], []])
        return replace(made, keep=keep)

    return make


def test_each_text_once_per_corpus_and_per_machine(corpus, tmp_path):
    encoder, mine = Counting(), corpus(True)
    first = sentence_vectors(mine, encoder, np.array([2, 0, 2]))
    assert sorted(encoder.asked) == ["a b", "banana"]
    whole = sentence_vectors(mine, encoder, np.arange(4))
    assert sorted(encoder.asked) == ["a b", "banana", "tea", "tea ?"]
    np.testing.assert_array_equal(first, whole[[2, 0, 2]])
    np.testing.assert_array_equal(whole, Counting().encode(list(mine.texts)))
    np.testing.assert_array_equal(sentence_coverage(mine, encoder, np.array([3, 0])), [[2, 99_999], [2, 99_999]])
    np.testing.assert_array_equal(sentence_vectors(corpus(True), encoder, np.arange(4)), whole)
    assert len(encoder.asked) == 4
    assert list((tmp_path / "vectors").iterdir())


@pytest.mark.parametrize(("keep", "keeps"), [(False, True), (True, False)])
def test_nothing_is_kept_unasked(corpus, tmp_path, keep, keeps):
    encoder = Counting()
    encoder.keeps = keeps
    sentence_vectors(corpus(keep), encoder, np.arange(4))
    assert not (tmp_path / "vectors").exists()


def test_a_kill_costs_a_block_at_most(corpus, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 2)
    encoder = Counting()

    def stop(texts):
        raise KeyboardInterrupt

    monkeypatch.setattr(encoder, "coverage", lambda texts: stop(texts) if len(encoder.asked) > 2 else np.zeros((2, 2)))
    with pytest.raises(KeyboardInterrupt):
        sentence_vectors(corpus(True), encoder, np.arange(4))
    again = Counting()
    sentence_vectors(corpus(True), again, np.arange(4))
    assert again.asked == ["banana", "tea ?"]
