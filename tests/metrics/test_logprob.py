"""logprob: the n-gram model's own numbers, and the gain of a model that hears the context."""

import math

import numpy as np
import pytest

from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.metrics.logprob import Logprob
from dialometer.text.corpus import Corpus
from dialometer.text.ngram_lm.model import Ngram

TALKS = [["do you like tea ?", "i like tea", "do you like cake ?", "i like cake"]] * 3


class Hearing:
    """p(reply) doubles if the reply was said before."""

    name, version, recipe, contextual = "hearing", 1, "hearing", True

    def logprob(self, contexts, responses):
        total = [
            math.log(0.5) if reply in context else math.log(0.25)
            for context, reply in zip(contexts, responses, strict=True)
        ]
        return np.array(total), np.ones(len(responses), np.int64)


def items(metric, examples):
    return metric.finish(metric.measure(Corpus.build(examples)), level="item")


def test_the_models_own_numbers():
    model = Ngram(order=2).fit(TALKS)
    texts = ["i like tea", "tea like i", "?"]
    total, count = model.logprob([()] * 3, texts)
    found = Logprob(fitted_model=model)
    np.testing.assert_allclose(found.finish(found.measure(Corpus.of(texts)), level="item")[:, 0], total / count, rtol=1e-12)


def test_gain_is_what_the_context_adds():
    metric = Logprob(fitted_model=Hearing())
    assert metric.columns == ("logprob", "logprob-gain")
    found = items(metric, [Example("a", (Turn("u", "tea"),), "tea"), Example("b", (Turn("u", "tea"),), "cake")])
    np.testing.assert_allclose(found, [[math.log(0.5), math.log(2)], [math.log(0.25), 0]])


def test_an_empty_reply_is_as_probable_as_its_end():
    model = Ngram(order=2).fit(TALKS)
    total, count = model.logprob([()], [""])
    metric = Logprob(fitted_model=model)
    rows = metric.measure(Corpus.of(["", "i like tea"]))
    assert count.tolist() == [1]
    np.testing.assert_allclose(metric.finish(rows, level="item")[0], total)
    np.testing.assert_allclose(metric.finish(rows.sum(0), level="corpus"), metric.finish(rows, level="item").mean(0))


def test_asks_for_a_text_until_its_model_is_fitted(tmp_path):
    assert create("metric", "logprob").needs == {"text"}
    (tmp_path / "talk.txt").write_text("\n".join(TALKS[0]), encoding="utf-8")
    assert not create("metric", f"logprob(text={tmp_path / 'talk.txt'})").needs


def test_a_bot_is_a_likelihood(tmp_path):
    pytest.importorskip("torch")
    talks = [["do you like tea ?", "i do", "and cake ?", "yes"]] * 12
    bot = create("bot", "hred(hidden=8,embedding=8,context=8,epochs=1,vocabulary=60,batch=4)").fit(talks)
    bot.save(tmp_path / "bot")
    metric = create("metric", f"logprob(model={tmp_path / 'bot'})")
    total, count = bot.logprob([["do you like tea ?"]], ["i do"])
    alone, _ = bot.logprob([()], ["i do"])
    found = items(metric, [Example("a", (Turn("u", "do you like tea ?"),), "i do")])[0]
    np.testing.assert_allclose(found, [total[0] / count[0], (total[0] - alone[0]) / count[0]], atol=1e-6)
