"""Intervals are of groups, not of rows: saying everything again tells nothing new."""

import numpy as np
import pytest

from dialometer.flows.score import clusters
from tests.flows.score.test_score import run, write_items

WORDS = "tea milk rain film song cat soup work trip sea".split()


def rows(groups, *, times=1, apart=False, seed=7):
    """Two responses a group, each said ``times`` times; ``apart`` gives every row a group of its own."""
    rng = np.random.default_rng(seed)
    texts = [[" ".join(rng.choice(WORDS, 6)) for _ in range(2)] for _ in range(2 * groups)]
    return [
        {"id": f"{i}-{k}", "response": said, "references": [wanted], "group": f"{i}-{k}" if apart else f"g{i // 2}"}
        for i, (said, wanted) in enumerate(texts)
        for k in range(times)
    ]


@pytest.fixture
def cell(tmp_path):
    """A callable: what bleu-1 says of some rows."""

    def make(name, items):
        path = write_items(tmp_path / f"{name}.jsonl", items)
        return run(tmp_path, name, path, "bleu(order=1)", cache=False).cells[""]["bleu-1"]

    return make


def widths(cell):
    """Of the mean and of the corpus score."""
    return np.array([cell.high - cell.low, cell.corpus_high - cell.corpus_low])


def test_rows_repeated_in_their_group_leave_the_interval_alone(cell):
    once, often = cell("once", rows(60)), cell("often", rows(60, times=9))
    assert (once.n, often.n) == (120, 1080)
    assert (widths(once) > 0.01).all()
    np.testing.assert_allclose(widths(often), widths(once), rtol=1e-9)


def test_the_same_rows_in_groups_of_their_own_shrink_it(cell):
    """Nine times the groups: a third of the width."""
    together, apart = cell("together", rows(60, times=9)), cell("apart", rows(60, times=9, apart=True))
    assert apart.mean == pytest.approx(together.mean, abs=1e-12)
    np.testing.assert_allclose(widths(apart) / widths(together), 1 / 3, rtol=0.2)


def test_set_metrics_leave_out_whole_groups(tmp_path):
    """The plain numbers fall with every repeat; the adjusted one stays, and so must its interval."""

    def width(name, items):
        path = write_items(tmp_path / f"{name}.jsonl", items)
        found = run(tmp_path, name, path, "distinct(sample=50)", cache=False).cells[""]["distinct-2-adjusted"]
        return found.high - found.low

    once, often, apart = rows(200), rows(200, times=9), rows(200, times=9, apart=True)
    assert width("often", often) > 0.8 * width("once", once) > 0
    assert width("apart", apart) < 0.6 * width("once", once)


def test_blocks_of_groups_give_about_the_same_interval(cell, monkeypatch):
    """Where there are more groups than are resampled one by one."""
    items = rows(600)
    free = cell("free", items)
    monkeypatch.setattr(clusters, "BLOCKS", 60)
    capped = cell("capped", items)
    assert capped.mean == pytest.approx(free.mean, abs=1e-12)
    ratio = widths(capped) / widths(free)
    assert (ratio != 1).all(), "the cap was not reached"
    assert ((ratio > 1 / 1.5) & (ratio < 1.5)).all()


def test_blocks_do_not_forget_the_groups(cell, monkeypatch):
    monkeypatch.setattr(clusters, "BLOCKS", 60)
    once, often = cell("once", rows(300)), cell("often", rows(300, times=4))
    np.testing.assert_allclose(widths(often), widths(once), rtol=1e-9)
