"""What is available, and what is refused because it is more than that."""

import resource

import numpy as np
import pytest
import torch

from dialometer.core import memory
from dialometer.core.errors import UsageError
from dialometer.core.memory import available_bytes, require_memory, size
from dialometer.core.registry import create
from dialometer.core.types import Turn
from dialometer.nets.training.memory_estimate import parameter_bytes, smaller

TALKS = [["tea ?", "yes please .", "with milk ?"], ["coffee ?", "no thanks .", "why not ?"]] * 10


@pytest.fixture
def scarce(monkeypatch):
    """A callable that sets the bytes that are available."""
    return lambda there: monkeypatch.setattr(memory, "available_bytes", lambda: there)


def test_more_than_there_is_is_refused_with_both_sizes(scarce):
    scarce(21 * 10**9)
    require_memory(21e9, "this", "less")
    with pytest.raises(UsageError, match=r"^this needs about 31 GB of memory, and 21 GB are available") as error:
        require_memory(31.2e9, "this", "less")
    assert error.value.hint == "less"


def test_where_nobody_says_how_much_there_is_nothing_is_refused(scarce):
    scarce(None)
    require_memory(1e30, "this", "less")


def test_the_machine_says_how_much_is_available():
    there = available_bytes()
    if there is None:
        pytest.skip("nothing here says how much memory is available")
    assert 0 < there < 1 << 50


def test_the_limit_of_the_process_counts(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10**15, 10**15))
    monkeypatch.setattr(memory, "_machine", lambda: iter(()))
    monkeypatch.setattr(memory, "_group", lambda: iter(()))
    if not memory._read(memory.Path("/proc/self/statm")):
        pytest.skip("nothing here says how much this process uses")
    assert 10**15 - (1 << 45) < available_bytes() < 10**15


@pytest.mark.parametrize(
    ("own", "files", "left"),
    [
        ("0::/job\n", {"memory.max": "max\n", "job/memory.max": "1000\n", "job/memory.current": "900\n"}, [100]),
        (
            "0::/\n",
            {"memory.max": "5000\n", "memory.current": "1000\n", "memory.stat": "active_file 9\ninactive_file 300\n"},
            [4300],
        ),
        (
            "4:memory:/job\n0::/\n",
            {"memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/memory.usage_in_bytes": "5\n",
             "memory/job/memory.limit_in_bytes": "800\n", "memory/job/memory.usage_in_bytes": "300\n"},
            [500],
        ),
        ("0::/\n", {}, []),
    ],
)  # fmt: skip
def test_the_limit_of_the_control_group_counts(tmp_path, monkeypatch, own, files, left):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    read = memory._read
    monkeypatch.setattr(memory, "GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_read", lambda path: own if str(path) == "/proc/self/cgroup" else read(path))
    assert list(memory._group()) == left


def test_sizes_have_units():
    assert [size(n) for n in (0, 999, 1e3, 1.5e6, 31.4e9, 123456e9)] == [
        "0 bytes",
        "999 bytes",
        "1.0 kB",
        "1.5 MB",
        "31 GB",
        "123 TB",
    ]


def test_the_weights_of_a_network_are_counted_without_making_them():
    before = torch.random.get_rng_state()
    assert parameter_bytes(lambda: torch.nn.GRU(10, 20)) == 4 * (3 * 20 * (10 + 20) + 2 * 3 * 20)
    assert parameter_bytes(lambda: torch.nn.Linear(10**6, 10**6, bias=False)) == 4 * 10**12
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize(
    "spec",
    ["hred(hidden=8000)", "vhred(hidden=8000)", "vhcr(hidden=8000)", "mrrnn(hidden=8000)", "seq2seq(hidden=8000)",
     "lstmlm(hidden=8000)", "dualencoder(hidden=8000)"],
)  # fmt: skip
def test_a_bot_too_large_to_train_is_refused_with_its_size(scarce, spec):
    scarce(2 * 10**9)
    bot = create("bot", spec)
    with pytest.raises(
        UsageError, match=r"\(hidden=8000\) in training needs about .*GB of memory, and 2.0 GB are"
    ) as error:
        bot.fit(TALKS)
    assert error.value.hint == f"{bot.name}(hidden={type(bot).hidden})"


@pytest.mark.parametrize("spec", ["skipthought(dim=8000)", "tweet2vec(hidden=8000)"])
def test_an_encoder_too_large_to_train_is_refused_with_its_size(scarce, spec):
    scarce(2 * 10**9)
    with pytest.raises(UsageError, match=r"=8000\) in training needs about .*GB of memory, and 2.0 GB are available"):
        create("encoder", spec).fit(TALKS)


def test_a_large_batch_counts(scarce):
    scarce(10**7)
    with pytest.raises(UsageError, match=r"^lstmlm\(.*batch=20,.*\) in training needs about") as error:
        create("bot", "lstmlm(hidden=64,embedding=32,vocabulary=50,longest=100,batch=20)").fit(
            [[" ".join(["tea"] * 200)] * 8] * 20
        )
    assert error.value.hint == "lstmlm(batch=16)"


def test_replies_that_do_not_fit_are_refused(scarce):
    bot = create("bot", "lstmlm(hidden=8,embedding=4,vocabulary=30,epochs=0,decode=beam,beam=1000)").fit(TALKS)
    scarce(100_000)
    with pytest.raises(UsageError, match="with 1000 replies to each of 1 contexts at once needs about"):
        bot.reply([(Turn("a", "tea ?"),)])


def test_a_saved_artifact_larger_than_memory_is_refused(scarce, tmp_path):
    create("likelihood", "ngram").fit([["i like tea", "you like tea"]]).save(tmp_path)
    scarce(100)
    with pytest.raises(UsageError, match=r"the fitted ngram in .* needs about .* of memory, and 100 bytes are available"):
        create("likelihood", str(tmp_path))


def test_a_space_too_large_for_lsi_is_refused(scarce):
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{number}" for number in rng.integers(0, 60, 5)) for _ in range(80)]
    scarce(10_000)
    with pytest.raises(UsageError, match="lsi of 60 dimensions needs about"):
        create("encoder", "lsi(k=5)").fit([texts])


def test_the_way_out_names_the_options_that_are_large():
    assert smaller(create("bot", "hred(hidden=9000,vocabulary=9)"), ("hidden", "vocabulary")) == "hred(hidden=256)"
    assert smaller(create("bot", "hred"), ("hidden", "vocabulary")) == "hred(hidden=128)"
