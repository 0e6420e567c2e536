"""tfidf: rankings of scikit-learn, the item's own occurrence, round trips, and what it refuses."""

import numpy as np
import pytest

from dialometer.bots._retrieval.recall import candidates, recall_at
from dialometer.bots.tfidf import Tfidf
from dialometer.core.errors import MissingResource, NeedsError, PartlyFailed, UsageError
from dialometer.core.protocols import Bot, Fits
from dialometer.core.registry import create
from dialometer.core.types import Turn
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import seen_texts
from tests.encoders.talks import SMALL_TALK
from tests.real import lines

TALKS = [
    ["do you like tea ?", "yes , with milk .", "how much milk ?"],
    ["do you like tea ?", "no , never .", "why not ?"],
    ["is it cold in winter ?", "yes , with snow ."],
    ["shall we go ?", "no , never ."],
]


def turns(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


@pytest.fixture(scope="module")
def real(shared_data):
    rows = lines(shared_data("corpora/dailydialog.jsonl.gz"))
    return [[turn["text"] for turn in row["turns"]] for row in rows[:500]]


@pytest.fixture(scope="module")
def asked(shared_data):
    rows = [row for row in lines(shared_data("corpora/dailydialog.jsonl.gz")) if row["split"] == "valid"][:60]
    talks = [[turn["text"] for turn in row["turns"]] for row in rows]
    pairs = [(turns(*talk[:i]), talk[i]) for talk in talks for i in range(1, len(talk))]
    return [context for context, _ in pairs], [reply for _, reply in pairs]


@pytest.mark.oracle
@pytest.mark.parametrize("mode", ["context", "response"])
@pytest.mark.parametrize("last", [1, 4])
def test_replies_are_those_of_scikit_learn(real, asked, mode, last):
    """TfidfVectorizer of conversations, linear_kernel, the best document; equal cosines aside."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    from sklearn.metrics.pairwise import linear_kernel

    contexts = asked[0][:50]
    split = tokeniser("words").tokens
    made = text.TfidfVectorizer(tokenizer=split, token_pattern=None, lowercase=False, smooth_idf=False)
    made.fit([" ".join(talk) for talk in real])
    made.idf_ = made.idf_ - 1
    entries = [(talk[max(0, i - last) : i], talk[i]) for talk in real for i in range(1, len(talk))]
    documents = [" ".join(before) if mode == "context" else reply for before, reply in entries]
    joined = [" ".join(turn.text for turn in context[-last:]) for context in contexts]
    cosines = linear_kernel(made.transform(joined), made.transform(documents))
    bot = Tfidf(mode=mode, turns=last, own="keep").fit(real)
    found = bot.best(contexts, n=3)
    for row, some in zip(cosines, found, strict=True):
        assert some[0].score == pytest.approx(row.max(), abs=1e-12)
        near = {entries[i][1] for i in np.flatnonzero(row > row.max() - 1e-12)}
        assert some[0].reply in near
        best = {}
        for (_, reply), cosine in zip(entries, row.tolist(), strict=True):
            best[reply] = max(best.get(reply, 0), cosine)
        assert [one.score for one in some] == pytest.approx(sorted(best.values(), reverse=True)[:3], abs=1e-12)
        assert len({one.reply for one in some}) == 3


def test_the_own_occurrence_leaves_and_the_same_text_elsewhere_stays():
    context, truth = turns("shall we go ?"), "no , never ."
    bot = Tfidf(idf="smooth").fit(TALKS)
    assert bot.best([context], truths=[truth])[0][0].reply != truth  # the nearest context of the rest answers
    response = Tfidf(mode="response", idf="smooth").fit(TALKS)
    asks = turns("no , never , shall we ?")
    assert response.best([asks])[0][0].reply == truth
    # its own occurrence leaves, and the other conversation still says it
    own = turns("do you like tea ?")
    scores = {one.reply for one in response.best([own], truths=[truth], n=5)[0]}
    assert truth in scores
    strict = Tfidf(mode="response", idf="smooth", own="strict").fit(TALKS)
    assert truth not in {one.reply for one in strict.best([own], truths=[truth], n=5)[0]}
    assert truth not in {one.reply for one in strict.best([own], n=5)[0]}


def test_without_truths_no_entry_of_this_context_answers():
    keep = Tfidf(own="keep").fit(TALKS)
    drop = Tfidf(own="drop").fit(TALKS)
    context = turns("do you like tea ?")
    assert keep.reply([context], n=2) == [["yes , with milk .", "no , never ."]]
    found = drop.best([context], n=9)[0]
    assert "yes , with milk ." not in {one.reply for one in found}
    assert "no , never ." in {one.reply for one in found}  # said elsewhere


@pytest.mark.parametrize("mode", ["context", "response"])
def test_real_items_of_the_pool_do_not_get_their_own_reply(real, mode):
    pairs = [(turns(*talk[:i]), talk[i]) for talk in real[:80] for i in range(1, len(talk))]
    contexts, truths = [context for context, _ in pairs], [reply for _, reply in pairs]
    replies = [reply for talk in real for reply in talk[1:]]
    once = np.array([replies.count(truth) == 1 for truth in truths])
    hits = {}
    for own in ("keep", "drop", "strict"):
        best = Tfidf(mode=mode, own=own).fit(real).best(contexts, truths=truths)
        hits[own] = np.array([some[0].reply == truth for some, truth in zip(best, truths, strict=True)])
    assert not hits["drop"][once].any()
    assert not hits["strict"].any()
    assert hits["keep"].mean() > (0.9 if mode == "context" else 0.0)
    assert Tfidf(mode=mode).fit(real).reply(contexts[:5]) != [[truth] for truth in truths[:5]]


def test_company_changes_nothing(real, asked):
    bot = Tfidf().fit(real)
    contexts = asked[0][:40]
    together = bot.best(contexts, n=2)
    assert together == [bot.best([context], n=2)[0] for context in contexts]
    assert bot.reply(contexts, n=2, seed=1) == bot.reply(contexts, n=2, seed=2)


def test_recall_is_well_above_chance(real, asked):
    contexts, replies = asked
    bot = Tfidf(mode="response").fit(real)
    which = candidates([replies.index(reply) for reply in replies])
    scores = bot.scores(contexts, [[replies[j] for j in row] for row in which.tolist()])
    assert recall_at(scores, 0)[1] > 0.3
    first = bot.scores(contexts[:1], [[replies[j] for j in which[0]]])
    np.testing.assert_array_equal(first, scores[:1])


def test_save_and_load(real, asked, tmp_path):
    bot = Tfidf(mode="response", turns=3, own="strict").fit(real)
    bot.save(tmp_path / "bot")
    again = create("bot", str(tmp_path / "bot"))
    assert again == bot
    assert again.recipe == bot.recipe
    assert again.recipe.startswith("tfidf-1(mode=response,turns=3,own=strict)@")
    assert again.best(asked[0][:20], n=3) == bot.best(asked[0][:20], n=3)
    np.testing.assert_array_equal(again.seen(), seen_texts(text for talk in real for text in talk))
    assert isinstance(again, Bot)
    assert isinstance(again, Fits)


def test_a_damaged_folder_is_refused(tmp_path):
    Tfidf().fit(TALKS).save(tmp_path)
    (tmp_path / "arrays.safetensors").write_bytes(b"\x00" * 40)
    with pytest.raises(MissingResource, match="cannot be read"):
        Tfidf.load(tmp_path)


def test_n_replies_exactly_and_different_ones_first():
    bot = Tfidf(own="keep").fit(TALKS)
    (found,) = bot.reply([turns("tea ?")], n=7)
    assert len(found) == 7
    assert len(set(found)) == 5
    assert found[5:] == found[:2]


def test_words_nobody_knows_and_silence():
    bot = Tfidf(own="keep").fit(TALKS)
    assert bot.reply([turns("zzz"), turns("  "), turns("")]) == [["yes , with milk ."]] * 3


def test_an_empty_context_gets_an_opener_by_its_seed():
    bot = Tfidf().fit(SMALL_TALK)
    openers = {talk[0] for talk in SMALL_TALK}
    said = [bot.reply([()], seed=[seed])[0][0] for seed in range(20)]
    assert set(said) <= openers
    assert len(set(said)) > 3
    assert said == [bot.reply([turns("tea"), ()], seed=[0, seed])[1][0] for seed in range(20)]
    assert len(set(bot.reply([()], n=5)[0])) == 5


def test_a_context_whose_own_replies_were_all_fails_alone():
    bot = Tfidf(idf="smooth", own="strict").fit([["tea ?", "yes ."]])
    with pytest.raises(PartlyFailed, match="no reply left") as failed:
        bot.reply([turns("tea ?"), turns("cake ?")])
    assert failed.value.replies == [None, ["yes ."]]
    assert "own=keep" in str(failed.value)


@pytest.mark.parametrize("talks", [[], [[]], [["one"], ["two"]], [["one", "  "], [""]]])
def test_conversations_without_replies_are_refused(talks):
    with pytest.raises(NeedsError, match="no conversation here has two turns") as refused:
        Tfidf().fit(talks)
    assert "conversations" in refused.value.hint


def test_one_conversation_needs_another_formula():
    with pytest.raises(NeedsError, match="no word a weight") as refused:
        Tfidf().fit([["tea ?", "yes ."]])
    assert "idf=smooth" in refused.value.hint
    assert Tfidf(idf="smooth", own="keep").fit([["tea ?", "yes ."]]).reply([turns("tea")]) == [["yes ."]]


def test_unfitted_use_names_the_way_out():
    for use in (lambda bot: bot.reply([turns("hi")]), lambda bot: bot.recipe, lambda bot: bot.seen()):
        with pytest.raises(NeedsError, match="dialometer train tfidf FILE"):
            use(create("bot", "tfidf"))


@pytest.mark.parametrize("spec", ["mode=both", "own=some", "idf=log", "turns=0"])
def test_bad_options(spec):
    with pytest.raises(UsageError):
        create("bot", f"tfidf({spec})")


def test_silent_turns_are_no_replies():
    bot = Tfidf(own="keep", idf="smooth").fit([["tea ?", " ", "yes ."], ["cake ?", "no ."]])
    assert bot.reply([turns("tea ?")], n=2) == [["yes .", "no ."]]


def test_texts_beyond_ascii(tmp_path):
    bot = Tfidf(own="keep", idf="smooth").fit([["你好 吗 ?", "很好 👍🏽"], ["Ça va ?", "Très bien !"]])
    assert bot.reply([turns("ça va bien ?"), turns("你好")]) == [["Très bien !"], ["很好 👍🏽"]]
    bot.save(tmp_path)
    assert Tfidf.load(tmp_path).reply([turns("你好")]) == [["很好 👍🏽"]]


def test_an_empty_batch():
    assert Tfidf().fit(TALKS).reply([]) == []
