"""Judges: the score of a response or conversation has the same bits alone, in any batch and in any order."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.text.corpus import Corpus

pytest.importorskip("torch")
pytestmark = pytest.mark.invariance

WORDS = "tea cake rain sun book road fish tree lamp wolf moon song door glass stone".split()
LIGHT = 'features="length;bleu(order=2);rouge"'
SPECS = [
    "adem(encoder=pairs)", "adem(encoder=pairs,pca=5)", "adem(encoder=pairs,prior=zero,pca=4)",
    "adem(encoder=pairs,censor=true,spread=true)", "adem(encoder=pairs,loss=rank,also=response)",
    f"adem(encoder=pairs,{LIGHT})", "autojudge(encoder=pairs)", "autojudge(encoder=pairs,negatives=shuffled)",
    f"stack({LIGHT})", f"stack({LIGHT},model=trees)", "humanlike(encoder=pairs)",
    f"hybrid({LIGHT})", f"hybrid({LIGHT},model=ridge)",
]  # fmt: skip


@dataclass(frozen=True)
class Pairs:
    """An encoder for tests: how often each of 64 kinds of letter pairs occurs, by whole numbers, over a power of two."""

    name: ClassVar[str] = "pairs"
    version: ClassVar[int] = 1
    width: ClassVar[int] = 64
    recipe: ClassVar[str] = "pairs-1"

    def encode(self, texts):
        vectors = np.zeros((len(texts), self.width), np.float32)
        for row, text in enumerate(texts):
            for a, b in zip(text, text[1:], strict=False):
                vectors[row, (31 * ord(a) + 7 * ord(b)) % self.width] += 1 / 32
        return vectors

    def coverage(self, texts):
        return np.ones((len(texts), 2), np.int64)


@pytest.fixture(autouse=True)
def pairs(monkeypatch):
    """The encoder ``pairs`` in the catalogue."""
    monkeypatch.setitem(CATALOG["encoder"], "pairs", f"{__name__}:Pairs")
    registry._menu.cache_clear()
    yield
    monkeypatch.undo()
    registry._menu.cache_clear()


def corpus_and_target(whole: bool, classes: bool):
    """60 replies, or with ``whole`` 60 conversations of a reply each, and a rating of each that shared words raise."""
    rng = np.random.default_rng(4)
    items, target = [], []
    for i in range(60):
        context, reference, reply = (rng.choice(WORDS, rng.integers(2, 9)).tolist() for _ in range(3))
        identity = f"talk{i}#1" if whole else f"i{i}"
        turns = (Turn("u", " ".join(context)),)
        items.append(Example(identity, turns, " ".join(reply), (" ".join(reference),), f"s{i % 4}", f"g{i // 2}"))
        target.append(1 + len(set(reply) & set(reference + context)) + 0.2 * rng.normal())
    made = np.array(target)
    return Corpus.build(items), (made > np.median(made)).astype(float) if classes else made


@pytest.mark.parametrize("spec", SPECS)
def test_scores_do_not_depend_on_the_batch(spec):
    corpus, target = corpus_and_target(spec.startswith("hybrid"), spec.startswith("humanlike"))
    judge = create("metric", spec).fit(corpus, target)
    whole = judge.measure(corpus)
    assert len(np.unique(whole[:, 1])) > 5
    order = np.random.default_rng(0).permutation(60)
    for size in (1, 7, 60):
        parts = [judge.measure(corpus.take(order[at : at + size])) for at in range(0, 60, size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole[order])
