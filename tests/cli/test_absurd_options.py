"""Options that no machine can meet: refused in a sentence, at once."""

import pytest

from dialometer.cli import main
from tests.cli.conftest import ROWS, write


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("stress", "items.jsonl", "-m", "bleu", "--limit", 10**30), "--limit"),
        (("score", "items.jsonl", "-m", "bleu", "--max-line", 10**30), "--max-line"),
        (("score", "items.jsonl", "-m", "bleu", "--engine", f"processes:{10**30}"), "processes"),
        (("score", "items.jsonl", "-m", "cider(sigma=1e300)"), "cider(sigma=…)"),
        (("score", "items.jsonl", "-m", "rouge(beta=1e300)"), "rouge(beta=…)"),
        (("train", f"adem(pca={10**30})", "items.jsonl", "-q", "overall"), "adem(pca=…)"),
        (("train", "skipthought(dim=1000000)", "items.jsonl"), "skipthought(dim=…)"),
        (("train", "dualencoder(hidden=1000000000)", "items.jsonl"), "dualencoder(hidden=…)"),
        (("train", "tweet2vec(hidden=1000000000)", "items.jsonl"), "tweet2vec(hidden=…)"),
        (("play", "--a", "rerank(bots=" * 1000 + "parrot" + ")" * 1000), "levels of brackets"),
    ],
)
def test_what_once_ended_in_a_traceback_is_refused(cli, tmp_path, arguments, why):
    write(tmp_path / "items.jsonl", ROWS)
    said = cli(*arguments).refused()
    assert why in said
    assert len(said) < 400


def test_a_failed_allocation_is_a_sentence(cli, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: 99 bytes")

    monkeypatch.setattr(main, "cli", fail)
    assert "there is not enough memory" in cli("list", "metrics").refused()


def test_another_error_of_torch_stays_what_it_is(cli, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("shapes cannot be multiplied")

    monkeypatch.setattr(main, "cli", fail)
    with pytest.raises(RuntimeError, match="multiplied"):
        cli("list", "metrics")
