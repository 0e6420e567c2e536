"""The parrot says the last turn again."""

from dialometer.core.registry import create
from dialometer.core.types import Turn


def test_the_last_turn_of_anybody():
    bot = create("bot", "parrot")
    contexts = [(Turn("a", "Tea ?"), Turn("b", " Yes\n please ")), (Turn("", ""),), (Turn("a", "我爱 👍🏽 \x00"),)]
    assert bot.reply(contexts, n=2, seed=[1, 2, 3]) == [[" Yes\n please "] * 2, ["", ""], ["我爱 👍🏽 \x00"] * 2]


def test_it_greets_where_there_is_nothing_to_repeat():
    assert create("bot", "parrot").reply([()]) == [["Hello ."]]


def test_recipe():
    assert create("bot", "parrot").recipe == "parrot-1"
