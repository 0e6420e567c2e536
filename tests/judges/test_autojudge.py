"""autojudge: no reference is looked at, negatives push degenerate replies down, a system's name is no help by system."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.judges.autojudge import Autojudge
from dialometer.text.corpus import Corpus

TOPICS = {
    "tea": "tea cup milk sugar kettle", "rain": "rain cloud wind storm umbrella", "book": "book page story author library",
    "fish": "fish river boat net water", "song": "song music voice piano tune", "road": "road car drive town bridge",
}  # fmt: skip


def rated(n=120, seed=1):
    """Replies on the topic of their context are rated high, others low."""
    rng = np.random.default_rng(seed)
    names, items, target = list(TOPICS), [], []
    for i in range(n):
        topic, other = rng.choice(names, 2, replace=False)
        fits = rng.random() < 0.5
        said = rng.choice(TOPICS[topic if fits else other].split(), 4)
        asked = rng.choice(TOPICS[topic].split(), 4)
        items.append(Example(f"i{i}", (Turn("u", " ".join(asked)),), " ".join(said), (), f"s{i % 4}", f"g{i // 2}"))
        target.append((4.2 if fits else 1.8) + 0.3 * rng.normal())
    return items, np.array(target)


def scores(judge, corpus):
    return judge.finish(judge.measure(corpus), level="item")[:, 0]


@pytest.mark.parametrize("options", ["", ",pca=20"])
def test_learns_the_fit_to_the_context(options):
    items, target = rated()
    corpus = Corpus.build(items)
    judge = create("metric", f"autojudge(encoder=average{options})").fit(corpus.take(np.arange(80)), target[:80])
    assert spearmanr(scores(judge, corpus.take(np.arange(80, 120))), target[80:])[0] > 0.5


def test_references_are_not_looked_at():
    items, target = rated(40)
    judge = Autojudge(encoder="average").fit(Corpus.build(items), target)
    assert judge.needs == {"context"}
    with_one = [Example(e.id, e.context, e.response, ("anything",), e.system, e.group) for e in items]
    np.testing.assert_array_equal(scores(judge, Corpus.build(items)), scores(judge, Corpus.build(with_one)))


def test_negatives_push_degenerate_replies_below_the_median_real_one():
    items, target = rated()
    corpus = Corpus.build(items)
    kinds = "empty+repeated+universal+shuffled+other"
    judge = create("metric", f"autojudge(encoder=average,negatives={kinds})").fit(corpus, target)
    assert judge.facts["negatives"] > 0
    middle = np.median(scores(judge, corpus))
    for text in ("", "i do not know what to say", "tea tea tea tea tea tea"):
        said = Corpus.build([Example(e.id, e.context, text, group=e.group) for e in items])
        assert np.median(scores(judge, said)) < middle, text


def test_negatives_of_one_fold_after_another_share_the_vectors():
    items, target = rated(60)
    corpus = Corpus.build(items)
    judge = create("metric", "autojudge(encoder=average,negatives=empty+other)")
    judge.fit(corpus.take(np.arange(40)), target[:40])  # leaves vectors of texts and of exchanges with the corpus
    again = judge.fit(corpus.take(np.arange(20, 60)), target[20:])
    fresh = judge.fit(Corpus.build(items[20:]), target[20:])
    np.testing.assert_allclose(scores(again, corpus), scores(fresh, corpus), atol=1e-9)


def test_a_system_that_is_known_helps_only_where_it_was_seen():
    """An oracle that knows the system's mean wins over random folds, and is worth nothing on systems left out."""
    rng = np.random.default_rng(0)
    system = np.repeat(np.arange(12), 20)
    level = rng.permutation(np.linspace(1, 5, 12))
    target = level[system] + 0.5 * rng.normal(size=len(system))

    def oracle(learn, test):
        known = {s: target[learn][system[learn] == s].mean() for s in set(system[learn].tolist())}
        return np.array([known.get(s, target[learn].mean()) for s in system[test].tolist()])

    from dialometer.stats.validation.cross_validation import cross_validate
    from dialometer.stats.validation.folds import even_folds, fold_numbers

    by_row = cross_validate(oracle, target, fold_numbers([str(i) for i in range(len(target))], 10))
    by_system = cross_validate(oracle, target, even_folds([str(s) for s in system], 6))
    assert spearmanr(by_row.predictions, target)[0] > 0.8
    assert spearmanr(by_system.predictions, target)[0] < 0.2
