"""adem: what it learns, that folds never share a context, that save and load keep every score, and what it refuses."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import spearmanr

from dialometer.core import registry
from dialometer.core.errors import DialometerError, NeedsError, SpecError, UnknownName
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.judges.adem import Adem
from dialometer.stats.validation.folds import fold_numbers
from dialometer.text.corpus import Corpus
from tests.judges.rated_sets import rated as real_ratings

pytest.importorskip("torch")


@dataclass(frozen=True)
class Letters:
    """An encoder for tests: counts of letters, to length 1."""

    name: ClassVar[str] = "letters"
    version: ClassVar[int] = 1
    width: ClassVar[int] = 26
    recipe: ClassVar[str] = "letters"

    def encode(self, texts):
        counts = np.array([[text.count(chr(97 + i)) for i in range(26)] for text in texts], np.float32).reshape(-1, 26)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)

    def coverage(self, texts):
        return np.ones((len(texts), 2), np.int64)


WORDS = "tea cake rain sun book road fish tree lamp wolf moon song door glass stone".split()


def rated(n=60, seed=0):
    """Replies that share words with their context and reference are rated higher."""
    rng = np.random.default_rng(seed)
    items, target = [], []
    for i in range(n):
        context, reference, reply = (list(rng.choice(WORDS, 4)) for _ in range(3))
        mixed = rng.random()
        reply = [c if rng.random() < mixed else r for c, r in zip(reference, reply, strict=True)]
        items.append(
            Example(
                f"i{i}", (Turn("u", " ".join(context)),), " ".join(reply), (" ".join(reference),), f"s{i % 3}", f"g{i // 3}"
            )
        )
        target.append(1 + 4 * len(set(reply) & set(reference)) / 4 + 0.2 * rng.normal())
    return Corpus.build(items), np.clip(np.array(target), 1, 5)


def scores(judge, corpus):
    return judge.finish(judge.measure(corpus), level="item")[:, 0]


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    real = registry.find
    monkeypatch.setattr(registry, "find", lambda kind, name: Letters if name == "letters" else real(kind, name))


@pytest.mark.parametrize(
    "options",
    ["", "prior=zero,pca=12", "variant=reference", "pca=5", "loss=rank", "censor=true", "spread=true", "features=rouge"],
)
def test_learns_what_raters_liked(options):
    corpus, target = rated(90)
    judge = create("metric", f"adem(encoder=letters,{options})" if options else "adem(encoder=letters)")
    learnt = judge.fit(corpus.take(np.arange(60)), target[:60])
    held_out = scores(learnt, corpus.take(np.arange(60, 90)))
    assert spearmanr(held_out, target[60:])[0] > 0.3
    assert held_out.min() >= target[:60].min()
    assert held_out.max() <= target[:60].max()
    assert learnt.facts["rows"] == 60


@pytest.mark.parametrize("options", ["", ",variant=context", ",prior=zero", ",censor=true,interval=0.8", ",features=rouge"])
def test_what_is_saved_scores_the_same(tmp_path, options):
    corpus, target = rated()
    judge = create("metric", f"adem(encoder=letters{options})").fit(corpus, target)
    judge.save(tmp_path / "judge")
    again = create("metric", str(tmp_path / "judge"))
    assert again == judge
    assert again.facts == judge.facts
    np.testing.assert_allclose(
        again.finish(again.measure(corpus), level="item"), judge.finish(judge.measure(corpus), level="item"), atol=1e-4
    )
    assert again.caution(corpus) == judge.caution(corpus)
    assert (tmp_path / "judge" / "arrays.safetensors").stat().st_size < 1 << 20


def test_company_and_shards_change_nothing():
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters)").fit(corpus, target)
    whole = judge.measure(corpus)
    parts = [judge.measure(corpus.take(rows)) for rows in np.split(np.random.default_rng(0).permutation(60), 4)]
    order = np.concatenate(np.split(np.random.default_rng(0).permutation(60), 4))
    np.testing.assert_array_equal(np.concatenate(parts), whole[order])


def test_missing_sides_are_not_scored():
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters)").fit(corpus, target)
    bare = Corpus.of(["tea cake"], [["tea"]])
    assert np.isnan(scores(judge, bare)).all()
    alone = create("metric", "adem(encoder=letters,variant=reference)").fit(corpus, target)
    assert np.isfinite(scores(alone, bare)).all()


def test_of_several_references_the_nearest_counts():
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters,variant=reference)").fit(corpus, target)
    one, two = Corpus.of(["tea cake"], [["tea cake song"]]), Corpus.of(["tea cake"], [["wolf", "tea cake song", "moon"]])
    np.testing.assert_allclose(scores(judge, one), scores(judge, two))


def test_a_reply_without_words_has_the_low_end_of_the_scale():
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters,low=1,high=5)").fit(corpus, target)
    empty = Corpus.build([Example("a", (Turn("u", "tea"),), " ", ("tea",))])
    assert scores(judge, empty).tolist() == [1.0]
    assert scores(replace(judge, clip=False), empty)[0] != 1.0


def test_interval_holds_the_score_and_stays_on_the_scale():
    corpus, target = rated(120)
    judge = create("metric", "adem(encoder=letters,interval=0.8)").fit(corpus, target)
    value, low, high = judge.finish(judge.measure(corpus), level="item").T
    assert (low <= value).all()
    assert (value <= high).all()
    assert low.min() >= target.min()
    inside = ((low <= target) & (target <= high)).mean()
    assert inside >= 0.8  # in sample: the residuals it rests on are of left-out contexts, and those are larger


def test_spread_gives_the_ratings_own_to_scores_of_left_out_contexts():
    corpus, target = rated(120)
    plain, wide = (
        create("metric", f"adem(encoder=letters,clip=false,spread={flag})").fit(corpus, target) for flag in (0, 1)
    )
    before, after = (target - judge.head.arrays["left_out"] for judge in (plain, wide))
    np.testing.assert_allclose([after.mean(), after.std()], [target.mean(), target.std()])
    assert before.std() < after.std()
    np.testing.assert_allclose(np.argsort(scores(plain, corpus)), np.argsort(scores(wide, corpus)))


def test_start_learns_nothing_but_the_scale():
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters,prior=zero,solver=start,pca=12)").fit(corpus, target)
    said = scores(replace(judge, clip=False), corpus)
    np.testing.assert_allclose([said.min(), said.max()], [target.min(), target.max()], atol=1e-9)


def test_unrated_examples_are_left_alone():
    corpus, target = rated(63)
    holes = target.copy()
    holes[60:] = np.nan
    judge = create("metric", "adem(encoder=letters)")
    one, two = judge.fit(corpus, holes), judge.fit(corpus.take(np.arange(60)), target[:60])
    np.testing.assert_allclose(scores(one, corpus), scores(two, corpus), atol=1e-9)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("adem(prior=one)", "prior=one"),
        ("adem(variant=half)", "variant=half"),
        ("adem(also=smell)", "smell"),
        ("adem(interval=2)", "interval"),
        ("adem(solver=first-order)", "prior=zero"),
        ("adem(prior=zero,loss=rank)", "loss=rank"),
        ("adem(low=5,high=1)", "low"),
        ("adem(gamma=0.1)", "paper's form"),
        ("adem(prior=zero,features=rouge)", "no features"),
        ("adem(prior=zero,also=length)", "no features"),
        ("adem(prior=zero,solver=start,oversample=true)", "nothing is learnt"),
    ],
)
def test_refuses_options(spec, says):
    with pytest.raises(SpecError, match=says):
        create("metric", spec)


def test_refuses_a_kind_of_negative_that_there_is_not():
    with pytest.raises(UnknownName, match="kind of negative"):
        create("metric", "adem(negatives=foo)")


def test_refuses_ratings_outside_a_scale_that_was_named():
    corpus, target = rated()
    with pytest.raises(NeedsError, match=r"a scale of 1 to 3, and .* ratings lie outside"):
        create("metric", "adem(encoder=letters,low=1,high=3)").fit(corpus, target)


def test_errors_of_a_rank_loss_are_its_own():
    corpus, target = rated(120)
    judge = create("metric", "adem(encoder=letters,loss=rank)").fit(corpus, target)
    said = target - judge.head.arrays["left_out"]
    np.testing.assert_allclose(
        [said.mean(), said.std()], [target.mean(), target.std()], rtol=1e-6
    )  # as they were stretched
    assert judge.facts["error left out"] == pytest.approx(np.mean(judge.head.arrays["left_out"] ** 2))


def test_an_echo_is_heard_in_the_context_even_of_a_judge_of_references():
    judge = create("metric", "adem(encoder=letters,variant=reference,negatives=repeated)")
    assert judge.needs == {"reference"}
    assert judge.uses == {"reference", "context"}
    assert create("metric", "adem(encoder=letters,variant=reference)").uses == {"reference"}


def test_the_recipe_is_the_same_once_saved(tmp_path):
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters,features=rouge)").fit(corpus, target)
    judge.save(tmp_path / "judge")
    assert recipe(create("metric", str(tmp_path / "judge"))) == recipe(judge)
    assert "features:rouge/variant:best" in recipe(judge)


def test_other_word_vectors_than_those_of_the_training_are_refused():
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters)").fit(corpus, target)
    with pytest.raises(NeedsError, match="trained on vectors of older"):
        replace(judge, head=replace(judge.head, words="older")).measure(corpus)


def test_refuses_to_score_before_it_was_trained():
    with pytest.raises(NeedsError, match="trained"):
        create("metric", "adem(encoder=letters)").measure(Corpus.of(["a"], [["b"]]))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c, t: (c, np.full(len(t), np.nan)), "none of 60"),
        (lambda c, t: (c, np.full(len(t), 3.0)), "nothing to learn"),
        (lambda c, t: (c.take(np.arange(3)), t[:3]), "cannot learn"),
        (lambda c, t: (Corpus.of(["a"] * 60), t), "context"),
    ],
)
def test_refuses_ratings(change, says):
    with pytest.raises(DialometerError, match=says):
        create("metric", "adem(encoder=letters)").fit(*change(*rated()))


def test_another_encoder_is_refused(tmp_path, monkeypatch):
    corpus, target = rated()
    judge = create("metric", "adem(encoder=letters)").fit(corpus, target)
    monkeypatch.setattr(Letters, "recipe", "other letters")
    with pytest.raises(NeedsError, match="other letters"):
        judge.measure(corpus)


def test_caution_speaks_up_only_off_its_domain():
    corpus, target = rated(120)
    judge = create("metric", "adem(encoder=letters)").fit(corpus, target)
    assert judge.caution(corpus) == ""
    odd = Corpus.build([Example(str(i), (Turn("u", "tea"),), "zzz qqq xx jj" * (1 + i % 2), ("tea",)) for i in range(20)])
    assert "unlike" in judge.caution(odd)


def test_real_ratings_beat_the_untrained_cosine(shared_data):
    corpus, target = real_ratings(shared_data("turns/zhao_dailydialog.jsonl.gz"), "appropriateness")
    folds = fold_numbers(list(corpus.documents), 3)
    said = np.empty(len(target))
    judge = Adem(encoder="average", also="response+length")
    for fold in range(3):
        learn, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        said[test] = scores(judge.fit(corpus.take(learn), target[learn]), corpus.take(test))
    cosine = create("metric", "sentence(encoder=average)")
    assert spearmanr(said, target)[0] > spearmanr(scores(cosine, corpus), target)[0] + 0.1
