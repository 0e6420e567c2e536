"""A bot of seconds, and judges of a line, for the tests of learning by reward."""

import numpy as np

from dialometer.core.registry import create

WORDS = "tea cake milk sugar coffee bread please thanks yes no".split()
TINY = "hidden=8,embedding=6,vocabulary=30,units=words,epochs=2,batch=8,rate=0.02,limit=5,dropout=0.3"
MORE = {
    "hred": ",context=8",
    "mrrnn": ",context=8,content=20",
    "vhcr": ",context=8,latent=3",
    "vhred": ",context=8,latent=3",
}
OPENERS = [(f"{one} {two} please thanks",) for one in WORDS for two in WORDS[:3]]


def talks(count=40):
    rng = np.random.default_rng(0)
    return [[" ".join(rng.choice(WORDS, 3)) for _ in range(4)] for _ in range(count)]


def trained(name="hred"):
    return create("bot", f"{name}({TINY}{MORE.get(name, '')})").fit(talks(), seed=1)


def wants(word, gain=1.0):
    """How often a word is in each reply."""

    def judge(episodes):
        return np.array([[gain * (word in text.lower()) for text in one.replies] for one in episodes]), {}

    return judge


def quiet(records):
    return False, []
