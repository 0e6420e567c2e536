"""What holds of every talking network: company, padding and the future change no likelihood; gradients are those of the loss."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import log_softmax  # noqa: E402

from dialometer.nets.dialogue.data import Batch  # noqa: E402
from dialometer.nets.dialogue.decoding import DecodingOptions, beam_search, generate  # noqa: E402
from dialometer.nets.dialogue.mrrnn import LONGEST  # noqa: E402
from dialometer.nets.training.vocabulary import END  # noqa: E402
from tests.nets.dialogue.small import COARSE, LATENT, NETWORKS, SYMBOLS, network, random_talks, talks_of, whole  # noqa: E402

DATA = random_talks(64, seed=3)
SILENCE = talks_of([[], []], [[], []])
SEEDS = tuple(range(1000, 1064))
every = pytest.mark.parametrize("name", NETWORKS)
exact = pytest.mark.parametrize("name", ["hred", "lstmlm", "seq2seq"])  # nothing is drawn or planned


def parts(told):
    """−log p and what latents cost, per utterance or conversation."""
    return [part for part in (told.nll, told.kl, told.excess, told.talk_kl, told.talk_excess) if part is not None]


@every
def test_every_utterance_has_a_likelihood(name):
    told = network(name)(whole(DATA, SEEDS))
    assert told.nll.shape == (len(DATA.events),)
    assert (told.nll > 0).all()
    assert told.loss.item() == pytest.approx(told.nll.sum().item())
    assert told.nll.std() > 1, "utterances differ, and the net tells them apart"


@every
@pytest.mark.parametrize(("double", "bound"), [(True, 1e-9), (False, 1e-5)])
def test_company_and_padding_change_no_likelihood(name, double, bound):
    """One conversation alone has no padding; among 64 it stands beside longer and shorter ones."""
    net = network(name, double=double, loud=4.0 if double else 2.0)
    together = parts(net(whole(DATA, SEEDS)))
    order = np.random.default_rng(1).permutation(64)
    shuffled = parts(net(Batch(DATA, order, tuple(SEEDS[i] for i in order))))
    rows = Batch(DATA, order).rows
    for one, two in zip(together, shuffled, strict=True):
        at = rows if len(one) == len(DATA.events) else order
        assert torch.allclose(one[at], two, rtol=bound, atol=bound)
    for talk in range(0, 64, 3):
        alone = parts(net(Batch(DATA, np.array([talk]), (SEEDS[talk],))))
        mine = slice(DATA.talks[talk], DATA.talks[talk + 1])
        for one, two in zip(together, alone, strict=True):
            expected = one[mine] if len(one) == len(DATA.events) else one[talk : talk + 1]
            assert torch.allclose(expected, two, rtol=bound, atol=bound)


def changed(change):
    """Two conversations of four turns, alike but for turn ``change`` of the first."""
    rng = np.random.default_rng(8)
    fine = [[rng.integers(2, SYMBOLS, 4).tolist() for _ in range(4)] for _ in range(2)]
    coarse = [[rng.integers(2, COARSE, 2).tolist() for _ in range(4)] for _ in range(2)]
    if change is not None:
        fine[0][change], coarse[0][change] = [2, 3, 2, 4, 5], [3, 2, 2]
    return whole(talks_of(fine, coarse), (1, 2))


@pytest.mark.parametrize("name", ["hred", "lstmlm", "mrrnn", "seq2seq", "vhred"])
@pytest.mark.parametrize("turn", range(4))
def test_what_comes_later_changes_nothing_before_it(name, turn):
    net = network(name)
    before, after = net(changed(None)), net(changed(turn))
    for one, two in zip(parts(before), parts(after), strict=True):
        same = torch.isclose(one, two, rtol=0, atol=1e-12)
        assert same[:turn].all()
        assert same[4:].all(), "nor anything in another conversation"
        assert not same[turn]
        if turn < 3 and name != "seq2seq":
            assert not same[turn + 1 : 4].any(), "all that comes after hears it"


def test_the_latent_of_a_conversation_is_told_from_all_of_it():
    """vhcr: z of the conversation knows the future by design; where it is held still, the turns know only the past."""
    net = network("vhcr")
    before, after = net(changed(None)), net(changed(3))
    assert not torch.isclose(before.nll[:3], after.nll[:3], rtol=0, atol=1e-9).any()
    assert torch.allclose(before.nll[4:], after.nll[4:], rtol=0, atol=1e-12)
    with torch.no_grad():
        net.talk.out.weight.zero_()
    before, after = net(changed(None)), net(changed(3))
    for one, two in ((before.nll, after.nll), (before.kl, after.kl), (before.excess, after.excess)):
        assert torch.allclose(one[:3], two[:3], rtol=0, atol=1e-12)
        assert not torch.isclose(one[3], two[3])


@every
def test_the_gradient_is_the_slope_of_the_loss(name):
    """Along a random direction, in double precision, with the draws of latents held still."""
    net = network(name, loud=2.0)
    batch = whole(DATA.some(np.arange(6)), SEEDS[:6])

    def loss():
        told = net(batch)
        return told.loss + sum(part.sum() for part in (told.kl, told.talk_kl) if part is not None)

    loss().backward()
    generator = torch.Generator().manual_seed(4)
    ways = [torch.randn(weight.shape, generator=generator, dtype=torch.float64) for weight in net.parameters()]
    slope = sum(
        (weight.grad * way).sum() for weight, way in zip(net.parameters(), ways, strict=True) if weight.grad is not None
    )
    values = []
    with torch.no_grad():
        for step in (1e-6, -2e-6):
            for weight, way in zip(net.parameters(), ways, strict=True):
                weight.add_(step * way)
            values.append(loss().item())
    assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope.item(), rel=1e-5)


@every
def test_every_weight_learns(name):
    net = network(name, loud=2.0)
    told = net(whole(DATA, SEEDS))
    (told.loss + sum(part.sum() for part in (told.kl, told.talk_kl) if part is not None)).backward()
    idle = {n for n, weight in net.named_parameters() if weight.grad is None or not weight.grad.abs().sum()}
    assert idle == ({"unheard"} if name == "vhcr" else set()), "an utterance goes unheard only while learning"


@exact
def test_what_is_listened_to_makes_what_is_said_as_probable_as_it_was(name):
    """Saying the last utterance symbol by symbol after listening to the others: the likelihood of the whole pass."""
    net = network(name)
    long = [talk for talk in range(64) if DATA.talks[talk + 1] - DATA.talks[talk] > 1]
    nll = net(whole(DATA)).nll
    for talk in long[:12]:
        row = int(DATA.talks[talk + 1]) - 1
        said = [DATA.flat[DATA.starts[r] : DATA.starts[r + 1] - 1].tolist() for r in range(DATA.talks[talk], row)]
        nats = fused_nll(net, *net.decoder_state(whole(talks_of([said]))), utterance(row))
        assert nats.item() == pytest.approx(nll[row].item(), rel=1e-9)


@exact
def test_what_opens_a_conversation_is_as_probable_as_it_was(name):
    net = network(name)
    nll = net(whole(DATA)).nll
    for row in DATA.talks[:12].tolist():
        nats = fused_nll(net, *net.opening_state(whole(SILENCE)), utterance(row))
        assert nats.tolist() == pytest.approx([nll[row].item()] * len(SILENCE), rel=1e-9)


@pytest.mark.parametrize("name", LATENT)
def test_openings_of_nets_with_latents_come_from_the_prior(name):
    """The mean of p(utterance | z) over openings, against draws of z from q with their importance weights."""
    net, said, many = network(name, loud=1.0), [3, 7], 4000
    silence, one = talks_of([[]] * many), talks_of([[said]])
    with torch.inference_mode():
        nats = fused_nll(net, *net.opening_state(whole(silence, range(many))), [*said, END])
        again = fused_nll(net, *net.opening_state(Batch(silence, np.array([7]), (7,))), [*said, END])
        told = net(Batch(one, np.zeros(many, int), tuple(range(many))))
    assert again.item() == pytest.approx(nats[7].item(), rel=1e-9), "a seed decides, not company"
    assert nats.std() > 0.05
    excess = told.excess + (0 if told.talk_excess is None else told.talk_excess)
    weighted = torch.exp(-told.nll - excess)
    error = (weighted.std() / many**0.5).item()
    assert error < 0.05 * weighted.mean()
    assert torch.exp(-nats).mean().item() == pytest.approx(weighted.mean().item(), abs=5 * error)


def test_mrrnn_plans_what_it_opens_with():
    net = network("mrrnn")
    states, added = net.opening_state(whole(SILENCE))
    first = net.coarse.speaker.initial_state(net.coarse.follower.initial_state(1))
    plan = generate(net.coarse.speaker, net.coarse.words, *first, DecodingOptions(limit=LONGEST, least=0))
    planned = whole(talks_of([plan]))
    context = torch.cat([net.follower.initial_state(1), net.coarse.contexts(planned)[0]], dim=1)
    (state,), more = net.speaker.initial_state(context)
    assert torch.allclose(states[0], state.expand(len(SILENCE), -1))
    assert torch.allclose(added, more.expand(len(SILENCE), -1))


def utterance(row):
    return DATA.flat[DATA.starts[row] : DATA.starts[row + 1]].tolist()


def fused_nll(net, state, added, symbols):
    """−log p of an utterance, said symbol by symbol, for every row of a state."""
    heard, nats = torch.full((len(added),), END), torch.zeros(len(added), dtype=torch.float64)
    for symbol in symbols:
        scores, state = net.speaker.step(net.words, heard, state, added)
        nats -= log_softmax(scores, dim=1)[:, symbol]
        heard = torch.full_like(heard, symbol)
    return nats


@every
@pytest.mark.parametrize(
    "way",
    [DecodingOptions(limit=7), DecodingOptions("beam", 3, limit=7), DecodingOptions("sample", 5, 5, 0.9, 1.3, limit=7)],
)
def test_one_is_answered_as_among_64(name, way):
    net = network(name)
    uniforms = np.stack([np.random.default_rng(seed).random(way.limit) for seed in SEEDS])

    def said(numbers):
        state, added = net.decoder_state(Batch(DATA, numbers, tuple(SEEDS[i] for i in numbers)))
        if way.decode == "beam":
            return beam_search(net.speaker, net.words, state, added, way, way.beam)
        return generate(net.speaker, net.words, state, added, way, uniforms[numbers] if way.decode == "sample" else None)

    with torch.inference_mode():
        together = said(np.arange(64))
        assert [said(np.array([talk]))[0] for talk in range(0, 64, 5)] == together[::5]
    assert len({str(one) for one in together}) > 1
