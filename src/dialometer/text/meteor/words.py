"""Word properties for METEOR: exact, stem and synonym matches, and function words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from dialometer.text.meteor.porter import stem as porter_stem
from dialometer.text.meteor.resources import meteor_folder, meteor_member, wordnet_folder
from dialometer.text.meteor.synonyms import MeteorSynsets, SynsetSource, WordNetSynsets, shared_synsets, wordnet_links
from dialometer.text.meteor.wordnet import open_wordnet
from dialometer.text.table import TokenTable

# Without METEOR's own list: a short one of articles, pronouns, prepositions, auxiliaries and marks.
_FEW_FUNCTION_WORDS = frozenset(
    """
    the a an , . ' " ? ( ) : - $ to of and in that for is on 's it with was as at he by be from have has are his but this not i
    will they who their had we which were been or its would about you when there than all out her she can if so no could
    """.split()
)
_WIDE = 48  # longer words are hashed one by one, so that one of them does not widen the whole matrix


@dataclass(frozen=True, eq=False)
class WordFacts:
    """Per word: two numbers that are equal when words or stems are; one more fact; and its synonyms.

    The fact is 1 for a function word in METEOR 1.5, and in NLTK's form the number under which ``links`` knows the word.
    """

    key: np.ndarray
    stem: np.ndarray
    fact: np.ndarray
    link_starts: np.ndarray
    links: np.ndarray


def meteor_facts(table: TokenTable, synonyms: bool) -> WordFacts:
    """For METEOR 1.5: words and stems (Snowball English) are equal when their Java hashes are, as in the jar."""
    starts, links = _links(table, "meteor.synonyms", _shared_synsets) if synonyms else _no_links(len(table.words))
    return WordFacts(
        table.column("meteor.key", java_hashes),
        table.column("meteor.stem", lambda words: java_hashes(snowball(words))),
        table.column(
            "meteor.function",
            lambda words: np.fromiter((w.lower() in function_words() for w in words), np.int64, len(words)),
        ),
        starts,
        links,
    )


def nltk_facts(table: TokenTable, synonyms: bool, stems: bool) -> WordFacts:
    """For NLTK's METEOR: lower-case words, its Porter stems, WordNet's synonyms.

    NLTK hands the *stems* that stage two left over to the synonym stage, so links are between stems if that stage runs.
    """
    key = table.column("nltk.key", lambda words: _number_words([word.lower() for word in words]))
    stem = table.column("nltk.stem", lambda words: _number_words(list(map(porter_stem, words))))
    number, name, spell = (stem, "nltk.stems", porter_stem) if stems else (key, "nltk.words", str.lower)
    first = np.unique(number, return_index=True)[1].tolist()
    if not synonyms:
        return WordFacts(key, stem, number, *_no_links(len(first)))
    starts, links = _links(table, name, lambda words: _wordnet([spell(words[i]) for i in first]))
    return WordFacts(key, stem, number, starts, links)


def java_hashes(words: list[str]) -> np.ndarray:
    """Java's String.hashCode of each word: Σ c·31^k over UTF-16 units, modulo 2³², signed."""
    hashes = np.zeros(len(words), np.uint32)
    narrow = np.fromiter((len(w) <= _WIDE and (w.isascii() or max(w) <= "\uffff") for w in words), bool, len(words))
    rows = np.flatnonzero(narrow)
    if len(rows):
        letters = np.array([words[i] for i in rows.tolist()], dtype=f"U{_WIDE}").view(np.uint32).reshape(len(rows), -1)
        lengths = np.fromiter((len(words[i]) for i in rows.tolist()), np.int64, len(rows))
        part = np.zeros(len(rows), np.uint32)
        for k in range(int(lengths.max())):
            part = np.where(lengths > k, part * np.uint32(31) + letters[:, k], part)
        hashes[rows] = part
    for i in np.flatnonzero(~narrow).tolist():
        value = 0
        for unit in np.frombuffer(words[i].encode("utf-16-le", "surrogatepass"), np.uint16).tolist():
            value = (value * 31 + unit) & 0xFFFFFFFF
        hashes[i] = value
    return hashes.view(np.int32).astype(np.int64)


def snowball(words: list[str]) -> list[str]:
    """Snowball English stems (PyStemmer), equal to those of the jar."""
    import Stemmer

    return list(Stemmer.Stemmer("english").stemWords(words))


@cache
def function_words() -> frozenset[str]:
    """METEOR's list of English function words."""
    data = meteor_member("function/english.words")
    return _FEW_FUNCTION_WORDS if data is None else frozenset(data.decode().split("\n"))


@cache
def synset_source() -> SynsetSource | None:
    """METEOR's own synonym lists, else WordNet, else nothing."""
    if meteor_folder() is not None and meteor_member("synonym/english.synsets") is not None:
        return MeteorSynsets()
    folder = wordnet_folder()
    return WordNetSynsets(open_wordnet(folder)) if folder else None


def _shared_synsets(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    source = synset_source()
    return shared_synsets(words, source) if source else _no_links(len(words))


def _wordnet(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    folder = wordnet_folder()
    return wordnet_links(words, open_wordnet(folder)) if folder else _no_links(len(words))


def _links(table: TokenTable, name: str, make) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[no-untyped-def]
    """Starts and words of the lists, kept with the table as two columns."""
    made: list[tuple[np.ndarray, np.ndarray]] = []

    def both(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
        if not made:
            made.append(make(words))
        return made[0]

    return table.column(f"{name}.starts", lambda words: both(words)[0]), table.column(
        f"{name}.words", lambda words: both(words)[1]
    )


def _no_links(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(n + 1, np.int64), np.zeros(0, np.int32)


def _number_words(words: list[str]) -> np.ndarray:
    """Equal words get equal numbers, in the order of first appearance."""
    number: dict[str, int] = {}
    return np.fromiter((number.setdefault(word, len(number)) for word in words), np.int64, len(words))
