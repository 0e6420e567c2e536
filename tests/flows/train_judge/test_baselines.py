"""What a judge must beat: columns that the data allow, turned round where they fall, and tests against each."""

import numpy as np
import pytest

from dialometer.core.errors import MissingResource
from dialometer.flows.train_judge import baselines
from dialometer.flows.train_judge.baselines import baseline_columns, best_baseline, compare_baselines, williams_tests
from dialometer.metrics.rouge import Rouge
from dialometer.stats.testing.williams import williams
from dialometer.stats.validation.length_bias import LENGTH_ONLY
from tests.flows.rated import rated_rows

QUIET = {"progress": lambda stage, done, total: None}


def test_columns_that_fall_are_turned_round(dataset):
    found = dataset()
    noise = np.random.default_rng(0).normal(size=len(found))
    judge = {"context": found.target + noise}
    columns = {LENGTH_ONLY: noise, "up": found.target + 2 * noise, "down": -(found.target + 2 * noise)}
    rows = compare_baselines(columns, judge, found, seed=0)
    assert (rows["up"].turned, rows["down"].turned) == (False, True)
    assert rows["up"].williams == rows["down"].williams
    expected = williams(judge["context"], columns["up"], found.target)
    assert rows["down"].williams.context.pearson.p == pytest.approx(expected.p)
    assert rows["down"].williams.context.pearson.difference > 0
    assert best_baseline(rows) in ("up", "down")


def test_ranks_know_nothing_of_the_scale(dataset):
    found = dataset()
    noise = np.random.default_rng(1).normal(size=len(found))
    one = williams_tests(found.target + noise, noise, found.target).spearman
    other = williams_tests(np.exp(found.target + noise), noise**3, found.target).spearman
    assert one == pytest.approx(other)


def test_only_what_the_data_allow(dataset, tmp_path):
    rows = rated_rows()
    for row in rows:
        row["references"], row["context"] = [], []
    columns = baseline_columns(dataset(rows, judge="cheat"), (), tmp_path / "columns", **QUIET)
    assert list(columns.items) == [LENGTH_ONLY]
    wanted = [f"{spec} needs {'contexts' if spec == 'turns' else 'references'}" for spec in baselines.UNTRAINED]
    assert columns.notes == wanted


def test_a_metric_is_asked_only_for_what_it_needs(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(baselines, "UNTRAINED", ("length", "bleu"))
    rows = rated_rows()
    for row in rows:
        row["references"] = []
    columns = baseline_columns(dataset(rows, judge="cheat"), (), tmp_path / "columns", **QUIET)
    assert "words" in columns.items
    assert columns.notes == ["bleu needs references"]


def test_a_missing_extra_is_told_and_a_named_metric_is_not_forgiven(dataset, tmp_path, monkeypatch):
    def missing(self, corpus):
        raise MissingResource("rouge is not installed", "pip install it")

    monkeypatch.setattr(Rouge, "measure", missing)
    monkeypatch.setattr(baselines, "UNTRAINED", ("bleu", "rouge"))
    found = dataset()
    columns = baseline_columns(found, (), tmp_path / "columns", **QUIET)
    assert {name.split("-")[0] for name in columns.items} == {"length", "bleu"}
    assert columns.notes == ["rouge: rouge is not installed"]
    with pytest.raises(MissingResource):
        baseline_columns(found, ("rouge",), tmp_path / "named", **QUIET)
