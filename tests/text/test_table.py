"""TokenTable: ids, starts and words agree with the tokens; facts per word are made once."""

import numpy as np
import pytest
from hypothesis import given

from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from tests.text.nasty import texts as text_lists

WORDS = tokeniser("words")
BOTH = pytest.mark.parametrize("small", [-1, 1 << 60], ids=["bytes", "definition"])


@given(text_lists)
def test_every_distinct_word_has_one_id(strings):
    table = build_table(Texts.of(strings), WORDS)
    tokens = [token for text in strings for token in WORDS.tokens(text)]
    assert table.spellings() == list(dict.fromkeys(tokens))
    assert [table.spellings()[i] for i in table.ids] == tokens
    assert table.lengths().tolist() == [len(WORDS.tokens(text)) for text in strings]


@BOTH
def test_types(small):
    table = build_table(Texts.of(["tea ?", "", "naïve tea"]), WORDS, small=small)
    assert (table.ids.dtype, table.starts.dtype) == (np.int32, np.int64)
    assert table.starts.tolist() == [0, 2, 2, 4]
    assert table.tokens(1) == []
    assert table.tokens(2) == ["naïve", "tea"]


@BOTH
def test_no_texts_and_only_empty_ones(small):
    for strings in ([], [""], ["", "  "]):
        table = build_table(Texts.of(strings), WORDS, small=small)
        assert (len(table.ids), len(table.words), len(table.starts)) == (0, 0, len(strings) + 1)


@BOTH
def test_dropped_words_leave_no_trace(small):
    table = build_table(
        Texts.of(["the tea", "a", "tea , the tea"]), tokeniser("words(stopwords=drop,punctuation=drop)"), small=small
    )
    assert table.spellings() == ["tea"]
    assert table.ids.tolist() == [0, 0, 0]
    assert table.starts.tolist() == [0, 1, 1, 3]


def test_a_column_is_made_once():
    table = build_table(Texts.of(["tea for two"]), WORDS)
    calls = []

    def sizes(words):
        calls.append(words)
        return np.array([len(word) for word in words])

    assert table.column("size", sizes).tolist() == [3, 3, 3]
    assert table.column("size", sizes) is table.column("size", sizes)
    assert calls == [["tea", "for", "two"]]
