"""Which entries are an item's own: worked through by hand on three conversations."""

from dialometer.bots._retrieval.pool import ResponsePool, turns_of
from dialometer.bots._retrieval.target_exclusion import TargetExclusion
from dialometer.core.types import Turn

#        entry:        0          1                    2          3                   4         5
TALKS = [["Hi .", "Hello .", "Tea ?"], ["Hi .", "Good day .", "Tea ?"], ["So .", "Hi .", "Hello ."]]


def context(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


def excluded(how, *texts, truth=None, turns=10):
    said, rows = turns_of([context(*texts)], turns)
    found = TargetExclusion(ResponsePool.of(TALKS, "test"), turns).excluded(
        how, said, rows, None if truth is None else [truth]
    )
    return found.rows.tolist()


def test_without_the_truth_every_entry_with_exactly_this_context_leaves():
    assert excluded("drop", "hi") == [0, 2]
    assert excluded("drop", "Hi .", "Hello .") == [1]
    assert excluded("drop", "Hello .") == []  # said elsewhere after other turns: another context
    assert excluded("drop", "nobody said this") == []


def test_with_the_truth_one_occurrence_leaves():
    assert excluded("drop", "Hi .", truth="Hello .") == [0]
    assert excluded("drop", "Hi .", truth="good day!") == [2]
    assert excluded("drop", "So .", "Hi .", truth="Hello .") == [5]
    assert excluded("drop", "Hi .", truth="Something else .") == []


def test_an_item_with_its_last_turns_alone_is_recognised():
    assert excluded("drop", "Good day .", truth="Tea ?") == [3]
    assert excluded("drop", "Hello .", truth="Tea ?") == [1]
    assert excluded("drop", "Bye .", truth="Tea ?") == []


def test_strict_takes_the_reply_away_wherever_it_was_said():
    assert excluded("strict", "Hi .", truth="Hello .") == [0, 2, 5]
    assert excluded("strict", "Hi .", "Hello .") == [1, 3]
    assert excluded("strict", "never heard", truth="Tea ?") == [1, 3]


def test_keep_keeps_everything():
    assert excluded("keep", "Hi .", truth="Hello .") == []


def test_only_the_turns_that_count_are_compared():
    assert excluded("drop", "Anything .", "Hi .", turns=1) == [0, 2, 5]


def test_no_context_has_no_own():
    assert excluded("drop") == []


def test_of_two_equal_occurrences_the_one_in_the_same_letters_leaves():
    pool = ResponsePool.of([["Tea ?", "yes please"], ["Tea ?", "Yes , please ."]], "test")
    said, rows = turns_of([context("Tea ?")], 10)
    for truth, entry in (("yes please", 0), ("Yes , please .", 1), ("YES PLEASE", 0)):
        assert TargetExclusion(pool, 10).excluded("drop", said, rows, [truth]).rows.tolist() == [entry]
