"""The loop: it goes on from its checkpoint, stops when it is told to, and gives the last sound weights back."""

import math

import pytest

torch = pytest.importorskip("torch")

from dialometer.core.errors import RunError  # noqa: E402
from dialometer.nets.dialogue.reinforce import reinforce  # noqa: E402
from tests.nets.dialogue.small import network  # noqa: E402

FIELDS = {"steps": 12, "seed": 3, "rate": 0.01, "save_seconds": 0.0}


def quiet(records):
    return False, []


def loss_of(net, at):
    """Pulls the first weights to a number that chance chooses anew at each step; a moving average in the state."""
    wanted = torch.rand(1)
    value = (net.words.weight - wanted).square().mean()
    at.level = [0.9 * (at.level or [0.0])[0] + float(value.detach())]
    return value, {"return": -float(value.detach()), "odd": math.nan if at.step % 2 else 1.0}


def weights(net):
    return torch.cat([weight.detach().flatten() for weight in net.parameters()])


def run(net, work=None, rule=quiet, loss=loss_of, **more):
    return reinforce(net, loss, work=work, rule=rule, **(FIELDS | more))


def fresh():
    return network("hred", double=False).requires_grad_(True)


@pytest.mark.parametrize("cut", [0, 1, 5, 11])
def test_killed_and_started_again(tmp_path, cut):
    straight = fresh()
    told = run(straight)

    def dies(net, at):
        if at.step == cut:
            raise KeyboardInterrupt
        return loss_of(net, at)

    with pytest.raises(KeyboardInterrupt):
        run(fresh(), tmp_path, loss=dies)
    again = fresh()
    state = run(again, tmp_path)
    assert torch.equal(weights(again), weights(straight))
    assert state.level == told.level
    assert repr(state.records) == repr(told.records), "NaN too"
    assert run(fresh(), tmp_path).step == 12, "what is done is not done again"


def test_another_learning_is_refused(tmp_path):
    run(fresh(), tmp_path)
    with pytest.raises(RunError, match="another training"):
        run(fresh(), tmp_path, seed=4)


def test_the_rule_stops_it_and_the_last_sound_weights_come_back(tmp_path):
    measured = {}

    def noted(net, at):
        measured[at.step + 1] = weights(net)
        return loss_of(net, at)

    def rule(records):
        return len(records) >= 8, ["odd"] if len(records) >= 6 else []

    net = fresh()
    state = run(net, tmp_path, rule=rule, loss=noted)
    assert (state.step, state.sound, state.alarm, state.stopped, state.reasons) == (8, 5, 8, True, ["odd"])
    assert torch.equal(weights(net), measured[5])
    again = fresh()
    assert run(again, tmp_path, rule=rule).alarm == 8
    assert torch.equal(weights(again), measured[5]), "a checkpoint keeps them"


def test_a_rule_that_may_not_stop_it():
    straight, net = fresh(), fresh()
    run(straight)
    state = run(net, rule=lambda records: (True, ["odd"] if len(records) > 3 else []), stop=False)
    assert (state.step, state.alarm, state.stopped) == (12, 4, False)
    assert torch.equal(weights(net), weights(straight))


def test_a_loss_that_is_no_number():
    with pytest.raises(RunError, match="loss became nan at step 1"):
        run(fresh(), loss=lambda net, at: (net.words.weight.sum() * math.nan, {"return": 0.0}))
