"""Empty, repeated and universal replies, by hand."""

from dialometer.bots._policy.degenerate import degenerate, word_count
from dialometer.bots._policy.episode import Episode


def test_by_hand():
    episodes = [
        Episode(("Hello there",), ("tea ?", "I am fine", "TEA ?", "")),
        Episode(("hi",), ("i am fine", "hello , there", "I think I think", "...")),
        Episode(("hi",), ("I am fine", "Hi", "yes yes", "good")),
    ]
    found = {kind: flags.astype(int).tolist() for kind, flags in degenerate(episodes).items()}
    assert found["empty"] == [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert found["repeated"] == [[0, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0]], "the opener counts, two words may be the same"
    assert found["universal"] == [[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]


def test_universal_replies_need_half_of_the_batch_and_three():
    def universal(times, of):
        said = ["same"] * times + [f"other {n}" for n in range(of - times)]
        return degenerate([Episode(("hi",), (text,)) for text in said])["universal"].sum()

    assert universal(2, 2) == 0
    assert universal(3, 4) == 3
    assert universal(3, 8) == 0
    assert universal(4, 8) == 4


def test_only_the_learners_turns_count_but_all_are_heard():
    found = degenerate([Episode(("hi",), ("tea", "tea", "tea", "tea"), every=2)])
    assert found["repeated"].tolist() == [[False, True]]


def test_words():
    assert word_count("I'm fine , thanks .") == 5
    assert word_count("") == 0
