"""Corpus: texts are kept once, rows point at the right ones, and a saved corpus is read back by memory map."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dialometer.core.types import Example, Turn
from dialometer.metrics.bleu import Bleu
from dialometer.text.corpus import Corpus, Rows
from tests.text.nasty import any_text

items = st.lists(st.tuples(any_text, st.lists(any_text, max_size=3)), max_size=6)
EXAMPLES = [
    Example("a", (Turn("u", "hi"), Turn("v", "so ?")), "tea é", ("tea é", "no"), system="s1", group="g"),
    Example("b", (), "", (), system="s2"),
    Example("c", (Turn("u", "hi"),), "hi", ("so ?",), after=(Turn("u", "no"), Turn("v", "hi"))),
]


def spelt(corpus):
    """What a corpus says, as strings."""
    texts = list(corpus.texts)

    def lists(rows):
        return [[texts[r] for r in rows.rows[a:b]] for a, b in zip(rows.starts[:-1], rows.starts[1:], strict=True)]

    return [texts[r] for r in corpus.response], *map(lists, (corpus.references, corpus.contexts, corpus.after))


@given(items)
def test_of_keeps_what_it_was_given(pairs):
    responses, references = [r for r, _ in pairs], [refs for _, refs in pairs]
    corpus = Corpus.of(responses, references)
    assert spelt(corpus) == (responses, references, [[] for _ in pairs], [[] for _ in pairs])
    assert len(set(corpus.texts)) == len(corpus.texts)
    assert list(corpus.ids) == list(corpus.documents) == [str(i) for i in range(len(pairs))]
    assert list(corpus.systems) == [""] * len(pairs)


@given(items)
def test_build_and_of_agree(pairs):
    examples = [Example(str(i), (), response, tuple(refs)) for i, (response, refs) in enumerate(pairs)]
    assert spelt(Corpus.build(examples)) == spelt(Corpus.of([r for r, _ in pairs], [refs for _, refs in pairs]))


def test_build():
    corpus = Corpus.build(EXAMPLES)
    assert spelt(corpus) == (
        ["tea é", "", "hi"], [["tea é", "no"], [], ["so ?"]], [["hi", "so ?"], [], ["hi"]], [[], [], ["no", "hi"]]
    )  # fmt: skip
    assert list(corpus.texts) == ["tea é", "no", "hi", "so ?", ""]
    assert list(corpus.ids) == ["a", "b", "c"]
    assert list(corpus.systems) == ["s1", "s2", ""]
    assert list(corpus.documents) == ["g", "item:b", EXAMPLES[2].document]


def test_of_without_references():
    corpus = Corpus.of(["tea", "tea"])
    assert corpus.references.counts().tolist() == [0, 0]
    assert list(corpus.texts) == ["tea"]


@settings(max_examples=25)
@given(items)
def test_saved_and_opened(tmp_path_factory, pairs):
    folder = tmp_path_factory.mktemp("corpus")
    corpus = Corpus.of([r for r, _ in pairs], [refs for _, refs in pairs])
    corpus.save(folder)
    same(Corpus.open(folder), corpus)


def test_named_corpus_saved_and_opened(tmp_path):
    corpus = Corpus.build(EXAMPLES)
    corpus.save(tmp_path)
    opened = Corpus.open(tmp_path)
    same(opened, corpus)
    assert isinstance(opened.response, np.memmap)
    assert not opened.texts.bytes.flags.writeable


def test_metrics_read_a_memory_map(tmp_path, real_pairs):
    corpus = Corpus.of(*real_pairs(500, many=True))
    corpus.save(tmp_path)
    np.testing.assert_array_equal(Bleu().measure(Corpus.open(tmp_path)), Bleu().measure(corpus))


def test_a_table_is_built_once_per_recipe():
    corpus = Corpus.of(["The tea"])
    assert corpus.table("words") is corpus.table("words()")
    assert corpus.table("words(stopwords=drop)").spellings() == ["tea"]
    assert corpus.table("words").spellings() == ["the", "tea"]


def test_rows():
    rows = Rows.of([[3, 1], [], [2]])
    assert (rows.starts.tolist(), rows.rows.tolist(), rows.counts().tolist()) == ([0, 2, 2, 3], [3, 1, 2], [2, 0, 1])
    assert (rows.starts.dtype, rows.rows.dtype) == (np.int64, np.int32)


def test_who_else_spoke_last_and_next(tmp_path):
    before, later = (Turn("u", "hi"), Turn("b", "yes")), (Turn("b", "so ?"), Turn("c", "hm"), Turn("u", "no"))
    own = [("b",), ("b", "c"), (), ("u", "b"), ("b",)]
    made = [Example(str(k), before, "tea", after=later, own=names) for k, names in enumerate(own)]
    corpus = Corpus.build([*made[:4], Example("4", (), "tea", own=own[4])])
    assert corpus.nearest().tolist() == [[2, 2], [2, 3], [1, 1], [0, 2], [0, 0]]
    assert corpus.take(np.array([3, 0])).nearest().tolist() == [[0, 2], [2, 2]]
    corpus.save(tmp_path)
    assert Corpus.open(tmp_path).nearest().tolist() == corpus.nearest().tolist()
    (tmp_path / "others.npy").unlink()
    assert Corpus.open(tmp_path).nearest().tolist() == [[1, 1]] * 4 + [[0, 0]], "a folder that does not say"


def same(a, b):
    assert spelt(a) == spelt(b)
    assert a.nearest().tolist() == b.nearest().tolist()
    for name in ("ids", "systems", "documents", "texts"):
        assert list(getattr(a, name)) == list(getattr(b, name))
