"""Our BERT against Hugging Face's, and packed batches against each other."""

import numpy as np
import pytest

from tests.nets.tiny_bert import tiny_folder
from tests.network_tolerance import assert_same_vectors

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from dialometer.nets.encoders.bert import Bert, load_bert  # noqa: E402
from dialometer.nets.encoders.bert_folder import BertFolder  # noqa: E402
from dialometer.nets.encoders.packed_batches import TOKENS, plan, run_packed  # noqa: E402
from dialometer.nets.threads import one_thread  # noqa: E402


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def texts():
    """Token ids of 400 made-up texts of 1 to 30 tokens, end to end."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 31, 400)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return rng.integers(4, 50, int(starts[-1])).astype(np.int32), starts


def hidden_states(net, ids, starts, rows=None, threads=1):
    """Hidden states of the texts at these rows, one array each."""
    rows = np.arange(len(starts) - 1) if rows is None else np.asarray(rows)
    found = {}

    def take(some, hidden):
        found.update(zip(some.tolist(), hidden.numpy().copy(), strict=True))

    run_packed(net, ids, starts, rows, threads, take)
    return [found[row] for row in rows.tolist()]


def test_names_are_those_of_hugging_face(tiny):
    folder = BertFolder.open(tiny)
    theirs = {name: tuple(value.shape) for name, value in transformers.BertModel.from_pretrained(tiny).state_dict().items()}
    ours = folder.shape.weights()
    assert ours == {name: tuple(value.shape) for name, value in Bert(folder.shape).state_dict().items()}
    assert ours == {name: theirs[name] for name in theirs if not name.startswith("pooler.") and "_ids" not in name}


@pytest.mark.oracle
def test_equals_hugging_face(tiny, texts):
    ids, starts = texts
    net, theirs = load_bert(BertFolder.open(tiny)), transformers.BertModel.from_pretrained(tiny).eval()
    rows = range(0, 400, 8)
    with one_thread(), torch.inference_mode():
        for row, ours in zip(rows, hidden_states(net, ids, starts, rows), strict=True):
            own = torch.from_numpy(ids[starts[row] : starts[row + 1]].astype(np.int64))[None]
            np.testing.assert_allclose(ours, theirs(own).last_hidden_state[0].numpy(), rtol=0, atol=1e-5)


def test_a_text_does_not_depend_on_its_company(tiny, texts):
    ids, starts = texts
    net = load_bert(BertFolder.open(tiny))
    whole = hidden_states(net, ids, starts)
    order = np.random.default_rng(5).permutation(400)
    for threads in (1, 2, 3):
        for mine, row in zip(hidden_states(net, ids, starts, order, threads), order, strict=True):
            assert_same_vectors(mine, whole[row])
    for row in range(0, 400, 7):
        assert_same_vectors(hidden_states(net, ids, starts, [row])[0], whole[row])
    for at in range(0, 400, 10):
        for mine, row in zip(hidden_states(net, ids, starts, range(at, at + 10), 2), range(at, at + 10), strict=True):
            assert_same_vectors(mine, whole[row])


def test_the_plan_holds_every_row_once_and_keeps_to_its_size():
    lengths = np.random.default_rng(1).integers(1, 300, 700)
    rows = np.flatnonzero(lengths > 3)
    chunks = plan(lengths, rows)
    assert sorted(np.concatenate(chunks).tolist()) == rows.tolist()
    assert all(lengths[chunk].sum() <= TOKENS for chunk in chunks)
    assert all((np.diff(lengths[chunk]) <= 0).all() for chunk in chunks)
    assert plan(np.array([5000, 3]), np.array([0, 1]))[0].tolist() == [0]  # longer than a chunk: a chunk of its own
    assert len(plan(np.full(100, 10), np.arange(100))) == 2  # little work is shared out too
    assert plan(lengths, np.zeros(0, np.int64)) == []


def test_the_number_of_threads_changes_no_bit(tiny, texts):
    """The chunks, and with them all calls of the matrix library, are the same with any number of threads."""
    ids, starts = texts
    net, rows = load_bert(BertFolder.open(tiny)), range(40, 90)
    one = hidden_states(net, ids, starts, rows)
    for threads in (2, 3, 8):
        for mine, theirs in zip(hidden_states(net, ids, starts, rows, threads), one, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_threads_and_seed_of_the_caller_are_left_alone(tiny, texts):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        torch.manual_seed(11)
        state = torch.get_rng_state()
        net = load_bert(BertFolder.open(tiny))
        hidden_states(net, *texts, threads=2)
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.get_rng_state(), state)
        with pytest.raises(IndexError):
            hidden_states(net, np.array([9999]), np.array([0, 1]))  # no such token
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
