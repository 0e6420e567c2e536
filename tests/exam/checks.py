"""The exam: what must hold of every metric. Each check takes a metric and the spec that made it, and asserts.

Joining the catalogue enrols a metric; nothing here names one.
"""

import dataclasses
import inspect
import sys

import numpy as np
import pytest

from dialometer.core.protocols import Explains, Metric, Prepares
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Example, Turn
from dialometer.kernels import jit
from dialometer.text.corpus import Corpus
from tests.network_tolerance import NETWORKS, TOLERANCE

TEXTS = [
    ("i like tea .", ("i like tea .", "me too")),
    ("no", ("yes , of course", "no way")),
    ("the cat sat on the mat", ("on the mat sat the cat",)),
    ("don't you think so ?", ("do you think so ?", "i don't", "why ?")),
    ("naïve café 我爱 👍🏽 !", ("a naïve café", "我 爱 你")),
    ("हिन्दी مُحَمَّد <url> @user", ("हिन्दी <url>",)),
    ("tea tea tea tea", ("tea", "tea for two")),
    ("well \u00a0 then\u3000...", ("well then ...",)),
]


def example(number, response, references, system="A"):
    context = (Turn("u", f"turn {number}"), Turn("v", "so ?"))
    after = (Turn("v", "and then ?"),)
    return Example(f"{system}-{number}", context, response, tuple(references), system, f"group-{number}", after=after)


EXAMPLES = [example(i, text, refs, system) for system in "AB" for i, (text, refs) in enumerate(TEXTS)]


def bound(metric, examples):
    """The metric with facts of this whole collection, if it wants any."""
    if not isinstance(metric, Prepares):
        return metric
    corpus = Corpus.build(examples)
    systems = np.array(list(corpus.systems))
    facts = {s: metric.merge([metric.prepare(corpus, np.flatnonzero(systems == s))]) for s in sorted(set(systems.tolist()))}
    return metric.bind(facts)


def numbers(metric, examples, facts_of=None):
    """What a metric says: a row of scores per item, or one row for the set."""
    corpus = Corpus.build(examples)
    if not isinstance(metric, Metric):
        return metric.score(corpus, np.arange(len(corpus)))[None]
    ready = bound(metric, EXAMPLES if facts_of is None else facts_of)
    return ready.finish(ready.measure(corpus), level="item")


def full(metric):
    """Which columns have a number for whatever was said: all but those that a metric names as its gaps."""
    gaps = getattr(metric, "gaps", ())
    assert set(gaps) < set(metric.columns)
    return [column not in gaps for column in metric.columns]


def same(a, b, metric=None):
    """Equal up to the order of sums over items; up to the tolerance for networks where the metric asks one."""
    asks = metric is not None and any(name in recipe(metric) for name in NETWORKS)
    np.testing.assert_allclose(a, b, rtol=0, atol=TOLERANCE if asks else 1e-12)


def same_rows(a, b, metric):
    """Items have the same bits in any batch, or are within the tolerance where the metric asks a network."""
    if any(name in recipe(metric) for name in NETWORKS):
        same(a, b, metric)
    else:
        np.testing.assert_array_equal(a, b)


def check_order(metric, spec):
    """Permuting items permutes scores."""
    order = np.random.default_rng(1).permutation(len(EXAMPLES))
    wanted = numbers(metric, EXAMPLES)
    same_rows(
        numbers(metric, [EXAMPLES[i] for i in order]), wanted[order] if isinstance(metric, Metric) else wanted, metric
    )


def check_shards(metric, spec):
    """Parts of a collection, measured apart, give the rows of the whole; facts come from the whole."""
    if not isinstance(metric, Metric):
        corpus, rows = Corpus.build(EXAMPLES), np.array([1, 3, 4, 9])
        same(metric.score(corpus, rows)[None], numbers(metric, [EXAMPLES[i] for i in rows]), metric)
        return
    ready = bound(metric, EXAMPLES)
    parts = [ready.measure(Corpus.build(EXAMPLES[a:b])) for a, b in ((0, 1), (1, 7), (7, 16))]
    whole = ready.measure(Corpus.build(EXAMPLES))
    same_rows(np.concatenate(parts), whole, metric)
    total = ready.finish(sum(part.sum(0) for part in parts), level="corpus")
    same(total, ready.finish(whole.sum(0), level="corpus"), metric)


def check_rows(metric, spec):
    """n in = n out, finite float64, one number per column."""
    assert numbers(metric, EXAMPLES).shape[1] == len(metric.columns)
    if isinstance(metric, Metric):
        rows = bound(metric, EXAMPLES).measure(Corpus.build(EXAMPLES))
        assert rows.dtype == np.float64
        assert rows.ndim == 2
        assert len(rows) == len(EXAMPLES)
        assert np.isfinite(rows).all()
        assert np.isfinite(numbers(metric, EXAMPLES)[:, full(metric)]).all()


def check_empty_reply(metric, spec):
    """An empty response is scored, never dropped, and leaves the others as they were."""
    changed = [*EXAMPLES[:3], dataclasses.replace(EXAMPLES[3], response=""), *EXAMPLES[4:]]
    scores = numbers(metric, changed)
    if isinstance(metric, Metric):
        assert np.isfinite(scores[3, full(metric)]).all()
        same_rows(np.delete(scores, 3, 0), np.delete(numbers(metric, EXAMPLES), 3, 0), metric)
    assert not np.isinf(numbers(metric, [dataclasses.replace(e, response="") for e in EXAMPLES])).any()


def check_no_reference(metric, spec):
    """Without a reference a metric that needs one says NaN, adds nothing to the total, and leaves the others alone."""
    if not isinstance(metric, Metric):
        return
    changed = [*EXAMPLES[:3], dataclasses.replace(EXAMPLES[3], references=()), *EXAMPLES[4:]]
    scores = numbers(metric, changed)
    same_rows(np.delete(scores, 3, 0), np.delete(numbers(metric, EXAMPLES), 3, 0), metric)
    if "reference" in metric.needs:
        assert np.isnan(scores[3]).all()
        assert not bound(metric, EXAMPLES).measure(Corpus.build(changed))[3].any()


def check_one_item(metric, spec):
    """The corpus score of one item, and of none: a number, and NaN."""
    if isinstance(metric, Metric):
        ready = bound(metric, EXAMPLES)
        rows = ready.measure(Corpus.build(EXAMPLES[:1]))
        total = ready.finish(rows.sum(0), level="corpus")
        assert total.shape == (len(metric.columns),)
        assert np.isfinite(total[full(metric)]).all()
        assert np.isnan(ready.finish(np.zeros(rows.shape[1]), level="corpus")).all()


def check_kernels(metric, spec):
    """Plain Python and compiled code agree to the last bit."""
    results = []
    for limit, loaded in ((1 << 60, {}), (-1, jit._COMPILED)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jit, "_COMPILED", loaded)
            patch.setattr(jit, "PLAIN_STEPS", limit)
            results.append(numbers(metric, EXAMPLES))
    np.testing.assert_array_equal(*results)


def check_spec(metric, spec):
    """The spec of a metric makes an equal one, and its recipe names every option and the version."""
    assert create("metric", spec_of(metric, metric.name)) == metric
    line = recipe(metric)
    assert line.startswith(f"{metric.name}|")
    assert line.endswith(f"|v:{metric.version}")
    for field in dataclasses.fields(metric):
        told = field.repr and field.metadata.get("recipe", True)  # what is left out is told by another part of the recipe
        assert not told or f"|{field.name}:" in line, f"{field.name} is not in {line}"


def check_door(metric, spec):
    """A name, a docstring for class and module, distinct columns, frozen fields."""
    assert metric.name == spec.split("(")[0]
    assert metric.unit in ("response", "dialogue")
    assert inspect.getdoc(type(metric))
    assert (sys.modules[type(metric).__module__].__doc__ or "").startswith(f"``{metric.name}``")
    assert len(set(metric.columns)) == len(metric.columns) > 0
    assert type(metric).__dataclass_params__.frozen


def check_explains(metric, spec):
    """``explain`` says something, in single lines, about any item."""
    if isinstance(metric, Explains):
        ready, corpus = bound(metric, EXAMPLES), Corpus.build([*EXAMPLES, example(99, "", ("tea",))])
        for row in (0, 4, len(EXAMPLES)):
            lines = ready.explain(corpus, row)
            assert lines
            assert all(isinstance(line, str) and line.strip() and "\n" not in line for line in lines)


CHECKS = [value for name, value in sorted(globals().items()) if name.startswith("check_")]
