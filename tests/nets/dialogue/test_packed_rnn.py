"""GRU and LSTM over packed sequences, against torch's own layers and against differences of values."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn.utils.rnn import PackedSequence  # noqa: E402

from dialometer.nets.dialogue.data import Packed  # noqa: E402
from dialometer.nets.dialogue.packed_rnn import Gru, Lstm  # noqa: E402

WIDTH, HIDDEN = 3, 4
PAIRS = [(Gru, torch.nn.GRU), (Lstm, torch.nn.LSTM)]
LENGTHS = [[1], [5], [1, 1, 1], [4, 1, 3, 3, 7, 2]]
every_kind = pytest.mark.parametrize(("ours", "theirs"), PAIRS)


def sizes_of(lengths):
    return Packed.of(np.zeros(len(lengths), np.int64), np.array(lengths)).sizes


def twins(ours, theirs):
    """Our layer and torch's, in double precision, with the same weights."""
    torch.manual_seed(1)
    mine, other = ours(WIDTH, HIDDEN).double(), theirs(WIDTH, HIDDEN).double()
    other.load_state_dict({f"{name}_l0": weight for name, weight in mine.state_dict().items()})
    return mine, other


def given(sizes, parts, seed=2):
    """Elements, and a first state of so many parts."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()

    return normal(sum(sizes), WIDTH), tuple(normal(sizes[0], HIDDEN) for _ in range(parts))


def torchs(layer, vectors, sizes, state):
    first = tuple(part[None] for part in state)
    out, last = layer(PackedSequence(vectors, torch.tensor(sizes)), first if len(first) > 1 else first[0])
    return out.data, tuple(part[0] for part in (last if isinstance(last, tuple) else (last,)))


def weighed(out, last):
    """One number in which every output has its own share."""
    values = torch.cat([out.flatten(), *(part.flatten() for part in last)])
    return (values * torch.arange(1, len(values) + 1) / len(values)).sum()


@every_kind
@pytest.mark.parametrize("lengths", LENGTHS)
def test_values_and_gradients_are_torchs(ours, theirs, lengths):
    mine, other = twins(ours, theirs)
    sizes = sizes_of(lengths)
    parts = 2 if ours is Lstm else 1
    found = []
    for layer, run in ((mine, lambda *what: mine(*what)), (other, lambda *what: torchs(other, *what))):
        vectors, state = given(sizes, parts)
        out, last = run(vectors, sizes, state)
        weighed(out, last).backward()
        gradients = [vectors.grad, *(part.grad for part in state), *(weight.grad for weight in layer.parameters())]
        names = {name.removesuffix("_l0"): weight.grad for name, weight in layer.named_parameters()}
        found.append(([out, *last, *gradients[: 1 + parts]], names))
    (ours_found, ours_named), (theirs_found, theirs_named) = found
    for one, two in zip(ours_found, theirs_found, strict=True):
        assert torch.allclose(one, two, rtol=0, atol=1e-10)
    assert set(ours_named) == set(theirs_named)
    for name, gradient in ours_named.items():
        assert torch.allclose(gradient, theirs_named[name], rtol=0, atol=1e-10), name


@every_kind
def test_gradients_are_differences_of_values(ours, theirs):
    mine, _ = twins(ours, theirs)
    sizes = sizes_of([3, 1, 2])
    vectors, state = given(sizes, 2 if ours is Lstm else 1)
    weights = tuple(mine.parameters())

    def run(vectors, *rest):
        first, values = rest[: len(state)], rest[len(state) :]
        named = dict(zip(dict(mine.named_parameters()), values, strict=True))
        out, last = torch.func.functional_call(mine, named, (vectors, sizes, first))
        return out, *last

    assert torch.autograd.gradcheck(run, (vectors, *state, *weights))


@every_kind
def test_the_first_state_is_zero_unless_it_is_given(ours, theirs):
    mine, _ = twins(ours, theirs)
    sizes = sizes_of([2, 1])
    vectors, _ = given(sizes, 1)
    zeros = (torch.zeros(sizes[0], HIDDEN, dtype=torch.float64),) * (2 if ours is Lstm else 1)
    assert torch.allclose(mine(vectors, sizes)[0], mine(vectors, sizes, zeros)[0])


@every_kind
def test_what_is_given_is_left_as_it_was(ours, theirs):
    """States are changed in place inside, and the caller's must not be."""
    mine, _ = twins(ours, theirs)
    sizes = sizes_of([2, 3])
    vectors, state = given(sizes, 2 if ours is Lstm else 1)
    before = [part.detach().clone() for part in (vectors, *state)]
    out, last = mine(vectors, sizes, state)
    (weighed(out, last)).backward(retain_graph=True)
    once = vectors.grad.clone()
    vectors.grad = None
    (weighed(out, last)).backward()
    assert torch.allclose(vectors.grad, once), "a second way back finds the same numbers"
    assert all(torch.allclose(part, old) for part, old in zip((vectors, *state), before, strict=True))
