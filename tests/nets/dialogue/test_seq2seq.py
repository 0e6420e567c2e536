"""Seq2Seq: the last utterances are read as one, and nothing before them."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.nets.dialogue.small import network, talks_of, whole  # noqa: E402

TALK = [[2, 3], [4], [], [5, 6, 7], [8]]


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_only_the_last_turns_are_heard(turns):
    net = network("seq2seq", turns=turns)
    plain = net(whole(talks_of([TALK]))).nll
    other = net(whole(talks_of([[[7, 7], *TALK[1:]]]))).nll
    same = torch.isclose(plain, other, rtol=0, atol=1e-12).tolist()
    assert same == [False, *(number > turns for number in range(1, 5))]


@pytest.mark.parametrize("turns", [1, 2, 9])
def test_the_turns_are_one_sequence(turns):
    """Each utterance given the symbols before it, END after each utterance: read by torch's own layer."""
    net = network("seq2seq", turns=turns)
    gru = torch.nn.GRU(5, 6).double()
    gru.load_state_dict({f"{name}_l0": weight for name, weight in net.reader.gru.state_dict().items()})
    data = talks_of([TALK])
    found = net(whole(data)).nll
    for row in range(5):
        first = max(row - turns, 0)
        given = net.silence[None]
        if row:
            symbols = torch.from_numpy(data.flat[data.starts[first] : data.starts[row]])
            given = gru(net.words(symbols)[:, None])[1][0]
        alone = whole(talks_of([[TALK[row]]]))
        assert net.speaker(net.words, alone, given)[0].item() == pytest.approx(found[row].item())
    state, added = net.decoder_state(whole(talks_of([TALK[:4]])))
    symbols = torch.from_numpy(data.flat[data.starts[max(4 - turns, 0)] : data.starts[4]])
    wanted = net.speaker.initial_state(gru(net.words(symbols)[:, None])[1][0])
    assert torch.allclose(added, wanted[1])
    assert torch.allclose(state[0], wanted[0][0])


def test_conversations_of_one_turn_hear_silence():
    net = network("seq2seq")
    data = talks_of([[[2, 3]], [[2, 3]]])
    one, two = net(whole(data)).nll.tolist()
    assert one == pytest.approx(two)
    with torch.no_grad():
        net.silence.add_(1.0)
    assert net(whole(data)).nll[0].item() != pytest.approx(one)
    assert np.isfinite(one)
