"""Stacked metrics: against scikit-learn's ridge, on real ratings, through a folder, and refusals."""

import json

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.linear_model import Ridge

from dialometer.core.errors import MissingResource, NeedsError, SpecError
from dialometer.core.protocols import Explains, Judge
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, spec_of
from dialometer.judges import stack
from dialometer.judges._shared.features import feature_columns
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits
from dialometer.judges.stack import Stack
from dialometer.text.corpus import Corpus
from dialometer.text.training_overlap import overlap
from tests.judges.rated_sets import rated

LIGHT = "length;bleu(order=2);rouge"
MODELS = ["ridge", "trees"]


@pytest.fixture(scope="module")
def zhao(shared_data):
    return rated(shared_data("turns/zhao_dailydialog.jsonl.gz"), "appropriateness")


def scores(judge, corpus):
    return judge.finish(judge.measure(corpus), level="item")[:, 0]


def test_ridge_as_in_scikit_learn(zhao):
    corpus, y = zhao
    judge = Stack(features=LIGHT).fit(corpus, y)
    columns, _ = feature_columns(corpus, LIGHT)
    ready = (columns - columns.mean(0)) / columns.std(0)
    penalty = judge.facts["penalty"] * np.mean((ready**2).sum(1))
    oracle = Ridge(alpha=penalty).fit(ready, y)
    np.testing.assert_allclose(scores(judge, corpus), oracle.predict(ready), atol=1e-8)
    np.testing.assert_allclose(list(judge.facts["columns"].values()), oracle.coef_, atol=1e-8)


@pytest.mark.parametrize("model", MODELS)
def test_orders_contexts_left_out(zhao, model, monkeypatch):
    """Word overlap alone has little to say here (ρ ≤ 0.1 by itself); with length it orders unseen contexts a little better."""
    monkeypatch.setattr(stack, "ROUNDS", 60)
    corpus, y = zhao
    said = np.empty(len(y))
    for learn, test in train_test_splits(inner_folds(list(corpus.documents), 4)):
        judge = Stack(features=LIGHT, model=model).fit(corpus.take(learn), y[learn])
        said[test] = scores(judge, corpus.take(test))
    assert spearmanr(said, y)[0] > 0.12
    assert np.mean((said - y) ** 2) < np.var(y)


def test_the_penalty_follows_what_there_is_to_learn():
    """Noise is shrunk to the mean; a clean dependence is not."""
    rng = np.random.default_rng(0)
    texts = [" ".join(["tea"] * int(k)) for k in rng.integers(1, 30, 200)]
    corpus = Corpus.of(texts)
    words = np.array([len(text.split()) for text in texts], float)
    noise = Stack(features="length").fit(corpus, rng.normal(3, 1, 200))
    clean = Stack(features="length").fit(corpus, words)
    assert noise.facts["penalty"] > 100 * clean.facts["penalty"]
    assert scores(noise, corpus).std() < 0.2
    np.testing.assert_allclose(scores(clean, corpus), words, atol=0.1)
    assert clean.facts["error left out"] < 0.01 * clean.facts["error of the mean"]


@pytest.mark.parametrize("model", MODELS)
def test_a_folder_is_a_spec(zhao, model, tmp_path, monkeypatch):
    monkeypatch.setattr(stack, "ROUNDS", 10)
    corpus, y = zhao
    judge = Stack(features=LIGHT, model=model).fit(corpus, y)
    judge.save(tmp_path / "judge")
    again = create("metric", str(tmp_path / "judge"))
    assert again == judge
    assert again.facts == judge.facts
    assert recipe(again) == recipe(judge)
    np.testing.assert_array_equal(again.measure(corpus), judge.measure(corpus))
    assert overlap([corpus.texts[int(corpus.response[0])], "never said"], again.seen()).tolist() == [True, False]
    assert sorted(path.suffix for path in (tmp_path / "judge").iterdir()) == [".json", ".safetensors"]


def test_shapes(zhao):
    assert isinstance(Stack(), Judge)
    assert isinstance(Stack(), Explains)
    assert not Stack().fitted
    assert create("metric", spec_of(Stack(features=LIGHT), "stack")) == Stack(features=LIGHT)
    corpus, y = zhao
    judge = Stack(features=LIGHT).fit(corpus, np.where(np.arange(len(y)) < 400, y, np.nan))
    assert judge.facts["rows"] == 400
    assert judge.fitted
    assert recipe(judge) != recipe(Stack(features=LIGHT).fit(corpus, y))


def test_explanation_adds_up(zhao):
    corpus, y = zhao
    judge = Stack(features=LIGHT).fit(corpus, y)
    first, *middle, last = judge.explain(corpus, 5)
    added = sum(float(line.split(" adds ")[1]) for line in middle)
    assert float(first.split()[-1]) + added == pytest.approx(float(last.split()[-1]), abs=2e-3)
    assert len(middle) == len(judge.facts["columns"])


def test_holes_are_filled_and_marked():
    """Responses without a reference have no difference in length: a column marks them, and they are scored."""
    texts = [" ".join(["tea"] * (1 + k % 7)) for k in range(40)]
    corpus = Corpus.of(texts, [["tea tea"] if k % 2 else [] for k in range(40)])
    target = np.array([1.0 if k % 2 else 4.0 for k in range(40)])
    judge = Stack(features="length").fit(corpus, target)
    assert "no words-difference" in judge.facts["columns"]
    np.testing.assert_allclose(scores(judge, corpus), target, atol=0.2)
    assert "marked" in "".join(judge.explain(corpus, 0))


def test_without_what_it_needs_there_is_no_score(zhao):
    corpus, y = zhao
    judge = Stack(features=LIGHT).fit(corpus, y)
    bare = Corpus.of(["i like tea .", "so do i ."], [[], ["me too ."]])
    assert np.isnan(scores(judge, bare)).tolist() == [True, False]
    assert "needs a reference" in judge.explain(bare, 0)[0]


def test_refusals(zhao, tmp_path):
    corpus, y = zhao
    with pytest.raises(NeedsError, match="has not been fitted on ratings"):
        Stack().measure(corpus)
    with pytest.raises(SpecError, match="ridge, trees"):
        Stack(model="forest")
    Stack(features="length").fit(corpus, y).save(tmp_path)
    card = json.loads((tmp_path / "artifact.json").read_text())
    (tmp_path / "artifact.json").write_text(json.dumps(card | {"version": 99}))
    with pytest.raises(MissingResource, match="not written by stack"):
        create("metric", str(tmp_path))
