"""CIDEr against the COCO code, and where its document frequencies come from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import DataError, NeedsError, SpecError, UnknownName
from dialometer.core.recipes import recipe
from dialometer.core.types import Example
from dialometer.metrics.cider import Cider
from dialometer.text.corpus import Corpus
from tests.kernels.corpora import corpus_of, pairs
from tests.metrics.scoring import assert_close, items, whole, with_edges

MANY = pytest.mark.parametrize("many", [False, True], ids=["one reference", "many"])


@pytest.mark.oracle
@MANY
def test_equals_coco(many, real_pairs):
    coco = pytest.importorskip("pycocoevalcap.cider.cider").Cider()
    responses, references = with_edges(real_pairs(5000, many))
    mean, each = coco.compute_score(dict(enumerate(references)), {i: [r] for i, r in enumerate(responses)})
    spec = "cider(variant=coco,tok=whitespace)"
    assert_close(items(spec, responses, references)[:, 0], each)
    assert_close(whole(spec, responses, references), [mean])


def test_hand_worked():
    """Two documents, no word in both: every idf is ln 2, so an equal pair has cosine 1 in each order it has words for."""
    responses, references = ["a b c d", "e f"], [["a b c d"], ["e f"]]
    assert_close(items(Cider(), responses, references)[:, 0], [10.0, 5.0])  # ``e f`` has 2 of 4 orders
    assert_close(items(Cider(order=2), responses, references)[:, 0], [10.0, 10.0])


def test_words_in_all_documents_weigh_nothing():
    assert_close(items(Cider(), ["a", "a"], [["a"], ["a"]])[:, 0], [0.0, 0.0])


def test_length_difference():
    """One word more or less costs exp(−1/2σ²), σ = 6; the COCO code takes the difference in bigrams."""
    responses, references = ["a", "b"], [["a x"], ["b y"]]
    plain = items(Cider("plain", order=1), responses, references)[:, 0]
    assert_close(items(Cider(order=1), responses, references)[:, 0], plain * np.exp(-1 / 72))
    assert_close(items(Cider("coco", order=1), responses, references)[:, 0], plain * np.exp(-1 / 72))
    nothing = items(Cider("coco", order=1), ["", "b"], [["a"], ["b y"]])
    assert nothing[0, 0] == 0


def test_clipping():
    """A word said three times counts once in CIDEr-D, thrice in CIDEr."""
    responses, references = ["a a a", "z"], [["a b c"], ["y"]]
    plain = items(Cider("plain", order=1), responses, references)[0, 0]
    clipped = items(Cider(order=1), responses, references)[0, 0]
    assert_close(plain, 10 / np.sqrt(3))
    assert_close(clipped, plain / 3)


def test_a_single_item_is_refused_with_the_way_out():
    with pytest.raises(NeedsError, match="at least 2 groups") as error:
        items(Cider(), ["a b"], [["a b"]])
    assert "cider(idf=FILE)" in error.value.hint


def test_one_item_with_outside_frequencies(tmp_path):
    file = tmp_path / "documents.txt"
    file.write_text("the tea\nthe sea\nthe bee\n", encoding="utf-8")
    metric = Cider(idf=str(file))
    assert items(metric, ["the tea"], [["the tea"]])[0, 0] > 0
    assert_close(items(Cider(idf=str(file), order=1), ["the"], [["the"]]), 0.0)  # in every document
    before = recipe(metric)
    assert "idf:file-" in before
    assert "idf:own-references" in recipe(Cider())
    file.write_text("changed\n", encoding="utf-8")
    assert recipe(metric) != before


def test_an_idf_file_that_is_not_there():
    with pytest.raises(DataError, match="cannot read the documents"):
        items(Cider(idf="no-such-file.txt"), ["a"], [["a"]])
    with pytest.raises(DataError, match="cannot read the documents"):
        recipe(Cider(idf="no-such-file.txt"))


def test_another_system_changes_nothing():
    mine = [Example(f"{g}-a", (), text, (ref,), "A", g) for g, text, ref in (("1", "x y", "x z"), ("2", "u v", "u v"))]
    more = [Example(f"{g}-b", (), "x", ("q", "x"), "B", g) for g in ("1", "2", "3")]
    alone = Cider().measure(Corpus.build(mine))
    together = Cider().measure(Corpus.build([more[0], *mine, *more[1:]]))
    np.testing.assert_array_equal(together[1:3], alone)


def test_a_group_is_one_document():
    """Two items of one group share their references: ``a`` is then in 1 of 2 documents, not in 2 of 3."""
    rows = [("g", "a", "a"), ("g", "b", "a"), ("h", "c", "c")]
    corpus = Corpus.build([Example(str(i), (), text, (ref,), "", g) for i, (g, text, ref) in enumerate(rows)])
    tree = Cider().prepare(corpus, np.arange(3))
    assert int(tree["documents"][0]) == 2
    assert tree["counts"][1:].tolist() == [1, 1]


def test_prepared_in_parts_measured_in_parts(real_pairs):
    responses, references = real_pairs(900, many=True)
    metric, cuts = Cider(), [0, 100, 101, 500, 900]
    parts = [Corpus.of(responses[a:b], references[a:b]) for a, b in zip(cuts[:-1], cuts[1:], strict=True)]
    bound = metric.bind({"": metric.merge([metric.prepare(part, np.arange(len(part))) for part in parts])})
    in_parts = np.concatenate([bound.measure(part) for part in parts])
    np.testing.assert_allclose(in_parts, metric.measure(Corpus.of(responses, references)), rtol=0, atol=1e-12)


def test_empty_and_unreferenced():
    scores = items(Cider(), ["", "a", "b"], [["a"], [], ["b c"]])[:, 0]
    assert scores[0] == 0
    assert np.isnan(scores[1])
    assert scores[2] > 0
    assert_close(items(Cider(), [""] * 3, [["a"], ["b"], ["c"]]), np.zeros((3, 1)))


@given(pairs, st.sampled_from(["d", "coco", "plain"]))
def test_bounds(rows, variant):
    rows = [*rows, ("a b", ["a b"]), ("q", ["r", "s"])]
    scores = items(Cider(variant, tok="whitespace"), [r for r, _ in rows], [refs for _, refs in rows])
    seen = scores[~np.isnan(scores)]
    assert ((seen >= 0) & (seen <= 10 + 1e-9)).all()


@given(pairs, st.permutations(range(8)))
def test_order_of_items_and_references(rows, order):
    rows = [*rows, ("a b", ["a b"]), ("q", ["r", "s"])]
    order = [i for i in order if i < len(rows)]
    metric = Cider(tok="whitespace")
    before = metric.measure(corpus_of(rows))
    after = metric.measure(corpus_of([(rows[i][0], rows[i][1][::-1]) for i in order]))
    np.testing.assert_allclose(after, before[order], rtol=0, atol=1e-12)


def test_wrong_options_offer_the_right_ones():
    with pytest.raises(UnknownName, match="no variant of cider named 'D-coco'; did you mean coco"):
        Cider("D-coco")
    with pytest.raises(SpecError, match="is 1 to 9, not"):
        Cider(order=0)


def test_explain():
    lines = Cider().explain(Corpus.of(["a", "b"], [["a"], ["b"]]), 0)
    assert lines[1] == "weights: log(2 documents) − log(documents with the n-gram)"
    assert lines[2] == (
        "reference 1: order 1: 1.0000  order 2: 0.0000  order 3: 0.0000  order 4: 0.0000  × length factor 1.0000 → mean 0.2500"
    )
    assert lines[-1] == "cider = 10 × mean over references = 2.500000"
