"""MrRNN: the coarse sequence is part of the likelihood, is planned before a reply, and matters to what is said."""

from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.dialogue.likelihood import likelihoods  # noqa: E402
from dialometer.nets.dialogue.mrrnn import LONGEST  # noqa: E402
from dialometer.nets.training.vocabulary import END, UNKNOWN  # noqa: E402
from tests.nets.dialogue.small import SIZES, network, random_talks, talks_of, whole  # noqa: E402

DATA = random_talks(10)


def test_both_sequences_are_counted():
    net = network("mrrnn")
    told = net(whole(DATA))
    coarse = whole(DATA).coarse
    _, before = net.coarse.contexts(coarse)
    plan = net.coarse.speaker(net.coarse.words, coarse, before)[1]
    assert (plan > 0).all()
    assert (told.nll > plan).all()
    bias = net.speaker.bias
    with torch.no_grad():
        net.speaker.bias.copy_(torch.full_like(bias, 0.0))
        for weight in (net.words.weight, net.speaker.dense.weight):
            weight.zero_()
    lengths = torch.from_numpy(np.diff(DATA.starts))
    assert torch.allclose(net(whole(DATA)).nll, plan + lengths * np.log(SIZES.symbols)), "a speaker without a clue"


def sequences(symbols, longest):
    """All utterances of a vocabulary up to a length; UNKNOWN is a symbol too."""
    usual = [UNKNOWN, *range(2, symbols)]
    return [list(said) for long in range(longest + 1) for said in product(usual, repeat=long)]


def test_probabilities_of_all_pairs_sum_to_one():
    """Everything that two small vocabularies can say in up to five symbols, where most utterances end early."""
    net = network("mrrnn", symbols=4, coarse=3, loud=1.0)
    with torch.no_grad():
        net.speaker.bias[END] += 3
        net.coarse.speaker.bias[END] += 3
    fine, coarse = sequences(4, 4), sequences(3, 4)
    pairs = [(said, plan) for said in fine for plan in coarse]
    data = talks_of([[said] for said, _ in pairs], [[plan] for _, plan in pairs])
    p = np.exp(-likelihoods(net, data).nll)
    assert p.sum() == pytest.approx(1, abs=2e-3)
    assert p.sum() <= 1 + 1e-9
    assert np.sort(p)[-2] > 1e-3, "not all of it lies in silence"


def test_a_plan_is_made_before_a_reply():
    net = network("mrrnn")
    with torch.inference_mode():
        plans = net.plan(whole(DATA).coarse)
        state, added = net.decoder_state(whole(DATA))
        for talk, plan in enumerate(plans):
            rows = range(int(DATA.talks[talk]), int(DATA.talks[talk + 1]))
            said = [
                [part.flat[part.starts[row] : part.starts[row + 1] - 1].tolist() for row in rows]
                for part in (DATA, DATA.coarse)
            ]
            longer = whole(talks_of([[*said[0], []]], [[*said[1], plan]]))
            after, _ = net.coarse.contexts(longer.coarse)
            _, before = net.follower(net.encode(longer), longer)
            wanted = net.speaker.initial_state(torch.cat([before[-1:], after[-1:]], dim=1))
            assert torch.allclose(added[talk], wanted[1][0]), "as if the plan had been heard"
            assert torch.allclose(state[0][talk], wanted[0][0][0])
    assert all(UNKNOWN not in plan and END not in plan and len(plan) <= LONGEST for plan in plans)
    assert len({tuple(plan) for plan in plans}) > 1


def test_a_plan_may_be_empty():
    net = network("mrrnn")
    with torch.no_grad():
        net.coarse.speaker.bias[END] += 1000
    with torch.inference_mode():
        assert net.plan(whole(DATA).coarse) == [[]] * 10
        assert torch.isfinite(net.decoder_state(whole(DATA))[1]).all()


def test_no_content_word_is_known():
    """A corpus of function words alone: the coarse vocabulary has only unknown and end."""
    net = network("mrrnn", coarse=2)
    data = talks_of([[[5], [6, 7]]], [[[], []]])
    assert torch.isfinite(net(whole(data)).nll).all()
    with torch.inference_mode():
        assert net.plan(whole(data).coarse) == [[]]


def test_weights_have_one_name_each():
    net = network("mrrnn")
    pointers = [weight.data_ptr() for weight in net.state_dict().values()]
    assert len(set(pointers)) == len(pointers), "a file of weights must not hold any twice"


def test_a_neighbours_plan_is_a_worse_guide():
    """Every reply is its plan said in words, and the context says nothing of it: after some training it leans on the plan."""
    rng = np.random.default_rng(0)
    fine, coarse = [], []
    for _ in range(60):
        topics = rng.integers(2, 6, 3)
        fine.append([[int(topic) + 2, int(topic) + 2, 8] for topic in topics])
        coarse.append([[int(topic)] for topic in topics])
    data = talks_of(fine, coarse)
    net = network("mrrnn", double=False, loud=1.0)
    adam = torch.optim.Adam(net.parameters(), lr=0.03)
    for _ in range(60):
        adam.zero_grad()
        (net(whole(data)).loss / len(data.flat)).backward()
        adam.step()
    own, swapped = likelihoods(net, data), likelihoods(net, data, swap=True)
    assert swapped.nll.mean() > own.nll.mean() + 1
