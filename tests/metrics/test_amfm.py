"""AM-FM by hand, against a plain recomputation, and on sentences where word overlap is fooled."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import MissingResource, NeedsError, SpecError
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.encoders.lsi import Lsi
from dialometer.metrics.amfm import Amfm, combine
from dialometer.text.corpus import Corpus
from dialometer.text.ngram_lm.model import Ngram
from tests.metrics.scoring import assert_close, items, one, whole

TALK = [
    "i like tea",
    "you like cake",
    "tea is nice",
    "cake is nice too",
    "we do not deliver to serbia",
    "go home now",
    "yes we do",
]


@pytest.fixture(scope="module")
def metric():
    return Amfm(am="lsi(k=4)").fit([TALK])


@dataclass(frozen=True)
class Compass:
    """Texts as angles: "30" is the unit vector at 30 degrees."""

    name: ClassVar[str] = "compass"
    version: ClassVar[int] = 1
    width: ClassVar[int] = 2
    recipe: ClassVar[str] = "compass-1"

    def encode(self, texts):
        angles = [math.radians(float(text or 0)) for text in texts]
        return np.array(
            [[math.cos(a), math.sin(a)] if text else [0, 0] for a, text in zip(angles, texts, strict=True)], np.float32
        )

    def coverage(self, texts):
        return np.array([[bool(text), bool(text)] for text in texts], np.int64)


@dataclass(frozen=True)
class Lengths:
    """ln p = −characters over one event each; in context, minus the length of the last turn besides."""

    contextual: bool = False
    name: ClassVar[str] = "lengths"
    version: ClassVar[int] = 1
    recipe: ClassVar[str] = "lengths-1"

    def logprob(self, contexts, responses):
        last = [len(context[-1]) if self.contextual else 0 for context in contexts]
        return -np.array([len(r) + 2 * n for r, n in zip(responses, last, strict=True)], float), np.full(len(responses), 2)


@pytest.fixture
def guests(monkeypatch):
    monkeypatch.setitem(CATALOG["encoder"], "compass", f"{__name__}:Compass")
    monkeypatch.setitem(CATALOG["likelihood"], "lengths", f"{__name__}:Lengths")
    registry._menu.cache_clear()
    yield
    monkeypatch.undo()
    registry._menu.cache_clear()


def scores(options, response, *references):
    return one(f"amfm(am=compass,fm=lengths{options})", response, *references)


def test_by_hand(guests):
    """Angles 0 and 60 degrees: cosine ½; characters 1 and 2: ln p per event −½ and −1, ratio e^−½."""
    fm = math.exp(-0.5)
    assert_close(scores("", "0", "60"), [0.5, fm, 0.8 * 0.5 + 0.2 * fm, 1], 1e-7)
    assert_close(scores(",weight=0.5,mean=geometric", "0", "60")[2], math.sqrt(0.5 * fm), 1e-7)
    assert_close(scores(",weight=0.5,mean=harmonic", "0", "60")[2], 2 / (1 / 0.5 + 1 / fm), 1e-7)
    assert_close(scores(",fluency=absolute", "0", "60")[1], math.exp(-0.5), 1e-7)


def test_negative_cosines_are_cut_at_zero(guests):
    assert scores("", "0", "120")[0] == 0


def test_several_references(guests):
    best, other = math.cos(math.radians(10)), math.cos(math.radians(80))
    assert_close(scores("", "0", "10", "80")[0], best, 1e-6)
    assert_close(scores(",pool=mean", "0", "10", "80")[0], (best + other) / 2, 1e-6)
    assert_close(scores(",pool=centroid", "0", "10", "80")[0], math.cos(math.radians(45)), 1e-6)
    near, far = math.exp(-0.5), math.exp(-1)
    assert_close(scores(",pool=mean", "0", "10", "150")[1], (near + far) / 2, 1e-6)
    assert_close(scores(",pool=max", "0", "10", "150")[1], near, 1e-6)


def test_a_likelihood_that_reads_the_context(guests):
    """ln p per event = −(characters + 2 × those of the last turn)/2: the context cancels in the ratio, not in the absolute form."""
    example = Example("a", (Turn("u", "abc"),), "0", ("60",))
    corpus = Corpus.build([example])
    relative = create("metric", "amfm(am=compass,fm=lengths(contextual=true))")
    absolute = create("metric", "amfm(am=compass,fm=lengths(contextual=true),fluency=absolute)")
    assert_close(relative.finish(relative.measure(corpus), level="item")[0, 1], math.exp(-0.5), 1e-9)
    assert_close(absolute.finish(absolute.measure(corpus), level="item")[0, 1], math.exp(-(1 + 6) / 2), 1e-9)


def test_means_at_zero():
    zero, half = np.array(0.0), np.array(0.5)
    assert combine(zero, half, 0.5, "harmonic") == combine(zero, half, 0.5, "geometric") == 0
    assert_close([combine(zero, half, 0.0, mean) for mean in ("arithmetic", "geometric", "harmonic")], [0.5] * 3)


def test_the_reference_itself_scores_one(metric):
    np.testing.assert_allclose(one(metric, "tea is nice", "go home now", "tea is nice"), [1, 1, 1, 1])


def test_a_further_reference_never_lowers_the_score(metric, real_pairs):
    responses, references = real_pairs(200, many=True)
    few = items(metric, responses, [refs[:1] for refs in references])
    more = items(metric, responses, [refs[:3] for refs in references])
    assert (more[:, :3] >= few[:, :3] - 1e-12).all()
    assert (more[:, :3] > few[:, :3]).any()


def test_plain_recomputation_on_real_pairs(real_pairs):
    responses, references = real_pairs(600, many=True)
    text = [reference for refs in references[300:] for reference in refs]
    metric = Amfm(am="lsi(k=10)", fm="ngram(order=2)").fit([text])
    lsi, lm = Lsi(k=10).fit([text]), Ngram(order=2).fit([text])
    found = items(metric, responses[:300], references[:300])
    for row, (response, refs) in enumerate(zip(responses[:300], references[:300], strict=True)):
        a, *others = lsi.encode([response, *refs]).astype(float)
        cosines = [a @ b / math.sqrt((a @ a) * (b @ b)) if (a @ a) * (b @ b) else 0 for b in others]
        total, events = lm.logprob([()] * (1 + len(refs)), [response, *refs])
        p = np.exp(total / events)
        am, fm = max(0, *cosines), max(min(p[0], q) / max(p[0], q) for q in p[1:])
        assert_close(found[row, :3], [am, fm, 0.8 * am + 0.2 * fm], 1e-6)


def test_no_known_word_is_zero_and_flagged(metric):
    am, _, _, coverage = one(metric, "我爱 👍", "我爱 👍")
    assert (am, coverage) == (0, 0)


def test_an_empty_response_scores_nothing(metric):
    assert one(metric, "", "i like tea").tolist()[:3] == [0, 0, 0]
    assert one(Amfm(am="lsi(k=4)", fluency="absolute").fit([TALK]), "  ", "i like tea").tolist()[:3] == [0, 0, 0]
    assert whole(metric, ["", ""], [["i like tea"], ["no"]]).tolist()[:3] == [0, 0, 0]


def test_coverage_is_a_ratio_of_sums(metric):
    assert_close(one(metric, "tea zebra", "i like tea")[3], 4 / 5)
    assert_close(whole(metric, ["tea zebra", "zebra"], [["i like tea"], ["zebra"]])[3], 4 / 7)


SERBIA = (
    "hi , yes we do deliver to ireland .",
    "i am sorry but we currently do not deliver to serbia",
    "do you delivery to serbia",
)
MISLEADING = [
    (*SERBIA, "both"),
    ("yes , you can .", "no , you can not .", "can i smoke here ?", "polarity"),
    ("sure , that will work", "sorry , that wo n't work", "will that work ?", "polarity"),
    ("we open on monday", "we open on friday", "when do you open ?", "entities"),
    ("it costs 30 dollars", "it costs 20 dollars", "how much is it ?", "entities"),
    ("I met Anna there", "I met Peter there", "who did you meet ?", "entities"),
    ("the train leaves at nine", "the train leaves at ten", "when does it leave ?", "entities"),
]
FAITHFUL = [
    ("no , we do not deliver to serbia", "sorry , we do n't deliver to serbia", "do you deliver to serbia ?"),
    ("on friday , i think", "we open on friday", "when do you open ?"),
    ("to serbia ? of course", "yes we do", "do you deliver to serbia ?"),
    ("i like tea", "i like cake", "what do you like ?"),
]


def in_context(metric, response, reference, context):
    corpus = Corpus.build([Example("a", (Turn("u", context),), response, (reference,))])
    return metric.finish(metric.measure(corpus), level="item")[0, -2]


@pytest.mark.parametrize(("response", "reference", "context", "by"), MISLEADING)
def test_what_contradicts_or_misnames_the_reference_loses(metric, response, reference, context, by):
    plain = in_context(metric, response, reference, context)
    for option in ("polarity", "entities"):
        strict = in_context(Amfm(am="lsi(k=4)", **{option: 0.5}).fit([TALK]), response, reference, context)
        assert strict == pytest.approx(plain * (0.5 if by in (option, "both") else 1))


@pytest.mark.parametrize(("response", "reference", "context"), FAITHFUL)
def test_what_does_not_keeps_its_score(metric, response, reference, context):
    strict = Amfm(am="lsi(k=4)", polarity=0.5, entities=0.5).fit([TALK])
    assert in_context(strict, response, reference, context) == pytest.approx(
        in_context(metric, response, reference, context)
    )


def test_fit_to_the_context(guests):
    metric = create("metric", "amfm(am=compass,fm=lengths,pm=0.5,pm_encoder=compass)")
    assert metric.columns == ("am", "fm", "pm", "am-fm", "am-coverage")
    assert "context" in metric.needs
    turns = (Turn("u", "0"), Turn("v", "60"))
    rows = metric.measure(Corpus.build([Example("a", turns, "0", ("0",)), Example("b", (), "0", ("0",))]))
    assert_close(metric.finish(rows[0], level="item"), [1, 1, 0.5, 0.75, 1], 1e-6)
    assert not rows[1].any()


def test_saved_loaded_and_named_by_its_folder(metric, tmp_path):
    metric.save(tmp_path / "model")
    again = create("metric", str(tmp_path))
    assert_close(one(again, "tea is good", "tea is nice"), one(metric, "tea is good", "tea is nice"), 0)
    line = recipe(again)
    assert f"am:{Lsi(k=4).fit([TALK]).recipe}|fm:{Ngram().fit([TALK]).recipe}" in line
    assert str(tmp_path) not in line
    assert again.seen().tolist() == metric.seen().tolist()
    assert create("metric", registry.spec_of(again, "amfm")) == again


def test_a_fitted_metric_can_be_weighed_anew(metric, tmp_path):
    metric.save(tmp_path / "run" / "model")
    half = create("metric", f"{tmp_path}/run(weight=0.5,polarity=0.5)")
    assert (half.weight, half.polarity, half.am) == (0.5, 0.5, "lsi(k=4)")
    am, fm, whole_score, _ = one(half, "tea is good", "tea is nice")
    assert_close(whole_score, (am + fm) / 2)
    assert_close(one(f"amfm(am=lsi(k=4),model={tmp_path}/run)", "tea", "cake"), one(metric, "tea", "cake"))
    with pytest.raises(SpecError, match="was fitted with am="):
        create("metric", f"{tmp_path}/run(am=minilm)")


def test_the_arithmetic_shows_both_probabilities(metric):
    corpus = Corpus.of(["tea is nice", ""], [["go home now"], ["go home now"]])
    p, q = np.exp(np.divide(*metric.parts[1].logprob([(), ()], ["tea is nice", "go home now"])))
    first, empty = (metric.explain(corpus, row) for row in (0, 1))
    assert f"p {p:.4g}, p′ {q:.4g} → FM {min(p, q) / max(p, q):.4f}" in first[1]
    assert any("empty response" in line for line in empty)


def test_refusals_of_parts_speak_of_amfm():
    with pytest.raises(NeedsError, match=r"rank 3\n.*amfm\(am=lsi\(k=3\)\)"):
        Amfm().fit([["a b", "b c", "c d", "a b b c"]])
    with pytest.raises(NeedsError, match=r"not been fitted on a text \(its ngram\)"):
        recipe(Amfm(am="minilm"))


def test_parts_without_anything_to_fit(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(TALK))
    assert Amfm().needs == {"reference", "text"}
    assert Amfm(text=str(path)).needs == {"reference"}
    assert Amfm(am=f"lsi(k=2,text={path})", fm=f"ngram(text={path})").needs == {"reference"}
    with pytest.raises(NeedsError, match="amfm has not been fitted on a text"):
        recipe(Amfm())


def test_a_text_of_its_own_is_not_fitted_over(tmp_path):
    with pytest.raises(SpecError, match="names its own source"):
        Amfm(text=str(tmp_path / "lines.txt")).fit([TALK])
    with pytest.raises(MissingResource, match=r"holds no artifact\.json"):
        recipe(Amfm(model=str(tmp_path)))


def test_parts_that_are_ready_are_not_fitted_again(tmp_path):
    Ngram(order=3).fit([["quite another text"]]).write_arpa(tmp_path / "lm.arpa")
    ready = f"ngram(arpa={tmp_path}/lm.arpa)"
    metric = Amfm(am="lsi(k=2)", fm=ready).fit([TALK])
    assert metric.parts[1].recipe == create("likelihood", ready).recipe
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(TALK))
    assert_close(one(f"amfm(am=lsi(k=2),fm={ready},text={path})", "tea", "cake"), one(metric, "tea", "cake"), 1e-12)


@pytest.mark.parametrize(
    "spec", ["weight=1.1", "weight=-1", "mean=median", "fluency=loud", "pool=best", "polarity=2", "pm=nan"]
)
def test_refused_options(spec):
    with pytest.raises(SpecError):
        create("metric", f"amfm({spec})")
