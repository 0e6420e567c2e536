"""The language model over whole conversations, against torch's LSTM over the same stream."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import cross_entropy  # noqa: E402

from dialometer.nets.training.vocabulary import END  # noqa: E402
from tests.nets.dialogue.small import network, random_talks, whole  # noqa: E402


def test_a_conversation_is_one_stream():
    net, data = network("lstmlm"), random_talks(8, seed=6)
    lstm = torch.nn.LSTM(5, 6).double()
    lstm.load_state_dict({f"{name}_l0": weight for name, weight in net.speaker.rnn.state_dict().items()})
    found = net(whole(data)).nll
    state, added = net.decoder_state(whole(data))
    assert not added.any()
    for talk in range(8):
        first, last = int(data.talks[talk]), int(data.talks[talk + 1])
        stream = torch.from_numpy(data.flat[data.starts[first] : data.starts[last]])
        heard = torch.cat([torch.tensor([END]), stream[:-1]])
        states, ends = lstm(net.words(heard)[:, None])
        scores = net.speaker.norm(net.speaker.dense(states[:, 0])) @ net.words.weight.T + net.speaker.bias
        nats = cross_entropy(scores, stream, reduction="none")
        at = data.starts[first : last + 1] - data.starts[first]
        for row in range(first, last):
            assert found[row].item() == pytest.approx(nats[at[row - first] : at[row - first + 1]].sum().item())
        for ours, theirs in zip(state, ends, strict=True):
            assert torch.allclose(ours[talk], theirs[0, 0])
