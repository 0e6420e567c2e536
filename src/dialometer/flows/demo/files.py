"""The files that the demo's steps read: conversations to learn from, questions, replies to them, replies of known quality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dialometer.core.types import Dialogue, Example, Turn
from dialometer.data import open_items
from dialometer.data.formats.jsonl import Jsonl
from dialometer.flows.demo.constructed_replies import constructed
from dialometer.flows.demo.corpus import Question, SmallTalk

SPEAKERS = ("a", "b")


@dataclass(frozen=True)
class Files:
    """Where they lie."""

    folder: Path

    @property
    def talks(self) -> str:
        """Conversations to learn from."""
        return str(self.folder / "talks.jsonl")

    @property
    def questions(self) -> str:
        """Questions that were held out, with their answers."""
        return str(self.folder / "questions.jsonl")

    @property
    def constructed(self) -> str:
        """Replies of known quality."""
        return str(self.folder / "constructed.jsonl")

    @property
    def answers(self) -> str:
        """What the bots reply to the questions."""
        return str(self.folder / "answers.jsonl")


def write_files(corpus: SmallTalk, folder: Path, seed: int) -> Files:
    """All but the answers; the same corpus and seed give the same bytes, so that steps which read them go on."""
    folder.mkdir(exist_ok=True)
    files = Files(folder)
    Jsonl().write((_dialogue(number, talk) for number, talk in enumerate(corpus.talks)), Path(files.talks))
    Jsonl().write(_questions(corpus.questions), Path(files.questions))
    Jsonl().write(constructed(corpus.questions, seed), Path(files.constructed))
    return files


def write_answers(dialogues: str, files: Files) -> int:
    """Conversations of one question and one reply as items with the known answers as references; how many they are."""
    known = {item.id: item for item in open_items(files.questions) if isinstance(item, Example)}
    return Jsonl().write(_answers(dialogues, known), Path(files.answers))


def by_heart(files: Files) -> Counter[str]:
    """By bot how many replies are one of the known answers, compared by letters and digits."""
    return Counter(
        item.system
        for item in open_items(files.answers)
        if isinstance(item, Example) and _bare(item.response) in set(map(_bare, item.references))
    )


def _bare(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _answers(dialogues: str, known: dict[str, Example]) -> Iterator[Example]:
    for one in open_items(dialogues):
        if isinstance(one, Dialogue) and len(one.turns) > one.extra["opener_turns"]:  # a bot that failed has said nothing
            question = known[one.extra["opener"]]
            yield Example(
                f"{one.system}-{question.id}", question.context, one.turns[-1].text,
                (question.response, *question.references), one.system, question.id,
            )  # fmt: skip


def _dialogue(number: int, talk: Sequence[str]) -> Dialogue:
    turns = (Turn(SPEAKERS[place % 2], text) for place, text in enumerate(talk))
    return Dialogue(f"talk-{number:04d}", "", tuple(turns))


def _questions(questions: Sequence[Question]) -> Iterator[Example]:
    for number, one in enumerate(questions):
        yield Example(f"question-{number:02d}", (Turn("user", one.text),), one.answer, one.others)
