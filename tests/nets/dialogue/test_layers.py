"""The shared layers, one utterance and one conversation at a time, against torch's own."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import cross_entropy  # noqa: E402

from dialometer.nets.dialogue.layers import ContextRNN, Decoder, SymbolEmbedding, UtteranceEncoder, seeded_noise  # noqa: E402
from dialometer.nets.training.vocabulary import END  # noqa: E402
from tests.nets.dialogue.small import SIZES, SYMBOLS, random_talks, whole  # noqa: E402

BATCH = whole(random_talks(12))
TEXTS = [BATCH.data.flat[a:b] for a, b in zip(BATCH.data.starts[:-1], BATCH.data.starts[1:], strict=True)]


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(5)
    yield
    torch.set_default_dtype(torch.float32)


def plain_gru(layer):
    """Torch's layer with the weights of ours."""
    made = torch.nn.GRU(layer.weight_ih.shape[1], layer.hidden)
    made.load_state_dict({f"{name}_l0": weight for name, weight in layer.state_dict().items()})
    return made


def states(layer, vectors, first):
    return plain_gru(layer)(vectors[:, None], first[None, None])[0][:, 0]


def loud(module):
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight))
    return module.eval()


def test_a_reader_reads_each_utterance_alone():
    words = SymbolEmbedding(SYMBOLS, 5)
    reader = loud(UtteranceEncoder(words, 6, SIZES))
    read = reader(words, BATCH.symbols(), BATCH.words)
    for row, text in enumerate(TEXTS):
        last = states(reader.gru, words(torch.from_numpy(text)), torch.zeros(6))[-1]
        assert torch.allclose(read[row], last)


def test_context_states_before_and_after():
    follower = loud(ContextRNN(4, 7, conditioning=2))
    heard, given = torch.randn(len(BATCH.rows), 4), torch.randn(12, 2)
    after, before = follower(heard, BATCH, given)
    for talk in range(12):
        rows = np.flatnonzero(BATCH.owner == talk)
        begin = follower.start + torch.tanh(follower.given(given[talk]))
        found = states(follower.gru, heard[rows], begin)
        assert torch.allclose(after[rows], found)
        assert torch.allclose(before[rows], torch.cat([begin[None], found[:-1]]))


@pytest.mark.parametrize("lstm", [False, True])
def test_a_decoder_steps_as_it_scores(lstm):
    words = loud(SymbolEmbedding(SYMBOLS, 5))
    speaker = loud(Decoder(words, 3, 6, SIZES, lstm=lstm))
    given = torch.randn(len(BATCH.rows), 3)
    if lstm:
        speaker.initial_state = lambda given: ((torch.tanh(speaker.first(given)),) * 2, speaker.always(given))
    total, each = speaker(words, BATCH, given)
    assert total.item() == pytest.approx(each.sum().item())
    for row, text in enumerate(TEXTS):
        state, added = speaker.initial_state(given[row : row + 1])
        heard, nats = END, 0.0
        for symbol in text.tolist():
            scores, state = speaker.step(words, torch.tensor([heard]), state, added)
            nats += cross_entropy(scores, torch.tensor([symbol])).item()
            heard = symbol
        assert each[row].item() == pytest.approx(nats, rel=1e-9)


def test_a_decoder_without_conditioning():
    speaker = Decoder(SymbolEmbedding(SYMBOLS, 5), 0, 6, SIZES)
    assert speaker.first is None
    with pytest.raises(ValueError, match="no conditioning"):
        speaker.initial_state(torch.zeros(1, 0))


def test_words_are_dropped_whole_and_only_while_learning():
    words = loud(SymbolEmbedding(SYMBOLS, 5))
    speaker = Decoder(words, 0, 6, replace(SIZES, word_drop=0.4))
    symbols = torch.randint(2, SYMBOLS, (4000,))
    heard = speaker.train().inputs(words, symbols)
    lost = (heard == 0).all(1)
    assert lost.double().mean().item() == pytest.approx(0.4, abs=0.05)
    assert torch.equal(heard[~lost], words(symbols)[~lost])
    assert torch.equal(speaker.eval().inputs(words, symbols), words(symbols))


def test_without_normalisation_there_is_none():
    words = SymbolEmbedding(SYMBOLS, 5)
    for norm in (True, False):
        speaker = Decoder(words, 3, 6, replace(SIZES, norm=norm))
        assert any("norm" in name for name, _ in speaker.named_parameters()) == norm


def test_draws_belong_to_a_seed_and_not_to_a_place():
    data = BATCH.data
    seeds = tuple(range(50, 62))
    together = seeded_noise(whole(data, seeds), BATCH.turns, 3, 1)
    assert together.shape == (len(BATCH.rows), 3)
    for talk in range(12):
        alone = seeded_noise(replace(BATCH, numbers=np.array([talk]), seeds=(seeds[talk],)), BATCH.turns[[talk]], 3, 1)
        assert torch.equal(alone, together[BATCH.owner == talk])
    other = seeded_noise(whole(data, seeds), BATCH.turns, 3, 2)
    assert not torch.isclose(other, together).any(), "another kind, other draws"
    assert seeded_noise(BATCH, BATCH.turns, 3, 1) is None
    assert torch.isfinite(seeded_noise(whole(data, [-5] * 12), BATCH.turns, 3, 1)).all(), "a negative seed is a seed"
