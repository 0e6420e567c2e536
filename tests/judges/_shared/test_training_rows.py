"""What a judge cannot learn from is refused in a sentence."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError
from dialometer.core.types import Example
from dialometer.judges._shared.training_rows import usable_rows
from dialometer.judges.stack import Stack
from dialometer.text.corpus import Corpus

NO, NAN = [], float("nan")
FIVE = ["a", "b b", "c", "d d d", "e"]


@pytest.mark.parametrize(
    ("references", "target", "says"),
    [
        (None, [NAN] * 5, "learns from ratings, and none of 5"),
        ([NO] * 5, [1, 2, 3, 4, 5], "stack needs a reference for each example, and none of 5 rated ones has that"),
        ([["x"]] * 3 + [NO] * 2, [1, 2, 3, 4, 5], "cannot learn from 3 rated examples"),
        ([["x"]] * 5, [3, 3, 3, 3, NAN], "all 4 ratings are 3"),
    ],
)
def test_refusals(references, target, says):
    with pytest.raises(NeedsError, match=says):
        usable_rows(Stack(features="bleu"), Corpus.of(FIVE, references), np.array(target))


def test_one_context_is_too_few():
    one = Corpus.build([Example(text, (), text, group="talk") for text in FIVE])
    with pytest.raises(NeedsError, match="share one context"):
        usable_rows(Stack(features="length"), one, np.arange(5.0))


def test_rows_with_a_rating_and_what_is_needed():
    corpus = Corpus.of([*FIVE, "f"], [["x"]] * 5 + [NO])
    rows, left_out = usable_rows(Stack(features="bleu"), corpus, np.array([1, NAN, 3, 4, 5, 2]))
    assert rows.tolist() == [0, 2, 3, 4]
    assert left_out == 1
