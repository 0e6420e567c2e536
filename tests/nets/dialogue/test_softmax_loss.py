"""The sum of −log p of targets, against torch's cross entropy."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import cross_entropy  # noqa: E402

from dialometer.nets.dialogue.layers import ROWS, fused_nll  # noqa: E402


def given(rows, symbols=7, width=3, scale=1.0):
    generator = torch.Generator().manual_seed(rows)
    shapes = ((rows, width), (symbols, width), (symbols,))
    parts = [scale * torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
    return *(part.requires_grad_() for part in parts), torch.randint(symbols, (rows,), generator=generator)


@pytest.mark.parametrize("rows", [1, 2, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS, 2 * ROWS + 3])
def test_values_and_gradients_are_torchs(rows):
    x, w, b, target = given(rows)
    total, each = fused_nll(x, w, b, target)
    (0.7 * total).backward()
    ours = [part.grad.clone() for part in (x, w, b)]
    for part in (x, w, b):
        part.grad = None
    theirs = cross_entropy(x @ w.T + b, target, reduction="none")
    (0.7 * theirs.sum()).backward()
    assert torch.allclose(each, theirs, rtol=0, atol=1e-10)
    assert total.item() == pytest.approx(theirs.sum().item(), abs=1e-8)
    for one, part in zip(ours, (x, w, b), strict=True):
        assert torch.allclose(one, part.grad, rtol=0, atol=1e-10)


def test_large_scores_stay_numbers():
    x, w, b, target = given(5, scale=100.0)
    total, each = fused_nll(x, w, b, target)
    total.backward()
    assert torch.allclose(each, cross_entropy(x @ w.T + b, target, reduction="none"))
    assert each.max() > 1000
    assert all(torch.isfinite(part.grad).all() for part in (x, w, b))


def test_each_has_no_gradient_and_a_second_way_back_is_refused():
    """The gradients are scaled in place: used twice they would be wrong, so torch must notice."""
    total, each = fused_nll(*given(4))
    assert total.requires_grad
    assert not each.requires_grad
    (2 * total).backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (2 * total).backward()
