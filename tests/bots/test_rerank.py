"""Re-ranking: the best candidate by a metric, worked out by hand and by asking bot and metric apart."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.bots.random import Random
from dialometer.bots.rerank import Rerank
from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import BotError, NeedsError, PartlyFailed, SpecError, UnknownName
from dialometer.core.registry import create, spec_of
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn
from dialometer.text.corpus import Corpus

TEA = (Turn("a", "tea ?"),)
SAYS = ["no", "", "yes please", "yes please", "a b c d", "one two"]


@dataclass(frozen=True)
class Guest:
    """Says SAYS in order; fails for a context that says so."""

    shout: bool = False
    name: ClassVar[str] = "guest"
    version: ClassVar[int] = 1
    recipe: ClassVar[str] = "guest-1"
    closed: ClassVar[list] = []

    def reply(self, contexts, *, n=1, seed=0):
        if any(context and context[-1].text == "fail" for context in contexts):
            raise RuntimeError("as asked")
        said = (SAYS * (n // len(SAYS) + 1))[:n]
        return [[text.upper() if self.shout else text for text in said] for _ in contexts]

    def usage(self):
        return {"requests": 3}

    def close(self):
        self.closed.append(self.shout)


@dataclass(frozen=True)
class Overlap:
    """Words that response and context share; not scored without a context or for "no"."""

    name: ClassVar[str] = "shared"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset({"context"})
    columns: ClassVar[tuple[str, ...]] = ("shared", "negative")
    calls: ClassVar[list] = []

    def measure(self, corpus):
        self.calls.append(len(corpus))
        texts, rows = list(corpus.texts), corpus.contexts
        totals = np.zeros((len(corpus), 2))
        for i, response in enumerate(corpus.response.tolist()):
            context = {w for t in rows.rows[rows.starts[i] : rows.starts[i + 1]] for w in texts[t].split()}
            totals[i] = [bool(context) and texts[response] != "no", len(context & set(texts[response].split()))]
        return totals

    def finish(self, totals, *, level):
        with np.errstate(invalid="ignore"):
            value = totals[..., 1:] / totals[..., :1]
        return np.concatenate([value, -value], axis=-1)


@pytest.fixture
def listed(monkeypatch):
    monkeypatch.setitem(CATALOG["bot"], "guest", f"{__name__}:Guest")
    monkeypatch.setitem(CATALOG["metric"], "shared", f"{__name__}:Overlap")
    registry._menu.cache_clear()
    Guest.closed.clear()
    Overlap.calls.clear()
    yield
    monkeypatch.undo()
    registry._menu.cache_clear()


def best(spec, context=TEA, n=1):
    return create("bot", spec).reply([context], n=n)[0]


@pytest.mark.usefixtures("listed")
class TestOrder:
    def test_longest_first_earlier_of_equals_and_empty_last(self):
        wanted = ["a b c d", "yes please", "one two", "no", ""]
        assert best("rerank(bot=guest,metric=length,k=6)", n=5) == wanted
        assert best("rerank(bot=guest,metric=length,k=6)", n=7) == [*wanted, "a b c d", "yes please"]

    def test_lowest_first_and_empty_still_last(self):
        wanted = ["no", "yes please", "one two", "a b c d", ""]
        assert best("rerank(bot=guest,metric=length,k=6,lowest=true)", n=5) == wanted

    def test_another_column(self):
        assert best("rerank(bot=guest,metric=length,k=6,column=chars)", n=2) == ["yes please", "a b c d"]

    def test_k_is_how_many_are_looked_at(self):
        assert best("rerank(bot=guest,metric=length,k=1)") == ["no"]
        assert best("rerank(bot=guest,metric=length,k=3)") == ["yes please"]
        assert best("rerank(bot=guest,metric=length,k=1)", n=3) == ["yes please", "no", ""]  # or as many as are wanted

    def test_the_context_is_seen_and_what_has_no_score_comes_after_what_has(self):
        context = (Turn("a", "two c d"), Turn("b", "please \x00one \ud800"))
        wanted = ["a b c d", "one two", "yes please", "no", ""]
        assert best("rerank(bot=guest,metric=shared,k=6)", context, n=5) == wanted
        assert best("rerank(bot=guest,metric=shared,k=6,column=negative)", context, n=3) == [
            "yes please",
            "a b c d",
            "one two",
        ]
        assert best("rerank(bot=guest,metric=shared,k=6)", (), n=2) == ["no", "yes please"]

    def test_all_candidates_of_all_contexts_are_measured_at_once(self):
        create("bot", 'rerank(bots="guest;parrot",metric=shared,k=6)').reply([TEA, (), (Turn("a", "b"),)])
        assert Overlap.calls == [3 * 12]

    def test_several_bots_in_the_order_of_their_names(self):
        assert best('rerank(bots="guest; parrot ;guest(shout=true)",metric=length,k=6)', n=4) == [
            "a b c d", "A B C D", "yes please", "one two",
        ]  # fmt: skip

    def test_a_bot_that_fails_does_not_take_part_there(self):
        bot = create("bot", 'rerank(bots="guest;parrot",metric=length,k=6)')
        assert bot.reply([TEA, (Turn("a", "fail"),), ()]) == [["a b c d"], ["fail"], ["a b c d"]]

    def test_a_context_that_all_fail_for_is_told(self):
        bot = create("bot", "rerank(bot=guest,metric=length,k=6)")
        with pytest.raises(PartlyFailed) as error:
            bot.reply([TEA, (Turn("a", "fail"),)])
        assert error.value.replies == [["a b c d"], None]
        assert error.value.reasons == {1: "guest failed: RuntimeError: as asked"}

    def test_costs_and_the_end_are_passed_on(self):
        bot = create("bot", 'rerank(bots="guest;parrot;guest(shout=true)",metric=length)')
        bot.close()
        assert Guest.closed == []
        assert bot.usage() == {"guest: requests": 3, "guest(shout=true): requests": 3}
        bot.close()
        assert Guest.closed == [False, True]
        assert create("bot", "rerank(bot=guest,metric=length)").usage() == {"requests": 3}
        assert not bot.remote


def test_equal_to_bot_and_metric_apart():
    """Eliza's ten candidates, scored and ordered outside."""
    contexts = [(Turn("a", text),) for text in ("I need a cup of tea", "Because it rains", "my mother is here", "hi")]
    bot, metric = create("bot", "eliza"), create("metric", "length")
    wanted = []
    for candidates in bot.reply(contexts, n=10, seed=3):
        words = metric.finish(metric.measure(Corpus.of(candidates)), level="item")[:, 0]
        wanted.append(candidates[int(np.argmax(words))])
    assert [one[0] for one in create("bot", "rerank(bot=eliza,metric=length)").reply(contexts, seed=3)] == wanted


def test_the_same_bot_twice_has_other_candidates():
    seen = []

    class Seeds(Guest):
        def reply(self, contexts, *, n=1, seed=0):
            seen.append(list(seed))
            return super().reply(contexts, n=n, seed=seed)

    bot = Rerank(bots="a;b", metric="length", k=5)
    bot.__dict__["_bots"] = [Seeds(), Seeds()]
    bot.reply([TEA, ()], seed=4)
    first, second = seen
    assert first == seeds_for(4, [TEA, ()])
    assert len({*first, *second}) == 4


def test_one_candidate_is_the_bot_itself():
    contexts = [TEA, (), (Turn("a", "I am sad"),)]
    bot = create("bot", "rerank(bot=eliza,metric=length,k=1)")
    assert bot.reply(contexts, seed=8) == create("bot", "eliza").reply(contexts, seed=8)


def test_a_fitted_folder_takes_part(tmp_path):
    Random().fit([["one", "one two three"]]).save(tmp_path / "model")
    assert best(f'rerank(bots="constant; {tmp_path}",metric=length,k=30)', n=1) == ["I don't know ."]
    assert best(f"rerank(bot={tmp_path},metric=length,k=30)") == ["one two three"]


@pytest.mark.parametrize(
    ("spec", "error", "message", "hint"),
    [
        ("rerank", SpecError, "wants candidates", "rerank(bot=eliza"),
        ('rerank(bot=eliza,bots="eliza;parrot",metric=length)', SpecError, "wants candidates", "bots="),
        ("rerank(bot=eliza)", SpecError, "wants the metric", "metric=length"),
        ("rerank(bot=eliza,metric=length,k=0)", SpecError, "is 1 to 10000, not 0", "k=10"),
        ("rerank(bot=eliza,metric=length,k=many)", SpecError, "wants a whole number", "rerank(k=…)"),
    ],
)
def test_options_are_checked_at_once(spec, error, message, hint):
    with pytest.raises(error, match=message) as found:
        create("bot", spec)
    assert hint in found.value.hint


@pytest.mark.parametrize(
    ("options", "error", "message", "hint"),
    [
        ("metric=bleu", NeedsError, "bleu needs a reference, and a candidate reply has none", "--without reference"),
        ("metric=distinct", SpecError, "distinct does not score a response by itself", "metric=length"),
        ("metric=humanlike", NeedsError, "rerank goes by humanlike, which has not been trained", "train humanlike"),
        ("metric=blue", UnknownName, "no metric named 'blue'", "dialometer list metrics"),
        ("metric=length,column=letters", UnknownName, "no column of length named 'letters'", "dialometer list metrics"),
    ],
)
@pytest.mark.usefixtures("listed")
def test_a_metric_that_cannot_order_candidates_is_refused_before_any_work(options, error, message, hint, monkeypatch):
    monkeypatch.setattr(Guest, "reply", lambda *_, **__: pytest.fail("the bot was asked"))
    bot = create("bot", f"rerank(bot=guest,{options})")
    for use in (lambda: bot.reply([TEA]), lambda: bot.recipe):
        with pytest.raises(error, match=message) as found:
            use()
        assert hint in found.value.hint


def test_bots_that_cannot_talk_are_refused_before_any_work():
    with pytest.raises(UnknownName, match="no bot named 'elisa'; did you mean eliza"):
        create("bot", "rerank(bot=elisa,metric=length)").reply([TEA])
    with pytest.raises(NeedsError, match="rerank asks random, which has not been fitted") as error:
        create("bot", "rerank(bot=random,metric=length)").reply([TEA])
    assert "dialometer train random FILE…" in error.value.hint
    assert not isinstance(error.value, BotError)


def test_recipe_and_spec():
    one = create("bot", 'rerank(bots="parrot; constant(text=a;b)",metric=length)')
    assert [bot.name for bot in one._bots] == ["parrot", "constant"]
    assert create("bot", spec_of(one, "rerank")) == one
    nested = create("bot", 'rerank(bot=rerank(bot=constant(text="a | b"),metric=length),metric=length(tok=13a))')
    assert create("bot", spec_of(nested, "rerank")) == nested
    assert "|" not in nested.recipe
    recipes = {create("bot", f"rerank(bot=parrot,metric={m})").recipe for m in ("length", "length(tok=13a)")}
    assert len(recipes | {nested.recipe, one.recipe}) == 4
    assert "rerank-1(bots=parrot-1,metric=length/tok:words-1/v:1)" in recipes


def test_the_recipe_is_the_same_wherever_a_folder_lies(tmp_path):
    for folder, texts in (("here", ["one"]), ("there", ["one"]), ("other", ["two"])):
        Random().fit([texts]).save(tmp_path / folder)
    here, there, other = (
        create("bot", f"rerank(bot={tmp_path / folder},metric=length)").recipe for folder in ("here", "there", "other")
    )
    assert here == there != other
    assert str(tmp_path) not in here
