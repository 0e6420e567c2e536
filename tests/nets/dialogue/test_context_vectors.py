"""Context vectors: the states that networks hear, the same bits in any company."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.dialogue.context_vectors import context_vectors  # noqa: E402
from dialometer.nets.dialogue.data import Batch, EncodedDialogues  # noqa: E402
from dialometer.nets.dialogue.hred import HredNetwork, last  # noqa: E402
from dialometer.nets.dialogue.layers import NetworkSizes  # noqa: E402
from dialometer.nets.dialogue.vhcr import VhcrNetwork  # noqa: E402
from dialometer.nets.dialogue.vhred import VhredNetwork  # noqa: E402
from tests.nets.dialogue.test_context_cache import SYMBOLS, talks_of  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402

every = pytest.mark.parametrize("make", [HredNetwork, VhredNetwork, VhcrNetwork])


def net_of(make, **more):
    torch.manual_seed(1)
    return make(NetworkSizes(SYMBOLS, 16, 48, 40, latent=5, **more)).eval().requires_grad_(False)


@every
@pytest.mark.parametrize("facts", [0, 5])
def test_they_are_the_states_after_the_last_turn(make, facts):
    """Against the way of training: everything packed in one batch."""
    net = net_of(make, facts=(2, 3), facts_heard=True) if facts else net_of(make)
    data = talks_of(50, facts=facts)
    batch = Batch(data, np.arange(50))
    read = net.encode(batch)
    if make is VhcrNetwork:
        plain = net.run_context(batch, read, net.dialogue_posterior(batch, read).mean)[0][last(batch)]
    else:
        plain = net.follower(net.context_inputs(batch, read), batch)[0][last(batch)]
    vectors = context_vectors(net, data)
    assert (vectors.dtype, vectors.shape) == (np.float32, (50, 40))
    np.testing.assert_allclose(vectors, plain.numpy(), atol=1e-6)


@pytest.mark.invariance
@every
def test_batch_changes_no_vector(make):
    net, data = net_of(make), talks_of(1500)
    whole = context_vectors(net, data)
    order = np.random.default_rng(2).permutation(1500)
    assert_same_vectors(context_vectors(net, data.some(order)), whole[order])
    for talk in range(0, 1500, 60):
        assert_same_vectors(context_vectors(net, data.some(np.array([talk])))[0], whole[talk])


def test_no_conversations():
    nothing = EncodedDialogues(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64))
    assert context_vectors(net_of(HredNetwork), nothing).shape == (0, 40)
