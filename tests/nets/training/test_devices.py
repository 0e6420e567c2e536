"""Where networks train, and how exactly: what a machine without a GPU can tell."""

from contextlib import ExitStack

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.core.errors import NeedsError  # noqa: E402
from dialometer.nets.dialogue.training import Step, TrainingOptions, loss_of, train_network  # noqa: E402
from dialometer.nets.training import devices  # noqa: E402
from dialometer.nets.training.devices import device_for, mixed, on, unmixed, working  # noqa: E402
from tests.nets.dialogue.small import NETWORKS, SIZES, network, random_talks  # noqa: E402

CPU, META = torch.device("cpu"), torch.device("meta")
HEADED = ("hred", "vhcr", "vhred")
DROPS = {"dropout": 0.2, "word_drop": 0.2, "utterance_drop": 0.2}


def made(name, **more):
    heads = {"facts": (3, 2), "heads": (4, 4)} if name in HEADED else {}
    return network(name, double=False, **heads, **more)


def step_loss(net, data):
    return loss_of(net, data, Step(0, np.arange(len(data))), TrainingOptions(anneal=1, emotion=1.0, vector=1.0))


def test_the_cpu_where_there_is_no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_for() == device_for(3) == CPU


def test_every_process_has_a_gpu_of_its_own(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [device_for(0), device_for(1)] == [torch.device("cuda", 0), torch.device("cuda", 1)]
    with pytest.raises(NeedsError, match="process 2 of this machine finds 2 GPUs"):
        device_for(2)


def test_on_a_cpu_nothing_is_changed():
    before = torch.get_float32_matmul_precision()
    with ExitStack() as stack:
        for context in (working(CPU), on(CPU), mixed(CPU)):
            stack.enter_context(context)
        assert not torch.is_autocast_enabled("cpu")
        assert torch.get_float32_matmul_precision() == before
        assert torch.zeros(1).device == CPU


@pytest.mark.parametrize("name", NETWORKS)
def test_every_tensor_of_a_step_is_made_on_the_device(name):
    """The device ``meta`` holds shapes only, and refuses tensors of another device as a GPU does."""
    net = made(name, **DROPS).to(META).train()
    with on(META):
        loss = step_loss(net, random_talks(5, facts=5))
    assert loss.device == META
    loss.backward()
    assert {weight.grad.device for weight in net.parameters()} == {META}


@pytest.mark.parametrize("name", NETWORKS)
def test_mixed_precision_is_close_and_has_gradients(name, monkeypatch):
    monkeypatch.setattr(devices, "MIXED", {"cpu"})
    data, losses, gradients = random_talks(9, facts=5), [], []
    for context in (on(CPU), mixed(CPU)):
        net = made(name, loud=1.0)
        torch.manual_seed(0)
        with context:
            loss = step_loss(net, data)
        loss.backward()
        losses.append(loss.item())
        gradients.append(torch.cat([weight.grad.flatten() for weight in net.parameters() if weight.grad is not None]))
    plain, rounded = gradients
    assert losses[1] != losses[0], "nothing was rounded"
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    assert rounded.isfinite().all()
    assert (rounded - plain).norm() < 0.1 * plain.norm()


def test_layers_that_go_step_by_step_stay_exact(monkeypatch):
    net = network("hred", double=False)
    with torch.autocast("cpu", torch.bfloat16):
        ones = torch.ones(2, 5)
        with unmixed(ones):
            assert torch.nn.functional.linear(ones, ones).dtype == torch.float32
        after, (last,) = net.reader.gru(ones, [2])
    assert after.dtype == last.dtype == torch.float32


def test_a_training_in_mixed_precision(monkeypatch):
    monkeypatch.setattr(devices, "MIXED", {"cpu"})
    _, at = train_network(NETWORKS["hred"], SIZES, random_talks(25), TrainingOptions(batch=5, epochs=2, rate=0.01), seed=0)
    assert at.losses[1] < at.losses[0]
