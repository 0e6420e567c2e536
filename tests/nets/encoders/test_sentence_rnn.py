"""Recurrent layers: padding changes nothing, and a text's vector does not depend on its batch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from dialometer.nets.encoders.infersent import BiLstmMax  # noqa: E402
from dialometer.nets.encoders.sentence_rnn import SentenceGru, encode_rows, in_order, unit  # noqa: E402
from dialometer.nets.threads import one_thread  # noqa: E402
from dialometer.nets.training.loop import fork_rng_seeded  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402


def rows_of(seed, number, longest=9, symbols=40):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest, number)
    return rng.integers(0, symbols, lengths.sum()), np.concatenate([[0], np.cumsum(lengths)])


def reader(both=True):
    with fork_rng_seeded(4):
        return SentenceGru(40, 12, 16, both).eval()


def gru_run(both):
    net = reader(both)
    return lambda ids: net(torch.from_numpy(ids))


def lstm_run():
    with fork_rng_seeded(4):
        table, net = torch.randn(40, 12), BiLstmMax(12, 16, zero=False).eval()
    return lambda ids: net(table[torch.from_numpy(ids)])


RUNS = {"gru": (gru_run(False), 16), "both ways": (gru_run(True), 32), "lstm": (lstm_run(), 32)}


@pytest.mark.invariance
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", RUNS)
def test_vectors_do_not_depend_on_the_batch(name, threads):
    run, width = RUNS[name]
    flat, starts = rows_of(0, 500)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        together = encode_rows(flat, starts, width, run)
        for row in range(0, 500, 7):
            alone = encode_rows(
                flat[starts[row] : starts[row + 1]], np.array([0, starts[row + 1] - starts[row]]), width, run
            )
            assert_same_vectors(alone[0], together[row])
        order = np.random.default_rng(1).permutation(500)[:217]
        parts = [flat[starts[row] : starts[row + 1]] for row in order]
        shuffled = encode_rows(np.concatenate(parts), np.cumsum([0, *map(len, parts)]), width, run)
        assert_same_vectors(shuffled, together[order])
        assert torch.get_num_threads() == threads, "the user's number of threads comes back"
    finally:
        torch.set_num_threads(before)
    assert not together[np.diff(starts) == 0].any()
    assert np.abs(together[np.diff(starts) > 0]).min(axis=1).max() > 0


def test_both_directions_equal_torch_own_bidirectional_gru():
    net = reader()
    other = nn.GRU(12, 16, batch_first=True, bidirectional=True)
    state = {**net.forth.state_dict(), **{f"{name}_reverse": tensor for name, tensor in net.back.state_dict().items()}}
    other.load_state_dict(state)
    flat, starts = rows_of(3, 20)
    for row in np.flatnonzero(np.diff(starts)):
        ids = torch.from_numpy(flat[starts[row] : starts[row + 1]])[None]
        expected = other(net.embedding(ids))[1].transpose(0, 1).flatten(1)
        assert torch.allclose(net(ids), expected, atol=1e-6)


def test_padding_changes_nothing():
    """A row among longer ones, in training: the same state as by itself."""
    net = reader()
    flat, starts = rows_of(5, 90)
    rows = np.flatnonzero(np.diff(starts))
    together = in_order(flat, starts, rows, net)
    for place, row in enumerate(rows):
        alone = net(torch.from_numpy(flat[starts[row] : starts[row + 1]])[None])
        assert torch.allclose(together[place], alone[0], atol=1e-6)


def test_one_thread_gives_the_number_back_after_an_error():
    before = torch.get_num_threads()

    def fail():
        with one_thread():
            assert torch.get_num_threads() == 1
            return 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    assert torch.get_num_threads() == before


def test_unit():
    assert unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[0.6, 0.8], [0.0, 0.0]]
