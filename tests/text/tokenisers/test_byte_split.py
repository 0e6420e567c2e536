"""The byte kernel and the Python definition give the same tokens, for every tokeniser and any text."""

import pytest
from hypothesis import given, settings

from dialometer.core.registry import names
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from tests.text.nasty import texts as text_lists

OPTIONS = ["", "(stopwords=drop,punctuation=drop)", "(speakers=drop)"]
HUGE = 1 << 60


def spelt(strings, tok, small):
    table = build_table(Texts.of(strings), tok, small=small)
    assert table.starts[0] == 0
    assert table.starts[-1] == len(table.ids)
    assert sorted(set(table.ids.tolist())) == list(range(len(table.words)))  # every word is used
    return [table.tokens(row) for row in range(len(strings))]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", names("tokeniser"))
def test_any_text(name, options):
    tok = tokeniser(name + options)

    @settings(max_examples=150)
    @given(text_lists)
    def check(strings):
        definition = [tok.tokens(text) for text in strings]
        assert spelt(strings, tok, HUGE) == definition
        assert spelt(strings, tok, -1) == definition

    check()


@pytest.mark.parametrize("name", names("tokeniser"))
def test_real_texts(name, real_texts):
    strings = real_texts(50_000)
    tok = tokeniser(name)
    table = build_table(Texts.of(strings), tok, small=-1)
    words, ids, starts = table.spellings(), table.ids.tolist(), table.starts.tolist()
    different = [
        text
        for row, text in enumerate(strings)
        if [words[i] for i in ids[starts[row] : starts[row + 1]]] != tok.tokens(text)
    ]
    assert different == []


def test_more_words_than_foreseen():
    """All words distinct and short: the first guess at the room is too small, and the kernel comes back for more."""
    strings = [" ".join(f"{i:x}" for i in range(k, k + 50)) for k in range(0, 60_000, 50)]
    assert spelt(strings, tokeniser("whitespace"), -1) == [text.split() for text in strings]


def test_words_of_seven_and_eight_bytes_are_not_confused():
    strings = [
        "abcdefg abcdefgh abcdefgi abcdef",
        "abcdefgh abcdefg",
        "\x00 \x00\x00 \x00\x00\x00\x00\x00\x00\x00\x00 a\x00 \x00a",
    ]
    assert spelt(strings, tokeniser("whitespace"), -1) == [text.split() for text in strings]
