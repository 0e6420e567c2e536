"""Length: words, characters, and the difference to the closest reference."""

import numpy as np
from hypothesis import given

from dialometer.metrics.length import Length
from dialometer.text.corpus import Corpus
from tests.kernels.corpora import pairs
from tests.metrics.scoring import assert_close, items, whole


@given(pairs)
def test_against_python(rows):
    wanted = []
    for response, references in rows:
        size = len(response.split())
        sizes = sorted((abs(len(r.split()) - size), len(r.split())) for r in references)
        wanted.append([size, len(response), size - sizes[0][1] if sizes else np.nan])
    np.testing.assert_array_equal(items(Length("whitespace"), [r for r, _ in rows], [refs for _, refs in rows]), wanted)


def test_of_two_equally_close_references_the_shorter_counts():
    assert items(Length(), ["a b c d"], [["a b c d e", "a b c"]])[0, 2] == 1


def test_characters_are_code_points():
    assert items(Length(), ["naïve 👍🏽"], [[]])[0, :2].tolist() == [2, 8]


def test_the_mean_difference_rests_on_items_with_a_reference():
    assert_close(whole(Length(), ["a b", "a", ""], [["a"], [], ["b c"]]), [1.0, 4 / 3, -0.5])


def test_empty_responses_count():
    assert items(Length(), ["", ""], [["a b"], []]).tolist()[0] == [0, 0, -2]
    assert np.isnan(items(Length(), ["", ""], [["a b"], []])[1, 2])


def test_only_the_last_items_lack_references():
    scores = items(Length(), ["a", "b", "c"], [["a b"], [], []])
    assert scores[0, 2] == -1
    assert np.isnan(scores[1:, 2]).all()


def test_explain():
    assert Length().explain(Corpus.of(["Tea, please"]), 0) == ["3 words: tea , please"]
