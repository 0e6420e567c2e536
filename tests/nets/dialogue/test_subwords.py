"""Symbols of words and pieces: counted by hand, and pieces put together again on real text."""

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("torch")

from dialometer.core.errors import MissingResource
from dialometer.nets.dialogue import subwords as module
from dialometer.nets.dialogue.subwords import ALPHABET, BEGIN, Vocabulary, words_of
from dialometer.nets.training.vocabulary import END, UNKNOWN

TEXTS = ["low low low low low", "lower lower", "newest newest newest newest newest newest", "widest widest widest"]


def symbols(vocabulary, text):
    return vocabulary.encode([text])[0].tolist()


def test_words_by_count_then_spelling():
    vocabulary = Vocabulary.learn(["b a b", "C b c a d"], 5, "words")
    assert list(vocabulary.spellings) == ["b", "a", "c"]
    assert len(vocabulary) == 5
    assert symbols(vocabulary, "a d B c") == [3, UNKNOWN, 2, 4, END]
    assert vocabulary.decode([3, 2, END, 4]) == "a b"
    assert "b" in vocabulary
    assert "d" not in vocabulary


def test_texts_end_to_end():
    vocabulary = Vocabulary.learn(["a b c"], 9, "words")
    flat, starts, events = vocabulary.encode(["a b", "", "c", " "])
    assert flat.tolist() == [2, 3, END, END, 4, END, END]
    assert starts.tolist() == [0, 3, 4, 6, 7]
    assert events.tolist() == [3, 1, 2, 1]
    flat, starts, events = vocabulary.encode([])
    assert (flat.tolist(), starts.tolist(), events.tolist()) == ([], [0], [])


def plain_merges(texts, count):
    """Byte-pair encoding as Sennrich et al. 2016 print it (algorithm 1), with our mark in front; the winner of a tie is sent."""
    words = Counter(word for text in texts for word in text.split())
    cut = {word: [BEGIN, *word] for word in words}
    merges = []
    for _ in range(count):
        pairs = Counter()
        for word, number in words.items():
            for pair in zip(cut[word], cut[word][1:], strict=False):
                pairs[pair] += number
        best = max(pairs.values())
        merges.append({pair for pair, number in pairs.items() if number == best})
        chosen = yield merges[-1]
        for word, pieces in cut.items():
            at, joined = 0, []
            while at < len(pieces):
                both = tuple(pieces[at : at + 2]) == chosen
                joined.append("".join(chosen) if both else pieces[at])
                at += 2 if both else 1
            cut[word] = joined
    yield cut


def test_pieces_are_merged_by_count():
    """Every merge is one of the commonest pairs at that moment, and words are cut as the merges cut them."""
    vocabulary = Vocabulary.learn(TEXTS, 20, "bpe")
    merges = [tuple(merge.split(" ")) for merge in vocabulary.merges]
    assert len(merges) >= 5
    plain = plain_merges(TEXTS, len(merges))
    allowed = next(plain)
    for merge in merges:
        assert merge in allowed
        allowed = plain.send(merge)
    numbers = {piece: number for number, piece in enumerate(vocabulary.spellings, 2)}
    for word, pieces in allowed.items():
        assert symbols(vocabulary, word) == [*(numbers[piece] for piece in pieces), END]


def test_pieces_spell_the_words_again(real_texts):
    texts = real_texts(400)
    vocabulary = Vocabulary.learn(texts, 900, "bpe")
    flat, starts, events = vocabulary.encode(texts)
    table = words_of(texts)
    assert events.tolist() == (table.lengths() + 1).tolist()
    assert (flat[starts[1:] - 1] == END).all()
    assert (flat == END).sum() == len(texts)
    assert flat.max() < len(vocabulary) <= 900
    plain = Vocabulary.learn(texts, 1 << 20, "words")
    same = 0
    for row, text in enumerate(texts):
        pieces = flat[starts[row] : starts[row + 1]].tolist()
        if UNKNOWN not in pieces and BEGIN not in text:
            assert vocabulary.decode(pieces) == plain.decode(symbols(plain, text))
            same += 1
    assert same > 300


def test_at_most_so_many_symbols():
    text = "the quick brown fox jumps over the lazy dog"
    for size in (8, 12, 40):
        vocabulary = Vocabulary.learn([text], size, "bpe")
        assert len(vocabulary) <= size
        assert BEGIN in vocabulary
    assert UNKNOWN in symbols(Vocabulary.learn([text], 8, "bpe"), "zebra")


def test_rare_characters_are_unknown_and_which_is_no_chance():
    """Left alone, the trainer picks among characters of equal count at random: another process, another vocabulary."""
    common = [chr(0x4E00 + number) for number in range(100)]
    rare = [chr(0x5E00 + number) for number in range(400)]
    vocabulary = Vocabulary.learn(["".join(common * 2), "".join(reversed(rare))], 2000, "bpe")
    alone = {piece for piece in vocabulary.spellings if len(piece) == 1}
    assert alone == {BEGIN, *common, *rare[: ALPHABET - 1 - len(common)]}
    assert symbols(vocabulary, rare[-1])[1:] == [UNKNOWN, END]
    assert vocabulary.decode(symbols(vocabulary, common[7])) == common[7]


def test_marks_of_others_are_words_like_any():
    texts = ["<end> x<end> <unk> <unk> a<unk>"] * 9
    for units in ("bpe", "words"):
        vocabulary = Vocabulary.learn(texts, 60, units)
        flat, starts, _ = vocabulary.encode(texts)
        assert (flat == END).sum() == len(texts)
        assert UNKNOWN not in flat
        assert vocabulary.decode(flat[starts[3] : starts[4]].tolist()) == "<end> x <end> <unk> <unk> a <unk>"


def test_kept_in_arrays():
    for units in ("bpe", "words"):
        vocabulary = Vocabulary.learn(TEXTS, 30, units)
        again = Vocabulary.of(dict(vocabulary.arrays()))
        assert list(again.spellings) == list(vocabulary.spellings)
        assert symbols(again, "lowest xq") == symbols(vocabulary, "lowest xq")
    with pytest.raises(KeyError):
        Vocabulary.of({})


def test_odd_texts():
    vocabulary = Vocabulary.learn(["tea \ud800 ?", "naïve 我爱 👍🏽"], 60, "bpe")
    flat, _, events = vocabulary.encode(["\ud800", "a" * 5000, "\x00\x1b"])
    assert (flat == END).sum() == 3
    assert np.isin(flat, np.arange(len(vocabulary))).all()
    assert events.tolist()[:2] == [2, 2]
    assert len(Vocabulary.learn([], 60, "bpe")) == len(Vocabulary.learn(["", " "], 60, "words")) == 2


def test_without_the_package(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingResource, match=r'pip install "dialometer\[bots\]"'):
        Vocabulary.learn(TEXTS, 30, "bpe")
    assert len(Vocabulary.learn(TEXTS, 30, "words")) == 6
