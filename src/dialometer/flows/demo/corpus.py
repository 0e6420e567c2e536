"""What the demo learns from: the ChatterBot corpus, which comes inside a wheel, or the few small talks of the package.

Some questions are answered in several ways there. These are held out, so that a reply can be compared with the other answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dialometer
from dialometer.core.artifacts import digest
from dialometer.core.errors import MissingResource
from dialometer.core.seeds import derived
from dialometer.core.types import Example
from dialometer.data import open_items
from dialometer.text.perturb.units import units

Talk = tuple[str, ...]
CHATTERBOT, SAMPLE = "the ChatterBot corpus", "the sample of small talk"
PROGRAMS = "coding"  # a topic whose replies are programs
LEAST = 4  # words of a reply that can be shuffled beyond recognition
WAY = 'pip install "dialometer[demo]"'


@dataclass(frozen=True)
class Question:
    """A turn that was answered in several ways: one answer, long enough to be shuffled, and the others."""

    text: str
    answer: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class SmallTalk:
    """Conversations to learn from, and the questions that none of them holds."""

    name: str
    talks: tuple[Talk, ...]
    questions: tuple[Question, ...]

    @property
    def turns(self) -> int:
        """Utterances to learn from."""
        return sum(map(len, self.talks))

    @property
    def digest(self) -> str:
        """A hash of all that was said."""
        return digest(repr((self.talks, self.questions)).encode())


def sample_path() -> Path:
    """Where the sample lies in the package: three invented bots, eight openings, two references each."""
    return Path(dialometer.__file__).parent / "samples" / "smalltalk.jsonl"


def find_chatterbot() -> str:
    """Its name; refused with the line to type where the corpus, or what reads its files, is not installed."""
    for module, package in (("chatterbot_corpus", "chatterbot-corpus"), ("yaml", "PyYAML")):
        if find_spec(module) is None:
            raise MissingResource(f"the ChatterBot corpus needs the package {package}", WAY)
    return CHATTERBOT


def read_corpus(*, chatterbot: bool, held_out: int, seed: int) -> SmallTalk:
    """The conversations of a corpus, without the questions that are held out: at most so many, and half of those there are."""
    name = CHATTERBOT if chatterbot else SAMPLE
    talks = list(dict.fromkeys(_chatterbot() if chatterbot else _sample()))
    found = sorted(_questions(talks, seed), key=lambda one: derived(seed, "held out", one.text))
    questions = found[: min(held_out, (len(found) + 1) // 2)]
    taken = {one.text.lower() for one in questions}
    kept = [talk for talk in talks if not taken & {text.lower() for text in talk}]
    return SmallTalk(name, tuple(kept), tuple(questions))


def _chatterbot() -> Iterator[Talk]:
    """The English conversations, topic by topic; an entry that is no list is a slip of the file."""
    import yaml

    for path in _files():
        if path.stem != PROGRAMS:
            content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
            for talk in content["conversations"]:
                turns = tuple(" ".join(str(turn).split()) for turn in talk) if isinstance(talk, list) else ()
                if len(turns) > 1 and all(turns):
                    yield turns


def _files() -> list[Path]:
    spec = find_spec("chatterbot_corpus")
    return sorted((Path(spec.origin).parent / "data" / "english").glob("*.yml")) if spec and spec.origin else []


def _sample() -> Iterator[Talk]:
    for item in open_items(str(sample_path())):
        if isinstance(item, Example):
            yield from ((*(turn.text for turn in item.context), reference) for reference in item.references)


def _questions(talks: Sequence[Talk], seed: int) -> Iterator[Question]:
    """First turns with two answers or more of two words or more, one of them long enough."""
    answers: dict[str, dict[str, str]] = {}
    spelt: dict[str, str] = {}
    for question, answer, *_ in talks:
        if len(units(answer)) > 1:
            spelt.setdefault(question.lower(), question)
            answers.setdefault(question.lower(), {}).setdefault(answer.lower(), answer)
    for question, own in answers.items():
        long = [answer for answer in own.values() if len(units(answer)) >= LEAST]
        if len(own) > 1 and long:
            chosen = min(long, key=lambda answer: derived(seed, "answer", question, answer))
            yield Question(spelt[question], chosen, tuple(answer for answer in own.values() if answer != chosen))
