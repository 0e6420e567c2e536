"""Every bot of the catalogue keeps the promises of its kind (docs/guide/bots.md).

Those that learn are fitted on a few lines, with sizes of seconds. Those that talk to something outside (an endpoint, a program, a
function, large weights) are asked in their own tests, where that is made up.
"""

import json
import random
import shutil
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from dialometer.bots._shared.ask import ask
from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import DialometerError, MissingResource, NeedsError, PartlyFailed, SpecError
from dialometer.core.protocols import Bot, Fits
from dialometer.core.registry import CARD, create, find, names, spec_of
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn
from dialometer.text.training_overlap import overlap

TALK = Path(__file__).with_name("talk.txt").read_text().splitlines()
TALKS = [TALK[i : i + 6] for i in range(0, 24, 6)]
ELSEWHERE = {
    "callable": "asks a function of the user's",
    "command": "asks a program",
    "openai": "asks an endpoint",
    "smollm2": "needs weights of 100 MB and seconds a word",
    "transformers": "needs weights that must be brought",
}
OPTIONS = {"rerank": 'bots="eliza;parrot",metric=length,k=3'}
# Sizes for those that learn; of these, a bot is given the options that it has.
SMALL = "hidden=8,embedding=8,context=8,latent=4,vocabulary=60,content=20,epochs=1,limit=6,batch=4,anneal=4,samples=2"
MINE = [name for name in names("bot") if name not in ELSEWHERE]
LEARNS_BY_HEART = {"human"}  # it has replies to contexts that were recorded, and says so of all others


def said(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


CONTEXTS = [said(*talk[:size]) for talk in TALKS for size in (1, 2, 4)][:9]
ODD = {
    "nobody has spoken": (),
    "nothing was said": said("", ""),
    "white space": said(" \n\t "),
    "other scripts": said("naïve café 我爱 👍🏽 👩‍💻 !", "می‌خواهم"),
    "unknown words": said("zzxqv qqqrw"),
    "control characters": said("a\x00b\x1b[0m \x7f \u202e", "\ufeff"),
    "half a surrogate pair": said("tea \ud800 ?"),
    "marks of formats": said('<b>&amp;</b> {"a": 1} %1 %s \\1 | ; ( ) = "'),
    "one name for all": (Turn("a", "tea ?"), Turn("a", "yes ."), Turn("a", "why ?")),
    "no names": (Turn("", "tea ?"), Turn("", "yes .")),
    "2,000 turns": said(*(TALK * 84)[:2000]),
    "100,000 characters": said("tea ?", " ".join(TALK * 130)[:100_000]),
    "one word of 100,000 characters": said("a" * 100_000),
}


def spec(name):
    if name in OPTIONS:
        return f"{name}({OPTIONS[name]})"
    fields = find("bot", name).__dataclass_fields__
    small = ",".join(part for part in SMALL.split(",") if part.split("=")[0] in fields)
    return f"{name}({small})" if small and "fit" in dir(find("bot", name)) else name


@cache
def ready(name):
    """A bot that can talk, made once."""
    try:
        bot = create("bot", spec(name))
        return bot.fit(TALKS, seed=1) if isinstance(bot, Fits) and not bot.fitted else bot
    except MissingResource as error:
        pytest.skip(str(error))


every_bot = pytest.mark.parametrize("name", MINE)
every_learner = pytest.mark.parametrize("name", [n for n in MINE if hasattr(find("bot", n), "fit")])


def ways(bot):
    """The bot, and where it can speak in several ways, each of them."""
    return [replace(bot, decode=way) for way in ("greedy", "beam", "sample")] if hasattr(bot, "decode") else [bot]


def assert_whole(replies, contexts, n):
    assert isinstance(replies, list)
    assert len(replies) == len(contexts)
    for given in replies:
        assert isinstance(given, list)
        assert len(given) == n
        assert all(type(text) is str for text in given)


def test_nobody_is_left_out():
    assert set(ELSEWHERE) <= set(names("bot"))
    tests = Path(__file__).parents[1] / "bots"
    assert [name for name in ELSEWHERE if not (tests / f"test_{name}.py").exists()] == []


@every_bot
def test_n_texts_for_every_context(name):
    bot = ready(name)
    assert isinstance(bot, Bot)
    assert bot.name == name
    for n in (1, 3):
        assert_whole(bot.reply(CONTEXTS, n=n), CONTEXTS, n)
    assert_whole(bot.reply(CONTEXTS), CONTEXTS, 1)
    assert bot.reply([]) == []


@every_bot
def test_the_same_seed_gives_the_same_replies(name):
    bot = ready(name)
    once = bot.reply(CONTEXTS, n=2, seed=7)
    assert bot.reply(CONTEXTS, n=2, seed=7) == once
    assert bot.reply(CONTEXTS, n=2, seed=seeds_for(7, CONTEXTS)) == once
    assert bot.reply(CONTEXTS, n=2, seed=np.array(seeds_for(7, CONTEXTS))) == once
    assert_whole(bot.reply(CONTEXTS, n=2, seed=-3), CONTEXTS, 2)


@every_bot
def test_company_and_order_change_nothing(name):
    seeds = list(range(100, 109))
    for bot in ways(ready(name)):
        whole = bot.reply(CONTEXTS, n=2, seed=seeds)
        assert [bot.reply([one], n=2, seed=[seed])[0] for one, seed in zip(CONTEXTS, seeds, strict=True)] == whole
        assert bot.reply(CONTEXTS[::-1], n=2, seed=seeds[::-1])[::-1] == whole
        assert bot.reply(CONTEXTS[:1] * 9, n=2, seed=[100] * 9) == whole[:1] * 9


@every_bot
def test_odd_contexts_are_answered(name):
    bot, contexts = ready(name), list(ODD.values())
    if name in LEARNS_BY_HEART:
        with pytest.raises(PartlyFailed):
            bot.reply(contexts)
        answers = ask(bot, contexts, n=2)
        assert all(len(answer.replies) == 2 or name in answer.error for answer in answers)
        assert answers[0].replies
        return
    together = bot.reply(contexts, n=2, seed=5)
    assert_whole(together, contexts, 2)
    seeds = seeds_for(5, contexts)
    for (label, context), seed, replies in zip(ODD.items(), seeds, together, strict=True):
        assert bot.reply([context], n=2, seed=[seed]) == [replies], label


@every_bot
def test_random_states_of_the_process_are_left_alone(name):
    def states():
        torch = sys.modules.get("torch")
        drawn = torch.get_rng_state().tolist() if torch else None
        return random.getstate(), np.random.get_state()[1].tolist(), drawn  # noqa: NPY002

    for bot in ways(ready(name)):
        before = states()
        bot.reply(CONTEXTS, n=2)
        assert states() == before


@every_bot
def test_spec_and_recipe(name):
    bot = ready(name)
    assert bot.recipe == bot.recipe.strip()
    assert bot.recipe.startswith(f"{name}-{bot.version}")
    assert not set("|\n") & set(bot.recipe)
    again = create("bot", spec(name))
    assert create("bot", spec_of(again, name)) == again
    assert create("bot", spec_of(bot, name)) == bot
    if not isinstance(bot, Fits):
        assert again.recipe == bot.recipe


@every_learner
def test_what_learns_asks_for_training_first(name):
    fresh = create("bot", spec(ready(name).name))
    assert not fresh.fitted
    for use in (lambda: fresh.reply(CONTEXTS[:1]), lambda: fresh.recipe):
        with pytest.raises(NeedsError) as error:
            use()
        assert f"dialometer train {name} FILE…" in error.value.hint


@every_learner
def test_what_learns_refuses_a_text_without_words(name):
    fresh = create("bot", spec(ready(name).name))
    for talks in ([], [[]], [["", " "]]):
        with pytest.raises(DialometerError):
            fresh.fit(talks)


@every_learner
def test_what_learns_is_kept_and_remembers_its_text(name, tmp_path):
    bot = ready(name)
    assert isinstance(bot, Fits)
    bot.save(tmp_path / "model")
    again = create("bot", str(tmp_path))
    assert (again.fitted, again.recipe) == (True, bot.recipe)
    assert again.reply(CONTEXTS, n=2, seed=4) == bot.reply(CONTEXTS, n=2, seed=4)
    assert overlap([TALK[0].upper(), "never said"], again.seen()).tolist() == [True, False]
    again.save(tmp_path / "copy")
    assert create("bot", str(tmp_path / "copy")).recipe == bot.recipe


@every_learner
def test_learning_again_gives_the_same_bot(name):
    bot = ready(name)
    assert create("bot", spec(name)).fit(TALKS, seed=1).recipe == bot.recipe
    assert create("bot", spec(name)).fit([*TALKS, ["a new one .", "so it is ."]], seed=1).recipe != bot.recipe


def changed(folder, **facts):
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**card, **facts}))


@every_learner
def test_folders_of_others_are_refused(name, tmp_path):
    made = type(ready(name))
    other = next(one for one in ("random", "tfidf") if one != name)
    for case, facts in (
        ("version", {"version": made.version + 1}),
        ("kind", {"kind": "encoder"}),
        ("options", {"options": {"nonsense": 1}}),
        ("name", {"name": other}),
        ("nobody", {"name": "nobody"}),
    ):
        folder = tmp_path / case
        ready(name).save(folder)
        changed(folder, **facts)
        with pytest.raises(DialometerError) as error:
            create("bot", str(folder))
        assert error.value.hint
    with pytest.raises(MissingResource, match=f"was not written by {name}"):
        made.load(tmp_path / "name")


@every_learner
def test_damaged_folders_are_refused(name, tmp_path):
    """Every file of a folder cut, emptied or gone: a sentence, or, if it was not needed, the same bot."""
    bot, refused = ready(name), []
    bot.save(tmp_path / "whole")
    for file in sorted(path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*") if path.is_file()):
        for number, keep in enumerate((None, 0, 0.5, 0.98)):
            folder = tmp_path / f"{'-'.join(file.parts)}-{number}"
            shutil.copytree(tmp_path / "whole", folder)
            content = (folder / file).read_bytes()
            (folder / file).unlink()
            if keep is not None:
                (folder / file).write_bytes(content[: int(len(content) * keep)])
            try:
                assert create("bot", str(folder)).reply(CONTEXTS, seed=4) == bot.reply(CONTEXTS, seed=4)
            except DialometerError as error:
                refused.append(error)
    assert len(refused) >= 8  # card and arrays, in every way
    assert all(isinstance(error, MissingResource | SpecError) and error.hint for error in refused)


class Broken:
    """A bot that keeps no promise but its name."""

    name, version, recipe = "broken", 1, "broken-1"
    __dataclass_fields__: ClassVar = {}

    def reply(self, contexts, *, n=1, seed=0):
        number = random.randrange(10**9)
        return [[f"{number} {len(contexts)} {len(context[-1].text)}"] for context in contexts]


@pytest.fixture
def broken(monkeypatch):
    monkeypatch.setitem(CATALOG["bot"], "broken", f"{__name__}:Broken")
    registry._menu.cache_clear()
    yield "broken"
    monkeypatch.undo()
    registry._menu.cache_clear()
    ready.cache_clear()


@pytest.mark.parametrize(
    "check",
    [
        test_n_texts_for_every_context,
        test_the_same_seed_gives_the_same_replies,
        test_company_and_order_change_nothing,
        test_odd_contexts_are_answered,
        test_random_states_of_the_process_are_left_alone,
    ],
)
def test_the_exam_can_be_failed(check, broken):
    with pytest.raises((AssertionError, IndexError)):
        check(broken)
