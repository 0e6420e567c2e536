"""Files of word vectors: every form gives the same numbers, and every kind of damage a sentence with a way out."""

import gzip
import logging

import numpy as np
import pytest

from dialometer.core.errors import DataError, MissingResource, NeedsError, SpecError
from dialometer.core.registry import create, names
from dialometer.encoders._vector_files import text as vector_text
from dialometer.encoders.fasttext import Fasttext
from dialometer.encoders.glove import Glove
from dialometer.encoders.word2vec import Word2vec
from dialometer.encoders.wordllama import Wordllama
from dialometer.kernels import jit
from dialometer.kernels.vector_text import read_vectors

WORDS = ["the", "tea", "naïve", "我", ","]
RNG = np.random.default_rng(5)
VALUES = RNG.normal(size=(len(WORDS), 7)).astype(np.float32)


def spelt(word, row):
    return f"{word} {' '.join(map(repr, row.tolist()))}"


def text(head=True, tail=""):
    lines = [spelt(word, row) + tail for word, row in zip(WORDS, VALUES, strict=True)]
    return "\n".join([*([f"{len(WORDS)} 7"] if head else []), *lines, ""]).encode()


def binary(newline=b"\n"):
    rows = [word.encode() + b" " + row.tobytes() + newline for word, row in zip(WORDS, VALUES, strict=True)]
    return f"{len(WORDS)} 7\n".encode() + b"".join(rows)


FORMS = {
    "word2vec binary": (Word2vec, binary()),
    "word2vec binary without line ends": (Word2vec, binary(b"")),
    "word2vec text": (Word2vec, text()),
    "glove": (Glove, text(head=False)),
    "glove with a first line": (Glove, text()),
    "fasttext": (Fasttext, text(tail=" ")),
    "windows line ends": (Fasttext, text().replace(b"\n", b"\r\n")),
    "no line end at the end": (Glove, text(head=False)[:-1]),
}


def write(tmp_path, data, name="vectors"):
    path = tmp_path / name
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("keep", ["all", "needed"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_numbers(form, keep, packed, tmp_path):
    made, data = FORMS[form]
    vectors = made(write(tmp_path, gzip.compress(data) if packed else data), keep)
    asked = ["tea", "Tea", "我", "absent", "the", ""]
    for _ in range(2):  # from the file, then from the cache
        found, known = vectors.look_up(asked)
        assert known.tolist() == [True, False, True, False, True, False]
        np.testing.assert_array_equal(
            found, np.stack([VALUES[1], 0 * VALUES[0], VALUES[3], 0 * VALUES[0], VALUES[0], 0 * VALUES[0]])
        )
        assert found.dtype == np.float32
    assert vectors.width == 7
    np.testing.assert_allclose(vectors.centre, VALUES.mean(0), atol=1e-7)


def test_small_pieces_give_the_same(tmp_path, monkeypatch):
    whole = Glove(write(tmp_path, text(head=False), "a")).look_up(WORDS)[0]
    monkeypatch.setattr(vector_text, "PIECE", 60)
    np.testing.assert_array_equal(Glove(write(tmp_path, text(head=False) + b"\n\n", "b")).look_up(WORDS)[0], whole)
    monkeypatch.setattr("dialometer.encoders._vector_files.binary.PIECE", 33)
    np.testing.assert_array_equal(Word2vec(write(tmp_path, binary(), "c")).look_up(WORDS)[0], whole)


def test_a_glove_word_may_hold_spaces(tmp_path):
    data = text(head=False) + (spelt(". . .", VALUES[0]) + "\n" + spelt("at name@domain.com", VALUES[1]) + "\n").encode()
    found, known = Glove(write(tmp_path, data)).look_up([". . .", "at name@domain.com", "."])
    assert known.tolist() == [True, True, False]
    np.testing.assert_array_equal(found[:2], VALUES[:2])


SPELLINGS = [
    "1e-05",
    "-1.5E+3",
    "1e5",
    "0.1234567890123456789",
    "-0",
    ".5",
    "5.",
    "+2",
    "12345678901234567",
    "1e-30",
    "3e-4",
    "00.5",
]


def test_numbers_are_read_as_python_reads_them(tmp_path):
    """Plain and compiled, in one line each, between two ordinary numbers."""
    lines = [f"w{n} 0.25 {spelling} -7" for n, spelling in enumerate(SPELLINGS)]
    path = write(tmp_path, "\n".join(lines).encode())
    for word, compiled in (("kernel", True), ("plain", False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jit, "PLAIN_STEPS", -1 if compiled else 1 << 60)
            if not compiled:
                patch.setattr(jit, "_COMPILED", {})
            found = Glove(path + "", "needed").look_up([f"w{n}" for n in range(len(SPELLINGS))] + [word])[0]
        wanted = np.array([[0.25, float(spelling), -7] for spelling in SPELLINGS]).astype(np.float32)
        np.testing.assert_array_equal(found[:-1], wanted)


def test_plain_and_compiled_lines_are_equal():
    data = np.frombuffer(b"tea -0.125 3.5e-2 7\nthe cat 1 2 3\nx 1 2\ny 1  2 3\nz 1 2 nan\n", np.uint8)
    ends = np.flatnonzero(data == 10)
    begins = np.concatenate([[0], ends[:-1] + 1])
    results = []
    for way in (jit.plain, lambda kernel, *rest: jit.compiled(kernel)(*rest)):
        out = np.zeros(5, np.int64), np.zeros(5, np.int8), np.zeros((5, 3), np.float32)
        way(read_vectors, data, begins, ends, 3, np.zeros(0, np.int64), False, vector_text.TENS, *out)
        results.append(out)
    for plain, compiled in zip(*results, strict=True):
        np.testing.assert_array_equal(plain, compiled)
    assert results[0][1].tolist() == [0, 3, 1, 1, 1]


def line(*numbers, word="x"):
    return f"{word} {' '.join(map(str, numbers))}\n".encode()


BROKEN = {
    "empty": (Glove, b"", "is empty", ""),
    "blank": (Glove, b"\n \n", "is empty", ""),
    "prose": (Glove, b"once upon a time\nthere was\n", "not a file of word vectors", ":1"),
    "too few": (Glove, line(1, 2, 3) + line(1, 2, word="y"), "has 2 numbers where 3 were expected", ":2"),
    "too many": (Glove, line(1, 2, 3) + line(1, 2, 3, 4, word="y"), "has 4 numbers where 3 were expected", ":2"),
    "not a number": (Glove, line(1, 2, 3) + line(1, "two", 3, word="y"), "is not 3 numbers", ":2"),
    "nan": (Glove, line(1, 2, 3) + line(1, "nan", 3, word="y"), "not finite", ":2"),
    "inf": (Glove, line(1, 2, 3) + line(1, "1e60", 3, word="y"), "not finite", ":2"),
    "blank in the middle": (Glove, line(1, 2, 3) + b"\n" + line(1, 2, 3, word="y"), "has 0 numbers", ":2"),
    "fewer than promised": (
        Fasttext,
        b"3 2\n" + line(1, 2) + line(3, 4, word="y"),
        "promises 3 words and 2 are there",
        ":1",
    ),
    "more than promised": (
        Fasttext,
        b"1 2\n" + line(1, 2) + line(3, 4, word="y"),
        "promises 1 words and 2 are there",
        ":1",
    ),
    "space in a word": (Fasttext, b"2 2\n" + line(1, 2) + line(3, 4, word="y z"), "numbers where 2 were expected", ":3"),
    "no such size": (Word2vec, b"0 5\nx\n", "promises 0 words", ":1"),
    "cut binary": (Word2vec, binary()[:-20], "ends after 4 of the 5 words", "byte"),
    "long binary": (Word2vec, binary() + b"more of it", "more follow", ":1"),
    "nan in binary": (
        Word2vec,
        b"1 2\nx " + np.array([1, np.nan], np.float32).tobytes(),
        "not finite",
        "word 1, 'x'",
    ),
    "fastText model": (Fasttext, b"\xba\x16\x4f\x2f" + bytes(40), "fastText model", ""),
    "binary as glove": (Glove, binary(), "another format", ""),
    "glove as word2vec": (Word2vec, text(head=False), "another format", ""),
    "cut gzip": (Glove, gzip.compress(text(head=False))[:-12], "gzip is damaged", ""),
}


@pytest.mark.parametrize("keep", ["all", "needed"])
@pytest.mark.parametrize("case", BROKEN)
def test_damage_is_named(case, keep, tmp_path):
    made, data, message, place = BROKEN[case]
    path = write(tmp_path, data, f"{case} {keep}")
    with pytest.raises(DataError, match=message) as error:
        made(path, keep).look_up(["x", "y", "y z", "tea", *WORDS])
    assert path in str(error.value)
    assert place in str(error.value)
    assert error.value.hint


def test_the_first_of_two_equal_words_counts(tmp_path, caplog, monkeypatch):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path / "cache"))  # the warning comes with the reading
    data = line(1, 2) + line(3, 4) + line(5, 6, word="y") + line(7, 8)
    with caplog.at_level(logging.WARNING):
        found, _ = Glove(write(tmp_path, data)).look_up(["x", "y"])
    assert found.tolist() == [[1, 2], [5, 6]]
    assert [record.getMessage().split(": ")[1] for record in caplog.records] == [
        "2 words come more than once; the first vector of each is used"
    ]


def test_words_that_are_not_utf8_are_kept_with_a_mark(tmp_path):
    data = b"caf\xe9 1 2\ntea 3 4\n"
    found, known = Glove(write(tmp_path, data)).look_up(["caf\ufffd", "tea"])
    assert known.all()
    assert found.tolist() == [[1, 2], [3, 4]]


def test_the_recipe_is_of_the_content(tmp_path):
    first = Glove(write(tmp_path, text(head=False), "a"))
    second = Glove(write(tmp_path, text(head=False), "b"), "needed")
    assert first.recipe == second.recipe
    assert first.recipe.startswith("glove-1@")
    before = first.recipe
    write(tmp_path, text(head=False) + line(*range(7)), "a")
    assert first.recipe != before
    assert first.look_up(["x"])[1].all()  # the changed file is read, not the old cache


def test_no_file():
    with pytest.raises(NeedsError, match="names no file") as error:
        _ = Glove().recipe
    assert error.value.hint == "glove(path=FILE)"
    with pytest.raises(DataError, match="no such file"):
        Word2vec("nowhere.bin").look_up(["a"])
    with pytest.raises(SpecError, match="all or needed"):
        Glove("x", "some")


def test_wordllama_knows_words_by_their_pieces():
    vectors = Wordllama()
    found, known = vectors.look_up(["tea", "don't", "我", "爱", "👍🏽", "", "…"])
    assert known.tolist() == [True, True, True, False, False, False, True]
    assert found.shape == (7, vectors.width)
    assert vectors.width == 256
    assert not found[~known].any()
    assert vectors.recipe.startswith("wordllama-1@")
    alone = vectors.look_up(["don't"])[0][0]
    np.testing.assert_array_equal(found[1], alone)


def test_wordllama_is_the_mean_of_its_pieces():
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    from dialometer.encoders import wordllama

    folder = wordllama._folder()
    table = load_file(folder / wordllama.WEIGHTS)["embedding.weight"].astype(np.float64)
    ids = Tokenizer.from_file(str(folder / wordllama.PIECES)).encode("don't", add_special_tokens=False).ids
    assert len(ids) == 3
    np.testing.assert_allclose(Wordllama().look_up(["don't"])[0][0], table[ids].mean(0), atol=1e-6)


def test_a_missing_package_is_a_line_to_type(monkeypatch):
    from dialometer.encoders import wordllama

    monkeypatch.setattr(wordllama, "find_spec", lambda name: None)
    with pytest.raises(MissingResource, match="not installed") as error:
        wordllama._folder()
    assert error.value.hint == 'pip install "dialometer[vectors]"'


def test_the_catalogue_has_them():
    assert {"word2vec", "glove", "fasttext", "wordllama"} <= set(names("vector"))
    assert create("vector", "glove(path=a.txt,keep=needed)") == Glove("a.txt", "needed")
