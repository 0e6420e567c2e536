"""Which entries are an item's own: worked through by hand on three conversations."""

from dialometer.bots._retrieval.pool import Pool, turns_of
from dialometer.bots._retrieval.target_exclusion import Own
from dialometer.core.types import Turn

#        entry:        0          1                    2          3                   4         5
TALKS = [["Hi .", "Hello .", "Tea ?"], ["Hi .", "Good day .", "Tea ?"], ["So .", "Hi .", "Hello ."]]


def context(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


def leaving(how, *texts, truth=None, turns=10):
    said, rows = turns_of([context(*texts)], turns)
    found = Own(Pool.of(TALKS, "test"), turns).leaving(how, said, rows, None if truth is None else [truth])
    return found.rows.tolist()


def test_without_the_truth_every_entry_with_exactly_this_context_leaves():
    assert leaving("drop", "hi") == [0, 2]
    assert leaving("drop", "Hi .", "Hello .") == [1]
    assert leaving("drop", "Hello .") == []  # said elsewhere after other turns: another context
    assert leaving("drop", "nobody said this") == []


def test_with_the_truth_one_occurrence_leaves():
    assert leaving("drop", "Hi .", truth="Hello .") == [0]
    assert leaving("drop", "Hi .", truth="good day!") == [2]
    assert leaving("drop", "So .", "Hi .", truth="Hello .") == [5]
    assert leaving("drop", "Hi .", truth="Something else .") == []


def test_an_item_with_its_last_turns_alone_is_recognised():
    assert leaving("drop", "Good day .", truth="Tea ?") == [3]
    assert leaving("drop", "Hello .", truth="Tea ?") == [1]
    assert leaving("drop", "Bye .", truth="Tea ?") == []


def test_strict_takes_the_reply_away_wherever_it_was_said():
    assert leaving("strict", "Hi .", truth="Hello .") == [0, 2, 5]
    assert leaving("strict", "Hi .", "Hello .") == [1, 3]
    assert leaving("strict", "never heard", truth="Tea ?") == [1, 3]


def test_keep_keeps_everything():
    assert leaving("keep", "Hi .", truth="Hello .") == []


def test_only_the_turns_that_count_are_compared():
    assert leaving("drop", "Anything .", "Hi .", turns=1) == [0, 2, 5]


def test_no_context_has_no_own():
    assert leaving("drop") == []


def test_of_two_equal_occurrences_the_one_in_the_same_letters_leaves():
    pool = Pool.of([["Tea ?", "yes please"], ["Tea ?", "Yes , please ."]], "test")
    said, rows = turns_of([context("Tea ?")], 10)
    for truth, entry in (("yes please", 0), ("Yes , please .", 1), ("YES PLEASE", 0)):
        assert Own(pool, 10).leaving("drop", said, rows, [truth]).rows.tolist() == [entry]
