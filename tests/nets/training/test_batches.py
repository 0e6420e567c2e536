"""Batches hold every row once, waste little on padding, and depend on seed and epoch alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.nets.training.batches import Neighbours, bucketed, held_out, padded, shortened, whole_talks
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers.base import tokeniser


def wasted(lengths, batches):
    """The share of a batch's cells that hold nothing."""
    return 1 - lengths.sum() / sum(len(batch) * lengths[batch].max() for batch in batches)


@pytest.mark.parametrize("size", [32, 64])
def test_little_is_padding(real_texts, size):
    lengths = build_table(Texts.of(real_texts(20_000)), tokeniser("words")).lengths()
    lengths = lengths[lengths > 0]
    batches = bucketed(lengths, size, seed=0, epoch=0)
    assert wasted(lengths, batches) < 0.1
    in_file_order = np.array_split(np.arange(len(lengths)), len(batches))
    assert wasted(lengths, in_file_order) > 0.4, "without buckets this text would be mostly padding"


@given(st.lists(st.integers(1, 40), max_size=300), st.integers(1, 40))
def test_every_row_once(lengths, size):
    batches = bucketed(np.array(lengths, np.int64), size, seed=1, epoch=2)
    assert sorted(np.concatenate([[], *batches])) == list(range(len(lengths)))
    assert all(len(batch) <= size for batch in batches)


def test_seed_and_epoch_decide_the_order():
    lengths = np.arange(400) % 17

    def order(seed, epoch):
        return np.concatenate(bucketed(lengths, 8, seed=seed, epoch=epoch)).tolist()

    assert order(1, 0) == order(1, 0)
    assert len({tuple(order(seed, epoch)) for seed in (1, 2) for epoch in (0, 1)}) == 4


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 20))
def test_talks_stay_whole(counts, size):
    talk = np.repeat(np.arange(len(counts)), counts)
    batches = whole_talks(talk, size, seed=0, epoch=0)
    assert sorted(np.concatenate([[], *batches])) == list(range(len(talk)))
    where = {number: i for i, batch in enumerate(batches) for number in set(talk[batch].tolist())}
    assert all(where[number] == i for i, batch in enumerate(batches) for number in talk[batch].tolist())


@given(st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=1, max_size=9), st.integers(1, 7))
def test_rows_as_matrix_and_cut(rows, limit):
    flat = np.array([symbol for row in rows for symbol in row], np.int64)
    starts = np.cumsum([0, *map(len, rows)])
    matrix, lengths = padded(flat, starts, np.arange(len(rows)))
    assert [row[:length].tolist() for row, length in zip(matrix, lengths, strict=True)] == rows
    assert (matrix > 0).sum() == len(flat)
    short, short_starts = shortened(flat, starts, limit)
    assert np.split(short, short_starts[1:-1])[0].tolist() == rows[0][:limit]
    assert np.diff(short_starts).tolist() == [min(len(row), limit) for row in rows]


def test_neighbours_stay_inside_their_conversation():
    near = Neighbours.of([["a", "b"], [], ["c"], ["d", "e", "f"]])
    assert near.texts == list("abcdef")
    assert near.before.tolist() == [-1, 0, -1, -1, 3, 4]
    assert near.after.tolist() == [1, -1, -1, 4, 5, -1]
    assert near.talk.tolist() == [0, 0, 2, 3, 3, 3]
    assert Neighbours.of([]).after.tolist() == []


def test_a_twentieth_is_held_out():
    talks = np.repeat(np.arange(0, 2000, 2), 3)
    assert held_out(talks, 3).sum() == 150
    assert len(np.unique(talks[held_out(talks, 3)])) == 50
    assert (held_out(talks, 3) != held_out(talks, 4)).any()
    assert held_out(talks, -1).sum() == 150
    assert not held_out(np.arange(19), 0).any()
