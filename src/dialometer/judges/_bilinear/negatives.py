"""Training negatives: replies that no human would rate high, so that a judge has seen what it is fooled by.

A judge trained on honest replies alone overrates empty, repeated and universal ones (Deriu and Cieliebak 2019, §5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from random import Random

import numpy as np

from dialometer.core.errors import UnknownName, UsageError
from dialometer.core.seeds import derived
from dialometer.core.types import Example, Turn
from dialometer.text.corpus import Corpus
from dialometer.text.perturb import PERTURBATIONS, Others
from dialometer.text.perturb.units import join, units
from dialometer.text.texts import Texts
from dialometer.text.vectors.sentences import Known

# None of them is a phrase of the stress test: its outcome is not memorised.
UNIVERSAL = (
    "i have no idea .",
    "maybe .",
    "ok .",
    "yes .",
    "no .",
    "really ?",
    "me too .",
    "i hope so .",
    "that is nice .",
    "sounds good .",
    "thank you very much .",
    "i am fine .",
    "you are right .",
    "what are you talking about ?",
)
COMMON = 3  # a reply to this many different documents is universal too
TIMES = range(3, 9)  # how often a phrase is said again

Make = Callable[[Example, Others, int], str | None]


def _repeated(item: Example, others: Others, seed: int) -> str | None:
    """A phrase of the reply over and over, or the last turn of the context again."""
    rng, pieces = Random(seed), units(item.response)
    said = PERTURBATIONS["copy-context"].of(item, others, seed)
    if said and (not pieces or rng.random() < 0.5):
        return said
    if not pieces:
        return None
    size = rng.randint(1, min(4, len(pieces)))
    start = rng.randrange(len(pieces) - size + 1)
    return join(pieces[start : start + size] * rng.choice(TIMES))


def _universal(item: Example, others: Others, seed: int) -> str | None:
    """A phrase for all occasions, or what these examples reply to many contexts."""
    return Random(seed).choice([*UNIVERSAL, *_common(others.responses)])


@lru_cache(maxsize=1)
def _common(responses: tuple[tuple[str, str], ...]) -> list[str]:
    answered: dict[str, set[str]] = {}
    for document, text in responses:
        answered.setdefault(text, set()).add(document)
    return sorted(text for text, documents in answered.items() if len(documents) >= COMMON)


NEGATIVES: dict[str, tuple[str, Make]] = {
    "empty": ("no text at all", PERTURBATIONS["empty"].of),
    "repeated": ("a phrase of the reply over and over, or the last turn of the context again", _repeated),
    "universal": ("a phrase for all occasions, or a reply that many contexts got", _universal),
    "shuffled": ("the words of the reply in a random order", PERTURBATIONS["shuffled-words"].of),
    "other": ("the reply to another context", PERTURBATIONS["other-response"].of),
}


def with_negatives(
    corpus: Corpus, target: np.ndarray, kinds: Sequence[str], *, share: float = 0.5, low: float, seed: int = 0
) -> tuple[Corpus, np.ndarray]:
    """The corpus with negatives behind its rows, and the target with ``low`` for them.

    There are ``share`` negatives for each rated row, equally many of each kind as far as rows can be changed in that way. A
    negative keeps context, references, system and document of the row it was made from, so that folds stay whole; its id is
    ``<id>~<kind>``. Each draw belongs to (seed, kind, id). Texts keep their numbers, and what was encoded is not encoded anew.
    """
    check_kinds(kinds)
    if not 0 <= share <= 10:
        raise UsageError(f"the share of negatives lies between 0 and 10 for each rated row, not {share}", "0.5, say")
    rated = np.flatnonzero(~np.isnan(target))
    examples = dict(zip(rated.tolist(), _examples(corpus, rated), strict=True))
    others = Others.of(examples.values())
    rows: list[int] = []
    texts: list[str] = []
    names: list[str] = []
    ids = list(corpus.ids)
    each = -(-round(share * len(rated)) // len(kinds)) if kinds else 0
    for kind in kinds:
        made = _made(kind, examples, others, seed)
        for _, (row, text) in zip(range(each), made, strict=False):
            rows.append(row)
            texts.append(text)
            names.append(f"{ids[row]}~{kind}")
    return _appended(corpus, np.array(rows, np.int64), texts, names), np.concatenate(
        [target, np.full(len(rows), float(low))]
    )


def check_kinds(kinds: Sequence[str]) -> None:
    """Refuse a kind that there is not."""
    for kind in kinds:
        if kind not in NEGATIVES:
            raise UnknownName("kind of negative", kind, NEGATIVES, hint=f"negatives={'+'.join(NEGATIVES)}")


def _made(kind: str, examples: dict[int, Example], others: Others, seed: int) -> Iterator[tuple[int, str]]:
    """Rows in an order of chance, each with what it becomes; rows that the kind cannot change are passed over."""
    change = NEGATIVES[kind][1]
    drawn = sorted(examples, key=lambda row: derived(seed, "negative", kind, examples[row].id))
    for row in drawn:
        text = change(examples[row], others, derived(seed, "made", kind, examples[row].id))
        if text is not None and text != examples[row].response:
            yield row, text


def _examples(corpus: Corpus, rows: np.ndarray) -> Iterator[Example]:
    """Rows as examples, without the names of speakers."""
    texts, ids, documents, systems = (list(c) for c in (corpus.texts, corpus.ids, corpus.documents, corpus.systems))
    for row in rows.tolist():
        heard, known = (
            [texts[text] for text in lists.rows[lists.starts[row] : lists.starts[row + 1]]]
            for lists in (corpus.contexts, corpus.references)
        )
        context = tuple(Turn("", text) for text in heard)
        yield Example(ids[row], context, texts[corpus.response[row]], tuple(known), systems[row], documents[row])


def _appended(corpus: Corpus, rows: np.ndarray, responses: list[str], names: list[str]) -> Corpus:
    """The corpus, and behind it these rows once more with other responses and names."""
    before = len(corpus.texts)
    place = {text: number for number, text in enumerate(corpus.texts)}
    written = [place.setdefault(text, len(place)) for text in responses]
    fresh = Texts.of(list(place)[before:])
    texts = Texts(
        np.concatenate([corpus.texts.bytes, fresh.bytes]),
        np.concatenate([corpus.texts.starts, corpus.texts.starts[-1] + fresh.starts[1:]]),
    )
    every = np.concatenate([np.arange(len(corpus)), rows])
    known = {
        recipe: Known(np.concatenate([old.place, np.full(len(fresh), -1)]), old.vectors, old.covered)
        if isinstance(old, Known)
        else dict(old)  # of exchanges, by the numbers of their texts
        for recipe, old in corpus._vectors.items()
    }
    return replace(
        corpus.take(every),
        texts=texts,
        response=np.concatenate([corpus.response, np.array(written, np.int32)]),
        names=Texts.of(chain(corpus.ids, names)),
        groups=corpus.documents.take(every),
        _tables={},
        _vectors=known,
    )
