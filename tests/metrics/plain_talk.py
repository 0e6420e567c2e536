"""The features of conversations once more, in plain Python over turns and speakers: an oracle that shares no arithmetic with ours.

Models are asked for vectors and distributions; everything after that is loops.
"""

import re
from dataclasses import replace
from math import isnan, nan, sqrt

import numpy as np

from dialometer.core.registry import create
from dialometer.text.corpus import Corpus
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.vectors.emojis import weights
from dialometer.text.vectors.sentences import sentence_vectors

ASKING = ("who", "what", "why", "where", "how", "when")


def cosine(a, b):
    a, b = [float(x) for x in a], [float(x) for x in b]
    norm = sqrt(sum(x * x for x in a)) * sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / norm if norm else nan


def mean(numbers):
    known = [x for x in numbers if not isnan(x)]
    return sum(known) / len(known) if known else nan


def pairs(words):
    return list(zip(words, words[1:], strict=False))


def distinct(grams):
    return len(set(grams)) / len(grams) if grams else nan


def replies_of(dialogue):
    """Where the system speaks; a first turn answers nothing."""
    return [place for place, turn in enumerate(dialogue.turns) if place and turn.speaker in dialogue.speakers]


def plays_both(dialogue):
    """Whether two voices talk after the opener, and both are the system's."""
    later = [turn.speaker for turn in dialogue.turns[min(replies_of(dialogue), default=0) :]]
    return len(set(later)) > 1 and all(speaker in dialogue.speakers for speaker in later)


class Plain:
    """Looks every distinct text up once."""

    def __init__(self, talks):
        texts = list(dict.fromkeys(turn.text for talk in talks for turn in talk.turns))
        emotion, encoder = create("emotion", "prompted"), create("encoder", "minilm")
        kept = replace(Corpus.of(texts), keep=True)  # read again by whoever measures the same texts
        self.vector = dict(zip(texts, sentence_vectors(kept, encoder, np.arange(len(texts))), strict=True))
        nothing = emotion.distribution([""])[0]
        felt = emotion.distribution(
            texts,
            encode=lambda some: np.array([self.vector[t] if t in self.vector else encoder.encode([t])[0] for t in some]),
        )
        self.felt = {text: None if np.array_equal(row, nothing) else row for text, row in zip(texts, felt, strict=True)}
        cut = tokeniser("words")
        self.words = {text: cut.tokens(text) for text in texts}
        spelt = sorted({word for words in self.words.values() for word in words})
        found, known = create("vector", "wordllama").look_up(spelt)
        self.known = {word: vector for word, vector, there in zip(spelt, found.astype(float), known, strict=True) if there}

    def sentiment(self, text):
        felt = self.felt[text]
        return nan if felt is None else float(sum(w * float(p) for w, p in zip(weights(), felt, strict=True)))

    def turns(self, dialogue):
        """The columns of ``turns`` of each reply, from the speakers of the turns."""
        said, mirror, made = [turn.text for turn in dialogue.turns], plays_both(dialogue), []
        other = [mirror or turn.speaker not in dialogue.speakers for turn in dialogue.turns]
        for place in replies_of(dialogue):
            asked = max((k for k in range(place) if other[k]), default=None)
            answered = min((k for k in range(place + 1, len(said)) if other[k]), default=None)
            made.append(self.turn(said, place, asked, answered))
        return made

    def turn(self, said, place, asked, answered):
        """Of one reply, with the places of what it answers and of what answers it."""
        r, own = said[place], pairs(self.words[said[place]])
        asks = any(re.search(rf"(?<!\w){word}(?!\w)", r.lower()) for word in ASKING)
        before = {pair for text in said[:place] for pair in pairs(self.words[text])}
        feels, alike, follow, laughs, near, heard = [nan] * 6
        coherence = nan, nan, nan
        if asked is not None:
            q = said[asked]
            feels, near, heard = self.sentiment(q), cosine(self.vector[q], self.vector[r]), len(self.words[q])
            coherence, words = self.coherence(q, r), re.findall(r"\w+", q.lower())
            laughs = sum(word.count("ha") for word in words if re.fullmatch("(ha)+h?|a(ha){2,}h?", word))
            alike = cosine(self.felt[q], self.felt[r]) if self.felt[q] is not None and self.felt[r] is not None else nan
            follow = self.sentiment(said[answered]) - feels if answered is not None else nan
        return [
            feels,
            self.sentiment(r),
            alike,
            follow,
            laughs,
            near,
            *coherence,
            asks / 2 + ("?" in r or "？" in r) / 2,
            len(self.words[r]),
            heard,
            1 - distinct(own),
            sum(pair in before for pair in own) / len(own) if own else nan,
        ]

    def coherence(self, q, r):
        """Average, extrema and greedy of two texts."""
        a, b = ([self.known[word] for word in self.words[text] if word in self.known] for text in (q, r))
        if not a or not b:
            return nan, nan, nan
        extremes = [[max(column) if max(column) >= -min(column) else min(column) for column in zip(*side, strict=True)]
                    for side in (a, b)]  # fmt: skip
        units = [[vector / np.linalg.norm(vector) for vector in side] for side in (a, b)]
        there = sum(max(float(x @ y) for y in units[1]) for x in units[0]) / len(a)
        back = sum(max(float(x @ y) for x in units[0]) for y in units[1]) / len(b)
        return cosine(sum(a) / len(a), sum(b) / len(b)), cosine(*extremes), (there + back) / 2

    def talk(self, dialogue):
        """The columns of ``conversation``."""
        places, turns = replies_of(dialogue), dialogue.turns
        if len(places) > 1 and plays_both(dialogue):
            users = [turns[place - 1].text for place in places]
            sides = places[::2], places[1::2]
        else:
            others = [i for i in range(len(turns)) if i not in places and (i or 1 in places)]
            users, sides = [turns[i].text for i in others], (places, others)
        own, theirs = (sum(len(self.words[turns[i].text]) for i in side) for side in sides)
        said = [self.words[turns[place].text] for place in places]
        topics = []
        for place in places:
            heard = sum(self.vector[turn.text].astype(float) for turn in turns[:place])
            topics.append(cosine(self.vector[turns[place].text], heard))
        return [
            *(mean(column) for column in zip(*self.turns(dialogue), strict=True)),
            self.slope(users),
            distinct([word for words in said for word in words]),
            distinct([pair for words in said for pair in pairs(words)]),
            mean(topics),
            1 - abs(2 * own / (own + theirs) - 1) if own + theirs else nan,
            len(places),
        ]

    def slope(self, users):
        """From the lowest to the highest sentiment."""
        feels = [(self.sentiment(text), place) for place, text in enumerate(users)]
        known = [(x, place) for x, place in feels if not isnan(x)]
        if len(known) < 2:
            return nan
        low, high = min(known), max(known, key=lambda pair: (pair[0], -pair[1]))
        return (high[0] - low[0]) / (high[1] - low[1]) if high[1] != low[1] else 0.0
