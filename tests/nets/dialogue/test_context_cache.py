"""Cached contexts: equal to a plain forward pass, the same bits with and without the cache, and batch-invariant."""

import numpy as np
import pytest
import torch

from dialometer.nets.dialogue import context_cache as context_cache
from dialometer.nets.dialogue.context_cache import ContextCache, cached_contexts
from dialometer.nets.dialogue.data import Batch, EncodedDialogues
from dialometer.nets.dialogue.hred import HredNetwork
from dialometer.nets.dialogue.layers import NetworkSizes
from dialometer.nets.threads import one_thread
from tests.network_tolerance import assert_same_vectors

SYMBOLS = 50


@pytest.fixture(autouse=True)
def quiet():
    with one_thread(), torch.inference_mode():
        yield


def talks_of(number, seed=0, facts=0):
    rng = np.random.default_rng(seed)
    turns = rng.integers(1, 7, number)
    lengths = rng.integers(0, 12, turns.sum())
    said = [np.append(rng.integers(2, SYMBOLS, n), 1) for n in lengths]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in said])])
    more = rng.random((len(said), facts)).astype(np.float32) if facts else None
    return EncodedDialogues(np.concatenate(said), starts, np.concatenate([[0], np.cumsum(turns)]), lengths + 1, more)


def made(**more):
    torch.manual_seed(1)
    return HredNetwork(NetworkSizes(SYMBOLS, 16, 48, 40, **more)).eval()


@pytest.mark.parametrize("facts", [0, 5])
def test_equal_to_hearing_everything(facts):
    net = made(facts=(2, 3), facts_heard=True) if facts else made()
    data = talks_of(40, facts=facts)
    batch = Batch(data, np.array([3, 17, 3, 39, 0]))  # a conversation twice, as for two candidates
    plain = net.follower(net.context_inputs(batch, net.encode(batch)), batch)[0][torch.from_numpy(batch.turns.cumsum() - 1)]
    assert torch.allclose(cached_contexts(net, batch, ContextCache()), plain, atol=1e-6)


@pytest.mark.invariance
def test_the_same_state_remembered_or_not_and_in_any_batch():
    net, data = made(), talks_of(70)
    whole = cached_contexts(net, Batch(data, np.arange(70)), ContextCache())
    cache = ContextCache()
    for talk in np.random.default_rng(5).permutation(70).tolist():
        turns = int(data.talks[talk + 1] - data.talks[talk])
        for turn in range(1, turns + 1):  # the conversation grows, and only the last turn is new
            part = EncodedDialogues(data.flat, data.starts, data.talks[talk] + np.array([0, turn]), data.events)
            state = cached_contexts(net, Batch(part, np.array([0])), cache)
        assert_same_vectors(state[0], whole[talk])


def test_only_new_turns_are_read(monkeypatch):
    net, data, read = made(), talks_of(10), []
    inner = context_cache.encode_blocks
    monkeypatch.setattr(
        context_cache, "encode_blocks", lambda net, batch, rows: read.append(len(rows)) or inner(net, batch, rows)
    )
    batch, cache = Batch(data, np.arange(10)), ContextCache()
    once = cached_contexts(net, batch, cache)
    assert torch.equal(cached_contexts(net, batch, cache), once)
    assert read == [len(data.starts) - 1]


@pytest.mark.invariance
def test_old_states_are_forgotten_when_there_is_no_room(monkeypatch):
    monkeypatch.setattr(context_cache, "MOST", 3 * 4 * 40)
    net, data, cache = made(), talks_of(30), ContextCache()
    first = cached_contexts(net, Batch(data, np.arange(30)), cache)
    assert len(cache._states) == 3
    assert_same_vectors(cached_contexts(net, Batch(data, np.arange(30)), cache), first)


def test_learning_forgets():
    net, data = made(), talks_of(5)
    batch = Batch(data, np.arange(5))
    before = net.context(batch)
    net.train()
    with torch.no_grad():
        net.reader.gru.weight_ih.data = net.reader.gru.weight_ih.data * 0.5
    net.eval()
    assert not torch.allclose(net.context(batch), before)
