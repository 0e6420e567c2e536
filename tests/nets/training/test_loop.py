"""The training loop: it learns, stops, and after any interruption ends with the same bits."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from dialometer.core.errors import RunError  # noqa: E402
from dialometer.nets.training.checkpoints import save_checkpoint  # noqa: E402
from dialometer.nets.training.loop import FILE, fork_rng_seeded, train  # noqa: E402
from tests.nets import lines  # noqa: E402


class Killed(Exception):
    """Stands for whatever ends a process."""


def bits(model):
    return {name: tensor.numpy().tobytes() for name, tensor in model.state_dict().items()}


def run(work=None, until=None, **options):
    """Train the small net on the straight lines of ``lines``; ``until`` raises in that step."""
    steps = []

    def loss_of(model, rows):
        if len(steps) == until:
            raise Killed
        steps.append(rows)
        return lines.loss_of(model, rows)

    model = lines.net()
    options = {
        "epochs": 3,
        "seed": 5,
        "validate": lines.validate,
        "patience": 9,
        "save_seconds": 0.0,
        "rate": 0.02,
    } | options
    at = train(model, lines.batches, loss_of, work=work, **options)
    return model, at, len(steps)


def test_it_learns_and_tells():
    told = []
    _, at, steps = run(progress=lambda *what: told.append(what))
    assert at.losses[-1] < 0.5 * at.losses[0]
    assert at.validation[-1] < 0.5 * at.validation[0]
    assert steps == at.step == 3 * lines.BATCHES
    assert [(step, total) for _, step, total in told] == [(step, steps) for step in range(1, steps + 1)]
    assert {stage.partition(" · ")[0] for stage, _, _ in told} == {"training"}
    assert told[-1][0].endswith(f"loss {at.curve[-1][1]:.3f}")


def test_the_same_seed_gives_the_same_bits_and_another_one_others():
    first, again, other = run()[0], run()[0], run(seed=6)[0]
    assert bits(first) == bits(again)
    assert bits(first) != bits(other), "dropout draws from the seed"


@pytest.mark.parametrize("kills", [[0], [1], [7], [lines.BATCHES], [lines.BATCHES + 1, 3, 2], [3 * lines.BATCHES - 1]])
def test_interrupted_training_ends_with_the_same_bits(tmp_path, kills):
    whole, at, steps = run()
    done = 0
    for kill in kills:
        with pytest.raises(Killed):
            run(tmp_path, until=kill)
        done += kill
    resumed, again, more = run(tmp_path)
    assert bits(resumed) == bits(whole)
    assert replace(again, seconds=at.seconds) == at
    assert more == steps - done, "steps before the kill are not made again"


def test_rare_checkpoints_change_nothing(tmp_path):
    """Without a checkpoint within the epoch the epoch is made again, from its beginning."""
    whole = run()[0]
    with pytest.raises(Killed):
        run(tmp_path, until=lines.BATCHES + 3, save_seconds=1e9)
    resumed, _, more = run(tmp_path, save_seconds=1e9)
    assert bits(resumed) == bits(whole)
    assert more == 2 * lines.BATCHES


def test_a_finished_training_is_not_made_again(tmp_path):
    whole = run(tmp_path)[0]
    again, _, steps = run(tmp_path)
    assert steps == 0
    assert bits(again) == bits(whole)


def test_early_stopping_keeps_the_best_weights(tmp_path):
    values = iter([3.0, 1.0, 2.0, 2.5, 0.5])
    kept = []

    def validate(model):
        kept.append(bits(model))
        return next(values)

    told = []
    model, at, _ = run(tmp_path, validate=validate, patience=2, epochs=9, progress=lambda *what: told.append(what))
    assert at.validation == [3.0, 1.0, 2.0, 2.5]
    assert bits(model) == kept[1]
    assert told[-1] == ("training", 9 * lines.BATCHES, 9 * lines.BATCHES), "a stopped training is over"
    again = run(tmp_path, validate=validate, patience=2, epochs=9)[0]
    assert bits(again) == kept[1]


def test_gradients_are_clipped():
    sizes = []

    def loss_of(model, rows):
        if sizes or rows is None:
            sizes.append(torch.stack([p.grad.norm() for p in model.parameters()]).norm().item())
        sizes.append(0.0)
        return 1e6 * lines.loss_of(model, rows)

    train(lines.net(), lines.batches, loss_of, epochs=1, seed=0, clip=0.25)
    norms = [size for size in sizes if size]
    assert norms
    assert max(norms) <= 0.2501


def test_nothing_of_the_users_chance_is_touched():
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    run()
    with fork_rng_seeded(1):
        torch.rand(5)
    assert torch.equal(torch.rand(2), expected)


def test_no_epochs_leave_the_model_as_it_is():
    assert bits(run(epochs=0)[0]) == bits(lines.net())


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    run(tmp_path, key="tea")
    with pytest.raises(RunError, match="another training"):
        run(tmp_path, key="coffee")
    with pytest.raises(RunError, match="another training"):
        run(tmp_path, key="tea", seed=8)


def test_a_damaged_checkpoint_is_made_anew(tmp_path, caplog):
    whole = run(tmp_path)[0]
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes()[:-100])
    again, _, steps = run(tmp_path)
    assert steps == 3 * lines.BATCHES
    assert bits(again) == bits(whole)
    assert "damaged" in caplog.text


def test_a_flipped_byte_is_noticed(tmp_path, caplog):
    whole = run(tmp_path)[0]
    raw = bytearray((tmp_path / FILE).read_bytes())
    raw[-5] ^= 1
    (tmp_path / FILE).write_bytes(raw)
    assert bits(run(tmp_path)[0]) == bits(whole)
    assert "not what was written" in caplog.text


def test_a_checkpoint_of_another_version_is_made_anew(tmp_path, caplog):
    whole = run(tmp_path)[0]
    save_checkpoint(tmp_path / FILE, {"x": torch.zeros(1)}, {"unheard": 1})
    assert bits(run(tmp_path)[0]) == bits(whole)
    assert "another version" in caplog.text


def test_a_validation_that_is_no_number_ends_it():
    with pytest.raises(RunError, match="validation loss became nan"):
        run(validate=lambda model: float("nan"))


def test_a_loss_that_is_no_number_ends_it():
    with pytest.raises(RunError, match="nan at step 1"):
        train(lines.net(), lines.batches, lambda model, rows: lines.loss_of(model, rows) * float("nan"), epochs=1, seed=0)


@pytest.fixture
def start(tmp_path):
    """Start a training in a process of its own; whatever still runs at the end is killed."""
    running = []

    def begin():
        command = [sys.executable, "-m", "tests.nets.lines", str(tmp_path)]
        process = subprocess.Popen(command, start_new_session=True)
        running.append(process)
        return process

    yield begin
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


@pytest.mark.timeout(120)
def test_killed_for_good(start, tmp_path):
    """SIGKILL as soon as there is a checkpoint; what goes on from it ends with the bits of a whole training."""
    process = start()
    while not stamp(tmp_path):
        assert process.poll() is None, "over before it could be killed"
        time.sleep(0.002)
    process.kill()
    assert process.wait(10) == -signal.SIGKILL
    told = []
    resumed, whole = lines.net(), lines.net()
    train(
        resumed, lines.batches, lines.loss_of, epochs=lines.SLOW, seed=5, work=tmp_path,
        progress=lambda _, step, total: told.append(step),
    )  # fmt: skip
    train(whole, lines.batches, lines.loss_of, epochs=lines.SLOW, seed=5)
    assert bits(resumed) == bits(whole)
    assert 1 < told[0] <= lines.SLOW * lines.BATCHES, "it went on from the other process's checkpoint"


def stamp(folder):
    with contextlib.suppress(FileNotFoundError):
        return (folder / FILE).stat().st_mtime_ns
    return 0
