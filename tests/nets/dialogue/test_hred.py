"""HRED: what its context hears, and the heads of EI regularisation."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.dialogue.data import Batch  # noqa: E402
from tests.nets.dialogue.small import network, random_talks, talks_of, whole  # noqa: E402

DATA = random_talks(10, facts=5)
EI = {"facts": (3, 2)}


def names(net):
    return {name.split(".")[0] for name, _ in net.named_parameters()}


def test_the_context_after_each_conversation():
    net = network("hred")
    states = net.context(whole(DATA))
    after, _ = net.follower(net.encode(whole(DATA)), whole(DATA))
    assert torch.allclose(states, after[torch.from_numpy(DATA.talks[1:] - 1)])
    begin = net.decoder_state(whole(DATA))
    assert torch.allclose(begin[1], net.speaker.initial_state(states)[1])


@pytest.mark.parametrize("name", ["hred", "vhred", "vhcr"])
@pytest.mark.parametrize(
    ("heads", "wanted"), [((4, 6), {"emotion", "vector"}), ((4, 0), {"emotion"}), ((0, 6), {"vector"})]
)
def test_heads_are_there_as_asked(name, heads, wanted):
    net = network(name, heads=heads, **EI)
    assert {n.split(".")[1] for n, _ in net.named_parameters() if n.startswith("heads.")} == wanted
    told = net(whole(DATA, range(10)))
    assert {part for part in ("emotion", "vector") if getattr(told, part) is not None} == wanted
    plain = network(name, **EI)
    assert "heads" not in names(plain)
    assert plain(whole(DATA, range(10))).emotion is None


@pytest.mark.parametrize("name", ["hred", "vhred", "vhcr"])
def test_heads_hear_the_state_after_the_utterance(name):
    """What comes later changes no distance of an utterance before it, and the utterance's own words do."""
    net = network(name, heads=(4, 6), **EI)
    if name == "vhcr":  # its latent of the conversation knows the future
        torch.nn.init.zeros_(net.talk.out.weight)
    facts = np.abs(np.random.default_rng(0).normal(size=(3, 5))).astype(np.float32)
    said = [[[2, 3], [4], [5, 6]], [[2, 3], [4], [7]], [[2, 3], [8], [5, 6]]]
    told = [net(whole(talks_of([talk], facts=facts), [1])) for talk in said]
    alone = [net(Batch(talks_of([talk[:2]], facts=facts[:2]), np.array([0]), (1,))) for talk in said]
    assert alone[0].vector.item() == pytest.approx(alone[1].vector.item(), rel=1e-12)
    assert alone[0].vector.item() != pytest.approx(alone[2].vector.item(), rel=1e-6)
    assert told[0].vector.item() != pytest.approx(told[1].vector.item(), rel=1e-6)


def test_heads_do_not_disturb_likelihoods_and_need_no_facts_for_them():
    net = network("hred", heads=(4, 6), **EI)
    bare = replace(DATA, facts=None)
    told = net(whole(bare))
    assert told.vector is None
    assert torch.allclose(told.nll, net(whole(DATA)).nll)


@pytest.mark.parametrize("name", ["hred", "vhred", "vhcr"])
def test_facts_as_input(name):
    net = network(name, facts_heard=True, **EI)
    assert "heads" not in names(net)
    assert net.follower.gru.weight_ih.shape[1] == net.sizes.hidden + 5 + (net.sizes.latent if name == "vhcr" else 0)
    other = replace(DATA, facts=DATA.facts + 1)
    before, after = (net(whole(data, range(10))).nll for data in (DATA, other))
    opens = torch.from_numpy(~DATA.replies)
    if name != "vhcr":
        assert torch.allclose(before[opens], after[opens]), "what opens a conversation comes before all facts"
    assert not torch.isclose(before[~opens], after[~opens]).any()
    with pytest.raises(ValueError, match="no further numbers"):
        net(whole(replace(DATA, facts=None), range(10)))
