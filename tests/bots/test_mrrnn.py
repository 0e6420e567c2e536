"""``mrrnn``: which words are content, and how they become the coarse sequence."""

import numpy as np
import pytest

pytest.importorskip("torch")

from dialometer.bots.mrrnn import contents
from dialometer.core.registry import create
from dialometer.nets.training.vocabulary import UNKNOWN
from tests.encoders.talks import SMALL_TALK

SPEC = "mrrnn(hidden=8,embedding=6,context=8,vocabulary=60,content=6,epochs=1,batch=16)"


def test_content_words():
    assert contents(["Do you like TEA ?", "", "it is what it is .", "3.5 litres , don't"])[:3] == ["like tea", "", ""]
    assert contents([]) == []


def test_the_commonest_content_words_are_planned():
    bot = create("bot", SPEC).fit(SMALL_TALK, seed=1)
    assert bot.learnt.sizes.coarse == 8
    known = list(bot.learnt.coarse.spellings)
    data = bot.data([["do you like tea ?", "the kettle is hot"], ["tea " * 40]])
    spelt = [
        bot.learnt.coarse.decode(data.coarse.flat[a:b].tolist())
        for a, b in zip(data.coarse.starts, data.coarse.starts[1:], strict=False)
    ]
    assert spelt[0].split() == [word for word in ("like", "tea") if word in known]
    assert spelt[1] == ""
    assert (np.diff(data.coarse.starts) <= 13).all()
    assert data.coarse.talks.tolist() == data.talks.tolist()


def test_no_word_is_unknown_in_a_plan(real_texts):
    """What is left of a real text is known, whatever signs it has."""
    texts = real_texts(300)
    talks = [texts[at : at + 3] for at in range(0, 300, 3)]
    bot = create("bot", SPEC.replace("content=6", "content=100").replace("epochs=1", "epochs=0")).fit(talks)
    data = bot.data(talks)
    assert UNKNOWN not in data.coarse.flat
    assert len(data.coarse.flat) > 400


def test_talk_without_content_words():
    bot = create("bot", SPEC).fit([["it is what it is .", "so are we ."]] * 3)
    assert bot.learnt.sizes.coarse == 2
    assert bot.reply([()], n=2)
