"""Conversations as symbols and packed batches, worked by hand."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from dialometer.nets.dialogue.data import Batch, EncodedDialogues, Packed
from dialometer.nets.dialogue.subwords import Vocabulary
from dialometer.nets.training.vocabulary import END, UNKNOWN
from tests.nets.dialogue.small import random_talks, talks_of, whole

# talk 0: "5 6", "7"; talk 1: "8"; talk 2: "", "9 10 11", "12"
HAND = talks_of(
    [[[5, 6], [7]], [[8]], [[], [9, 10, 11], [12]]],
    coarse=[[[3], []], [[2]], [[], [4, 5], [2]]],
    facts=np.arange(6, dtype=np.float32)[:, None],
)


def utterances(data):
    return [data.flat[a:b].tolist() for a, b in zip(data.starts[:-1], data.starts[1:], strict=True)]


def spelt(data):
    """Conversations as lists of utterances, END left out."""
    said = [one[:-1] for one in utterances(data)]
    return [said[a:b] for a, b in zip(data.talks[:-1], data.talks[1:], strict=True)]


def test_texts_become_symbols():
    vocabulary = Vocabulary.learn(["b a b", "c b ."], 20, "words")  # b 2, then . a c by spelling: 3 4 5
    data = EncodedDialogues.of([["a b", ""], ["C xyz ."]], vocabulary)
    assert utterances(data) == [[4, 2, END], [END], [5, UNKNOWN, 3, END]]
    assert data.talks.tolist() == [0, 2, 3]
    assert data.events.tolist() == [3, 1, 4]
    assert len(data) == 2
    assert EncodedDialogues.of([["a b c ."]], vocabulary, 3).flat.tolist() == [4, 2, END]
    assert EncodedDialogues.of([["a b c ."]], vocabulary, 3).events.tolist() == [5], "what was said, not what was kept"
    assert len(EncodedDialogues.of([], vocabulary)) == 0


def test_sizes_and_replies():
    assert HAND.sizes.tolist() == [5, 2, 7]
    assert HAND.replies.tolist() == [False, True, False, False, True, True]


def test_shortened():
    assert utterances(HAND.shortened(2)) == [[5, END], [7, END], [8, END], [END], [9, END], [12, END]]
    assert utterances(HAND.shortened(3)) == [[5, 6, END], [7, END], [8, END], [END], [9, 10, END], [12, END]]
    assert utterances(HAND.shortened(4)) == utterances(HAND)
    assert HAND.shortened(2).talks is HAND.talks
    assert utterances(HAND.shortened(2).coarse) == utterances(HAND.coarse)


def test_some_by_number():
    some = HAND.some(np.array([2, 0]))
    assert spelt(some) == [[[], [9, 10, 11], [12]], [[5, 6], [7]]]
    assert some.events.tolist() == [1, 4, 2, 3, 2]
    assert some.facts[:, 0].tolist() == [3, 4, 5, 0, 1]
    assert spelt(some.coarse) == [[[], [4, 5], [2]], [[3], []]]
    assert len(HAND.some(np.array([], int))) == 0
    data = random_talks(30, facts=2)
    again = data.some(np.arange(30))
    assert (spelt(again), spelt(again.coarse)) == (spelt(data), spelt(data.coarse))
    assert (again.facts == data.facts).all()


@pytest.mark.parametrize("symbols", [1, 7, 40, 10_000])
def test_parts_hold_every_conversation_once_by_size(symbols):
    data, numbers = random_talks(50), np.arange(3, 47)
    parts = data.parts(numbers, symbols)
    joined = np.concatenate(parts)
    assert sorted(joined.tolist()) == numbers.tolist()
    assert (np.diff(data.sizes[joined]) >= 0).all()
    assert all(data.sizes[part].sum() < symbols + data.sizes.max() for part in parts)
    assert len(data.parts(np.array([], int))) == 0


def test_a_plan_holds_every_conversation_once():
    data, numbers = random_talks(50), np.arange(50)[::2]
    for epoch in range(3):
        plan = data.plan(numbers, 4, seed=1, epoch=epoch)
        assert sorted(np.concatenate(plan).tolist()) == numbers.tolist()
        assert [len(batch) for batch in plan].count(4) == 6
    same = data.plan(numbers, 4, seed=1, epoch=2)
    assert [batch.tolist() for batch in same] == [batch.tolist() for batch in plan]
    assert [batch.tolist() for batch in data.plan(numbers, 4, seed=2, epoch=2)] != [batch.tolist() for batch in plan]


def test_packed_by_hand():
    """Sequences of 2, 1 and 3 elements from 10, 20 and 30 on."""
    packed = Packed.of(np.array([10, 20, 30]), np.array([2, 1, 3]))
    assert packed.sizes == [3, 2, 1]
    assert packed.index.tolist() == [30, 10, 20, 31, 11, 32]
    assert packed.order.tolist() == [2, 0, 1]
    assert packed.place.tolist() == [1, 2, 0]
    assert packed.first.tolist() == [True, True, True, False, False, False]
    assert packed.owner.tolist() == [0, 1, 2, 0, 1, 0]


def test_a_batch_by_hand():
    batch = Batch(HAND, np.array([2, 0]))
    assert batch.turns.tolist() == [3, 2]
    assert batch.rows.tolist() == [3, 4, 5, 0, 1]
    assert batch.owner.tolist() == [0, 0, 0, 1, 1]
    assert batch.opens.tolist() == [True, False, False, True, False]
    assert batch.words.sizes == [5, 4, 2, 1]
    assert batch.symbols().tolist() == [9, 5, 12, 7, END, 10, 6, END, END, 11, END, END]
    assert batch.decoder_inputs().tolist() == [END, END, END, END, END, 9, 5, 12, 7, 10, 6, 11]
    assert batch.talk.index.tolist() == [0, 3, 1, 4, 2]
    assert batch.facts()[:, 0].tolist() == [3, 4, 5, 0, 1]
    assert batch.by_talk(batch.facts()[:, 0]).tolist() == [12, 1]
    assert batch.coarse.rows.tolist() == batch.rows.tolist()
    assert batch.coarse.symbols().tolist() == [4, 2, 3, END, END, 5, END, END, END]


def test_the_same_conversation_may_come_twice():
    batch = Batch(HAND, np.array([1, 1]))
    assert batch.rows.tolist() == [2, 2]
    assert batch.owner.tolist() == [0, 1]
    assert batch.symbols().tolist() == [8, 8, END, END]


def test_extended_by_an_utterance():
    longer = Batch(HAND, np.array([1, 0]), (7, 8)).extended([[2, 3], []])
    assert spelt(longer.data) == [[[8], [2, 3]], [[5, 6], [7], []]]
    assert longer.data.events.tolist() == [2, 3, 3, 2, 1]
    assert (longer.numbers.tolist(), longer.seeds) == ([0, 1], (7, 8))


def test_what_is_not_there_is_said():
    bare = whole(replace(HAND, facts=None, coarse=None))
    with pytest.raises(ValueError, match="no further numbers"):
        bare.facts()
    with pytest.raises(ValueError, match="no coarse form"):
        _ = bare.coarse
