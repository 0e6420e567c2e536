"""The heads' distances, by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.nets.dialogue.hred import EIHeads  # noqa: E402
from tests.nets.dialogue.small import SIZES  # noqa: E402

FACTS = torch.tensor([[0.5, 0.5, 0.0, 1.0, 2.0], [1.0, 0.0, 0.0, 0.0, 0.0]])  # 3 emotions, a vector of 2
AFTER = torch.ones(2, SIZES.context)


def heads(emotion, vector):
    return EIHeads(replace(SIZES, facts=(3, 2), heads=(emotion, vector)))


def silent(made):
    """Heads that say the same of everything: what their last bias says."""
    with torch.no_grad():
        for weight in made.parameters():
            weight.zero_()
        if made.emotion:
            made.emotion[-1].bias.copy_(torch.tensor([math.log(4), math.log(3), math.log(1)]))
        if made.vector:
            made.vector[-1].bias.copy_(torch.tensor([1.0, -1.0]))
    return made


def test_distances_by_hand():
    """Cross-entropies ½ ln 2 + ½ ln 8/3 and ln 2; squares (0 + 9)/2 and (1 + 1)/2."""
    told = silent(heads(4, 5))(AFTER, FACTS)
    assert told["emotion"].item() == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(8 / 3) + math.log(2), rel=1e-6)
    assert told["vector"].item() == pytest.approx(4.5 + 1.0)


def test_a_head_of_width_0_is_not_there():
    assert set(silent(heads(4, 0))(AFTER, FACTS)) == {"emotion"}
    assert set(silent(heads(0, 5))(AFTER, FACTS)) == {"vector"}
    shapes = {name: tuple(weight.shape) for name, weight in heads(0, 5).named_parameters()}
    assert shapes == {
        "vector.0.weight": (5, SIZES.context),
        "vector.0.bias": (5,),
        "vector.2.weight": (2, 5),
        "vector.2.bias": (2,),
    }


def test_the_true_distribution_is_the_best_guess():
    made = silent(heads(4, 5))
    right = FACTS[:1].clone()
    right[0, :3] = torch.tensor([4 / 8, 3 / 8, 1 / 8])
    least = made(AFTER[:1], right)["emotion"].item()
    entropy = -sum(p * math.log(p) for p in (4 / 8, 3 / 8, 1 / 8))
    assert least == pytest.approx(entropy, rel=1e-6)
    with torch.no_grad():
        made.emotion[-1].bias.add_(torch.tensor([0.3, -0.2, 0.1]))
    assert made(AFTER[:1], right)["emotion"].item() > least
    assert np.isfinite(least)
