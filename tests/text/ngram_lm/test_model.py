"""The n-gram model against a hand-worked case, a plain implementation of Katz's paper, and its own promises."""

import gzip
from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dialometer.core.errors import DataError, MissingResource, NeedsError, SpecError, UnknownName
from dialometer.core.protocols import Fits, Likelihood
from dialometer.core.registry import create
from dialometer.text.ngram_lm.backoff import END, START, UNKNOWN, log_probabilities
from dialometer.text.ngram_lm.katz import discounts
from dialometer.text.ngram_lm.model import Ngram
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import overlap
from tests.text.plain_katz import PlainKatz

TALKS = [["I like tea .", "You like tea ?", "I like cake ."], ["Do you like tea ?", "", "Yes , tea and cake ."]]
ODD = ["", "unseen words only", "我爱茶 👍🏽", "tea 👍 tea", "<s> tea </s>", "<unk>", "tea", "   ", "\x00", "naïve café"]


def tokens(texts):
    split = tokeniser("words").tokens
    marks = ("<s>", "</s>", "<unk>")
    return [["<unk>" if token in marks else token for token in split(text)] for text in texts]


def sums(lm, texts):
    return lm.logprob([[]] * len(texts), texts)[0]


def test_hand_worked():
    """One sentence, ``x x x a a b b c d e f g``.

    Counts: x 3, a and b 2, c d e f g </s> 1; so n1 = 6, n2 = 2, n3 = 1, n4 = 0 and k falls to 2.
    A = 3·1/6 = 1/2; d1 = (2·2/(1·6) − 1/2)/(1/2) = 1/3; d2 = (3·1/(2·2) − 1/2)/(1/2) = 1/2; N = 13.
    p(x) = 3/13, p(a) = p(b) = 1/13, p(c) = … = p(</s>) = 1/39; the rest, 6/13, is <unk>'s.
    Bigrams: x x twice, 11 others once; n3 = 0, so k = 1, d1 = 0 is out of range, nothing is discounted, and every context's total
    grows by 1. p(x|<s>) = 1/2; p(x|x) = 2/4, p(a|x) = 1/4.
    bow(<s>) = (1/2)/(1 − 3/13) = 13/20; bow(x) = (1/4)/(1 − 3/13 − 1/13) = 13/36; bow(c) = (1/2)/(1 − 1/39) = 39/76.
    """
    lm = Ngram(order=2, prune=0).fit([["x x x a a b b c d e f g"]])
    expected = {
        "x x": [1 / 2, 1 / 2, 13 / 36 / 39],
        "c": [13 / 20 / 39, 39 / 76 / 39],
        "new": [13 / 20 * 6 / 13, 1 / 39],  # nothing follows an unknown word in the text: no weight
        "": [13 / 20 / 39],
    }
    result, events = lm.logprob([[]] * 4, list(expected))
    np.testing.assert_allclose(result, [sum(map(log, p)) for p in expected.values()], rtol=0, atol=1e-12)
    assert events.tolist() == [3, 2, 2, 1]
    np.testing.assert_allclose(lm.perplexity(["", "new"]), (0.3 / 39 / 60) ** (-1 / 3))
    one = Ngram(order=1).fit([["x x x a a b b c d e f g"]])
    np.testing.assert_allclose(sums(one, ["x a c new"]), [log(3 / 13 * 1 / 13 / 39 * 6 / 13 / 39)])


def test_one_sentence_of_one_word():
    """Two events seen once each, nothing to discount by: the total is 2 + 1, and each of hello, </s>, <unk> gets 1/3."""
    lm = Ngram(order=1).fit([["hello"]])
    np.testing.assert_allclose(np.exp(sums(lm, ["hello", "other", ""])), [1 / 9, 1 / 9, 1 / 3])
    for order in range(1, 6):
        assert np.isfinite(sums(Ngram(order=order).fit([["hello"]]), ["hello hello hello hello hello hello", *ODD])).all()


@pytest.mark.parametrize(
    ("seen", "most", "expected"),
    [
        ([0, 10, 4, 1], 2, [1, 5 / 7, 3 / 28]),  # A = .3; (.8 − .3)/.7; (.375 − .3)/.7
        ([0, 10, 4, 0], 2, [1, 1, 1]),  # n3 = 0: k falls to 1, and d1 = 0 is out of range
        ([0, 0, 4, 1], 2, [1, 1, 1]),  # no singletons
        ([0, 6, 4, 1], 2, [1, 1, 1]),  # 2·4/6 > 1; 3/8 < A = 1/2
        ([0, 3, 1, 1], 2, [1, 1, 1]),  # A = 1
        ([0, 2, 1, 1], 2, [1, 1, 1]),  # A > 1
        ([0, 5], 0, [1]),
    ],
)
def test_discounts(seen, most, expected):
    np.testing.assert_allclose(discounts(np.array(seen), most), expected)


@pytest.mark.oracle
@pytest.mark.parametrize("gtmin", [1, 2])
def test_equals_a_plain_implementation(gtmin, real_texts):
    texts = real_texts(6000)
    train, others = texts[1000:], texts[:1000]
    lm = Ngram(order=3, prune=0, gtmin=gtmin).fit([train])
    plain = PlainKatz(tokens(train), 3, gtmin=gtmin)
    scored = [*others, *train[:1000], *ODD]
    np.testing.assert_allclose(sums(lm, scored), list(map(plain.log_probability, tokens(scored))), rtol=0, atol=1e-9)
    assert any(plain.p[gram] < 0.9 for gram in plain.p if len(gram) == 3)


@pytest.mark.oracle
@pytest.mark.parametrize(("order", "threshold"), list(product((2, 3, 4), (1e-6, 1e-4, 1e-3))))
def test_pruning_equals_a_plain_implementation(order, threshold, real_texts):
    texts = real_texts(210)
    lm = Ngram(order=order, prune=threshold, gtmin=1).fit([texts[:150]])
    plain = PlainKatz(tokens(texts[:150]), order, gtmin=1)
    before = len(plain.p)
    plain.prune(threshold)
    assert lm.size() == len(plain.p) + 1  # <s> has a row, and no probability
    assert threshold < 1e-4 or len(plain.p) < before
    np.testing.assert_allclose(
        sums(lm, [*texts, *ODD]), list(map(plain.log_probability, tokens([*texts, *ODD]))), atol=1e-9
    )


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "<unk>"]), max_size=7).map(" ".join)


@settings(max_examples=150)
@given(
    st.lists(WORDS.filter(bool), min_size=1, max_size=25),
    st.integers(1, 5),
    st.sampled_from([0, 1e-6, 1e-3, 0.05, 0.5]),
    st.integers(1, 3),
    st.sampled_from(["good-turing", "none"]),
)
@example(["<unk>"], 2, 0, 1, "none")
@example(["a <unk> </s>", "<unk> a"], 3, 0, 1, "good-turing")
def test_every_distribution_sums_to_one(texts, order, prune, gtmin, discount):
    model = Ngram(order, prune, "whitespace", discount, gtmin=gtmin).fit([texts])._model()
    known = [word for word in range(len(model.words)) if word not in (START, END)]
    check_sums(model, [[], *product(known, repeat=1), *product(known[:2] + known[-1:], repeat=3)])


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("prune", [0, 1e-6, 1e-4])
def test_real_distributions_sum_to_one(order, prune, real_texts):
    model = Ngram(order, prune).fit([real_texts(1500)])._model()
    number = model.index
    spelt = [["i", "am"], ["do", "you", "want"], ["thank", "you", "very", "much"], ["zebra-like", "of", "the"], ["the"], []]
    check_sums(model, [[number.get(word, UNKNOWN) for word in words] for words in spelt])


def check_sums(model, histories):
    """Σ p(w | history) = 1 over all words, the end and <unk>, right after the start of a sentence and further on."""
    events = np.array([word for word in range(len(model.words)) if word != START])
    for words in ([START, *between, *history] for history in histories for between in ([], [UNKNOWN])):
        stream = np.column_stack([np.tile(words, (len(events), 1)), events]).ravel()
        p = np.exp(log_probabilities(model.levels, stream)[len(words) :: len(words) + 1])
        assert (p > 0).all()
        assert abs(p.sum() - 1) < 1e-9


def test_the_order_of_talks_and_company_change_nothing(real_texts):
    texts = real_texts(2000)
    lm = Ngram(order=3).fit([texts[:1000], texts[1000:]])
    again = Ngram(order=3).fit([[text] for text in texts[::-1]])
    assert again.recipe == lm.recipe
    assert again == lm != Ngram(order=3).fit([texts[:1000]])
    together = sums(lm, [*ODD, *texts, *ODD])
    assert together.tobytes() == np.concatenate([sums(lm, [text]) for text in [*ODD, *texts, *ODD]]).tobytes()


def test_blocks_change_nothing(monkeypatch, real_texts):
    texts = [*ODD, *real_texts(300)]
    lm = Ngram(order=3).fit([texts])
    whole = sums(lm, texts)
    monkeypatch.setattr("dialometer.text.ngram_lm.backoff.BLOCK", 16)
    assert sums(lm, texts).tobytes() == whole.tobytes()


def test_marks_in_a_text_are_unknown_words():
    lm = Ngram(order=2, tok="whitespace", prune=0).fit([["a <s> b", "a </s> b", "a <unk> b", "a <UNK> b", "c"]])
    assert list(lm._model().words) == ["<unk>", "<s>", "</s>", "a", "b", "c"]
    marked = sums(lm, ["a <s> b", "a </s> b", "a <unk> b", "a <UNK> b", "a new b"])
    assert len(set(marked.tolist())) == 1
    assert lm.logprob([[]], ["a <s> b"])[1].tolist() == [4]
    assert marked[0] > sums(lm, ["b new a"])[0]  # "a, something unknown, b" was seen


def test_words_that_columns_cannot_hold_are_unknown(tmp_path):
    lm = Ngram(order=2, tok="space").fit([["a\tb c", "c d"]])
    assert list(lm._model().words) == ["<unk>", "<s>", "</s>", "c", "d"]
    lm.write_arpa(tmp_path / "a.arpa")
    np.testing.assert_allclose(sums(Ngram(arpa=str(tmp_path / "a.arpa"), tok="space"), ["a\tb c"]), sums(lm, ["a\tb c"]))


@pytest.mark.parametrize("talks", [[], [[]], [["", "  "]], [["\u200b"]]])
def test_nothing_to_fit_on(talks):
    with pytest.raises(NeedsError, match="without words"):
        Ngram().fit(talks)


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("ngram(order=0)", "1 to 5"),
        ("ngram(order=6)", "1 to 5"),
        ("ngram(prune=-1)", "at least 0"),
        ("ngram(prune=nan)", "at least 0"),
        ("ngram(gtmax=0)", "1 to 1000"),
        ("ngram(gtmin=0)", "1 to 1000000000"),
        ("ngram(arpa=a.arpa,order=3)", "order would change nothing"),
        ("ngram(arpa=a.arpa,prune=0,text=b.txt)", "prune would change nothing"),
    ],
)
def test_options_out_of_range(spec, what):
    with pytest.raises(SpecError, match=what):
        create("likelihood", spec)


def test_an_unknown_discount():
    with pytest.raises(UnknownName, match="good-turing"):
        Ngram(discount="good turing")


def test_unfitted_says_the_way_out():
    lm = create("likelihood", "ngram")
    assert isinstance(lm, Fits)
    assert [Ngram(**how).fitted for how in ({}, {"text": "tea.txt"}, {"arpa": "tea.arpa"})] == [False, True, True]
    assert isinstance(lm.fit(TALKS), Likelihood)
    for use in (lambda: lm.recipe, lambda: sums(lm, ["tea"]), lm.seen):
        with pytest.raises(NeedsError, match="has not been fitted") as error:
            use()
        assert "dialometer train ngram" in error.value.hint
    with pytest.raises(NeedsError, match="perplexity of no text"):
        Ngram().fit(TALKS).perplexity([])


def test_saved_and_loaded(tmp_path):
    stages = []
    lm = Ngram(order=3, gtmin=1).fit(TALKS, seed=3, progress=lambda *stage: stages.append(stage))
    lm.save(tmp_path / "model")
    again = create("likelihood", str(tmp_path / "model"))
    assert again == lm
    assert again.recipe == lm.recipe
    assert lm.recipe.startswith("ngram-1(order=3,gtmin=1)@")
    assert sums(again, ODD).tobytes() == sums(lm, ODD).tobytes()
    assert overlap(["i LIKE tea .", "never said"], again.seen()).tolist() == [True, False]
    assert stages[-1][1:] == (2, 2)


def test_a_folder_without_its_arrays(tmp_path):
    from dialometer.core.artifacts import save_artifact

    lm = Ngram().fit(TALKS)
    save_artifact(tmp_path, "likelihood", lm, {"words": lm._model().words.bytes})
    with pytest.raises(MissingResource, match="lacks 'keys1'"):
        Ngram.load(tmp_path)


def test_fitted_on_a_file(tmp_path):
    lines = [text for talk in TALKS for text in talk]
    plain, packed = tmp_path / "talk.txt", tmp_path / "talk.gz"
    plain.write_text("\n".join(lines), encoding="utf-8")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    fitted = Ngram().fit(TALKS)
    for file in (plain, packed):
        lm = create("likelihood", f"ngram(text={file})")
        assert lm.recipe == fitted.recipe
        assert str(tmp_path) not in lm.recipe
        assert sums(lm, ODD).tobytes() == sums(fitted, ODD).tobytes()
        assert lm.seen().tolist() == fitted.seen().tolist()
    with pytest.raises(SpecError, match="names its own source"):
        lm.fit(TALKS)
    lm.save(tmp_path / "model")
    packed.unlink()
    assert create("likelihood", str(tmp_path / "model")) == fitted
    before = create("likelihood", f"ngram(text={plain})").recipe
    plain.write_text("something else entirely\n", encoding="utf-8")
    assert create("likelihood", f"ngram(text={plain})").recipe != before


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"\n", mtime=0)], ids=["empty", "blank", "packed"])
def test_a_file_without_words(tmp_path, content):
    file = tmp_path / "empty.txt"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"empty.txt: holds no text"):
        sums(Ngram(text=str(file)), ["tea"])


def test_a_file_that_is_not_there(tmp_path):
    for option in ("text", "arpa"):
        with pytest.raises(DataError, match=r"none.txt: cannot be read"):
            sums(Ngram(**{option: str(tmp_path / "none.txt")}), ["tea"])


def test_unseen_texts_are_less_likely(real_texts):
    """Perplexity falls from order 1 to 2 on held-out text, and shuffled words cost more under bigrams."""
    texts = real_texts(9000)
    train, held = texts[:8000], texts[8000:]
    unigram, bigram = (Ngram(order=order).fit([train]) for order in (1, 2))
    assert bigram.perplexity(held) < unigram.perplexity(held)
    backwards = [" ".join(text.split()[::-1]) for text in held]
    assert bigram.perplexity(backwards) > bigram.perplexity(held)
