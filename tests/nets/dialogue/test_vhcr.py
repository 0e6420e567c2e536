"""VHCR: the latent of a conversation, and utterances that go unheard."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.dialogue.data import Batch  # noqa: E402
from dialometer.nets.dialogue.latent import divergence, standard  # noqa: E402
from tests.nets.dialogue.small import network, random_talks, whole  # noqa: E402

DATA = random_talks(10)


def test_one_latent_per_conversation_against_a_standard_normal():
    net = network("vhcr")
    batch = whole(DATA, range(10))
    told = net(batch)
    talk = net.dialogue_posterior(batch, net.encode(batch))
    assert told.talk_kl.shape == told.talk_excess.shape == (10,)
    assert torch.allclose(told.talk_kl, divergence(talk, standard(talk.mean)))
    assert told.kl.shape == told.nll.shape


def test_the_conversation_is_read_in_both_directions():
    """q of the conversation against torch's own layer, one conversation at a time."""
    net = network("vhcr")
    batch = whole(DATA)
    read = net.encode(batch)
    shared = net.dialogue_posterior(batch, read)
    for talk in range(10):
        rows = np.flatnonzero(batch.owner == talk)
        _, ends = net.both(read[rows][:, None])
        alone = net.talk(torch.cat([ends[0], ends[1]], dim=1))
        assert torch.allclose(shared.mean[talk], alone.mean[0])
        assert torch.allclose(shared.log_variance[talk], alone.log_variance[0])


def test_utterances_go_unheard_only_while_learning():
    net = network("vhcr", utterance_drop=0.5)
    with torch.no_grad():
        net.unheard.fill_(7.0)
    batch = whole(DATA, range(10))
    read = net.encode(batch)
    z = torch.zeros(10, 3, dtype=torch.float64)
    heard = []
    net.follower.register_forward_pre_hook(lambda _, given: heard.append(given[0]))
    torch.manual_seed(0)
    net.run_context(batch, read, z)
    net.train()
    net.run_context(batch, read, z)
    still, dropped = (part[:, : net.sizes.hidden] for part in heard)
    assert torch.allclose(still, read)
    lost = (dropped == 7).all(1)
    assert 0.2 < lost.double().mean() < 0.8
    assert torch.allclose(dropped[~lost], read[~lost])
    net(batch).loss.backward()
    assert net.unheard.grad.abs().sum() > 0


def test_turns_hear_the_latent_of_their_own_conversation():
    net = network("vhcr")
    batch = whole(DATA)
    read = net.encode(batch)
    z = torch.zeros(10, 3, dtype=torch.float64)
    moved = z.clone()
    moved[4] = 1.0
    plain, changed = (net.run_context(batch, read, one) for one in (z, moved))
    mine = torch.from_numpy(batch.owner == 4)
    for one, two in zip(plain, changed, strict=True):
        assert torch.allclose(one[~mine], two[~mine])
        assert not torch.isclose(one[mine], two[mine]).all(1).any()


def test_the_context_is_told_at_the_mean():
    net = network("vhcr")
    one = net.context(whole(DATA, range(10)))
    assert torch.allclose(one, net.context(whole(DATA, range(50, 60))))
    alone = net.context(Batch(DATA, np.array([3])))
    assert torch.allclose(alone[0], one[3])
