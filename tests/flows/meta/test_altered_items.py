"""Altered items scored again: the folder is taken up, real items with four references, retrieved ones, and who is left out."""

from dataclasses import replace

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, RunError, UnknownName, UsageError
from dialometer.core.types import Example, Turn
from dialometer.data import examples
from dialometer.flows.meta.altered_items import VARIANTS, rescore, variant_items
from dialometer.flows.meta.reference_counts import by_reference_count, reference_counts
from dialometer.flows.score import score as scoring
from dialometer.stats.correlation.correlate import correlate

METRICS = ("bleu", "rouge")


def sample(n=12):
    rng = np.random.default_rng(5)
    words = "the tea milk rain a film is song ! cat".split()

    def said(length):
        return " ".join(rng.choice(words, length))

    return [
        Example(f"i{k}", (Turn("", said(4)),), said(5), tuple(said(6) for _ in range(2 + k % 3)), f"s{k % 2}", f"g{k // 2}")
        for k in range(n)
    ]


@pytest.fixture(scope="module")
def gupta(shared_data):
    items = list(examples(shared_data("turns/gupta_dailydialog_multiref.jsonl.gz")))
    human = np.array([item.ratings["overall_mean"][0] for item in items], float)
    return items, human, np.array([item.document for item in items])


@pytest.fixture(scope="module")
def rows(gupta, tmp_path_factory):
    return by_reference_count(*with_metrics(gupta), tmp_path_factory.mktemp("k"), draws=3, resamples=200)


def with_metrics(study, metrics=METRICS):
    items, human, clusters = study
    return items, metrics, human, clusters


def test_rescoring_keeps_order_ids_and_documents(tmp_path):
    items = sample()
    scores = rescore(items, (*METRICS, "cider"), tmp_path / "a")
    assert scores.items == tuple(item.id for item in items)
    turned = rescore(items[::-1], (*METRICS, "cider"), tmp_path / "b")
    for name, values in scores.columns.items():
        np.testing.assert_allclose(turned.columns[name][::-1], values, atol=1e-12)
    bare = [replace(item, group="") for item in items]  # documents are hashes of contexts now
    for number, whole in enumerate((items, bare)):
        rescore(whole, ("rouge",), tmp_path / str(number))
        written = list(examples(tmp_path / str(number) / "items.jsonl"))
        assert [(e.id, e.system, e.document) for e in written] == [(e.id, e.system, e.document) for e in whole]


def test_rescoring_takes_up_what_the_folder_holds(tmp_path, monkeypatch):
    first = rescore(sample(), METRICS, tmp_path)
    monkeypatch.setattr(scoring, "_fill", lambda *_: pytest.fail("scored again"))
    again = rescore(sample(), METRICS, tmp_path)
    assert all(np.array_equal(again.columns[name], first.columns[name]) for name in first.columns)
    with pytest.raises(RunError, match="holds another run"):
        rescore(sample(5), METRICS, tmp_path)


def test_scoring_sees_no_ratings(tmp_path):
    rescore([replace(item, ratings={"q": (5,)}, extra={"secret": 1}) for item in sample()], METRICS, tmp_path)
    written = (tmp_path / "items.jsonl").read_text()
    assert "secret" not in written
    assert '"q"' not in written


def test_items_that_cannot_be_scored_are_nan(tmp_path):
    items = [
        *sample(4),
        Example("bare", (), "tea"),
        Example("blank", (), "tea", ("",)),
        Example("silent", (), "", ("tea",)),
    ]
    values = rescore(items, ("bleu",), tmp_path).columns["bleu-1"]
    assert np.isnan(values[4])
    assert values[6] == 0
    with pytest.raises(NeedsError, match="no item"):
        rescore([], ("bleu",), tmp_path / "none")


def test_variants_by_name():
    items = [Example("a", (Turn("", "<first_speaker> the tea ?"),), "<first_speaker> I like tea !", ("the <url>", "is"))]
    assert variant_items(items, "plain") == items
    bare = variant_items(items, "no-stopwords")[0]
    assert (bare.response, bare.references, bare.context[0].text) == (
        "<first_speaker> like tea",
        ("<url>",),
        "<first_speaker> tea",
    )
    assert variant_items(items, "no-speaker-tokens")[0].response == "I like tea !"
    assert variant_items(items, "no-speaker-tokens")[0].references == ("the", "is")
    with pytest.raises(UnknownName, match="no-stopwords"):
        variant_items(items, "no-stopword")


def test_speaker_tokens_lift_word_overlap(tmp_path):
    """What table 10 of ADEM is about: a token that opens every utterance is a match that says nothing."""
    items = [Example("x", (), "<first_speaker> <at> no way", ("<first_speaker> <at> see you soon",))]
    plain, bare = (
        rescore(variant_items(items, name), ("bleu",), tmp_path / name) for name in ("plain", "no-speaker-tokens")
    )
    assert plain.columns["bleu-2"][0] > 0.2
    assert bare.columns["bleu-1"][0] == 0


def test_real_variants_rest_on_the_same_items(gupta, tmp_path):
    items, human, clusters = gupta
    found = {name: rescore(variant_items(items, name), ("bleu(order=2)",), tmp_path / name).columns for name in VARIANTS}
    for name, columns in found.items():
        r = correlate(columns["bleu-2"], human, clusters, resamples=0)
        assert r.n == 500, name
        assert -0.1 < r.r < 0.5
    assert np.array_equal(found["plain"]["bleu-2"], found["no-speaker-tokens"]["bleu-2"])  # these items have none
    assert not np.array_equal(found["plain"]["bleu-2"], found["no-stopwords"]["bleu-2"])


def test_real_rows_rest_on_the_same_items(rows):
    assert [(row.kind, row.k) for row in rows if row.metric == "bleu-2"] == [("human", k) for k in (1, 2, 3, 4)]
    assert {row.n for row in rows} == {row.pearson.n for row in rows} == {500}
    assert all(row.pearson.low < row.pearson.r < row.pearson.high for row in rows)
    assert all(row.spearman.low < row.spearman.r < row.spearman.high for row in rows)


def test_all_references_are_plain_scoring(rows, gupta, tmp_path):
    items, human, clusters = gupta
    backwards = [replace(item, references=item.references[::-1]) for item in items]
    for number, whole in enumerate((items, backwards)):
        columns = rescore(whole, METRICS, tmp_path / str(number)).columns
        for row in (row for row in rows if row.k == 4):
            for kind in ("pearson", "spearman"):
                plain, mine = correlate(columns[row.metric], human, clusters, kind=kind, resamples=200), getattr(row, kind)
                assert (mine.r, mine.p) == pytest.approx((plain.r, plain.p), abs=1e-9)
                assert (mine.low, mine.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_more_real_references_agree_better_with_people(rows):
    """Gupta et al. 2019 collected these references to show just that."""
    for metric in ("bleu-2", "rouge-l"):
        r = [row.spearman.r for row in rows if row.metric == metric]
        assert r[0] < r[1] < r[2] < r[3]


def test_real_rows_do_not_depend_on_the_order_of_items(gupta, tmp_path):
    chosen = np.random.default_rng(1).permutation(500)[:120]
    made = []
    for name, order in (("a", chosen), ("b", np.sort(chosen))):
        items, human, clusters = ([gupta[0][row] for row in order], gupta[1][order], gupta[2][order])
        options = {"ks": (1, 3), "draws": 2, "pseudo": 2, "resamples": 50}
        made.append(by_reference_count(items, ("rouge",), human, clusters, tmp_path / name, **options))
    for mine, other in zip(*made, strict=True):
        assert (mine.metric, mine.kind, mine.k, mine.n) == (other.metric, other.kind, other.k, other.n)
        for kind in ("pearson", "spearman"):
            a, b = getattr(mine, kind), getattr(other, kind)
            assert (a.r, a.low, a.high) == pytest.approx((b.r, b.low, b.high), abs=1e-9)
    kinds = [(row.kind, row.k) for row in made[0] if row.metric == "rouge-1"]
    assert kinds == [
        ("human", 1),
        ("human", 3),
        ("retrieved", 1),
        ("retrieved", 2),
        *[("human+retrieved", k) for k in (2, 3)],
    ]


def test_a_mean_over_draws_is_a_mean_of_coefficients(tmp_path):
    items, human = sample(), np.arange(12.0)
    row = by_reference_count(items, ("rouge",), human, None, tmp_path, ks=(1,), draws=4, resamples=0)[0]
    drawn = [rescored(items, tmp_path / f"human-1-{draw}") for draw in range(4)]
    each = [correlate(values, human, resamples=0).r for values in drawn]
    assert len({round(r, 9) for r in each}) > 1
    assert row.pearson.r == pytest.approx(np.mean(each), abs=1e-12)
    assert np.isnan(row.pearson.low)


def rescored(items, folder):
    """The first column of a scoring that is already in its folder."""
    written = {item.id: item for item in examples(folder / "items.jsonl")}
    assert all(len(item.references) == 1 for item in written.values())
    return rescore([written[item.id] for item in items], ("rouge",), folder).columns["rouge-1"]


def test_items_of_a_document_draw_alike(tmp_path):
    shared = tuple(f"text {k}" for k in range(9))
    items = [replace(item, references=shared, group=f"g{number // 4}") for number, item in enumerate(sample())]
    by_reference_count(items, ("rouge",), np.arange(12.0), None, tmp_path, ks=(2,), draws=1, resamples=0)
    drawn = {}
    for item in examples(tmp_path / "human-2-0" / "items.jsonl"):
        drawn.setdefault(item.document, set()).add(item.references)
    assert [len(references) for references in drawn.values()] == [1, 1, 1]
    assert len(set.union(*drawn.values())) > 1


def test_who_is_left_out(tmp_path):
    items = sample()  # 2, 3, 4, 2, 3, 4 … references
    human = np.arange(12.0)
    human[2] = np.nan
    rows = by_reference_count(items, ("rouge",), human, None, tmp_path / "a", kinds=("pearson",), resamples=0)
    assert {(row.k, row.n) for row in rows} == {(1, 7), (2, 7), (3, 7)}  # the median is 3; 8 items reach it, one is unrated
    assert all(np.isnan(row.spearman.r) for row in rows)
    assert not any(np.isnan(row.pearson.r) for row in rows if row.metric == "rouge-1")
    bare = [replace(item, context=()) for item in items]
    with pytest.raises(NeedsError, match="by its context"):
        by_reference_count(bare, ("rouge",), human, None, tmp_path / "b", pseudo=1)
    with pytest.raises(UsageError, match="12 items and 3 ratings"):
        by_reference_count(items, ("rouge",), human[:3], None, tmp_path / "c")
    with pytest.raises(UsageError, match="1 or more"):
        by_reference_count(items, ("rouge",), human, None, tmp_path / "c", ks=(0,))
    with pytest.raises(UnknownName, match="kendal"):
        by_reference_count(items, ("rouge",), human, None, tmp_path / "c", kinds=("kendal",))


def test_a_metric_that_does_not_vary_has_no_correlation(tmp_path):
    items = [replace(item, response="zzz") for item in sample()]
    row = by_reference_count(items, ("rouge",), np.arange(12.0), None, tmp_path, ks=(1,), draws=2, resamples=20)[0]
    assert (row.n, np.isnan(row.pearson.r), np.isnan(row.spearman.p)) == (12, True, True)


def test_numbers_of_references():
    assert reference_counts(0) == ()
    assert reference_counts(5) == (1, 2, 3, 4, 5)
    assert reference_counts(16) == (1, 2, 4, 8, 16)
