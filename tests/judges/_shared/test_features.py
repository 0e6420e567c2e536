"""Columns of catalogue metrics: the numbers that the metrics give, refusals, and holes."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, SpecError, UnknownName
from dialometer.core.registry import create
from dialometer.judges._shared.features import Standard, feature_columns, feature_metrics, feature_needs, split_specs
from dialometer.text.corpus import Corpus

CORPUS = Corpus.of(["i like tea .", "no", "tea for two ?"], [["i like tea .", "me too"], ["yes"], []])


def test_numbers_are_those_of_the_metrics():
    columns, names = feature_columns(CORPUS, "length; bleu(order=2) ;rouge")
    assert names[:3] == ("words", "chars", "words-difference")
    one = [create("metric", spec) for spec in ("length", "bleu(order=2)", "rouge")]
    wanted = np.concatenate([metric.finish(metric.measure(CORPUS), level="item") for metric in one], axis=1)
    np.testing.assert_array_equal(columns, wanted)
    assert len(names) == columns.shape[1]
    assert np.isnan(columns[2, 2:]).all()


def test_columns_of_one_name_are_told_apart():
    _, names = feature_columns(CORPUS, "length;length(tok=whitespace)")
    assert names[0] == "length:words"
    assert names[3] == "length(tok=whitespace):words"
    assert len(set(names)) == 6


def test_semicolons_inside_a_spec_are_its_own():
    assert split_specs('a(b="x;y");c(d=e(f=g;h)); ;i') == ['a(b="x;y")', "c(d=e(f=g;h))", "i"]


@pytest.mark.parametrize(
    ("specs", "error", "says"),
    [
        ("", SpecError, "no metric is named"),
        ("length;distinct", SpecError, "scores a set"),
        ("cider", SpecError, "depend on the others in its batch"),
        ("bertscore(idf=references)", SpecError, "depend on the others in its batch"),
        ("embedding(weights=idf)", SpecError, "depend on the others in its batch"),
        ("length;length", SpecError, "twice"),
        ("lenght", UnknownName, "length"),
        ("amfm", NeedsError, "has not been fitted"),
        ("stack", NeedsError, "has not been fitted"),
    ],
)
def test_refusals(specs, error, says):
    with pytest.raises(error, match=says):
        feature_metrics(specs)


def test_metrics_that_could_weigh_words_and_do_not_take_part():
    assert [metric.name for metric in feature_metrics("embedding;bertscore")] == ["embedding", "bertscore"]


def test_needs():
    assert feature_needs(feature_metrics("length;bleu")) == {"reference"}
    assert feature_needs(feature_metrics("length")) == frozenset()
    with pytest.raises(NeedsError, match="bleu as a feature needs a reference, and none of 1 examples has one"):
        feature_columns(Corpus.of(["tea"]), "length;bleu")


def test_standard_columns_have_mean_0_and_deviation_1_where_they_are_known():
    rng = np.random.default_rng(0)
    columns = rng.normal(3, 5, (40, 3))
    columns[rng.random(40) < 0.3, 1] = np.nan
    columns[:, 2] = 7
    made = Standard.fit(columns)
    ready = made.apply(columns)
    known = ~np.isnan(columns[:, 1])
    np.testing.assert_allclose(ready.mean(0)[:3], 0, atol=1e-12)
    np.testing.assert_allclose([ready[:, 0].std(), ready[known, 1].std()], 1)
    assert (ready[:, 2] == 0).all()
    assert ready[:, 3].tolist() == (~known).tolist()
    assert made.labels(("a", "b", "c")) == ("a", "b", "c", "no b")


def test_holes_that_training_did_not_have_are_filled_and_not_marked():
    made = Standard.fit(np.array([[1.0, np.nan], [3.0, np.nan]]))
    assert made.apply(np.array([[np.nan, np.nan], [3.0, 5.0]])).tolist() == [[0, 0], [1, 0]]
