"""Embedding average, vector extrema and greedy matching: hand-worked cases, and an independent computation on real pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.errors import NeedsError, SpecError, UnknownName
from dialometer.core.recipes import recipe
from dialometer.core.types import Example
from dialometer.encoders.wordllama import Wordllama
from dialometer.metrics._embedding.cosines import pieces
from dialometer.metrics.embedding import Embedding
from dialometer.text.corpus import Corpus
from dialometer.text.tokenisers.base import tokeniser
from tests.kernels.corpora import corpus_of, pairs
from tests.metrics.scoring import assert_close, items, one, whole, with_edges

SMALL = "x 1 0\ny 0 2\nz 3 0\nneg -5 1\n"


@pytest.fixture
def small(tmp_path):
    """A callable: options → the metric over four words in two dimensions."""
    file = tmp_path / "small.txt"
    file.write_text(SMALL, encoding="utf-8")
    return lambda **options: Embedding(vectors=f"glove(path={file})", **options)


def plain_cosine(a, b):
    under = math.sqrt(np.dot(a, a)) * math.sqrt(np.dot(b, b))
    return np.dot(a, b) / under if under else 0.0


def plain_vectors(vectors, nlg_eval):
    """Mean and extremes of some word vectors; nlg-eval's choice is its own, case by case."""
    high, low = np.max(vectors, axis=0), np.min(vectors, axis=0)
    takes_high = (low > 0) | ((low < 0) & (high > -low)) if nlg_eval else high >= np.abs(low)
    return np.mean(vectors, axis=0), np.where(takes_high, high, low)


def plain_greedy(mine, theirs):
    a, b = (np.array([v / (math.sqrt(np.dot(v, v)) or 1) for v in side]) for side in (mine, theirs))
    found = a @ b.T
    return (found.max(0).mean() + found.max(1).mean()) / 2


def plain_trio(mine, references, how, nlg_eval=False):
    """The definition, pair by pair; vectors are lists of word vectors."""
    if how == "centroid":
        both = [plain_vectors(ref, nlg_eval) if ref else None for ref in references]
        width = len(mine[0]) if mine else 1
        zero = np.zeros(width)
        targets = [np.mean([pair[k] if pair else zero for pair in both], axis=0) for k in (0, 1)]
        bag = [vector for ref in references for vector in ref]
        if not mine or not bag:
            return [0.0] * 3
        own = plain_vectors(mine, nlg_eval)
        return [*(plain_cosine(own[k], targets[k]) for k in (0, 1)), plain_greedy(mine, bag)]
    rows = []
    for ref in references:
        if not mine or not ref:
            rows.append([0.0] * 3)
            continue
        own, other = plain_vectors(mine, nlg_eval), plain_vectors(ref, nlg_eval)
        greedy = plain_greedy(mine, ref)
        rows.append([plain_cosine(own[0], other[0]), plain_cosine(own[1], other[1]), greedy])
    return list((np.max if how == "max" else np.mean)(rows, axis=0))


def expected(responses, references, how, *, tok="words", nlg_eval=False):
    """Every item's three numbers and coverage by the definition."""
    source, cut = Wordllama(), tokeniser(tok)
    texts = {text: cut.tokens(text) for row in zip(responses, references, strict=True) for text in (row[0], *row[1])}
    words = sorted({word for tokens in texts.values() for word in tokens})
    vectors, known = source.look_up(words)
    table = {w: v.astype(float) for w, v, k in zip(words, vectors, known, strict=True) if k}
    unknown = source.centre.astype(float)
    of = {text: [table.get(w, unknown) for w in tokens if nlg_eval or w in table] for text, tokens in texts.items()}
    rows = []
    for response, refs in zip(responses, references, strict=True):
        every = [word for text in (response, *refs) for word in texts[text]]
        share = sum(word in table for word in every) / len(every) if every else 0.0
        rows.append([*plain_trio(of[response], [of[ref] for ref in refs], how, nlg_eval), share])
    return np.array(rows)


def test_equals_the_definition_on_real_pairs(real_pairs):
    responses, references = with_edges(real_pairs(2000))
    assert_close(items(Embedding(), responses, references), expected(responses, references, "max"), 1e-6)


@pytest.mark.parametrize("how", ["max", "mean", "centroid"])
def test_equals_the_definition_with_many_references(how, real_pairs):
    responses, references = with_edges(real_pairs(700, many=True))
    assert_close(items(Embedding(pool=how), responses, references), expected(responses, references, how), 1e-6)


def test_nlg_eval_equals_its_definition(real_pairs):
    responses, references = with_edges(real_pairs(600, many=True))
    responses, references = [*responses, "爱 tea"], [*references, ["tea 好好 ಠ"]]
    wanted = expected(responses, references, "max", tok="whitespace", nlg_eval=True)
    assert_close(items(Embedding("nlg-eval", tok="whitespace"), responses, references), wanted, 1e-6)


def test_hand_worked(small):
    """Means (.5, 1) and (3, 0): cosine .5/√1.25. Extremes (1, 2) and (3, 0): 1/√5. Greedy .75 (PITFALLS)."""
    assert_close(one(small(), "x y", "z"), [0.5 / math.sqrt(1.25), 1 / math.sqrt(5), 0.75, 1.0])
    assert_close(one(small(), "z", "x y"), one(small(), "x y", "z"), 0)


def test_unknown_words_are_left_out_and_counted(small):
    assert_close(one(small(), "x y what", "z ever , more"), [0.5 / math.sqrt(1.25), 1 / math.sqrt(5), 0.75, 3 / 7])
    assert_close(items(small(), ["what", "x", "", "x"], [["x"], ["what", "so"], ["x"], [""]])[:, :3], np.zeros((4, 3)))


def test_several_references(small):
    best = items(small(), ["x"], [["y", "z"]])[0, :3]
    assert_close(best, [1.0, 1.0, 1.0])
    assert_close(items(small(pool="mean"), ["x"], [["y", "z"]])[0, :3], [0.5, 0.5, 0.5])
    # centroid of (0,2) and (3,0) is (1.5, 1); greedy of x with {y, z}: x→z 1, y→x 0, z→x 1
    assert_close(items(small(pool="centroid"), ["x"], [["y", "z"]])[0, :3], [1.5 / math.sqrt(3.25)] * 2 + [0.75])


def test_coverage_adds_up():
    responses, references = ["tea 爱", "爱 爱 爱"], [["tea"], ["爱"]]
    assert_close(items(Embedding(), responses, references)[:, 3], [2 / 3, 0.0])
    assert_close(whole(Embedding(), responses, references)[3], 2 / 7)
    assert one(Embedding(), "", "")[3] == 0


def test_weights_count_rare_words_more(small):
    """References of two documents: x in both, z in one. idf x = 1, z = ln(3/2) + 1."""
    responses, references = ["x y", "y"], [["x z"], ["x"]]
    weight = {"x": 1.0, "y": math.log(3) + 1, "z": math.log(3 / 2) + 1}
    x, y, z = np.array([1.0, 0]), np.array([0, 2.0]), np.array([3.0, 0])
    mine = weight["x"] * x + weight["y"] * y
    average = plain_cosine(mine, weight["x"] * x + weight["z"] * z)
    greedy = (weight["x"] / (weight["x"] + weight["y"]) + 1) / 2
    extrema = plain_cosine([1, 2], [3, 0])  # weights leave it alone
    assert_close(items(small(weights="idf"), responses, references)[0, :3], [average, extrema, greedy], 1e-7)
    sif = {"x": 0.001 / (0.001 + 2 / 3), "y": 1.0}
    greedy = (sif["x"] / (sif["x"] + sif["y"]) + 1) / 2
    assert_close(items(small(weights="sif"), responses, references)[0, 2], greedy)


def test_weights_from_a_file(small, tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("x y\nx z\n", encoding="utf-8")
    metric = small(weights="idf", text=str(file))
    y = math.log(3 / 2) + 1
    assert_close(one(metric, "x y", "z")[2], (1 / (1 + y) + 1) / 2)
    assert "text:file-" in recipe(metric)
    assert "text:own-references" in recipe(small(weights="sif"))
    assert "text:no-text" in recipe(small())


@pytest.mark.parametrize("weights", ["idf", "sif"])
def test_another_system_changes_nothing(weights):
    mine = [
        Example(f"{g}-a", (), text, (ref,), "A", g) for g, text, ref in (("1", "tea time", "tea"), ("2", "you", "you two"))
    ]
    more = [Example(f"{g}-b", (), "x", ("time you", "x"), "B", g) for g in ("1", "2", "3")]
    metric = Embedding(weights=weights)
    together = metric.measure(Corpus.build([more[0], *mine, *more[1:]]))
    np.testing.assert_array_equal(together[1:3], metric.measure(Corpus.build(mine)))


@pytest.mark.parametrize("weights", ["none", "idf", "sif"])
def test_prepared_in_parts_measured_in_parts(weights, real_pairs):
    responses, references = real_pairs(400, many=True)
    metric, cuts = Embedding(weights=weights), [0, 50, 51, 200, 400]
    parts = [Corpus.of(responses[a:b], references[a:b]) for a, b in zip(cuts[:-1], cuts[1:], strict=True)]
    bound = metric.bind({"": metric.merge([metric.prepare(part, np.arange(len(part))) for part in parts])})
    in_parts = np.concatenate([bound.measure(part) for part in parts])
    np.testing.assert_allclose(in_parts, metric.measure(Corpus.of(responses, references)), rtol=0, atol=1e-12)


def test_pieces_cover_the_items_in_order(real_pairs):
    responses, references = real_pairs(500, many=True)
    corpus = Corpus.of(responses, references)
    cut = list(pieces(corpus, np.arange(500), 64))
    assert len(cut) > 8
    assert np.concatenate(cut).tolist() == list(range(500))


def test_no_known_word_at_all_is_refused_with_the_way_out(small):
    with pytest.raises(NeedsError, match="none of the 3 different words") as error:
        items(small(), ["Tee trinken", "Tee"], [["Kaffee"], ["Kaffee"]])
    assert "embedding(vectors=" in error.value.hint
    assert_close(items(small(), [""], [[""]]), np.zeros((1, 4)))  # nothing said is not a wrong language


def test_unreferenced_and_empty():
    scores = items(Embedding(), ["", "tea", "tea"], [["tea"], [], ["tea"]])
    assert_close(scores[0], [0, 0, 0, 1.0])
    assert np.isnan(scores[1]).all()
    assert_close(scores[2], np.ones(4))


@given(pairs, st.sampled_from(["max", "mean", "centroid"]), st.sampled_from(["plain", "nlg-eval"]))
def test_bounds_and_order(rows, how, variant):
    rows = [*rows, ("tea", ["a b"])]
    metric = Embedding(variant, pool=how)
    scores = metric.measure(corpus_of(rows))
    assert (np.abs(scores[:, 1:4]) <= 1).all()
    after = metric.measure(corpus_of([(r, refs[::-1]) for r, refs in rows[::-1]]))
    np.testing.assert_allclose(after[::-1], scores, rtol=0, atol=1e-9)


def test_wrong_options_offer_the_right_ones():
    with pytest.raises(UnknownName, match="no variant of embedding named 'nlgeval'; did you mean nlg-eval"):
        Embedding("nlgeval")
    with pytest.raises(SpecError, match="max, mean, centroid"):
        Embedding(pool="best")
    with pytest.raises(SpecError, match="none, idf, sif"):
        Embedding(weights="tf")


def test_explain_names_partners_and_unknown_words(small):
    lines = small().explain(Corpus.of(["x y what"], [["z", "y"]]), 0)
    assert lines[1:] == [
        "no vector: what",
        "reference 1: average 0.4472  extrema 0.4472  greedy 0.7500",
        "  x → z 1.0000, y → z 0.0000",
        "  z ← x 1.0000",
        "reference 2: average 0.8944  extrema 0.8944  greedy 0.7500",
        "  x → y 0.0000, y → y 1.0000",
        "  y ← y 1.0000",
        "the best of each over references",
        "embedding-average = 0.894427  vector-extrema = 0.894427  greedy-matching = 0.750000  coverage = 0.800000",
    ]
    assert any("weights: x" in line for line in small(weights="idf").explain(Corpus.of(["x y"], [["z"]]), 0))
    assert "all references: " in small(pool="centroid").explain(Corpus.of(["x"], [["z", "y"]]), 0)[1]
