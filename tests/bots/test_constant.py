"""One reply to everything."""

from dialometer.bots.constant import Constant
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Turn


def test_the_text_and_nothing_but_the_text():
    bot = create("bot", 'constant(text="Yes, please (now).")')
    assert bot.reply([(), (Turn("a", "hi"),)], n=2) == [["Yes, please (now)."] * 2] * 2
    assert create("bot", "constant").reply([()]) == [["I don't know ."]]


def test_texts_have_recipes_of_their_own_whatever_signs_they_hold():
    recipes = {Constant(text).recipe for text in ("", "a|b", "a/b", "a\nb", "\ud800", "我")}
    assert len(recipes) == 6
    assert not any("|" in recipe or "\n" in recipe for recipe in recipes)


def test_the_spec_makes_an_equal_bot():
    bot = Constant("one, two")
    assert create("bot", spec_of(bot, "constant")) == bot
