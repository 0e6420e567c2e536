"""Echoes: shares of pairs of words against a plain count, on real replies too."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.types import Example, Turn
from dialometer.judges._bilinear.self_overlap import self_overlap_columns
from dialometer.text.corpus import Corpus
from tests.judges.rated_sets import rated

WORDS = st.lists(st.sampled_from("a b c d".split()), max_size=6).map(" ".join)


def plainly(context: list[list[str]], reply: list[str]) -> list[float]:
    def pairs(words: list[str]) -> list[tuple[str, str]]:
        marked = ["<s>", *words, "</s>"]
        return [(marked[i], marked[i + 1]) for i in range(len(marked) - 1)] if words else []

    own = pairs(reply)
    heard = [pair for turn in context for pair in pairs(turn)]
    if not own:
        return [0.0, 0.0]
    again = sum(pair in own[:place] for place, pair in enumerate(own))
    return [sum(pair in heard for pair in own) / len(own), again / len(own)]


@given(st.lists(st.tuples(st.lists(WORDS, max_size=3), WORDS), min_size=1, max_size=5))
def test_shares_are_plain_counts(talks: list[tuple[list[str], str]]) -> None:
    items = [Example(f"{n}", tuple(Turn("u", turn) for turn in turns), reply) for n, (turns, reply) in enumerate(talks)]
    wanted = [plainly([turn.split() for turn in turns], reply.split()) for turns, reply in talks]
    np.testing.assert_allclose(self_overlap_columns(Corpus.build(items)), wanted, atol=1e-12)


def test_the_last_turn_said_back_is_all_echo_and_a_reply_said_twice_is_half() -> None:
    asked = "would you like some tea"
    said = ["would you like some tea", "yes i would love some yes i would love some", "no"]
    found = self_overlap_columns(Corpus.build(Example(f"{n}", (Turn("u", asked),), text) for n, text in enumerate(said)))
    assert found[0].tolist() == [1, 0]
    assert 0.3 < found[1, 1] < 0.5
    assert found[2].tolist() == [0, 0]


def test_real_replies_echo_little(shared_data) -> None:
    corpus, _ = rated(shared_data("turns/zhao_dailydialog.jsonl.gz"), "appropriateness")
    found = self_overlap_columns(corpus)
    assert np.median(found, axis=0).max() < 0.2
    assert found.min() >= 0
    assert found.max() <= 1
