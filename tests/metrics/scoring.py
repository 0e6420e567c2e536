"""From texts to numbers in one call, and the awkward pairs that every overlap metric must survive."""

import numpy as np

from dialometer.core.registry import create
from dialometer.text.corpus import Corpus

EDGES = [
    ("", ["a b c"]),
    ("fine", ["fine"]),
    ("fine", ["i am fine"]),
    ("i am fine", ["fine"]),
    ("x y z", ["a b c d"]),
    ("a b", ["a b", "c"]),
    ("a a a a a a", ["a a b", "a"]),
    ("a b c d", ["d c b a"]),
    ("a b c d", ["a b c", "a b c d e"]),
    ("a", ["b", "a b c d e f g"]),
    ("the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"]),
]


def items(metric, responses, references):
    """(n, columns) item scores; ``metric`` is a metric or a spec."""
    metric = create("metric", metric) if isinstance(metric, str) else metric
    return metric.finish(metric.measure(Corpus.of(responses, references)), level="item")


def whole(metric, responses, references):
    """(columns,) the corpus score."""
    metric = create("metric", metric) if isinstance(metric, str) else metric
    return metric.finish(metric.measure(Corpus.of(responses, references)).sum(0), level="corpus")


def one(metric, response, *references):
    """The scores of one pair."""
    return items(metric, [response], [list(references)])[0]


def with_edges(real, edges=EDGES):
    """Real items followed by the awkward ones."""
    responses, references = real
    return [*responses, *(response for response, _ in edges)], [*references, *(list(refs) for _, refs in edges)]


def assert_close(mine, theirs, tolerance=1e-9):
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=tolerance)
