"""The dual encoder's arithmetic: scores by plain numpy, padding, negatives, and batches cut as they should be."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import logsigmoid  # noqa: E402

from dialometer.nets.encoders import dual_encoder  # noqa: E402
from dialometer.nets.encoders.dual_encoder import (  # noqa: E402
    ContextResponsePairs,
    DualEncoder,
    DualEncoderSizes,
    contexts,
    model_of,
    probabilities,
    texts,
)
from dialometer.nets.training.batches import padded  # noqa: E402
from dialometer.nets.training.loop import fork_rng_seeded  # noqa: E402
from dialometer.nets.training.vocabulary import END  # noqa: E402
from dialometer.text.corpus import Rows  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402

SIZES = DualEncoderSizes(30, 24, 12, 0, 1)


@pytest.fixture
def model():
    with fork_rng_seeded(3):
        made = DualEncoder(SIZES, np.linspace(0, 3, 30).astype(np.float32))
        torch.nn.init.normal_(made.match.weight)
    return made.eval()


@pytest.fixture
def data():
    """Six utterances of 1 to 6 symbols; contexts of 1 to 3 of them."""
    rng = np.random.default_rng(0)
    flat = rng.integers(2, 30, 21)
    starts = np.array([0, 1, 3, 6, 10, 15, 21])
    rows = Rows.of([[0], [0, 1], [5, 4, 3], [2], [1, 2]])
    return ContextResponsePairs.of(flat, starts, rows, np.array([1, 2, 0, 3, 1]))


def by_numpy(model, ids):
    """The definition for one text: weighted word vectors and a GRU's pooled states, each of length 1, their sum of length 1."""
    w = {name: tensor.double().numpy() for name, tensor in model.state_dict().items()}
    heard = w["embedding.weight"][ids]
    words = (w["salience"][ids][:, None] * heard).sum(axis=0)
    state, states = np.zeros(SIZES.hidden), []
    for x in heard[-dual_encoder.HEARD :] @ w["narrow.weight"].T + w["narrow.bias"]:
        of_input = np.split(w["gru.weight_ih_l0"] @ x + w["gru.bias_ih_l0"], 3)
        of_state = np.split(w["gru.weight_hh_l0"] @ state + w["gru.bias_hh_l0"], 3)
        reset, update = (1 / (1 + np.exp(-(a + b))) for a, b in zip(of_input[:2], of_state[:2], strict=True))
        state = (1 - update) * np.tanh(of_input[2] + reset * of_state[2]) + update * state
        states.append(state)
    pooled = w["dense.weight"] @ np.max(states, axis=0) + w["dense.bias"]
    both = words / np.linalg.norm(words) + pooled / np.linalg.norm(pooled)
    return both / np.linalg.norm(both)


@pytest.mark.parametrize("length", [1, 7, 40, 55])
def test_the_vector_of_a_text_is_its_definition(model, length):
    ids = np.random.default_rng(length).integers(1, 30, length)
    made = texts(model, ids, np.array([0, length]))
    np.testing.assert_allclose(made[0], by_numpy(model, ids), atol=1e-6)
    asked = contexts(model, ids, np.array([0, length]))
    np.testing.assert_allclose(asked[0], model.match.weight.detach().double().numpy() @ by_numpy(model, ids), atol=1e-5)


def test_padding_changes_nothing(model):
    rng = np.random.default_rng(1)
    starts = np.concatenate([[0], np.cumsum([3, 60, 1, 41])])
    flat = rng.integers(2, 30, starts[-1])
    with torch.no_grad():
        together = model(*map(torch.from_numpy, padded(flat, starts, np.arange(4)))).numpy()
    np.testing.assert_allclose(together, texts(model, flat, starts), atol=1e-6)


@pytest.mark.invariance
def test_batch_changes_no_vector(model):
    rng = np.random.default_rng(2)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 50, 300))])
    flat = rng.integers(2, 30, starts[-1])
    for encoded in (texts, contexts):
        together = encoded(model, flat, starts)
        for row in (0, 17, 299):
            alone = encoded(model, flat[starts[row] : starts[row + 1]], np.array([0, starts[row + 1] - starts[row]]))
            assert_same_vectors(alone[0], together[row])


def test_contexts_are_turns_closed_by_end_and_cut_at_the_front(data, monkeypatch):
    flat, starts = data.asked(np.array([2, 0]))
    turns = [data.flat[data.starts[row] : data.starts[row + 1]] for row in (5, 4, 3)]
    assert flat[: starts[1]].tolist() == np.concatenate(turns).tolist()
    assert [turn[-1] for turn in turns] == [END] * 3
    assert flat[starts[1] :].tolist() == [*data.flat[:1], END]
    monkeypatch.setattr(dual_encoder, "LONGEST", 4)
    flat, starts = data.asked(np.array([2, 0]))
    assert flat[: starts[1]].tolist() == np.concatenate(turns)[-4:].tolist()
    said, begins = data.answered(np.array([5, 0]))
    assert said[: begins[1]].tolist() == turns[0][:4].tolist()
    assert said[begins[1] :].tolist() == data.flat[:1].tolist()


def test_the_loss_is_that_of_all_pairs_but_equal_texts(model, data):
    """−ln σ(score) of true replies and −ln σ(−score) of others; rows 0 and 4 have the same reply."""
    rows = np.arange(5)
    asked = contexts(model, *data.asked(rows)).astype(float)
    said = texts(model, *data.answered(data.replies)).astype(float)
    scores = torch.from_numpy(np.exp(model.scale.item()) * asked @ said.T + model.bias.item())
    wanted = 0.0
    for i in range(5):
        for j in range(5):
            if i == j:
                wanted -= float(logsigmoid(scores[i, j]))
            elif data.replies[i] != data.replies[j]:
                wanted -= float(logsigmoid(-scores[i, j]))
    assert model.loss(data, rows).item() == pytest.approx(wanted / 5, rel=1e-4)
    p = probabilities(asked @ said.T, {"scale": model.scale.detach().numpy(), "bias": model.bias.detach().numpy()})
    np.testing.assert_allclose(p, torch.sigmoid(scores).numpy(), atol=1e-6)


def test_as_many_negatives_as_were_asked_for(model, data):
    """With scores that are all alike the loss counts its terms: ln 2 each."""
    model.negatives = 2
    with torch.no_grad():
        model.scale.fill_(-50.0)
        model.bias.fill_(0.0)
        assert model.loss(data, np.arange(5)).item() == pytest.approx(3 * np.log(2), rel=1e-5)
        model.negatives = 4  # rows 0 and 4 have no more than three others: 5 true replies and 18 negatives
        assert model.loss(data, np.arange(5)).item() == pytest.approx(23 / 5 * np.log(2), rel=1e-5)


def test_a_step_downhill_lowers_the_loss(model, data):
    before = model.loss(data, np.arange(5))
    before.backward()
    with torch.no_grad():
        for part in model.parameters():
            assert part.grad.isfinite().all()
            part -= 0.01 * part.grad
    assert model.loss(data, np.arange(5)).item() < before.item()


def test_an_empty_text_is_zeros(model):
    assert not texts(model, np.zeros(0, np.int64), np.array([0, 0])).any()
    assert contexts(model, np.zeros(0, np.int64), np.array([0])).shape == (0, 24)


def test_weights_make_the_same_model(model):
    again = model_of({name: tensor.numpy() for name, tensor in model.state_dict().items()}, SIZES)
    ids, starts = np.array([4, 5, 6]), np.array([0, 3])
    assert texts(again, ids, starts).tobytes() == texts(model, ids, starts).tobytes()
