"""Word weights by hand; counts of parts add up to those of the whole; words of a file."""

from math import log

import numpy as np
import pytest

from dialometer.core.errors import SpecError
from dialometer.text.corpus import Rows
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.vectors.weights import check_weights, count_words, file_counts, merge_counts, word_weights

LINES = ["tea tea time", "time", "cake"]
TABLE = build_table(Texts.of(LINES), tokeniser("words"))
DOCUMENTS = Rows.of([[0, 1], [1], [2, 2]])  # a text said twice in a document counts once


def spelt(counts):
    words = Texts(counts["bytes"], counts["starts"])
    return {word: count for word, count in zip(words, counts["counts"].tolist(), strict=True) if count}, int(
        counts["total"][0]
    )


def test_counts():
    assert spelt(count_words(TABLE, DOCUMENTS, "idf")) == ({"tea": 1, "time": 2, "cake": 1}, 3)
    assert spelt(count_words(TABLE, DOCUMENTS, "sif")) == ({"tea": 2, "time": 3, "cake": 1}, 6)


def test_weights_by_hand():
    """idf: ln((1 + 3)/(1 + documents)) + 1; sif: 0.001/(0.001 + share of 6 words); a word never counted is rarest."""
    other = build_table(Texts.of(["tea time zebra"]), tokeniser("words"))
    idf = word_weights(other, count_words(TABLE, DOCUMENTS, "idf"), "idf")
    np.testing.assert_allclose(idf, [log(4 / 2) + 1, log(4 / 3) + 1, log(4) + 1])
    sif = word_weights(other, count_words(TABLE, DOCUMENTS, "sif"), "sif")
    np.testing.assert_allclose(sif, [0.001 / (0.001 + 2 / 6), 0.001 / (0.001 + 3 / 6), 1])
    assert word_weights(other, None, "none").tolist() == [1, 1, 1]


@pytest.mark.parametrize("how", ["idf", "sif"])
def test_parts_add_up(how):
    parts = [count_words(TABLE, Rows.of([document]), how) for document in ([0, 1], [1], [2, 2])]
    assert spelt(merge_counts(parts)) == spelt(count_words(TABLE, DOCUMENTS, how))
    nothing = count_words(TABLE, Rows.of([]), how)
    assert spelt(merge_counts([nothing, *parts])) == spelt(merge_counts(parts))


def test_a_file_is_counted_anew_when_it_changes(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("\n".join([*LINES, LINES[1]]))
    assert spelt(file_counts(str(path), "idf", "words")) == ({"tea": 1, "time": 3, "cake": 1}, 4)
    path.write_text("tea")
    assert spelt(file_counts(str(path), "sif", "words")) == ({"tea": 1}, 1)


def test_an_unknown_way():
    check_weights("average", "sif")
    with pytest.raises(SpecError, match=r"average\(weights=…\) is one of none, idf, sif, not 'tfidf'"):
        check_weights("average", "tfidf")
